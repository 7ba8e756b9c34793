/**
 * Says for its author where a text stops being JSON, and the likely cause. Node's own messages lack the place of most faults.
 *
 *     jsonFault('{ "query": "a" "b": 1 }'); // line 1, column 15: a comma is missing after "a"
 */
import { beginningOf, printable } from './display-text.ts';
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

/** A sign itself, a text, a number or word, or anything that is no token. */
type Kind = (typeof SIGNS)[number] | 'text' | 'scalar' | 'none';

const SIGNS = ['{', '}', '[', ']', ',', ':'] as const;

interface Token {
  readonly kind: Kind;
  readonly from: number;
  readonly to: number;
}

type Kinds = ReadonlySet<Kind>;

const VALUES: readonly Kind[] = ['{', '[', 'text', 'scalar'];
const VALUE: Kinds = new Set(VALUES);
const FIRST_ELEMENT: Kinds = new Set([...VALUES, ']']);
const NAME: Kinds = new Set(['text']);
const FIRST_NAME: Kinds = new Set(['text', '}']);
const COLON: Kinds = new Set([':']);
const NOTHING: Kinds = new Set();

/** An open object or list: the sign that closes it, and what may follow an entry. */
interface Open {
  readonly closing: Kind;
  readonly next: Kinds;
}

const OBJECT: Open = { closing: '}', next: new Set([',', '}']) };
const LIST: Open = { closing: ']', next: new Set([',', ']']) };

/** The place at which reading stops. */
interface Stop {
  /** The first token that is not accepted. */
  readonly token: Token;
  /** The token before it. */
  readonly last: Token;
  /** The kinds that are accepted in its place. */
  readonly accepted: Kinds;
  /** The innermost object or list that is open there. */
  readonly inside: Open | undefined;
}

function stopOf(text: string): Stop {
  const open: Open[] = [];
  let accepted = VALUE;
  let last: Token = { kind: 'none', from: 0, to: 0 };
  for (;;) {
    const token = tokenAt(text, last.to);
    const { kind } = token;
    if (!accepted.has(kind)) return { token, last, accepted, inside: open.at(-1) };
    if (kind === '{') open.push(OBJECT);
    if (kind === '[') open.push(LIST);
    if (kind === open.at(-1)?.closing) open.pop();
    accepted = acceptedAfter(kind, accepted, open.at(-1));
    last = token;
  }
}

/** The kinds that may follow a token of this kind, which was accepted. `inside`: what is open after it. */
function acceptedAfter(kind: Kind, accepted: Kinds, inside: Open | undefined): Kinds {
  if (kind === '{') return FIRST_NAME;
  if (kind === '[') return FIRST_ELEMENT;
  if (kind === ',') return inside === OBJECT ? NAME : VALUE;
  if (kind === ':') return VALUE;
  const isName = kind === 'text' && (accepted === NAME || accepted === FIRST_NAME);
  return isName ? COLON : (inside?.next ?? NOTHING);
}

/** Blanks, and after them a sign, the beginning of a text, or another value. */
const TOKEN =
  /[\t\n\r ]*([{}[\],:"]|(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.]))?/y;

function tokenAt(text: string, at: number): Token {
  TOKEN.lastIndex = at;
  const [blanks = '', found = ''] = TOKEN.exec(text) ?? [];
  const to = at + blanks.length;
  const from = to - found.length;
  if (found === '"') {
    const end = textEnd(text, from);
    return { kind: text.charAt(end) === '"' ? 'text' : 'none', from, to: end + 1 };
  }
  const sign = SIGNS.find((one) => one === found);
  return { kind: sign ?? (found === '' ? 'none' : 'scalar'), from, to };
}

/** The index at which the text from `from` ends: at its closing quotation mark, or at a character that a text may not have. */
function textEnd(text: string, from: number): number {
  for (let at = from + 1; ; at++) {
    const char = text.charAt(at);
    if (char === '"' || char < ' ') return at;
    if (char !== '\\') continue;
    ESCAPE.lastIndex = at;
    const [found] = ESCAPE.exec(text) ?? [];
    if (found === undefined) return at;
    at += found.length - 1;
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

/** The surest cause first: the end, a common slip that its signs show, and only then what is missing there. */
function causeOf(stop: Stop, text: string): Cause {
  const { token, last } = stop;
  if (token.from === text.length) {
    const isEmpty = last.kind === 'none';
    return isEmpty ? { at: token.from, cause: 'nothing is there' } : afterLast(stop, text, 'it ends');
  }
  return slipOf(stop, text) ?? causeOfMissing(stop, text);
}

function slipOf({ token: { kind, from }, last }: Stop, text: string): Cause | undefined {
  const rest = beginningOf(text.slice(from), SHOWN);
  const isTextContinued = last.kind === 'text' && last.to === from && /^[\p{L}\d]/u.test(rest);
  if (isTextContinued) return { at: from, cause: 'a quotation mark within a string is not written as \\"' };
  const isCommaUseless = last.kind === ',' && (kind === ',' || kind === '}' || kind === ']');
  if (isCommaUseless) return { at: last.from, cause: 'there is one comma too many' };
  if (rest.startsWith('"') && kind === 'none') return causeInText(text, from);
  const [, cause] = SLIPS.find(([pattern]) => pattern.test(rest)) ?? [];
  return cause === undefined ? undefined : { at: from, cause };
}

/** After slips: what JSON would need in place of the token. */
function causeOfMissing(stop: Stop, text: string): Cause {
  const { token, accepted, inside } = stop;
  const { kind, from } = token;
  const [word = ''] = /^[^\s,:[\]{}"]+|^./.exec(beginningOf(text.slice(from), SHOWN)) ?? [];
  if (accepted === NOTHING) return { at: from, cause: 'more text after its end' };
  if (accepted === COLON) return afterLast(stop, text, 'a colon is missing');
  if (inside !== undefined && accepted === inside.next) {
    const isClosing = kind === '}' || kind === ']';
    return afterLast(stop, text, `a ${isClosing ? inside.closing : 'comma'} is missing`);
  }
  if (kind !== 'none') {
    const missing = accepted.has('scalar') ? 'value' : 'name';
    return { at: from, cause: `${word} is where a ${missing} is missing` };
  }
  if (/^(?:[-+.\d]|NaN$|Infinity$)/.test(word)) return { at: from, cause: `${word} is not a JSON number` };
  return { at: from, cause: `unexpected ${word}, which has no quotation marks` };
}

function afterLast({ last }: Stop, text: string, cause: string): Cause {
  const before = beginningOf(text.slice(last.from, last.to), SHOWN);
  return { at: last.to, cause: `${cause} after ${before}` };
}

const WORD_PROCESSOR = 'a typographic quotation mark is used instead of "';
const SLIPS: readonly (readonly [beginning: RegExp, cause: string])[] = [
  [/^[“”„‟«»‘’‚]/, WORD_PROCESSOR],
  [/^'/, `' is used instead of "`],
  [/^(?:\/[/*]|#)/, 'JSON has no comments'],
  [/^</, 'it is a page (HTML or XML)'],
];

/** The fault of a text that begins with a quotation mark. */
function causeInText(text: string, from: number): Cause {
  const at = textEnd(text, from);
  const beginning = text.slice(from, at);
  const sign = ESCAPED[text.charAt(at)];
  if (sign !== undefined)
    return { at, cause: `a ${sign.name} within a string is not written as ${sign.written}` };
  const quote = beginning.search(/[“”„‟]/);
  if (quote !== -1) return { at: from + quote, cause: WORD_PROCESSOR };
  return { at: from, cause: `a quotation mark is missing after ${beginningOf(beginning, SHOWN)}` };
}

const ESCAPED: Readonly<Record<string, { readonly name: string; readonly written: string }>> = {
  '\t': { name: 'tab', written: '\\t' },
  '\\': { name: 'backslash', written: '\\\\' },
};
