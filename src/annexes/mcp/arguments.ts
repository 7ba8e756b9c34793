/** The arguments of tools (I14): how each is described to a program, and how it is read. */
import { Invalid, type InvalidArgument, type Read } from '../../calendar/arguments.ts';
import { shortened } from '../../calendar/display-text.ts';
import { isObject, type JsonObject } from '../../calendar/json.ts';
import { createNearest, withNearest } from '../../calendar/nearest.ts';
import { compareCodePoints } from '../../calendar/text.ts';

interface ArgumentKind<Value> {
  /** JSON Schema. */
  readonly schema: object;
  readonly read: Read<Value>;
}

interface Argument<Value> extends ArgumentKind<Value> {
  readonly about: string;
  readonly isRequired?: boolean;
}

export type ToolArguments = Readonly<Record<string, Argument<unknown>>>;

export type ValuesOf<Of extends ToolArguments> = {
  readonly [Name in keyof Of]?: Exclude<ReturnType<Of[Name]['read']>, Invalid | undefined>;
};

interface ArgumentsRead<Of extends ToolArguments> {
  /** The arguments that are given, in the order of the table. */
  readonly values: ValuesOf<Of>;
  /** What is wrong, for the program to correct. */
  readonly faults: readonly string[];
}

export function readArguments<Of extends ToolArguments>(table: Of, given: JsonObject): ArgumentsRead<Of> {
  const names = Object.keys(table);
  const nearest = createNearest(names, (name) => [name]);
  const faults = Object.keys(given)
    .filter((name) => !Object.hasOwn(table, name))
    .map((name) => {
      const expected = withNearest(`one of ${names.join(', ')}`, nearest(name));
      return `${shortened(name, LONGEST_NAME)}: there is no such argument, expected ${expected}`;
    });
  const values: Record<string, unknown> = {};
  for (const [name, { read, isRequired = false }] of Object.entries(table)) {
    const value = read(given[name]);
    if (value instanceof Invalid) {
      faults.push(faultOf({ name, expected: value.expected, found: given[name] }));
    } else if (value !== undefined) {
      values[name] = value;
    } else if (isRequired) {
      faults.push(`${name}: it is required`);
    }
  }
  return { values: values as ValuesOf<Of>, faults: faults.slice(0, MOST_FAULTS) };
}

/** Characters of a name and of a value that a fault repeats. */
const LONGEST_NAME = 60;
const LONGEST_VALUE = 80;
const MOST_FAULTS = 5;

export function faultOf({ name, expected, found }: InvalidArgument): string {
  return `${name}: expected ${expected}, found ${shortened(JSON.stringify(found) ?? '', LONGEST_VALUE)}`;
}

/** The JSON Schema of a tool's arguments. */
export function schemaOf(table: ToolArguments): object {
  const all = Object.entries(table);
  const required = all.filter(([, { isRequired }]) => isRequired).map(([name]) => name);
  const properties = all.map(([name, { schema, about }]) => [name, { ...schema, description: about }]);
  const schemaOfAll = {
    type: 'object',
    properties: Object.fromEntries(properties),
    additionalProperties: false,
  };
  return required.length === 0 ? schemaOfAll : { ...schemaOfAll, required };
}

/** `read`: undefined for a value that is not as expected. */
export function kindOf<Value>(
  schema: object,
  expected: string,
  read: (value: unknown) => Value | undefined,
): ArgumentKind<Value> {
  return {
    schema,
    read: (value) => (isGiven(value) ? (read(value) ?? new Invalid(expected)) : undefined),
  };
}

/** B1: null and a blank text are not given. */
function isGiven(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  return typeof value !== 'string' || value.trim() !== '';
}

/** Characters of a text, and texts of a list. */
const LONGEST_TEXT = 300;
const MOST_TEXTS = 20;

const readText = (value: unknown): string | undefined =>
  typeof value === 'string' && value.length <= LONGEST_TEXT ? value.trim() : undefined;

export const text = kindOf({ type: 'string' }, `a text of at most ${LONGEST_TEXT} characters`, readText);

/** Characters of an event's link, which may be longer than other texts. */
const LONGEST_ADDRESS = 4_096;

export const address = kindOf({ type: 'string' }, 'an id, a slug or a link', (value) =>
  typeof value === 'string' && value.length <= LONGEST_ADDRESS ? value.trim() : undefined,
);

/** In code point order, each once: equal questions share an answer. One text is a list of one. */
export const texts = kindOf(
  { type: 'array', items: { type: 'string' }, maxItems: MOST_TEXTS },
  `a list of at most ${MOST_TEXTS} texts`,
  (value) => {
    const given: readonly unknown[] = Array.isArray(value) ? value : [value];
    const read = given.map(readText);
    if (read.length > MOST_TEXTS || read.includes(undefined)) return undefined;
    const filled = read.filter((one): one is string => one !== undefined && one !== '');
    return [...new Set(filled)].toSorted(compareCodePoints);
  },
);

export const flag = kindOf({ type: 'boolean' }, 'true or false', (value) =>
  typeof value === 'boolean' ? value : undefined,
);

export const whole = (minimum: number, maximum: number) =>
  kindOf({ type: 'integer', minimum, maximum }, `a whole number of ${minimum} to ${maximum}`, (value) => {
    if (typeof value !== 'number' || !Number.isInteger(value)) return undefined;
    return value >= minimum && value <= maximum ? value : undefined;
  });

export const oneOf = <Name extends string>(names: readonly Name[]) =>
  kindOf({ type: 'string', enum: names }, `one of ${names.join(', ')}`, (value) =>
    names.find((name) => typeof value === 'string' && name.toLowerCase() === value.trim().toLowerCase()),
  );

const DEGREES = { type: 'number' };

export const circle = kindOf(
  {
    type: 'object',
    properties: { latitude: DEGREES, longitude: DEGREES, km: DEGREES },
    required: ['latitude', 'longitude'],
    additionalProperties: false,
  },
  'latitude, longitude and km as numbers',
  (value) => {
    if (!isObject(value)) return undefined;
    const { latitude, longitude, km = DEFAULT_KM } = value;
    if (typeof latitude !== 'number' || typeof longitude !== 'number') return undefined;
    return typeof km === 'number' ? { latitude, longitude, km } : undefined;
  },
);

const DEFAULT_KM = 10;
