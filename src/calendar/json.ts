/** Values of parsed JSON: their kinds, and the size of JSON before it is parsed. */

export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether it is a JSON object: neither null nor a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Undefined if the text is not JSON: JSON itself has no undefined. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Nesting of lists and objects. JSON of real sources has six levels; recursive code fails at some thousands. */
export const DEEPEST_JSON = 64;

/**
 * Depth and numbers of values and of keys of JSON in UTF-8, in one pass and without parsing, which is slow for deep JSON. `onElement` is told of the
 * bracket or comma before each element of an outermost list. Each of the `values` takes up to 64 bytes of memory, however short its text is.
 */
export function measureJson(bytes: Uint8Array, onElement?: (before: number) => void) {
  let open = 0;
  let depth = 0;
  let values = 1;
  let keys = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
    } else if (byte === COMMA) {
      values++;
      if (open === 1) onElement?.(at);
    } else if (byte === COLON) keys++;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      values++;
      if (++open > depth) depth = open;
      if (open === 1) onElement?.(at);
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) open--;
  }
  return { depth, values, keys };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The keys of a parsed value: fewer than its JSON has where an object has one twice, of which the last counts. */
export function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const items = Object.values(value);
  return items.reduce((sum: number, item) => sum + countKeys(item), Array.isArray(value) ? 0 : items.length);
}

/** The first key that an object of this JSON has twice; null for none. */
export function repeatedKeyIn(json: string): string | null {
  const open: (Set<string> | null)[] = [];
  let last = '';
  for (let at = 0; at < json.length; at++) {
    const sign = json[at];
    const keys = open.at(-1) ?? null;
    if (sign === '"') {
      const end = endOfText(json, at);
      last = json.slice(at, end + 1);
      at = end;
    } else if (sign === '{') open.push(new Set());
    else if (sign === '[') open.push(null);
    else if (sign === '}' || sign === ']') open.pop();
    else if (sign === ':' && keys !== null) {
      const key = String(parsedJson(last));
      if (keys.has(key)) return key;
      keys.add(key);
    }
  }
  return null;
}

/** The index of the quotation mark that ends a text. */
function endOfText(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}
