/** G3, G4: refuses a build although every record was read, if most of a calendar in use would disappear. */
import { CalendarError } from '../../../src/calendar/errors.ts';
import { readColumns } from '../../../src/snapshot/columns.ts';
import { readLists } from '../../../src/snapshot/meta.ts';
import { openReader } from '../../../src/snapshot/sqlite.ts';
import type { BuildPart, BuiltCalendar } from '../../annex.ts';
import { gatherPlaces } from '../../columns/row-index.ts';
import type { Previous } from '../../previous.ts';
import type { Calendar } from '../../records.ts';
import type { ListCounts, ListName, ReportSummary } from '../../report.ts';

export function create(): BuildPart {
  return { checkBuild };
}

/** Throws BUILD_REFUSED. */
async function checkBuild({ previous, summary, force, ...guarded }: BuiltCalendar): Promise<void> {
  if (force) return;
  refuseRejected(summary);
  if (previous === null) return;
  refuseGone(previous, guarded.calendar);
  await refuseLost(previous, guarded);
}

const MOST_GONE = 1 / 2;
const MOST_REJECTED = 1 / 4;
const MOST_LOST = 1 / 4;

/** Entries that an importer drops cost their feed only, which has its own limits. */
function refuseRejected({ lists, droppedByImporters }: ReportSummary): void {
  const ownOf = (list: ListName): ListCounts => {
    const { read, kept, dropped } = lists[list];
    const imported = droppedByImporters[list];
    return { read: read - imported, kept, dropped: dropped - imported };
  };
  const events = ownOf('events');
  const all = [events, ownOf('venues'), ownOf('organizers')].reduce(sum);
  for (const [what, { read, dropped }] of [
    ['events', events],
    ['records', all],
  ] as const) {
    if (dropped <= read * MOST_REJECTED) continue;
    throw refused(
      `expected at most a quarter of the ${what} to be rejected, found ${dropped} of ${read}: ${ADVICE}`,
    );
  }
}

function refuseGone(previous: Previous, { events, slugs }: Calendar): void {
  // G9: an event that was merged with another is present.
  const present = new Set([...events, ...slugs.event.merged].map(({ id }) => id));
  const gone = [...previous.upcoming.values()].filter((id) => !present.has(id)).length;
  const { size: length } = previous.upcoming;
  if (gone <= length * MOST_GONE) return;
  throw refused(
    `expected at most half of the upcoming events of ${previous.file} to be gone, found ${gone} of ${length}: ${ADVICE}`,
  );
}

/** G4. Snapshots of older formats are not compared. */
async function refuseLost(previous: Previous, guarded: Compared): Promise<void> {
  if (!previous.isComparable) return;
  const { file, upcoming } = previous;
  const before = await referencesOf(previous);
  const { events, lostBy } = lostReferences({ ...guarded, before, upcoming });
  if (events <= upcoming.size * MOST_LOST) return;
  const [[reference, losers] = ['', 0]] = [...lostBy].sort(([, left], [, right]) => right - left);
  const found = `found ${events} of ${upcoming.size}, most often ${reference} (${losers})`;
  throw refused(
    `expected at most a quarter of the upcoming events of ${file} to lose a category, venue or organizer, ${found}: ${ADVICE}`,
  );
}

/** References of a snapshot's events. */
type References = Awaited<ReturnType<typeof referencesOf>>;

async function referencesOf({ path }: Previous) {
  const reader = await openReader(path, { connections: 1, timeout: 0 });
  try {
    return { columns: await readColumns(reader, NAMES), lists: await readLists(reader) };
  } finally {
    await reader.close();
  }
}

const NAMES = [
  ...(['categoriesAt', 'categories', 'organizersAt', 'organizers'] as const),
  ...(['occurrencesAt', 'occurrences', 'venue', 'over'] as const),
] as const;

const ADVICE = 'look at the source; if it is meant, build again with --force';

function sum(left: ListCounts, right: ListCounts): ListCounts {
  return {
    read: left.read + right.read,
    kept: left.kept + right.kept,
    dropped: left.dropped + right.dropped,
  };
}

function refused(message: string): CalendarError {
  return new CalendarError('BUILD_REFUSED', message);
}

/** The compared parts of a build. */
type Compared = Pick<BuiltCalendar, 'calendar' | 'retired' | 'now'>;

interface Comparison extends Compared {
  readonly before: References;
  /** Ids of its events with an occurrence that is not over, by ordinal. */
  readonly upcoming: ReadonlyMap<number, string>;
}

/**
 * G4: the number of upcoming events that lose a category, a venue or an organizer. An event that gains another of the same kind was
 * edited, and loses nothing; a removed event counts elsewhere.
 */
function lostReferences(comparison: Comparison) {
  const { upcoming, calendar } = comparison;
  const ordinals = new Map(calendar.events.map(({ id }, ordinal) => [id, ordinal]));
  const kinds = kindsOf(comparison);
  const lostBy = new Map<string, number>();
  let events = 0;
  for (const [earlier, id] of upcoming) {
    const ordinal = ordinals.get(id);
    if (ordinal === undefined) continue;
    const lost = kinds.flatMap((kind) => lostOf(kind, earlier, ordinal));
    if (lost.length > 0) events++;
    for (const reference of lost) lostBy.set(reference, (lostBy.get(reference) ?? 0) + 1);
  }
  return { events, lostBy };
}

/** References by their ordinals. In the new calendar -1 is a removed one, and RETIRED a retired one. */
interface Kind {
  readonly name: string;
  /** By the earlier ordinal of the event; references by their earlier ordinals. */
  readonly before: (event: number) => Iterable<number>;
  /** The new ordinal of a reference by its earlier one. */
  readonly renumbered: Int32Array;
  readonly idOf: (earlier: number) => string;
  readonly after: (event: number) => Iterable<number>;
  /** Whether a reference may only be implied by another one. */
  readonly isImplied: (reference: number, all: ReadonlySet<number>) => boolean;
}

const RETIRED = -2;

function lostOf(
  { name, before, renumbered, idOf, after, isImplied }: Kind,
  earlier: number,
  event: number,
): string[] {
  const now = new Set(after(event));
  const had = [...new Set(before(earlier))];
  const lost = had.filter((reference) => {
    const place = renumbered[reference] ?? RETIRED;
    return place !== RETIRED && !now.has(place);
  });
  if (lost.length === 0) return [];
  const known = new Set(had.map((reference) => renumbered[reference]));
  const isEdited = [...now].some((reference) => !known.has(reference) && !isImplied(reference, now));
  return isEdited ? [] : lost.map((reference) => `${name} ${JSON.stringify(idOf(reference))}`);
}

function kindsOf({ before: { columns, lists }, calendar, retired, now }: Comparison): readonly Kind[] {
  const gone = new Set(retired);
  const kindOf = (name: string, earlier: Entities, entities: Entities) => {
    const places = new Map(entities.map(({ id }, place) => [id, place]));
    const renumbered = Int32Array.from(earlier, ({ id }) =>
      gone.has(id) ? RETIRED : (places.get(id) ?? -1),
    );
    return {
      name,
      renumbered,
      idOf: (reference: number) => earlier[reference]?.id ?? '',
      isImplied: () => false,
    };
  };
  const listed = (at: Int32Array, values: Int32Array) => (event: number) =>
    values.subarray(at[event], at[event + 1]);
  const rows = gatherPlaces(calendar.occurrences.event, calendar.events.length);
  const rowsOf = listed(rows.at, rows.values);
  const earlierRowsOf = listed(columns.occurrencesAt, columns.occurrences);
  const venuesOf = (venue: Int32Array, events: Iterable<number>) =>
    [...events].map((row) => venue[row] ?? -1).filter((place) => place !== -1);
  const { categories, venues, organizers, events, occurrences } = calendar;
  return [
    {
      ...kindOf('category', lists.categories, categories),
      before: listed(columns.categoriesAt, columns.categories),
      after: (event) => events[event]?.categories ?? [],
      isImplied: (parent, all) => [...all].some((child) => categories[child]?.parent === parent),
    },
    {
      ...kindOf('venue', lists.venues, venues),
      before: (event) =>
        venuesOf(
          columns.venue,
          earlierRowsOf(event).filter((row) => (columns.over[row] ?? 0) > now),
        ),
      after: (event) => venuesOf(occurrences.venue, rowsOf(event)),
    },
    {
      ...kindOf('organizer', lists.organizers, organizers),
      before: listed(columns.organizersAt, columns.organizers),
      after: (event) => events[event]?.organizers ?? [],
    },
  ];
}

type Entities = readonly { readonly id: string }[];
