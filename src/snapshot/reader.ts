/** Reads a snapshot's rows, from any database that holds them, and distinguishes the types of their values. */
import { CalendarError } from '../calendar/errors.ts';

export type Value = string | number | null | Uint8Array;
export type Row = Readonly<Record<string, unknown>>;

/** Turns a row into the caller's type, and throws if a column has another type: see the readers of columns below. */
export type ReadRow<T> = (row: Row) => T;

export interface Reader {
  /** All rows of one statement. Throws TIMEOUT after the reader's limit, SNAPSHOT_UNUSABLE for anything SQLite refuses. */
  readonly all: <T>(sql: string, values: readonly Value[], read: ReadRow<T>) => Promise<readonly T[]>;
  /** Waits for running statements, then closes the file. */
  readonly close: () => Promise<void>;
}

/** Readers of a row's columns. Each throws SNAPSHOT_UNUSABLE with what it expected and found. */
export const textOf = columnReader('text', (value) => typeof value === 'string');
export const integerOf = columnReader('an integer', (value): value is number => Number.isSafeInteger(value));
export const bytesOf = columnReader('a blob', (value) => value instanceof Uint8Array);

function columnReader<Read extends Value>(expected: string, isExpected: (value: unknown) => value is Read) {
  return (row: Row, name: string): Read => {
    const value = row[name];
    if (isExpected(value)) return value;
    throw new CalendarError(
      'SNAPSHOT_UNUSABLE',
      `expected ${name} to be ${expected}, found ${typeOrNumber(value)}`,
    );
  };
}

/** A number as it is; of other values only the type, because they may be long. */
function typeOrNumber(value: unknown): string {
  if (value === undefined) return 'no such column';
  return value === null || typeof value === 'number' ? String(value) : typeof value;
}
