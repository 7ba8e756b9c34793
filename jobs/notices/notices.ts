/** K2: reads notices.json, and warns of ids that retire without a notice. */
import * as z from 'zod';
import { parseSourceDay } from '../../src/calendar/input-datetime.ts';
import {
  LONGEST_NOTICE_TEXT,
  LONGEST_NOTICE_TITLE,
  MOST_NOTICES,
  NOTICE_ID,
  type Notice,
  type RetiringCategory,
} from '../../src/calendar/notice.ts';
import { formatDay, osloDay } from '../../src/calendar/time.ts';
import type { Previous } from '../previous.ts';
import type { Records } from '../records.ts';
import type { Report } from '../report/report.ts';
import type { RawEntry } from '../source/source.ts';
import { readList } from '../validate/entry.ts';
import { addFinding, type Subject } from '../validate/entry-findings.ts';
import { id } from '../validate/schemas.ts';
import { nonBlank, severalLines, shortLine } from '../validate/texts.ts';
import { fieldsOf } from '../validate/unknown-fields.ts';
import { EMPTY_LEDGER, nextLedger, readLedger } from './ledger.ts';

interface Planning {
  /** `notices.json`. */
  readonly entries: AsyncIterable<RawEntry>;
  /** Null for the first build of its folder. */
  readonly previous: Previous | null;
  /** Instant, whole seconds. */
  readonly now: number;
  readonly report: Report;
}

/** As the snapshot stores them, JSON. */
export interface Plans {
  /** G4: the ids of categories that were ever in use, and those that retired. */
  readonly ledger: string;
  readonly notices: string;
}

/** Reads the planned changes, and the ids that the licence retires. Throws BUILD_REFUSED for an id that is reused. */
export async function readPlans(
  records: Records,
  { entries, previous, now, report }: Planning,
): Promise<Plans> {
  const notices = await readNotices(entries, records, report);
  const before = previous === null ? EMPTY_LEDGER : readLedger(previous.ledger);
  const ledger = nextLedger(before, records);
  // The ids that retire with this build.
  const retiring = records.retired.filter((id) => before.used.includes(id) && !before.retired.includes(id));
  warnOfUnannounced(retiring, { notices, today: formatDay(osloDay(now)), licence: records.licence, report });
  return { ledger: JSON.stringify(ledger), notices: JSON.stringify(notices) };
}

const textUpTo = (most: number) => {
  const form = `a text of 1 to ${most} characters`;
  return z.string(form).regex(/\S/, form).max(most, form);
};
const noticeTitle = textUpTo(LONGEST_NOTICE_TITLE);
const noticeText = textUpTo(LONGEST_NOTICE_TEXT);
const NOTICE_ID_FORM = 'an id of at most 60 letters, digits, "-", "_" and "."';
const NOTICE_DAY = 'a day such as "2027-02-01"';

/** K2. `categories`: ids that will retire, or, as in `retiredCategories`, each with its replacements. */
export const noticeSchema = z.object(
  {
    id: z.string(NOTICE_ID_FORM).regex(NOTICE_ID, NOTICE_ID_FORM),
    from: z.string(NOTICE_DAY).refine((day) => parseSourceDay(day) !== null, NOTICE_DAY),
    title_nb: noticeTitle,
    title_en: noticeTitle,
    text_nb: noticeText,
    text_en: noticeText,
    categories: z
      .union([z.array(id), z.record(id, z.array(id))], 'a list of ids, or an object of lists of ids')
      .nullish(),
  },
  'an object',
);

const FIELDS = fieldsOf([noticeSchema]);

type RawNotice = z.output<typeof noticeSchema>;

/** K2: the planned changes of the calendar, in the source's order. */
export function readNotices(
  entries: AsyncIterable<RawEntry>,
  { categories, retired }: Pick<Records, 'categories' | 'retired'>,
  report: Report,
): Promise<readonly Notice[]> {
  const categoryIds = new Set([...categories.map(({ id }) => id), ...retired]);
  let accepted = 0;
  return readList(
    entries,
    { kind: 'notices', schema: noticeSchema, fields: FIELDS, report },
    (raw, subject) => {
      const notice = noticeOf(raw, subject, categoryIds);
      if (notice === null) return null;
      accepted++;
      if (accepted <= MOST_NOTICES) return notice;
      const expected = `at most ${MOST_NOTICES} notices`;
      addFinding(subject, 'dropped record', { at: [], expected, found: notice.id });
      return null;
    },
  );
}

/** G8: the texts made safe; null, after a finding, if one becomes empty. */
function noticeOf(raw: RawNotice, subject: Subject, categoryIds: ReadonlySet<string>): Notice | null {
  const title_nb = nonBlank(shortLine(raw.title_nb, ['title_nb'], subject));
  const title_en = nonBlank(shortLine(raw.title_en, ['title_en'], subject));
  const text_nb = nonBlank(severalLines(raw.text_nb, ['text_nb'], subject));
  const text_en = nonBlank(severalLines(raw.text_en, ['text_en'], subject));
  if (title_nb !== null && title_en !== null && text_nb !== null && text_en !== null)
    return {
      ...raw,
      title_nb,
      title_en,
      text_nb,
      text_en,
      categories: categoriesOf(raw, subject, categoryIds),
    };
  addFinding(subject, 'dropped record', { at: [], expected: 'titles and texts in plain text', found: raw });
  return null;
}

/** A replacement may be introduced by the change, so it is not checked. */
function categoriesOf(
  { categories }: RawNotice,
  subject: Subject,
  categoryIds: ReadonlySet<string>,
): readonly RetiringCategory[] {
  const named = Array.isArray(categories)
    ? categories.map((id) => [id, []] as const)
    : Object.entries(categories ?? {});
  return named.flatMap(([id, replacements]) => {
    if (categoryIds.has(id)) return [{ id, replacements }];
    const expected = 'a category of the licence';
    addFinding(subject, 'dropped reference', { at: ['categories'], expected, found: id });
    return [];
  });
}

interface Announced {
  readonly notices: readonly Notice[];
  /** `YYYY-MM-DD` in Norway. */
  readonly today: string;
  readonly licence: { readonly id: string };
  readonly report: Report;
}

/** K2: warns of each id that retires without a notice, or before the day of its notice. */
function warnOfUnannounced(
  retiring: readonly string[],
  { notices, today, licence, report }: Announced,
): void {
  const subject = { origin: { file: 'licence.json' }, id: licence.id, reporter: report };
  for (const id of retiring) {
    const naming = notices.filter(({ categories }) => categories.some((category) => category.id === id));
    if (naming.some(({ from }) => from <= today)) continue;
    const [early] = naming;
    const expected =
      early === undefined
        ? 'a notice in notices.json that names the id before it retires'
        : `the day that the notice ${early.id} gives, ${early.from}`;
    addFinding(subject, 'retired unannounced', { at: ['retiredCategories', id], expected, found: id });
  }
}
