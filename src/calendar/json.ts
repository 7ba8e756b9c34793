/** JSON from elsewhere: the kinds of its values, its size before it is parsed, and keys that parsing would drop. */

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

/** Measures of a JSON text. Each value takes up to 64 bytes of memory when it is parsed, however short its text is. */
interface JsonMeasures {
  readonly depth: number;
  readonly values: number;
  readonly keys: number;
}

/**
 * Measures JSON in UTF-8 in one pass and without parsing, which is slow for deep JSON. `onElement` gets the index of the bracket or comma
 * before each element of an outermost list.
 */
export function measureJson(bytes: Uint8Array, onElement?: (before: number) => void): JsonMeasures {
  let open = 0;
  let depth = 0;
  let values = 1;
  let keys = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        at = closingQuoteByte(bytes, at);
        break;
      case COLON:
        keys++;
        break;
      case COMMA:
        values++;
        if (open === 1) onElement?.(at);
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        values++;
        open++;
        depth = Math.max(depth, open);
        if (open === 1) onElement?.(at);
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        open--;
    }
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

/** The index of the quotation mark that ends the text from `start`. */
function closingQuoteByte(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** The keys of a parsed value. Its JSON has more if an object repeats a key, of which only the last counts. */
export function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const items = Object.values(value);
  const ownKeys = Array.isArray(value) ? 0 : items.length;
  return items.reduce((sum: number, item) => sum + countKeys(item), ownKeys);
}

/** The first key that an object of this JSON has twice; null for none. */
export function repeatedKeyIn(json: string): string | null {
  /** The keys so far of each open object; null for a list. */
  const open: (Set<string> | null)[] = [];
  let lastText = '';
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case '"': {
        const end = closingQuote(json, at);
        lastText = json.slice(at, end + 1);
        at = end;
        break;
      }
      case '{':
        open.push(new Set());
        break;
      case '[':
        open.push(null);
        break;
      case '}':
      case ']':
        open.pop();
        break;
      case ':': {
        const keys = open.at(-1);
        const key = String(parsedJson(lastText));
        if (keys?.has(key)) return key;
        keys?.add(key);
      }
    }
  }
  return null;
}

/** The index of the quotation mark that ends the text from `start`. */
function closingQuote(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}
