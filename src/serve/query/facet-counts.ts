/** Counts the nodes of a set for each venue, organizer, category (C1, C2) and tag (C4). */
import { type Bitmap, bitsOf, countBits, countMembers, lowestBit } from '../../snapshot/bitmaps.ts';
import type { Columns } from '../../snapshot/columns.ts';

/** Hits by ordinal. */
export type FacetCounts = Readonly<Record<FacetKind, Int32Array>>;

export type FacetKind = 'venues' | 'organizers' | 'categories';

export function countEntities(columns: Columns, rows: Bitmap): FacetCounts {
  return isLarge(rows, columns) ? countByEntity(columns, rows) : countByRow(columns, rows);
}

/** By the ordinal of the tag. */
export function countTags(columns: Columns, rows: Bitmap): Int32Array {
  const { tagRows, tagRowsAt } = columns;
  return isLarge(rows, columns) ? countEach(rows, tagRows, tagRowsAt) : countTagsByRow(columns, rows);
}

/** Adds one to the count of each value of the event's list. */
export function countList(counts: Int32Array, values: Int32Array, at: Int32Array, event: number): void {
  const end = at[event + 1] as number;
  for (let index = at[event] as number; index < end; index++) {
    const value = values[index] as number;
    counts[value] = (counts[value] as number) + 1;
  }
}

/** Share of all rows from which it is faster to go through the rows of each value than through the values of each row. */
const LARGE = 1 / 3;

const isLarge = (rows: Bitmap, { event }: Columns): boolean => countBits(rows) > LARGE * event.length;

/** For large sets: by the rows of each entity. */
function countByEntity(columns: Columns, rows: Bitmap): FacetCounts {
  const { venueRows, venueRowsAt, organizerRows, organizerRowsAt, categoryRows, categoryRowsAt } = columns;
  return {
    venues: countEach(rows, venueRows, venueRowsAt),
    organizers: countEach(rows, organizerRows, organizerRowsAt),
    categories: countEach(rows, categoryRows, categoryRowsAt),
  };
}

/** For each list of rows, how many of them are in the set. */
function countEach(rows: Bitmap, lists: Int32Array, at: Int32Array): Int32Array {
  const counts = new Int32Array(at.length - 1);
  for (let index = 0; index < counts.length; index++)
    counts[index] = countMembers(rows, lists, at[index] as number, at[index + 1] as number);
  return counts;
}

/** For other sets: by the entities of each row (C2). */
function countByRow(columns: Columns, rows: Bitmap): FacetCounts {
  const { event, venue, organizersAt, categoriesAt } = columns;
  const venues = new Int32Array(columns.venueRowsAt.length - 1);
  const organizers = new Int32Array(columns.organizerRowsAt.length - 1);
  const categories = new Int32Array(columns.categoryRowsAt.length - 1);
  // Without a list of the rows: to make one takes half as long as to count.
  for (let word = 0; word < rows.length; word++) {
    for (let rest = rows[word] as number; rest !== 0; rest &= rest - 1) {
      const row = 32 * word + lowestBit(rest);
      const ordinal = event[row] as number;
      const shown = venue[row] as number;
      if (shown !== -1) venues[shown] = (venues[shown] as number) + 1;
      countList(organizers, columns.organizers, organizersAt, ordinal);
      countList(categories, columns.categories, categoriesAt, ordinal);
    }
  }
  return { venues, organizers, categories };
}

function countTagsByRow({ event, tags, tagsAt, tagRowsAt }: Columns, rows: Bitmap): Int32Array {
  const counts = new Int32Array(tagRowsAt.length - 1);
  const all = bitsOf(rows);
  for (let index = 0; index < all.length; index++)
    countList(counts, tags, tagsAt, event[all[index] as number] as number);
  return counts;
}
