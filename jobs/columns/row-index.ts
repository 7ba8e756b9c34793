/**
 * What is worked out of the other columns, so that no server has to: which rows carry what, and when events are
 * over.
 */
import { setBit, wordsFor } from '../../src/snapshot/bitmaps.ts';
import { type Columns, EVENT_FLAGS, FLAGS, type Flag, OCCURRENCE_FLAGS } from '../../src/snapshot/columns.ts';
import type { Sizes } from '../../src/snapshot/meta.ts';
import { type GatheredLists, runningSums } from './lists.ts';
import type { WindowNames } from './windows.ts';

type IndexNames =
  | 'eventOver'
  | `${'venue' | 'organizer' | 'category' | 'tag' | 'container'}Rows${'' | 'At'}`
  | 'flagRows'
  | 'entities'
  | 'entitiesAt';

type RowIndex = Pick<Columns, IndexNames>;
type Given = Omit<Columns, IndexNames | WindowNames>;

export function rowIndexOf(given: Given, sizes: Sizes): RowIndex {
  const { organizersAt, organizers, categoriesAt, categories, tagsAt, tags } = given;
  const venueRows = groupRows(sizes.venues, (take) => eachVenue(given, take));
  const organizerRows = groupRows(sizes.organizers, (take) => eachOf(given, organizersAt, organizers, take));
  const categoryRows = groupRows(sizes.categories, (take) => eachOf(given, categoriesAt, categories, take));
  const tagRows = groupRows(sizes.tags, (take) => eachOf(given, tagsAt, tags, take));
  const containerRows = groupRows(sizes.containers, (take) => eachContainer(given, take));
  const carried = entitiesOf([venueRows, organizerRows, categoryRows], sizes);
  return {
    eventOver: latestOvers(given, sizes),
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
    ...carried,
  };
}

function latestOvers({ event, over }: Given, { events }: Sizes): Float64Array<ArrayBuffer> {
  const latest = new Float64Array(events).fill(Number.NEGATIVE_INFINITY);
  for (let row = 0; row < over.length; row++) {
    const ordinal = event[row] as number;
    if ((over[row] as number) > (latest[ordinal] as number)) latest[ordinal] = over[row] as number;
  }
  return latest;
}

type Take = (ordinal: number, row: number) => void;

function eachVenue({ venue }: Given, take: Take): void {
  for (let row = 0; row < venue.length; row++) {
    const ordinal = venue[row] as number;
    if (ordinal >= 0) take(ordinal, row);
  }
}

function eachContainer({ event, container }: Given, take: Take): void {
  for (let row = 0; row < event.length; row++) {
    const ordinal = container[event[row] as number] as number;
    if (ordinal >= 0) take(ordinal, row);
  }
}

function eachOf({ event }: Given, at: Int32Array, values: Int32Array, take: Take): void {
  for (let row = 0; row < event.length; row++) {
    const ordinal = event[row] as number;
    const end = at[ordinal + 1] as number;
    for (let place = at[ordinal] as number; place < end; place++) take(values[place] as number, row);
  }
}

/** A list for each ordinal, of what `each` calls back with: ascending, because rows come in their order. */
function groupRows(size: number, each: (take: Take) => void): GatheredLists {
  const at = new Int32Array(size + 1);
  each((ordinal) => {
    at[ordinal + 1] = (at[ordinal + 1] as number) + 1;
  });
  runningSums(at);
  const next = at.slice();
  const values = new Int32Array(at[size] as number);
  each((ordinal, row) => {
    const place = next[ordinal] as number;
    values[place] = row;
    next[ordinal] = place + 1;
  });
  return { at, values };
}

/** The same the other way round: for each row the entities of all groups, ascending, in the numbering of facets. */
function entitiesOf(
  groups: readonly GatheredLists[],
  { occurrences }: Sizes,
): Pick<Columns, 'entities' | 'entitiesAt'> {
  const entitiesAt = new Int32Array(occurrences + 1);
  let count = 1;
  for (const { at, values } of groups) {
    count += at.length - 1;
    for (const row of values) entitiesAt[row + 1] = (entitiesAt[row + 1] as number) + 1;
  }
  runningSums(entitiesAt);
  const next = entitiesAt.slice();
  const entities = new (count <= 2 ** 16 ? Uint16Array : Int32Array)(entitiesAt[occurrences] as number);
  let first = 1;
  for (const { at, values } of groups) {
    for (let ordinal = 0; ordinal + 1 < at.length; ordinal++) {
      for (let place = at[ordinal] as number; place < (at[ordinal + 1] as number); place++) {
        const row = values[place] as number;
        entities[next[row] as number] = first + ordinal;
        next[row] = (next[row] as number) + 1;
      }
    }
    first += at.length - 1;
  }
  return { entities, entitiesAt };
}

function flagRowsOf({ event, eventFlags, occurrenceFlags }: Given): Uint32Array<ArrayBuffer> {
  const words = wordsFor(event.length);
  const rows = new Uint32Array(FLAGS.length * words);
  for (const [place, flag] of FLAGS.entries()) {
    const ofFlag = rows.subarray(place * words, (place + 1) * words);
    const { mask, flagsOf } = maskOf(flag);
    for (let row = 0; row < event.length; row++) {
      if ((flagsOf(row) & mask) !== 0) setBit(ofFlag, row);
    }
  }
  return rows;

  function maskOf(flag: Flag): { readonly mask: number; readonly flagsOf: (row: number) => number } {
    if (isOfEvent(flag)) {
      return { mask: EVENT_FLAGS[flag], flagsOf: (row) => eventFlags[event[row] as number] as number };
    }
    return { mask: OCCURRENCE_FLAGS[flag], flagsOf: (row) => occurrenceFlags[row] as number };
  }
}

function isOfEvent(flag: Flag): flag is keyof typeof EVENT_FLAGS {
  return flag in EVENT_FLAGS;
}
