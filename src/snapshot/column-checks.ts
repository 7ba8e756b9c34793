/** What a column may hold (H7). Each check gives the first place whose value is not as it must be. */
import { wordsFor } from './bitmaps.ts';
import type { Sizes } from './lists.ts';

type Values = Readonly<ArrayLike<number>>;

/** Null where all is well. */
export type Check = (values: Values, sizes: Sizes) => Problem | null;

interface Problem {
  readonly at: number;
  readonly expected: string;
}

export function anything(): null {
  return null;
}

export function finite(values: Values): Problem | null {
  for (let at = 0; at < values.length; at++) {
    if (!Number.isFinite(values[at])) return { at, expected: 'a number' };
  }
  return null;
}

export function finiteOrNever(values: Values): Problem | null {
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number;
    if (!(value < Number.POSITIVE_INFINITY)) return { at, expected: 'a number or -Infinity' };
  }
  return null;
}

export function ascending(values: Values): Problem | null {
  let last = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number;
    if (!(value >= last && Number.isFinite(value))) return { at, expected: 'numbers that ascend' };
    last = value;
  }
  return null;
}

/** Instants in order, of which a datetime can be written. */
export function moments(values: Values): Problem | null {
  const problem = ascending(values);
  if (problem !== null || values.length === 0) return problem;
  const last = values.length - 1;
  const expected = 'an instant of the years 1 to 9999';
  if ((values[0] as number) < EARLIEST) return { at: 0, expected };
  return (values[last] as number) < LATEST ? null : { at: last, expected };
}

const EARLIEST = Date.parse('0001-01-01T00:00:00Z') / 1_000;
const LATEST = Date.parse('+010000-01-01T00:00:00Z') / 1_000;

/** Whole numbers from `low` to one less than there are. */
export function within(low: number, count: (sizes: Sizes) => number): Check {
  return (values, sizes) => {
    const end = count(sizes);
    for (let at = 0; at < values.length; at++) {
      const value = values[at] as number;
      if (value < low || value >= end) return { at, expected: `${low} to ${end - 1}` };
    }
    return null;
  };
}

/** A walk from row to row comes to an end. */
export function later(values: Values): Problem | null {
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number;
    if (value !== -1 && (value <= at || value >= values.length)) return { at, expected: 'a later row or -1' };
  }
  return null;
}

export function listEnds(values: Values): Problem | null {
  if (values[0] !== 0) return { at: 0, expected: 'lists that begin at 0' };
  return ascending(values);
}

/** Bitmaps with no bit behind the last row. */
export function bits(values: Values, { occurrences }: Sizes): Problem | null {
  const words = wordsFor(occurrences);
  const spare = occurrences % 32 === 0 ? 0 : -1 << (occurrences % 32);
  for (let at = words - 1; at < values.length && at >= 0; at += words) {
    if (((values[at] as number) & spare) !== 0) return { at, expected: 'no rows behind the last one' };
  }
  return null;
}

/** 1 for each byte that datetimes are written with. */
const IN_DATETIMES = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number('0123456789 :+-'.includes(String.fromCharCode(byte))),
);

/** They go into answers as they are. */
export function datetimes(values: Values): Problem | null {
  for (let at = 0; at < values.length; at++) {
    if (IN_DATETIMES[values[at] as number] !== 1) return { at, expected: 'datetimes' };
  }
  return null;
}
