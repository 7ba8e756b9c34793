/**
 * Finds the place where a text stops being JSON (RFC 8259), for its author: the error of `JSON.parse` differs by version and often
 * names no place. Called for malformed text only; time and memory are linear in its length.
 *
 *     faultOf("{ 'query': 1 }"); // line 1, column 3: expected a double quote, found a single one
 */
import { printable } from '../../calendar/text.ts';

/** Null if the text is JSON. */
export function faultOf(text: string): string | null {
  const scan: Scan = { text, at: 0, around: [] };
  for (let state: State = 'value'; ; ) {
    scan.at = endOf(BLANKS, scan);
    const { around, at } = scan;
    if (state === 'next' && around.length === 0) return at === text.length ? null : write(scan, 'the end');
    const isClosed: boolean = CLOSABLE.has(state) && text[at] === around.at(-1);
    const step: State | Fault = isClosed ? close(scan) : STEPS[state](scan);
    if (typeof step === 'object') return write(scan, step.expected, step.found);
    state = step;
  }
}

interface Scan {
  readonly text: string;
  /** Index into the text; at the end, the index of the fault. */
  at: number;
  /** The closing bracket of each object and list around this place. */
  readonly around: ('}' | ']')[];
}

interface Fault {
  readonly expected: string;
  /** Undefined: the text at this place. */
  readonly found?: string;
}

type State = 'value' | 'first value' | 'name' | 'first name' | 'colon' | 'next';

const CLOSABLE: ReadonlySet<State> = new Set<State>(['first value', 'first name', 'next']);

function close(scan: Scan): State {
  scan.at++;
  scan.around.pop();
  return 'next';
}

const STEPS: Readonly<Record<State, (scan: Scan) => State | Fault>> = {
  value: (scan) => readValue(scan, 'a value'),
  'first value': (scan) => readValue(scan, 'a value or "]"'),
  name: (scan) => readName(scan, 'a name in double quotes (and no comma after the last one)'),
  'first name': (scan) => readName(scan, 'a name in double quotes or "}"'),
  colon: (scan) => pass(scan, ':', 'value') ?? { expected: 'a colon' },
  next: (scan) => {
    const closing = scan.around.at(-1);
    return pass(scan, ',', closing === '}' ? 'name' : 'value') ?? { expected: `a comma or "${closing}"` };
  },
};

function pass(scan: Scan, character: string, next: State): State | undefined {
  if (scan.text[scan.at] !== character) return undefined;
  scan.at++;
  return next;
}

function readName(scan: Scan, expected: string): State | Fault {
  const character = scan.text[scan.at] ?? '';
  if (character === '"') return readText(scan) ?? 'colon';
  return QUOTES[character] ?? { expected };
}

function readValue(scan: Scan, expected: string): State | Fault {
  const { text, at, around } = scan;
  const character = text[at] ?? '';
  if (character === '"') return readText(scan) ?? 'next';
  if (character === '{' || character === '[') {
    scan.at++;
    around.push(character === '{' ? '}' : ']');
    return character === '{' ? 'first name' : 'first value';
  }
  scan.at = endOf(SCALAR, scan);
  return scan.at > at ? 'next' : (QUOTES[character] ?? { expected });
}

/** Quotes that JSON does not have. */
const QUOTES: Readonly<Record<string, Fault>> = {
  "'": { expected: 'a double quote', found: 'a single one' },
  '`': { expected: 'a double quote', found: 'a backtick' },
  '“': { expected: 'a double quote', found: 'a typographic one' },
  '”': { expected: 'a double quote', found: 'a typographic one' },
};

/** Reads from the opening quote to after the closing one; undefined if nothing is wrong. */
function readText(scan: Scan): Fault | undefined {
  const begin = scan.at;
  scan.at++;
  for (;;) {
    scan.at = endOf(PLAIN, scan);
    const character = scan.text[scan.at];
    if (character === '"') {
      scan.at++;
      return undefined;
    }
    if (character === undefined) {
      return { expected: `a double quote to end the text that begins at ${placeOf(scan.text, begin)}` };
    }
    if (character !== '\\') {
      const isLineEnd = character === '\n' || character === '\r';
      return isLineEnd
        ? { expected: 'a text on one line (\\n stands for a line break)', found: 'a line break' }
        : { expected: 'control characters as \\u and four digits', found: 'one as it is' };
    }
    const end = endOf(ESCAPE, scan);
    if (end === scan.at)
      return { expected: 'one of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\u and four hexadecimal digits' };
    scan.at = end;
  }
}

/** Sticky, and linear also where they do not match. */
const BLANKS = /[ \t\n\r]*/y;
const SCALAR = /(?:(?:true|false|null)|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON refuses them.
const PLAIN = /[^"\\\x00-\x1f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const WORD = /[^\s"'{}[\]:,]{1,20}|[\s\S]/uy;

/** The end of the match at this place; the place itself if there is none. */
function endOf(pattern: RegExp, { text, at }: Pick<Scan, 'text' | 'at'>): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function write({ text, at }: Scan, expected: string, found?: string): string {
  const excerpt = text.slice(at, endOf(WORD, { text, at }));
  const there = excerpt === '' ? 'the end' : printable(JSON.stringify(excerpt));
  return `${placeOf(text, at)}: expected ${expected}, found ${found ?? there}`;
}

/** Both count from 1; a column is a character. */
function placeOf(text: string, at: number): string {
  const lines = text.slice(0, at).split(/\r\n?|\n/);
  return `line ${lines.length}, column ${Array.from(lines.at(-1) ?? '').length + 1}`;
}
