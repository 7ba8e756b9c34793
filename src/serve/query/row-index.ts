/** Rows by what their nodes carry, made when first asked for and kept as long as the snapshot. */
import { LRUCache } from 'lru-cache';
import { addBits, type Bitmap, emptyBitmap, setBit } from '../../snapshot/bitmaps.ts';
import { type Columns, EVENT_FLAGS, type Lists, OCCURRENCE_FLAGS } from '../../snapshot/columns.ts';
import type { HoursRange } from './plan.ts';
import { inOneGo, type Steps, stretches } from './steps.ts';

/** No set is to be changed by the caller, nor used when another one was asked for: what is joined is joined in one place. */
export interface RowIndex {
  /** What else the first request would wait for. */
  readonly prepare: () => Steps<void>;
  /** Rows that carry any of these; ordinals are places in the list of that name. */
  readonly carrying: (list: IndexedList, ordinals: readonly number[]) => Bitmap;
  readonly flagged: (flag: Flag) => Bitmap;
  /** B5: rows that start at these minutes of the day. */
  readonly startingIn: (hours: HoursRange) => Bitmap;
  /** All rows of these events, which are given as one byte an event. */
  readonly ofEvents: (mask: Uint8Array) => Bitmap;
}

/** People ask for mornings and evenings: few ranges, each many times. */
const RANGES_KEPT = 64;

export type IndexedList = keyof typeof CARRIED;
export type Flag = keyof typeof EVENT_FLAGS | keyof typeof OCCURRENCE_FLAGS;

export function createRowIndex(columns: Columns, lists: Lists): RowIndex {
  const groups = new Map<IndexedList, RowsOf>();
  const flags = new Map<Flag, Bitmap>();
  const ranges = new LRUCache<string, Bitmap>({ max: RANGES_KEPT });
  function* group(list: IndexedList): Steps<RowsOf> {
    const carrying = yield* groupRows(columns, CARRIED[list], lists[list].length);
    groups.set(list, carrying);
    return carrying;
  }
  return {
    prepare: function* () {
      for (const list of INDEXED_LISTS) yield* group(list);
    },
    carrying: (list, ordinals) => {
      const carrying = groups.get(list) ?? inOneGo(group(list));
      return carrying(ordinals);
    },
    flagged: (flag) => {
      let rows = flags.get(flag);
      if (rows === undefined) {
        rows = flaggedRows(columns, flag);
        flags.set(flag, rows);
      }
      return rows;
    },
    startingIn: (hours) => {
      const key = `${hours.from} ${hours.to}`;
      let rows = ranges.get(key);
      if (rows === undefined) {
        rows = startingRows(columns, hours);
        ranges.set(key, rows);
      }
      return rows;
    },
    ofEvents: (mask) => rowsOfEvents(columns, mask),
  };
}

type Take = (ordinal: number, row: number) => void;
type RowsOf = (ordinals: readonly number[]) => Bitmap;

/** Calls back for each entity that each row carries, a stretch at a time. */
type EachCarried = (columns: Columns, take: Take) => Steps<void>;

const CARRIED = {
  venues: ({ venue }, take) =>
    stretches(venue.length, (from, to) => {
      for (let row = from; row < to; row++) {
        const ordinal = venue[row] as number;
        if (ordinal >= 0) take(ordinal, row);
      }
    }),
  organizers: (columns, take) => eachOf(columns, columns.organizersAt, columns.organizers, take),
  // B3: the column holds the parents of subcategories too, so that a category is met through its children.
  categories: (columns, take) => eachOf(columns, columns.categoriesAt, columns.categories, take),
  tags: (columns, take) => eachOf(columns, columns.tagsAt, columns.tags, take),
  containers: ({ event, container }, take) =>
    stretches(event.length, (from, to) => {
      for (let row = from; row < to; row++) {
        const ordinal = container[event[row] as number] as number;
        if (ordinal >= 0) take(ordinal, row);
      }
    }),
} satisfies Partial<Record<keyof Lists, EachCarried>>;

const isCarried = (name: string): name is IndexedList => name in CARRIED;
const INDEXED_LISTS: readonly IndexedList[] = Object.keys(CARRIED).filter(isCarried);

/** Event by event, which reads memory forwards: three times as fast as row by row. */
function eachOf(
  { occurrences, occurrencesAt }: Columns,
  at: Int32Array,
  values: Int32Array,
  take: Take,
): Steps<void> {
  return stretches(at.length - 1, (from, to) => {
    for (let event = from; event < to; event++) {
      const end = at[event + 1] as number;
      const lastRow = occurrencesAt[event + 1] as number;
      for (let value = at[event] as number; value < end; value++) {
        for (let row = occurrencesAt[event] as number; row < lastRow; row++) {
          take(values[value] as number, occurrences[row] as number);
        }
      }
    }
  });
}

/** One list of rows an entity, all in one array; what is longer as a list than as a set is kept as a set too. */
function* groupRows(columns: Columns, each: EachCarried, size: number): Steps<RowsOf> {
  const count = columns.event.length;
  const at = new Int32Array(size + 1);
  yield* each(columns, (ordinal) => {
    at[ordinal + 1] = (at[ordinal + 1] as number) + 1;
  });
  for (let ordinal = 0; ordinal < size; ordinal++) {
    at[ordinal + 1] = (at[ordinal + 1] as number) + (at[ordinal] as number);
  }
  const rows = new Int32Array(at[size] as number);
  const next = at.slice();
  yield* each(columns, (ordinal, row) => {
    const place = next[ordinal] as number;
    rows[place] = row;
    next[ordinal] = place + 1;
  });

  const big = new Map<number, Bitmap>();
  const addRows = (ordinal: number, bits: Bitmap): void => {
    const end = at[ordinal + 1] as number;
    for (let place = at[ordinal] as number; place < end; place++) setBit(bits, rows[place] as number);
  };
  const bigSet = (ordinal: number): Bitmap | undefined => {
    if (((at[ordinal + 1] as number) - (at[ordinal] as number)) * 32 <= count) return undefined;
    let bits = big.get(ordinal);
    if (bits === undefined) {
      bits = emptyBitmap(count);
      addRows(ordinal, bits);
      big.set(ordinal, bits);
    }
    return bits;
  };
  const joined = emptyBitmap(count);
  return (ordinals) => {
    const [first] = ordinals;
    if (first !== undefined && ordinals.length === 1) {
      const whole = bigSet(first);
      if (whole !== undefined) return whole;
    }
    joined.fill(0);
    for (const ordinal of ordinals) {
      const set = bigSet(ordinal);
      if (set === undefined) addRows(ordinal, joined);
      else addBits(joined, set);
    }
    return joined;
  };
}

function flaggedRows({ event, eventFlags, occurrenceFlags }: Columns, flag: Flag): Bitmap {
  const bits = emptyBitmap(event.length);
  const isOfEvent = flag in EVENT_FLAGS;
  const mask = { ...EVENT_FLAGS, ...OCCURRENCE_FLAGS }[flag];
  for (let row = 0; row < event.length; row++) {
    const flags = (isOfEvent ? eventFlags[event[row] as number] : occurrenceFlags[row]) as number;
    if ((flags & mask) !== 0) setBit(bits, row);
  }
  return bits;
}

/** Both ends included; a range whose end lies before its beginning goes over midnight. */
function startingRows({ minute }: Columns, { from, to }: HoursRange): Bitmap {
  const bits = emptyBitmap(minute.length);
  const isWrapped = from > to;
  for (let row = 0; row < minute.length; row++) {
    const found = minute[row] as number;
    if (isWrapped ? found >= from || found <= to : found >= from && found <= to) setBit(bits, row);
  }
  return bits;
}

function rowsOfEvents({ event, occurrences, occurrencesAt }: Columns, mask: Uint8Array): Bitmap {
  const bits = emptyBitmap(event.length);
  for (let ordinal = mask.indexOf(1); ordinal >= 0; ordinal = mask.indexOf(1, ordinal + 1)) {
    const end = occurrencesAt[ordinal + 1] as number;
    for (let place = occurrencesAt[ordinal] as number; place < end; place++) {
      setBit(bits, occurrences[place] as number);
    }
  }
  return bits;
}
