/** Notices: changes that are announced to callers beforehand (K2). */
import { type Holds, listOf, matching, objectOf } from './json.ts';
import { parseSourceDay } from './time.ts';

/** A change and the day on which it takes effect. All texts are plain; `text` may have several lines. */
export interface Notice {
  /** Constant for its whole life, so that no recipient gets it twice. */
  readonly id: string;
  /** `YYYY-MM-DD` in Norway. */
  readonly from: string;
  readonly title_nb: string;
  readonly title_en: string;
  readonly text_nb: string;
  readonly text_en: string;
  /** Ids of categories that will retire. */
  readonly categories: readonly RetiringCategory[];
}

export interface RetiringCategory {
  readonly id: string;
  /** Ids that replace it; empty if the notice names none. */
  readonly replacements: readonly string[];
}

/** A snapshot with more is refused: no reader needs so many. */
export const MOST_NOTICES = 200;
export const LONGEST_NOTICE_TITLE = 200;
export const LONGEST_NOTICE_TEXT = 5_000;

export const NOTICE_ID = /^[\w.-]{1,60}$/;

/** Control characters except the line feed. */
const CONTROL = /(?!\n)\p{Cc}/u;

const textUpTo =
  (longest: number): Holds =>
  (value) =>
    typeof value === 'string' && value.length <= longest && !CONTROL.test(value);
const isPlain = matching(/^\P{Cc}*$/u);

/** Whether a value of parsed JSON is a notice whose texts are safe in any place: a snapshot may come from elsewhere (H7). */
export const isNotice = objectOf<Notice>({
  id: matching(NOTICE_ID),
  from: (value) => typeof value === 'string' && parseSourceDay(value) !== null,
  title_nb: textUpTo(LONGEST_NOTICE_TITLE),
  title_en: textUpTo(LONGEST_NOTICE_TITLE),
  text_nb: textUpTo(LONGEST_NOTICE_TEXT),
  text_en: textUpTo(LONGEST_NOTICE_TEXT),
  categories: listOf(objectOf<RetiringCategory>({ id: isPlain, replacements: listOf(isPlain) })),
});
