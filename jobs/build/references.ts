/** G4: which upcoming events of the previous snapshot lose a category, a venue or an organizer in this one. */
import { openReader, textOf } from '../../src/snapshot/sqlite.ts';
import type { Calendar } from '../records.ts';

const UPCOMING = 'select event from occurrence where over > ?';

/** What events with an occurrence that is not over carry, as a JSON list of ids. */
const KINDS = {
  category: `select event.id as event, json_group_array(category.id) as ids from event_category
    join event on event.ordinal = event_category.event join category on category.ordinal = event_category.category
    where event.ordinal in (${UPCOMING}) group by event.ordinal order by event.ordinal`,
  venue: `select event.id as event, json_group_array(distinct venue.id) as ids from occurrence
    join event on event.ordinal = occurrence.event join venue on venue.ordinal = occurrence.venue
    where occurrence.over > ? group by event.ordinal order by event.ordinal`,
  organizer: `select event.id as event, json_group_array(organizer.id) as ids from event_organizer
    join event on event.ordinal = event_organizer.event join organizer on organizer.ordinal = event_organizer.organizer
    where event.ordinal in (${UPCOMING}) group by event.ordinal order by event.ordinal`,
} as const;

type Kind = keyof typeof KINDS;

interface Comparison {
  /** File of the previous snapshot, of today's format. */
  readonly path: string;
  readonly calendar: Calendar;
  /** Ids that the licence retires: what carried them has been migrated. */
  readonly retired: readonly string[];
  /** Instant. */
  readonly now: number;
}

interface Losses {
  /** How many events. */
  readonly events: number;
  /** The reference that most of them lose, such as `category "MUSIC"`, and how many do. */
  readonly most: { readonly reference: string; readonly events: number } | null;
}

/** An event that gains another of the same kind has been edited, and has lost nothing; one that is gone counts elsewhere. */
export async function lostReferences({ path, calendar, retired, now }: Comparison): Promise<Losses> {
  const ordinals = new Map(calendar.events.map(({ id }, ordinal) => [id, ordinal]));
  const replaced = new Set(retired);
  const events = new Set<number>();
  const byReference = new Map<string, number>();

  function compare(kind: Kind, id: string, before: readonly string[]): void {
    const ordinal = ordinals.get(id);
    if (ordinal === undefined) return;
    const { all, chosen } = carried[kind](ordinal);
    const lost = before.filter((reference) => !all.has(reference) && !replaced.has(reference));
    if (lost.length === 0 || chosen.some((reference) => !before.includes(reference))) return;
    events.add(ordinal);
    for (const reference of lost) {
      const named = `${kind} ${JSON.stringify(reference)}`;
      byReference.set(named, (byReference.get(named) ?? 0) + 1);
    }
  }

  const carried = carriedBy(calendar);
  const reader = await openReader(path, { connections: 1, timeout: 0 });
  try {
    for (const kind of ['category', 'venue', 'organizer'] as const)
      await reader.all(KINDS[kind], [now], (row) =>
        compare(kind, textOf(row, 'event'), JSON.parse(textOf(row, 'ids'))),
      );
  } finally {
    await reader.close();
  }
  const [most] = [...byReference].sort(([, left], [, right]) => right - left);
  return { events: events.size, most: most === undefined ? null : { reference: most[0], events: most[1] } };
}

interface Carried {
  readonly all: ReadonlySet<string>;
  /** Without what may be there for another of them only. */
  readonly chosen: readonly string[];
}

/** By event ordinal. */
function carriedBy({ events, occurrences, ...lists }: Calendar): Record<Kind, (event: number) => Carried> {
  const venues = new Map<number, Set<number>>();
  for (const [row, event] of occurrences.event.entries()) {
    const places = venues.get(event) ?? new Set();
    venues.set(event, places.add(occurrences.venue[row] ?? -1));
  }
  const carried = (entities: readonly { readonly id: string }[], places: Iterable<number>): Carried => {
    const ids = [...places].flatMap((place) => entities[place]?.id ?? []);
    return { all: new Set(ids), chosen: ids };
  };
  return {
    category: (event) => {
      const places = events[event]?.categories ?? [];
      const parents = new Set(places.map((place) => lists.categories[place]?.parent));
      const chosen = places.filter((place) => !parents.has(place));
      return { ...carried(lists.categories, places), chosen: carried(lists.categories, chosen).chosen };
    },
    venue: (event) => carried(lists.venues, venues.get(event) ?? []),
    organizer: (event) => carried(lists.organizers, events[event]?.organizers ?? []),
  };
}
