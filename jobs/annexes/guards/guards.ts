/** G3, what stops a build; G4, taxonomy: refuses a build although every record was read, if most of a calendar in use would disappear. */
import { CalendarError } from '../../../src/calendar/errors.ts';
import { openReader, textOf } from '../../../src/snapshot/sqlite.ts';
import type { BuildPart, BuiltCalendar } from '../../annex.ts';
import { gatherPlaces } from '../../columns.ts';
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

/** The compared parts of a build. */
type Guarded = Pick<BuiltCalendar, 'calendar' | 'retired' | 'now'>;

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
  // G9, one event once: an event that was merged with another is present.
  const present = new Set([...events, ...slugs.event.merged].map(({ id }) => id));
  const gone = [...previous.upcoming.values()].filter((id) => !present.has(id)).length;
  const { size: length } = previous.upcoming;
  if (gone <= length * MOST_GONE) return;
  throw refused(
    `expected at most half of the upcoming events of ${previous.file} to be gone, found ${gone} of ${length}: ${ADVICE}`,
  );
}

/**
 * G4: upcoming events that lose a category, a venue or an organizer. An event that gains another of the same kind was edited, and loses
 * nothing; a removed event counts elsewhere. Snapshots of older formats are not compared.
 */
async function refuseLost(previous: Previous, { calendar, retired, now }: Guarded): Promise<void> {
  if (!previous.isComparable) return;
  const { file, path, upcoming } = previous;
  const ordinals = new Map(calendar.events.map(({ id }, ordinal) => [id, ordinal]));
  const references = referencesIn(calendar);
  const losers = new Set<string>();
  const lostBy = new Map<string, number>();
  for (const { event, kind, had } of await earlierReferences(path, now)) {
    const ordinal = ordinals.get(event);
    if (ordinal === undefined) continue;
    const { all, own } = references[kind](ordinal);
    const lost = had.filter((id) => !all.includes(id) && !retired.includes(id));
    if (lost.length === 0 || own.some((id) => !had.includes(id))) continue;
    losers.add(event);
    for (const id of lost) {
      const reference = `${kind} ${JSON.stringify(id)}`;
      lostBy.set(reference, (lostBy.get(reference) ?? 0) + 1);
    }
  }
  if (losers.size <= upcoming.size * MOST_LOST) return;
  const [[reference, count] = ['', 0]] = [...lostBy].sort(([, left], [, right]) => right - left);
  const found = `found ${losers.size} of ${upcoming.size}, most often ${reference} (${count})`;
  throw refused(
    `expected at most a quarter of the upcoming events of ${file} to lose a category, venue or organizer, ${found}: ${ADVICE}`,
  );
}

type Kind = 'category' | 'organizer' | 'venue';

interface EarlierReferences {
  /** Id of an upcoming event. */
  readonly event: string;
  readonly kind: Kind;
  /** Ids; of categories those of C2, what a node carries. */
  readonly had: readonly string[];
}

async function earlierReferences(path: string, now: number): Promise<readonly EarlierReferences[]> {
  const reader = await openReader(path, { connections: 1, timeout: 0 });
  try {
    return await reader.all(REFERENCES, [now], (row) => ({
      event: textOf(row, 'event'),
      kind: KINDS[textOf(row, 'kind')] ?? 'venue',
      had: JSON.parse(textOf(row, 'had')),
    }));
  } finally {
    await reader.close();
  }
}

const KINDS: Readonly<Record<string, Kind>> = { category: 'category', organizer: 'organizer' };

/** The venues are those of dates that are not over. */
const REFERENCES = `
  with dates as materialized (select distinct event, venue from occurrence where over > ?),
  owned as (
    select event, 'category' as kind, id from event_category join category on ordinal = category
    union
    select event, 'category', parent.id from event_category join category on category.ordinal = category
      join category as parent on parent.ordinal = category.parent
    union
    select event, 'organizer', id from event_organizer join organizer on ordinal = organizer
    union
    select event, 'venue', id from dates join venue on ordinal = dates.venue
  )
  select event.id as event, kind, json_group_array(owned.id) as had from owned join event on event.ordinal = owned.event
  where event.ordinal in (select event from dates) group by event.ordinal, kind order by event.ordinal, kind`;

/** Ids of an event's references; of categories, `all` has C2's and `own` its own. */
type ReferencesOf = (ordinal: number) => Readonly<Record<'all' | 'own', readonly string[]>>;

function referencesIn(calendar: Calendar): Readonly<Record<Kind, ReferencesOf>> {
  const { categories, venues, organizers, events, occurrences } = calendar;
  const rows = gatherPlaces(occurrences.event, events.length);
  const idsOf = (places: Iterable<number> | undefined, entities: readonly { readonly id: string }[]) =>
    Array.from(places ?? [], (place) => entities[place]?.id ?? '');
  return {
    category: (ordinal) => {
      const event = events[ordinal];
      const all = idsOf(event?.categories, categories);
      return { all, own: all.slice(0, event?.ownCategories) };
    },
    organizer: (ordinal) => {
      const all = idsOf(events[ordinal]?.organizers, organizers);
      return { all, own: all };
    },
    venue: (ordinal) => {
      const own = rows.values.subarray(rows.at[ordinal], rows.at[ordinal + 1]);
      const places = Array.from(own, (row) => occurrences.venue[row] ?? -1);
      const all = idsOf(new Set(places.filter((place) => place !== -1)), venues);
      return { all, own: all };
    },
  };
}

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
