/** Rows by what their nodes carry (C2), from the index that the build wrote: see `columns.ts`. */
import { addBits, type Bitmap, emptyBitmap, setBit, somePlace } from '../../snapshot/bitmaps.ts';
import { type Columns, type Flag, rowsFlagged } from '../../snapshot/columns.ts';
import type { HoursRange } from './plan.ts';

/** A set is read-only and valid until the next call: joined sets share one buffer. */
export interface RowIndex {
  /** Rows with any of these entities; ordinals are indexes into the list of that name, each at most once. */
  readonly carrying: (list: IndexedList, ordinals: readonly number[]) => Bitmap;
  readonly flagged: (flag: Flag) => Bitmap;
  /** B5: rows that start at these minutes of the day. */
  readonly startingIn: (hours: HoursRange) => Bitmap;
  /** All rows of these events. */
  readonly ofEvents: (events: Bitmap) => Bitmap;
}

/** B3: a parent category's rows include those of its subcategories, so a filter by the parent finds them. */
type IndexedList = 'venues' | 'organizers' | 'categories' | 'tags' | 'containers';

export function createRowIndex(columns: Columns): RowIndex {
  const count = columns.event.length;
  const lists = {
    venues: rowsJoined(columns.venueRowsAt, columns.venueRows, count),
    organizers: rowsJoined(columns.organizerRowsAt, columns.organizerRows, count),
    categories: rowsJoined(columns.categoryRowsAt, columns.categoryRows, count),
    tags: rowsJoined(columns.tagRowsAt, columns.tagRows, count),
    containers: rowsJoined(columns.containerRowsAt, columns.containerRows, count),
  };
  return {
    carrying: (list, ordinals) => lists[list](ordinals),
    flagged: (flag) => rowsFlagged(columns, flag),
    startingIn: (hours) => startingRows(columns, hours),
    ofEvents: (events) => rowsOfEvents(columns, events),
  };
}

/**
 * The rows of ordinal n are [at[n], at[n + 1]) of `rows`. A list larger than a bitmap is also cached as a bitmap after its first use:
 * joining bitmaps takes microseconds.
 */
function rowsJoined(
  at: Int32Array,
  rows: Int32Array,
  count: number,
): (ordinals: readonly number[]) => Bitmap {
  const bitmaps = new Map<number, Bitmap>();
  const addRows = (ordinal: number, bitmap: Bitmap): void => {
    const end = at[ordinal + 1] as number;
    for (let place = at[ordinal] as number; place < end; place++) setBit(bitmap, rows[place] as number);
  };
  const bitmapOf = (ordinal: number): Bitmap | undefined => {
    if (((at[ordinal + 1] as number) - (at[ordinal] as number)) * 32 <= count) return undefined;
    let bitmap = bitmaps.get(ordinal);
    if (bitmap === undefined) {
      bitmap = emptyBitmap(count);
      addRows(ordinal, bitmap);
      bitmaps.set(ordinal, bitmap);
    }
    return bitmap;
  };
  const joined = emptyBitmap(count);
  return (ordinals) => {
    const [first] = ordinals;
    if (first !== undefined && ordinals.length === 1) {
      const whole = bitmapOf(first);
      if (whole !== undefined) return whole;
    }
    joined.fill(0);
    for (const ordinal of ordinals) {
      const bitmap = bitmapOf(ordinal);
      if (bitmap === undefined) addRows(ordinal, joined);
      else addBits(joined, bitmap);
    }
    return joined;
  };
}

/** 35 µs for 25,000 occurrences. Both ends are included; a range that ends before it begins spans midnight. */
function startingRows({ minute }: Columns, { from, to }: HoursRange): Bitmap {
  const bitmap = emptyBitmap(minute.length);
  const isWrapped = from > to;
  for (let row = 0; row < minute.length; row++) {
    const found = minute[row] as number;
    if (isWrapped ? found >= from || found <= to : found >= from && found <= to) setBit(bitmap, row);
  }
  return bitmap;
}

function rowsOfEvents({ event, occurrences, occurrencesAt }: Columns, events: Bitmap): Bitmap {
  const bitmap = emptyBitmap(event.length);
  somePlace(events, (ordinal) => {
    const end = occurrencesAt[ordinal + 1] as number;
    for (let place = occurrencesAt[ordinal] as number; place < end; place++) {
      setBit(bitmap, occurrences[place] as number);
    }
    return false;
  });
  return bitmap;
}
