import { MOST_NOTICES, type Notice, type RetiringCategory } from '../../src/calendar/notices.ts';
import type { RawEntry } from '../records.ts';
import type { Report } from '../report.ts';
import { addFinding, oneLine, readList, type Subject, severalLines, written } from './entry.ts';
import type { ValidLicence } from './licence.ts';
import { noticeSchema, type RawNotice } from './schemas.ts';

/** K2: the planned changes of the calendar, in the source's order. */
export function readNotices(
  entries: AsyncIterable<RawEntry>,
  { taxonomy }: ValidLicence,
  report: Report,
): Promise<readonly Notice[]> {
  const known = new Set([...taxonomy.categories.map(({ id }) => id), ...taxonomy.retired]);
  let notices = 0;
  return readList(entries, { kind: 'notices', schema: noticeSchema, report }, (raw, subject) => {
    const notice = noticeOf(raw, subject, known);
    if (notice === null || notices++ < MOST_NOTICES) return notice;
    const expected = `at most ${MOST_NOTICES} notices`;
    addFinding(subject, 'dropped record', { at: [], expected, found: notice.id });
    return null;
  });
}

/** G8: the texts made safe; null, after a finding, if one becomes empty. */
function noticeOf(raw: RawNotice, subject: Subject, known: ReadonlySet<string>): Notice | null {
  const title_nb = written(oneLine(raw.title_nb, ['title_nb'], subject));
  const title_en = written(oneLine(raw.title_en, ['title_en'], subject));
  const text_nb = written(severalLines(raw.text_nb, ['text_nb'], subject));
  const text_en = written(severalLines(raw.text_en, ['text_en'], subject));
  if (title_nb === null || title_en === null || text_nb === null || text_en === null) {
    addFinding(subject, 'dropped record', { at: [], expected: 'titles and texts in plain text', found: raw });
    return null;
  }
  const categories = categoriesOf(raw, subject, known);
  return { id: raw.id, from: raw.from, title_nb, title_en, text_nb, text_en, categories };
}

/** A replacement may be introduced by the change, so it is not checked. */
function categoriesOf(
  { categories }: RawNotice,
  subject: Subject,
  known: ReadonlySet<string>,
): readonly RetiringCategory[] {
  const named = Array.isArray(categories)
    ? categories.map((id) => [id, []] as const)
    : Object.entries(categories ?? {});
  return named.flatMap(([id, replacements]) => {
    if (known.has(id)) return [{ id, replacements }];
    const expected = 'a category of the licence';
    addFinding(subject, 'dropped reference', { at: ['categories'], expected, found: id });
    return [];
  });
}

interface Retiring {
  /** G4: known ids that this build retires. */
  readonly retiring: readonly string[];
  readonly notices: readonly Notice[];
  /** `YYYY-MM-DD` in Norway. */
  readonly today: string;
  readonly licence: { readonly id: string };
  readonly report: Report;
}

/** K2: warns of each id that retires without a notice, or before the day of its notice. */
export function warnOfUnannounced({ retiring, notices, today, licence, report }: Retiring): void {
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
