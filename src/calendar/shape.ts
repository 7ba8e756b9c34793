/**
 * Shapes of the JSON that a snapshot holds. From one come the type of its values, the check of a file from elsewhere (H7), and a text for the
 * format's fingerprint.
 */
import { isObject } from './json.ts';

/** A word, the fields of an object, or a list of objects. */
export type Shape = ShapeWord | readonly [ObjectShape] | ObjectShape;

/**
 * A field that is an object may also be null, without a `?`: all such objects are optional, such as the location of a venue. Its fields have
 * their shapes only if it is not null.
 */
interface ObjectShape {
  readonly [field: string]: Shape;
}

/** A value that is not an object: `text`, `text?` if it may be null, or `[text]` for a list of texts. */
export type ShapeWord = Word | `${Word}?` | `[${TextWord}]`;

type Word = keyof typeof CHECKS | TextWord;

/**
 * A text. The pattern of `text /^x$/` is only for the fingerprint of the format; it is not checked. `other` is a text whose form another file
 * defines.
 */
type TextWord = 'text' | `text ${string}` | 'other';

/** The words for values that are not texts. JSON has no numbers such as Infinity. */
const CHECKS = {
  flag: (value: unknown): value is boolean => typeof value === 'boolean',
  number: (value: unknown): value is number => Number.isFinite(value),
  integer: (value: unknown): value is number => Number.isSafeInteger(value),
  count: (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0,
} as const;

/** What the check of a word leaves of `unknown`, such as `boolean`. */
type Checked<Name extends keyof typeof CHECKS> = (typeof CHECKS)[Name] extends (
  value: unknown,
) => value is infer Type
  ? Type
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
type Value<Of extends Shape> = Of extends `${infer Name extends Word}?`
  ? Value<Name> | null
  : Of extends keyof typeof CHECKS
    ? Checked<Of>
    : Of extends `[${TextWord}]`
      ? readonly string[]
      : Of extends TextWord
        ? string
        : Of extends readonly [infer Each extends ObjectShape]
          ? readonly Shaped<Each>[]
          : Of extends ObjectShape
            ? Shaped<Of> | null
            : never;

/** An object of this shape. */
export type Shaped<Of extends ObjectShape> = { readonly [Field in keyof Of]: Value<Of[Field]> };

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
    if (isMissingObject) continue;
    const fault = shapeFault(value[name], of, `${where}.${name}`);
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
  const check = CHECK_BY_WORD.get(word) ?? isText;
  return check(value);
}

const CHECK_BY_WORD: ReadonlyMap<string, (value: unknown) => boolean> = new Map(Object.entries(CHECKS));

const isText = (value: unknown): boolean => typeof value === 'string';

/** For the fingerprint of the format. */
export function shapeText(shape: Shape): string {
  if (typeof shape === 'string') return shape;
  if (!isObject(shape)) return `[${shapeText(shape[0])}]`;
  const fields = Object.entries(shape).map(([name, of]) => {
    const sign = isObject(of) ? '?' : '';
    return `${name}: ${shapeText(of)}${sign}`;
  });
  return `{ ${fields.join(', ')} }`;
}
