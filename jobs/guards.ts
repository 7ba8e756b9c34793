/** G3, G4: refuses a build that would empty a calendar in use, or take many events out of it. */
import { CalendarError } from '../src/calendar/errors.ts';
import { readColumns } from '../src/snapshot/column-blobs.ts';
import { listAt } from '../src/snapshot/columns.ts';
import { readLists } from '../src/snapshot/lists.ts';
import { openReader } from '../src/snapshot/sqlite.ts';
import type { Previous } from './previous.ts';
import { type Calendar, findingLine } from './records.ts';
import type { ListName, ReportSummary } from './report.ts';
import { isMissing } from './report-findings.ts';
import { indexesByKey } from './short-lists.ts';

interface BuiltCalendar {
  readonly calendar: Calendar;
  /** Null for the first build of its folder. */
  readonly previous: Previous | null;
  /** Ids that the licence retires; their events have been migrated. */
  readonly retired: readonly string[];
  /** F13: ids of events that the editor hides. */
  readonly hidden: ReadonlySet<string>;
  /** Instant, whole seconds. */
  readonly now: number;
  readonly summary: ReportSummary;
}

/** G3: no option overrides this one: a source without events is always a mistake. Throws BUILD_REFUSED. */
export function refuseEmpty(summary: ReportSummary): void {
  const { read, kept } = summary.lists.events;
  if (kept > summary.hidden) return;
  const found = `found none among ${read}: look at the source${firstFindingIn(summary)}`;
  throw new CalendarError('BUILD_REFUSED', `expected at least one valid event, ${found}`);
}

/** What an editor mends first. Empty if nothing was dropped. */
function firstFindingIn({ findings }: ReportSummary): string {
  const [first] = findings.filter(isMissing);
  return first === undefined ? '' : `. First finding: ${findingLine(first)}`;
}

/** Throws BUILD_REFUSED. */
export async function refuseGreatLosses({ previous, summary, ...built }: BuiltCalendar): Promise<void> {
  refuseRejected(summary);
  if (previous === null) return;
  refuseGone(previous, { ...built, summary });
  // Snapshots of older formats are not compared.
  if (previous.isComparable) await refuseLost(previous, { ...built, summary });
}

/** Entries that an importer drops cost their feed only, which has its own limits. */
function refuseRejected(summary: ReportSummary): void {
  const { lists, droppedByImporters, hidden } = summary;
  const lostOf = (what: string, names: readonly ListName[]) => {
    const sum = (count: (name: ListName) => number) => names.reduce((total, name) => total + count(name), 0);
    const found = sum((name) => lists[name].dropped - droppedByImporters[name]);
    const of = sum((name) => lists[name].read - droppedByImporters[name]) - hidden;
    if (of >= FEW) refuseBeyond('a quarter', `${what} to be rejected`, { found, of, summary });
  };
  lostOf('events', ['events']);
  lostOf('records', ['events', 'venues', 'organizers']);
}

type Guarded = Pick<BuiltCalendar, 'calendar' | 'retired' | 'hidden' | 'now' | 'summary'>;

/** G3: of fewer records a share says nothing: one bad record of two would stop the first build of a newcomer. */
const FEW = 20;

function refuseGone(
  { file, upcoming }: Previous,
  { calendar: { events, slugs }, hidden, summary }: Guarded,
): void {
  const shown = [...upcoming.values()].filter((id) => !hidden.has(id));
  if (shown.length < FEW) return;
  // G9: an event that was merged with another is present.
  const present = new Set([...events, ...slugs.event.merged].map(({ id }) => id));
  const found = shown.filter((id) => !present.has(id)).length;
  refuseBeyond('half', `upcoming events of ${file} to be gone`, { found, of: shown.length, summary });
}

/**
 * G4: upcoming events that lose a category, a venue or an organizer. An event that gains another of the same kind was edited, and loses
 * nothing; a removed event counts elsewhere.
 */
async function refuseLost(previous: Previous, { calendar, retired, now, summary }: Guarded): Promise<void> {
  const { file, upcoming } = previous;
  const ordinals = new Map(calendar.events.map(({ id }, ordinal) => [id, ordinal]));
  const referencesOf = readReferences(calendar);
  const losers = new Set<string>();
  const lostBy = new Map<string, number>();
  for (const { event, kind, had } of await earlierReferences(previous, now)) {
    const ordinal = ordinals.get(event);
    if (ordinal === undefined) continue;
    const { all, own = all } = referencesOf(ordinal, kind);
    const lost = had.filter((id) => !all.includes(id) && !retired.includes(id));
    if (lost.length === 0 || own.some((id) => !had.includes(id))) continue;
    losers.add(event);
    for (const reference of lost.map((id) => `${kind} ${JSON.stringify(id)}`))
      lostBy.set(reference, (lostBy.get(reference) ?? 0) + 1);
  }
  const [[reference, count] = ['', 0]] = [...lostBy].sort(([, left], [, right]) => right - left);
  const what = `upcoming events of ${file} to lose a category, venue or organizer`;
  const more = `, most often ${reference} (${count})`;
  refuseBeyond('a quarter', what, { found: losers.size, of: upcoming.size, more, summary });
}

/** Ids that upcoming events had, by event and kind; of categories those of C2, and the venues of dates that are not over. */
async function earlierReferences({ path, upcoming }: Previous, now: number) {
  const reader = await openReader(path, { connections: 1, timeout: 0 });
  try {
    const lists = await readLists(reader);
    const columns = await readColumns(reader, REFERENCES);
    return [...upcoming].flatMap(([ordinal, event]) => {
      const rows = listAt(columns.occurrences, columns.occurrencesAt, ordinal);
      const coming = rows.filter((row) => (columns.over[row] ?? 0) > now);
      const categories = listAt(columns.categories, columns.categoriesAt, ordinal);
      const organizers = listAt(columns.organizers, columns.organizersAt, ordinal);
      const venues = new Set(Array.from(coming, (row) => columns.venue[row] ?? -1));
      return [
        { event, kind: 'category', had: idsOf(categories, lists.categories) },
        { event, kind: 'organizer', had: idsOf(organizers, lists.organizers) },
        { event, kind: 'venue', had: idsOf(venues, lists.venues) },
      ];
    });
  } finally {
    await reader.close();
  }
}

const REFERENCES = [
  'categories',
  'categoriesAt',
  'occurrences',
  'occurrencesAt',
  'organizers',
  'organizersAt',
  'over',
  'venue',
] as const;

/** The ids of entities; an ordinal of -1 is none. */
function idsOf(ordinals: Iterable<number>, entities: readonly { readonly id: string }[]): readonly string[] {
  return Array.from(ordinals).flatMap((ordinal) => entities[ordinal]?.id ?? []);
}

interface References {
  /** Ids; of categories those of C2, too. */
  readonly all: readonly string[];
  /** Of categories, its own. */
  readonly own?: readonly string[];
}

function readReferences({ categories, venues, organizers, events, occurrences }: Guarded['calendar']) {
  const rows = indexesByKey(occurrences.event, events.length);
  return (ordinal: number, kind: string): References => {
    const event = events[ordinal];
    if (kind === 'organizer') return { all: idsOf(event?.organizers ?? [], organizers) };
    if (kind === 'category') {
      const all = idsOf(event?.categories ?? [], categories);
      return { all, own: all.slice(0, event?.ownCategories) };
    }
    const own = rows.values.subarray(rows.at[ordinal], rows.at[ordinal + 1]);
    return { all: idsOf(new Set(Array.from(own, (row) => occurrences.venue[row] ?? -1)), venues) };
  };
}

const SHARES = { half: 1 / 2, 'a quarter': 1 / 4 };

interface Share {
  readonly found: number;
  readonly of: number;
  readonly more?: string;
  readonly summary: ReportSummary;
}

function refuseBeyond(
  share: keyof typeof SHARES,
  what: string,
  { found, of, more = '', summary }: Share,
): void {
  if (found <= of * SHARES[share]) return;
  const expected = `expected at most ${share} of the ${what}, found ${found} of ${of}${more}`;
  const advice = 'look at the source; if this is intended, build again with --force';
  throw new CalendarError('BUILD_REFUSED', `${expected}: ${advice}${firstFindingIn(summary)}`);
}
