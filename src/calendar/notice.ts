/** K2: planned changes of a calendar that are announced to callers: their fields, and the bounds of their texts. */
import type { Shaped } from './shape.ts';

/** More than any calendar needs to announce. */
export const MOST_NOTICES = 200;
export const LONGEST_NOTICE_TITLE = 200;
export const LONGEST_NOTICE_TEXT = 5_000;

export const NOTICE_ID = /^[\w.-]{1,60}$/;

const PLAIN = 'text /^\\P{Cc}*$/u';
/** A text whose form the shape leaves open: `jobs/notices/notices.ts` has its bounds. */
const OTHER = 'other';

/**
 * K2: a change that is announced to callers, and the day on which it takes effect. All texts are plain, with bounds of their own; `text`
 * may have several lines.
 */
export const NOTICE_FIELDS = {
  /** Constant for its whole life, so that no recipient gets it twice. */
  id: `text ${NOTICE_ID}`,
  /** `YYYY-MM-DD` in Norway. */
  from: OTHER,
  title_nb: OTHER,
  title_en: OTHER,
  text_nb: OTHER,
  text_en: OTHER,
  /** Categories that will retire, by id, and the ids that replace each; none if the notice names none. */
  categories: [{ id: PLAIN, replacements: `[${PLAIN}]` }],
} as const;

export type Notice = Shaped<typeof NOTICE_FIELDS>;
export type RetiringCategory = Notice['categories'][number];
