/** Columns derived from others, so that no server has to: the rows of each entity, and when events are over. */
import { bitOf, isAccessibility } from '../../src/calendar/accessibility.ts';
import {
  type Columns,
  EVENT_FLAGS,
  FLAGS,
  type Flag,
  OCCURRENCE_FLAGS,
  setBit,
  wordsFor,
} from '../../src/snapshot/columns.ts';
import type { Lists } from '../../src/snapshot/meta.ts';

type IndexNames =
  | 'eventOver'
  | `${'venue' | 'organizer' | 'category' | 'tag' | 'container'}Rows${'' | 'At'}`
  | 'flagRows';

type RowIndex = Pick<Columns, IndexNames>;
type Given = Omit<Columns, IndexNames>;

export function rowIndexOf(given: Given, lists: Lists): RowIndex {
  const { event, container } = given;
  const venueRows = gatherPlaces(given.venue, lists.venues.length);
  const organizerRows = rowsOfEach(lists.organizers.length, event, given.organizersAt, given.organizers);
  const categoryRows = rowsOfEach(lists.categories.length, event, given.categoriesAt, given.categories);
  const tagRows = rowsOfEach(lists.tags.length, event, given.tagsAt, given.tags);
  const containerOfRow = event.map((ordinal) => container[ordinal] as number);
  const containerRows = gatherPlaces(containerOfRow, lists.containers.length);
  return {
    eventOver: latestOvers(given),
    venueRowsAt: venueRows.at,
    venueRows: venueRows.values,
    organizerRowsAt: organizerRows.at,
    organizerRows: organizerRows.values,
    categoryRowsAt: categoryRows.at,
    categoryRows: categoryRows.values,
    tagRowsAt: tagRows.at,
    tagRows: tagRows.values,
    containerRowsAt: containerRows.at,
    containerRows: containerRows.values,
    flagRows: flagRowsOf(given),
  };
}

function latestOvers({ event, over, publishing }: Given): Float64Array<ArrayBuffer> {
  const latest = new Float64Array(publishing.length).fill(Number.NEGATIVE_INFINITY);
  for (let row = 0; row < over.length; row++) {
    const ordinal = event[row] as number;
    if ((over[row] as number) > (latest[ordinal] as number)) latest[ordinal] = over[row] as number;
  }
  return latest;
}

/** Many short lists in one column: list n is values[at[n]] up to values[at[n + 1]]. */
export interface GatheredLists {
  readonly at: Int32Array<ArrayBuffer>;
  readonly values: Int32Array<ArrayBuffer>;
}

/** For each of `size` keys, the ascending list of indexes at which `keys` has it; -1 is no key. */
export function gatherPlaces(keys: Int32Array, size: number): GatheredLists {
  return group(size, (take) => {
    for (let place = 0; place < keys.length; place++) {
      const key = keys[place] as number;
      if (key >= 0) take(key, place);
    }
  });
}

/** For each of `size` keys, the list of rows whose event has it among its own values. */
function rowsOfEach(size: number, event: Int32Array, at: Int32Array, values: Int32Array): GatheredLists {
  return group(size, (take) => {
    for (let row = 0; row < event.length; row++) {
      const ordinal = event[row] as number;
      const end = at[ordinal + 1] as number;
      for (let place = at[ordinal] as number; place < end; place++) take(values[place] as number, row);
    }
  });
}

/** A list for each key, of the values that `each` passes with it, in that order. `each` is called twice. */
export function group(
  size: number,
  each: (take: (key: number, value: number) => void) => void,
): GatheredLists {
  const at = new Int32Array(size + 1);
  each((key) => {
    at[key + 1] = (at[key + 1] as number) + 1;
  });
  runningSums(at);
  const next = at.slice();
  const values = new Int32Array(at[size] as number);
  each((key, value) => {
    const place = next[key] as number;
    values[place] = value;
    next[key] = place + 1;
  });
  return { at, values };
}

/** Replaces each number by the sum of it and all before it. */
function runningSums(numbers: Int32Array): void {
  for (let place = 1; place < numbers.length; place++)
    numbers[place] = (numbers[place] as number) + (numbers[place - 1] as number);
}

function flagRowsOf({ event, eventFlags, occurrenceFlags, accessibility }: Given): Uint32Array<ArrayBuffer> {
  const words = wordsFor(event.length);
  const rows = new Uint32Array(FLAGS.length * words);
  const ofEvents = event.map((ordinal) => eventFlags[ordinal] as number);
  for (const [place, flag] of FLAGS.entries()) {
    const ofFlag = rows.subarray(place * words, (place + 1) * words);
    const [mask, flags] = isAccessibility(flag)
      ? [bitOf(flag), accessibility]
      : isOfEvent(flag)
        ? [EVENT_FLAGS[flag], ofEvents]
        : [OCCURRENCE_FLAGS[flag], occurrenceFlags];
    for (let row = 0; row < event.length; row++) {
      if (((flags[row] as number) & mask) !== 0) setBit(ofFlag, row);
    }
  }
  return rows;
}

function isOfEvent(flag: Flag): flag is keyof typeof EVENT_FLAGS {
  return flag in EVENT_FLAGS;
}
