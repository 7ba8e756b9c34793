import { MOST_NOTICES, type Notice, type RetiringCategory } from '../../src/calendar/notices.ts';
import type { RawEntry } from '../records.ts';
import type { Report } from '../report.ts';
import { addFinding, isTaken, oneLine, readEntry, type Subject, severalLines, written } from './entry.ts';
import { noticeSchema, type RawNotice } from './schemas.ts';

interface Taxonomy {
  readonly categories: readonly { readonly id: string }[];
  readonly retired: readonly string[];
}

/** K2: the planned changes of the calendar, in the source's order. */
export async function readNotices(
  entries: AsyncIterable<RawEntry>,
  taxonomy: Taxonomy,
  report: Report,
): Promise<readonly Notice[]> {
  const notices: Notice[] = [];
  const ids = new Set<string>();
  const known = new Set([...taxonomy.categories.map(({ id }) => id), ...taxonomy.retired]);
  for await (const entry of entries) {
    report.read('notices');
    const read = readEntry(entry, { kind: 'notices', schema: noticeSchema, report });
    if (read === null || isTaken(ids, read.raw.id, read.subject)) continue;
    const notice = noticeOf(read.raw, read.subject, known);
    if (notice === null) continue;
    if (notices.length === MOST_NOTICES) {
      const expected = `at most ${MOST_NOTICES} notices`;
      addFinding(read.subject, 'dropped record', { at: [], expected, found: notice.id });
      continue;
    }
    ids.add(notice.id);
    report.kept('notices');
    notices.push(notice);
  }
  return notices;
}

/** G8: the texts made safe; null, after a finding, when nothing is left of one. */
function noticeOf(raw: RawNotice, subject: Subject, known: ReadonlySet<string>): Notice | null {
  const title = (name: 'title_nb' | 'title_en') => written(oneLine(raw[name], [name], subject));
  const text = (name: 'text_nb' | 'text_en') => written(severalLines(raw[name], [name], subject));
  const [title_nb, title_en, text_nb, text_en] = [
    title('title_nb'),
    title('title_en'),
    text('text_nb'),
    text('text_en'),
  ];
  if (title_nb === null || title_en === null || text_nb === null || text_en === null) {
    addFinding(subject, 'dropped record', { at: [], expected: 'titles and texts in plain text', found: raw });
    return null;
  }
  const categories = categoriesOf(raw, subject, known);
  return { id: raw.id, from: raw.from, title_nb, title_en, text_nb, text_en, categories };
}

/** A replacement may be one that comes with the change, so it is taken as it is. */
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
  /** G4: what this build retires that callers have seen before. */
  readonly retiring: readonly string[];
  readonly notices: readonly Notice[];
  /** `YYYY-MM-DD` in Norway. */
  readonly today: string;
  readonly licence: { readonly id: string };
  readonly report: Report;
}

/** K2: warns of each id that retires before anybody was told, or before the day of which they were told. */
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
