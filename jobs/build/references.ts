/** G4: how many upcoming events of the previous snapshot lose a category, a venue or an organizer in this one. */
import type { Columns } from '../../src/snapshot/columns.ts';
import type { Lists } from '../../src/snapshot/meta.ts';
import { gatherPlaces } from '../columns/lists.ts';
import type { Calendar } from '../records.ts';

/** What the previous snapshot says of its events. */
export interface Carried {
  readonly columns: Pick<
    Columns,
    | 'categoriesAt'
    | 'categories'
    | 'organizersAt'
    | 'organizers'
    | 'occurrencesAt'
    | 'occurrences'
    | 'venue'
    | 'over'
  >;
  readonly lists: Pick<Lists, 'categories' | 'venues' | 'organizers'>;
}

interface Comparison {
  readonly before: Carried;
  /** Ids of its events with an occurrence that is not over, by ordinal. */
  readonly upcoming: ReadonlyMap<number, string>;
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
export function lostReferences(comparison: Comparison): Losses {
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
  const [most] = [...lostBy].sort(([, left], [, right]) => right - left);
  return { events, most: most === undefined ? null : { reference: most[0], events: most[1] } };
}

/** References by their ordinals. Of the new calendar's, -1 is one that it has not any more, and RETIRED one that is retired. */
interface Kind {
  readonly name: string;
  /** By the earlier ordinal of the event; references by their earlier ordinals. */
  readonly before: (event: number) => Iterable<number>;
  /** The new ordinal of a reference by its earlier one. */
  readonly renumbered: Int32Array;
  readonly idOf: (earlier: number) => string;
  readonly after: (event: number) => Iterable<number>;
  /** Whether a reference may be there for another one only. */
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
