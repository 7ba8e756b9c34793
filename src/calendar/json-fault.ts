/**
 * Says for its author where a text stops being JSON, and the likely cause. Node's own messages lack the place of most faults.
 *
 *     jsonFault('{ "query": "a" "b": 1 }'); // line 1, column 15: a comma is missing after "a"
 */

import { printable } from './display-text.ts';
import { parsedJson } from './json.ts';

/** Null if the text is JSON. */
export function jsonFault(text: string): string | null {
  const fault = jsonFaultIn(text);
  return fault && `line ${fault.line}, column ${fault.column}: ${fault.cause}`;
}

/** The place where a text stops being JSON. */
interface JsonFault {
  /** From 1. */
  readonly line: number;
  /** Character of the line, from 1. */
  readonly column: number;
  /** Completes "expected JSON, but …". */
  readonly cause: string;
}

/** Null if the text is JSON. */
export function jsonFaultIn(text: string): JsonFault | null {
  if (parsedJson(text) !== undefined) return null;
  const { at, cause } = causeOf(stopOf(text), text);
  const lines = text.slice(0, at).split(/\r\n?|\n/);
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1, cause: printable(cause) };
}

interface Token {
  /** The sign itself, `"` for a text, `1` for any other value; empty for anything that is no token. */
  readonly kind: string;
  readonly from: number;
  readonly to: number;
}

const VALUE = '{["1';
const NOTHING = '';
const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']' };

/** The place at which reading stops. */
interface Stop {
  /** The first token that is not accepted. */
  readonly token: Token;
  /** The token before it. */
  readonly last: Token;
  /** The kinds that are accepted in its place. */
  readonly accepted: string;
}

function stopOf(text: string): Stop {
  const open: string[] = [];
  let accepted = VALUE;
  let last: Token = { kind: '', from: 0, to: 0 };
  for (;;) {
    const token = tokenAt(text, last.to);
    const { kind } = token;
    if (kind === '' || !accepted.includes(kind)) return { token, last, accepted };
    const isName = accepted.startsWith('"');
    const closing = CLOSING[kind];
    if (closing !== undefined) open.push(closing);
    if (kind === open.at(-1)) open.pop();
    const end = open.at(-1);
    if (kind === '{') accepted = '"}';
    else if (kind === '[') accepted = `${VALUE}]`;
    else if (kind === ',') accepted = end === '}' ? '"' : VALUE;
    else if (kind === ':') accepted = VALUE;
    else if (isName && kind === '"') accepted = ':';
    else accepted = end === undefined ? NOTHING : `,${end}`;
    last = token;
  }
}

/** Blanks, and after them a sign, the beginning of a text, or another value. */
const TOKEN =
  /[\t\n\r ]*([{}[\],:"]|(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.]))?/y;

function tokenAt(text: string, at: number): Token {
  TOKEN.lastIndex = at;
  const [blanks = '', found = ''] = TOKEN.exec(text) ?? [];
  const to = at + blanks.length;
  const from = to - found.length;
  if (found !== '"') return { kind: found.length > 1 || /\d/.test(found) ? '1' : found, from, to };
  const end = endOfText(text, from);
  return { kind: text.charAt(end) === '"' ? '"' : '', from, to: end + 1 };
}

/** The index at which the text from `from` ends: at its closing quotation mark, or at a character that a text may not have. */
function endOfText(text: string, from: number): number {
  for (let at = from + 1; ; at++) {
    const char = text.charAt(at);
    if (char === '\\') {
      ESCAPE.lastIndex = at;
      const [found] = ESCAPE.exec(text) ?? [];
      if (found === undefined) return at;
      at += found.length - 1;
    } else if (char === '"' || char < ' ') return at;
  }
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** Characters of a token that a message shows. */
const SHOWN = 40;

interface Cause {
  /** Index in the text. */
  readonly at: number;
  readonly cause: string;
}

function causeOf({ token: { kind, from }, last, accepted }: Stop, text: string): Cause {
  const rest = text.slice(from, from + SHOWN);
  const [word = ''] = /^[^\s,:[\]{}"]+|^./.exec(rest) ?? [];
  const isClosing = kind === '}' || kind === ']';
  const here = (cause: string) => ({ at: from, cause });
  const before = text.slice(last.from, Math.min(last.to, last.from + SHOWN));
  const afterIt = (cause: string) => ({ at: last.to, cause: `${cause} after ${before}` });
  if (rest === '') return last.kind === '' ? here('nothing is there') : afterIt('it ends');
  if (last.kind === '"' && last.to === from && /^[\p{L}\d]/u.test(rest))
    return here('a quotation mark within a text is not written as \\"');
  if (last.kind === ',' && (kind === ',' || isClosing))
    return { at: last.from, cause: 'there is a comma too many' };
  if (rest.startsWith('"') && kind === '') return causeInText(text, from);
  const [, strange] = STRANGE.find(([pattern]) => pattern.test(rest)) ?? [];
  if (strange !== undefined) return here(strange);
  if (accepted === NOTHING) return here('more text after its end');
  if (accepted === ':') return afterIt('a colon is missing');
  if (accepted.startsWith(',')) return afterIt(`a ${isClosing ? accepted.charAt(1) : 'comma'} is missing`);
  if (kind !== '') return here(`${word} is where a ${accepted.includes('1') ? 'value' : 'name'} is missing`);
  return here(`unexpected ${word}, which has no quotation marks`);
}

const WORD_PROCESSOR = 'a typographic quotation mark is in place of "';
const STRANGE: readonly (readonly [RegExp, string])[] = [
  [/^[“”„‟«»‘’‚]/, WORD_PROCESSOR],
  [/^'/, `' stands in place of "`],
  [/^(?:\/[/*]|#)/, 'JSON has no comments'],
  [/^</, 'it is a page (HTML or XML)'],
];

/** The fault of a text that begins with a quotation mark. */
function causeInText(text: string, from: number): Cause {
  const at = endOfText(text, from);
  const beginning = text.slice(from, at);
  const sign = SIGNS[text.charAt(at)];
  if (sign !== undefined) return { at, cause: `a ${sign[0]} within a text is not written as ${sign[1]}` };
  const quote = beginning.search(/[“”„‟]/);
  if (quote !== -1) return { at: from + quote, cause: WORD_PROCESSOR };
  return { at: from, cause: `a quotation mark is missing after ${beginning.slice(0, SHOWN)}` };
}

const SIGNS: Readonly<Record<string, readonly [name: string, written: string]>> = {
  '\t': ['tab', '\\t'],
  '\\': ['backslash', '\\\\'],
};
