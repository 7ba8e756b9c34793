/** G4: the categories, organizers and venues that events refer to, in the previous snapshot and in a calendar. */
import { readColumns } from '../src/snapshot/column-blobs.ts';
import { listAt } from '../src/snapshot/columns.ts';
import { readLists } from '../src/snapshot/lists.ts';
import { openReader } from '../src/snapshot/sqlite.ts';
import type { Calendar } from './calendar.ts';
import { indexesByKey } from './indexes/short-lists.ts';
import type { Previous } from './previous.ts';

export type ReferenceKind = 'category' | 'organizer' | 'venue';

interface PreviousReferences {
  /** Id of an upcoming event. */
  readonly event: string;
  readonly kind: ReferenceKind;
  /** Ids that it had; of categories, with the parents (C2). */
  readonly had: readonly string[];
}

/** The references of the upcoming events in the previous snapshot. Venues are those of dates that are not over. */
export async function previousReferences(
  { path, upcoming }: Previous,
  now: number,
): Promise<readonly PreviousReferences[]> {
  const reader = await openReader(path, { connections: 1, timeout: 0 });
  try {
    const lists = await readLists(reader);
    const columns = await readColumns(reader, COLUMNS);
    return [...upcoming].flatMap(([ordinal, event]): readonly PreviousReferences[] => {
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

const COLUMNS = [
  'categories',
  'categoriesAt',
  'occurrences',
  'occurrencesAt',
  'organizers',
  'organizersAt',
  'over',
  'venue',
] as const;

interface References {
  /** Ids; of categories, with the parents (C2). */
  readonly all: readonly string[];
  /** Ids that the event itself names: of categories, without the parents. */
  readonly named: readonly string[];
}

type Referring = Pick<Calendar, 'categories' | 'venues' | 'organizers' | 'events' | 'occurrences'>;

/** Creates the function that finds the references of an event, by its ordinal. */
export function referencesIn(calendar: Referring): (ordinal: number, kind: ReferenceKind) => References {
  const { categories, venues, organizers, events, occurrences } = calendar;
  const rows = indexesByKey(occurrences.event, events.length);

  function categoriesOf(ordinal: number): References {
    const event = events[ordinal];
    const all = idsOf(event?.categories ?? [], categories);
    return { all, named: all.slice(0, event?.ownCategories) };
  }

  function organizersOf(ordinal: number): References {
    const all = idsOf(events[ordinal]?.organizers ?? [], organizers);
    return { all, named: all };
  }

  function venuesOf(ordinal: number): References {
    const ofEvent = rows.values.subarray(rows.at[ordinal], rows.at[ordinal + 1]);
    const all = idsOf(new Set(Array.from(ofEvent, (row) => occurrences.venue[row] ?? -1)), venues);
    return { all, named: all };
  }

  const readers = { category: categoriesOf, organizer: organizersOf, venue: venuesOf };
  return (ordinal, kind) => readers[kind](ordinal);
}

/** The ids of entities; an ordinal of -1 is none. */
function idsOf(ordinals: Iterable<number>, entities: readonly { readonly id: string }[]): readonly string[] {
  return Array.from(ordinals).flatMap((ordinal) => entities[ordinal]?.id ?? []);
}
