/** Rows by what their nodes carry (C2), from the index that the build has written: see columns.ts. */
import { addBits, type Bitmap, emptyBitmap, setBit, somePlace, wordsFor } from '../../snapshot/bitmaps.ts';
import { type Columns, FLAGS, type Flag } from '../../snapshot/columns.ts';
import type { HoursRange } from './plan.ts';

/** A set is read-only, and valid until the next call: sets that are joined share one buffer. */
export interface RowIndex {
  /** Rows that carry any of these; ordinals are places in the list of that name, each once. */
  readonly carrying: (list: IndexedList, ordinals: readonly number[]) => Bitmap;
  readonly flagged: (flag: Flag) => Bitmap;
  /** B5: rows that start at these minutes of the day. */
  readonly startingIn: (hours: HoursRange) => Bitmap;
  /** All rows of these events. */
  readonly ofEvents: (events: Bitmap) => Bitmap;
}

/** B3: rows stand under the parents of their subcategories too, so that a category is met through its children. */
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
    flagged: (flag) => {
      const words = wordsFor(count);
      const place = FLAGS.indexOf(flag);
      return columns.flagRows.subarray(place * words, (place + 1) * words);
    },
    startingIn: (hours) => startingRows(columns, hours),
    ofEvents: (events) => rowsOfEvents(columns, events),
  };
}

/**
 * The rows of ordinal n are [at[n], at[n + 1]) of `rows`. A list that is longer than a bitmap is cached as a bitmap too, once
 * it has been asked for: joining those takes microseconds.
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

/** 35 µs for 25,000 occurrences. Both ends included; a range whose end lies before its beginning goes over midnight. */
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
