/**
 * Readers of arguments: one for each kind of value. A reader returns the value, or says what was expected in its place. B1: null, an empty
 * list and a blank string count as not given.
 */
import { unlessEmpty } from './groups.ts';
import { parseInputDatetime } from './input-datetime.ts';
import { isObject } from './json.ts';

/** Arguments as graphql-js passes them: coerced to the schema's types. */
export type Arguments = Readonly<Record<string, unknown>>;

/** What a reader returns for an invalid value: a description of what was expected. */
export class Invalid {
  readonly expected: string;
  constructor(expected: string) {
    this.expected = expected;
  }
}

/** Reads an argument: its value, undefined if it is not given, or what was expected instead. */
export type Read<Value> = (value: unknown) => Value | Invalid | undefined;

/** The interface fixes this message for arguments that cannot be read. */
export const INVALID_ARGUMENTS = 'Query Arguments invalid';

export type Readers = Readonly<Record<string, Read<unknown>>>;

export type ValuesOf<Of extends Readers> = {
  readonly [Name in keyof Of]?: Exclude<ReturnType<Of[Name]>, Invalid | undefined>;
};

export interface InvalidArgument {
  readonly name: string;
  readonly expected: string;
  readonly found: unknown;
}

interface ArgumentsRead<Of extends Readers> {
  /** The arguments that are given. */
  readonly values: ValuesOf<Of>;
  readonly refused: readonly InvalidArgument[];
}

/** Reads the arguments of a table. */
export function readAll<Of extends Readers>(readers: Of, given: Arguments): ArgumentsRead<Of> {
  const refused: InvalidArgument[] = [];
  const values: Record<string, unknown> = {};
  for (const name in readers) {
    const value = readers[name]?.(given[name]);
    if (value instanceof Invalid) refused.push({ name, expected: value.expected, found: given[name] });
    else if (value !== undefined) values[name] = value;
  }
  return { values: values as ValuesOf<Of>, refused };
}

/** A text that `parse` understands. */
export const parsed =
  <Value>(parse: (value: string) => Value | null | undefined, expected: string): Read<Value> =>
  (value) =>
    typeof value !== 'string' || value.trim() === '' ? undefined : (parse(value) ?? new Invalid(expected));

export const text = parsed((value) => value, 'a text');

/** Reads a list argument without nulls (B1), each text once: a body has room for 60,000 equal texts. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? [...new Set(value.filter((entry) => typeof entry === 'string'))] : [];
}

export const texts: Read<readonly string[]> = (value) => unlessEmpty(textsOf(value));

export const flag: Read<true> = (value) => (value === true ? true : undefined);

export const datetime = parsed(
  parseInputDatetime,
  'a datetime in Norwegian time such as "2026-05-17 19:30" or "2026-05-17", or one with an offset such as "2026-05-17 19:30:00+02:00" or "2026-05-17T17:30:00Z"',
);

/** A whole number within bounds. The schema has already refused numbers that are not whole. */
export const whole =
  (least: number, most = Number.POSITIVE_INFINITY): Read<number> =>
  (value) => {
    if (value === undefined || value === null) return undefined;
    if (typeof value === 'number' && value >= least && value <= most) return value;
    const bounds = most === Number.POSITIVE_INFINITY ? `${least} or more` : `${least} to ${most}`;
    return new Invalid(`a whole number of ${bounds}`);
  };

/** Degrees of latitude or longitude. Unlike other readers, it refuses a missing value. */
export const degrees =
  (limit: number): Read<number> =>
  (value) =>
    typeof value === 'number' && value >= -limit && value <= limit
      ? value
      : new Invalid(`degrees from ${-limit} to ${limit}`);

/** An object with all of these fields. */
export const objectOf =
  <Of extends Readers>(readers: Of, expected: string): Read<Required<ValuesOf<Of>>> =>
  (value) => {
    if (!isObject(value)) return undefined;
    const { values, refused } = readAll(readers, value);
    return refused.length === 0 ? (values as Required<ValuesOf<Of>>) : new Invalid(expected);
  };
