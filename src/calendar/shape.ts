/**
 * Shapes of the JSON that a snapshot holds. From one come the type of its values, the check of a file from elsewhere (H7), and a text for the
 * format's fingerprint.
 */
import { isObject } from './json.ts';

/**
 * A word, with a trailing `?` if the value may be null; the fields of an object; or a list of objects. `[text]` is a list of texts. A word that
 * WORDS does not have is a text, such as `text` or `text /^x$/`. The pattern is for the fingerprint alone; it is not checked. An object that is
 * a field may be null without a sign for it: all such objects are optional, such as the location of a venue.
 */
export type Shape = string | readonly [ObjectShape] | ObjectShape;
interface ObjectShape {
  readonly [field: string]: Shape;
}

/** The words for values that are not texts. JSON has no numbers such as Infinity. */
const WORDS = {
  flag: (value: unknown): value is boolean => typeof value === 'boolean',
  number: (value: unknown): value is number => Number.isFinite(value),
  integer: (value: unknown): value is number => Number.isSafeInteger(value),
  count: (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0,
} as const;

type Words = typeof WORDS;
type OfWord<Word extends keyof Words> = Words[Word] extends (value: unknown) => value is infer Checked
  ? Checked
  : never;

/**
 * The type of the values of a shape:
 *
 *     Value<'text?'>                       // string | null
 *     Value<'count'>                       // number
 *     Value<'[text]'>                      // readonly string[]
 *     Value<readonly [{ name: 'text' }]>   // readonly { readonly name: string }[]
 *     Value<{ name: 'text' }>              // { readonly name: string } | null
 */
type Value<Of> = Of extends `${infer Word}?`
  ? Value<Word> | null
  : Of extends keyof Words
    ? OfWord<Of>
    : Of extends `[${string}]`
      ? readonly string[]
      : Of extends readonly [infer Each]
        ? readonly Shaped<Each>[]
        : Of extends string
          ? string
          : Shaped<Of> | null;

/** An object of this shape. */
export type Shaped<Of> = { readonly [Field in keyof Of]: Value<Of[Field]> };

interface ShapeFault {
  readonly where: string;
  readonly expected: string;
  readonly found: unknown;
}

/** The first part of a value that has another shape; null if there is none. `where`: the name of the value. */
export function shapeFault(value: unknown, shape: Shape, where: string): ShapeFault | null {
  if (typeof shape === 'string')
    return isOfWord(shape, value) ? null : { where, expected: shape, found: value };
  return isObject(shape) ? faultOfObject(value, shape, where) : faultOfList(value, shape, where);
}

function faultOfObject(value: unknown, shape: ObjectShape, where: string): ShapeFault | null {
  if (!isObject(value)) return { where, expected: 'an object', found: value };
  for (const [name, of] of Object.entries(shape)) {
    const isMissingObject = value[name] === null && isObject(of);
    const fault = isMissingObject ? null : shapeFault(value[name], of, `${where}.${name}`);
    if (fault !== null) return fault;
  }
  return null;
}

function faultOfList(value: unknown, [each]: readonly [ObjectShape], where: string): ShapeFault | null {
  if (!Array.isArray(value)) return { where, expected: 'a list', found: value };
  for (const [index, item] of value.entries()) {
    const fault = shapeFault(item, each, `${where}[${index}]`);
    if (fault !== null) return fault;
  }
  return null;
}

function isOfWord(word: string, value: unknown): boolean {
  if (word.endsWith('?')) return value === null || isOfWord(word.slice(0, -1), value);
  if (word.startsWith('[text')) return Array.isArray(value) && value.every(isText);
  return (CHECKS.get(word) ?? isText)(value);
}

const CHECKS: ReadonlyMap<string, (value: unknown) => boolean> = new Map(Object.entries(WORDS));

const isText = (value: unknown): boolean => typeof value === 'string';

/** For the fingerprint of the format. */
export function shapeText(shape: Shape): string {
  if (typeof shape === 'string') return shape;
  if (!isObject(shape)) return `[${shapeText(shape[0])}]`;
  const fields = Object.entries(shape).map(
    ([name, of]) => `${name}: ${shapeText(of)}${isObject(of) ? '?' : ''}`,
  );
  return `{ ${fields.join(', ')} }`;
}
