/** Pages and JSON files as the objects of linked data that stand in them. */
import { decodeHTML } from 'entities';
import { messageOf } from '../../../src/calendar/errors.ts';
import { DEEPEST_JSON, isObject, measureJson } from '../../../src/calendar/json.ts';
import { FeedProblem } from '../../feed-health.ts';
import type { AddFinding } from '../../feeds/slice.ts';
import { decodeText } from '../../read/encoding.ts';
import { shorten } from '../../records.ts';
import { scriptsIn } from '../../validate/tags.ts';
import type { FeedDocument } from '../parser.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export interface Page {
  /** 0-based, among the feed's pages. */
  readonly place: number;
  /** `https://host`, for addresses without it; null for a file. */
  readonly origin: string | null;
  readonly values: readonly PageValue[];
  /** The object that a reference by `@id` means; the reference itself where it means none. */
  readonly resolve: (value: unknown) => unknown;
}

interface PageValue {
  /** 1-based, on which it begins. */
  readonly line: number;
  readonly value: unknown;
}

/** Throws FeedProblem when no page has any. A page that is there no more has none, and is reported. */
export function readPages(documents: readonly FeedDocument[], addFinding: AddFinding): readonly Page[] {
  const pages = documents.map(({ origin, bytes }, place) => {
    const field = documents.length > 1 ? `pages[${place}]` : null;
    const values = bytes === null ? [] : valuesIn(bytes, field, addFinding);
    if (values.length === 0 && documents.length > 1) {
      const found = bytes === null ? 'a page that is there no more' : 'a page without it';
      addFinding({ action: 'dropped reference', line: null, id: null, field, expected: LINKED_DATA, found });
    }
    return { place, origin, values, resolve: resolverOf(values) };
  });
  if (pages.every(({ values }) => values.length === 0))
    throw new FeedProblem('unreadable answer', `expected ${LINKED_DATA}, found none`);
  return pages;
}

const LINKED_DATA = 'JSON, or a page with a script of the type application/ld+json';

function valuesIn(bytes: Buffer, field: string | null, addFinding: AddFinding): readonly PageValue[] {
  const { text } = decodeText(bytes);
  const scripts = /^\s*[[{]/.test(text)
    ? [{ text, line: 1 }]
    : scriptsIn(text, /^\s*application\/ld\+json\s*(?:;|$)/i);
  return scripts.flatMap(({ text: json, line }) => {
    const note = (action: 'dropped record' | 'changed value', expected: string, found: string) =>
      addFinding({ action, line, id: null, field, expected, found });
    const read = parse(json);
    if (read.mended !== null) note('changed value', 'JSON', `${read.mended}, and read all the same`);
    if (read.problem === null) return [{ line, value: read.value }];
    note('dropped record', 'JSON', read.problem);
    return [];
  });
}

interface Parsed {
  readonly value: unknown;
  /** Null, or the slip that was passed over. */
  readonly mended: string | null;
  /** Null, or why it cannot be read. */
  readonly problem: string | null;
}

/** The commonest slips of programs, and what undoes them. Within JSON but not within its texts, control characters are blanks. */
const SLIPS: readonly (readonly [what: string, undo: (text: string) => string])[] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  ['line ends within its texts', (text) => text.replace(/[\0-\x1f]/g, ' ')],
  ['quotes written as HTML', (text) => (/^[[{\s]*&(?:quot|#34);/.test(text) ? decodeHTML(text) : text)],
];

function parse(json: string): Parsed {
  if (measureJson(Buffer.from(json)).depth > DEEPEST_JSON)
    return { value: null, mended: null, problem: `a value nested deeper than ${DEEPEST_JSON} levels` };
  // Some programs write comments around it for browsers of another time.
  const text = json
    .replace(/^\s*(?:\/\/\s*)?(?:<!\[CDATA\[|<!--)/, '')
    .replace(/(?:\/\/\s*)?(?:\]\]>|-->)\s*$/, '');
  try {
    return { value: JSON.parse(text), mended: null, problem: null };
  } catch (cause) {
    for (const [mended, undo] of SLIPS) {
      try {
        return { value: JSON.parse(undo(text)), mended, problem: null };
      } catch {
        // The next slip, or none that is known.
      }
    }
    return { value: null, mended: null, problem: text.trim() === '' ? 'nothing' : shorten(messageOf(cause)) };
  }
}

function resolverOf(values: readonly PageValue[]): Page['resolve'] {
  const known = new Map<string, JsonObject>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isObject(value)) {
      const id = value['@id'];
      if (typeof id === 'string' && !isReference(value) && !known.has(id)) known.set(id, value);
      Object.values(value).forEach(visit);
    }
  };
  for (const { value } of values) visit(value);
  return (value) => {
    const id = isObject(value) && isReference(value) ? value['@id'] : value;
    return (typeof id === 'string' ? known.get(id) : undefined) ?? value;
  };
}

/** It says who it is, and nothing else. */
export function isReference(value: JsonObject): boolean {
  return '@id' in value && Object.keys(value).every((key) => key === '@id' || key === '@type');
}

/** One value, or each of a list. */
export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (isObject(value) && Array.isArray(value['@list'])) return value['@list'];
  return value === null || value === undefined ? [] : [value];
}

/** A text, also of a value with a type or a language; numbers too. Null for anything else, and for what is blank. */
export function textOf(value: unknown): string | null {
  const [inner] = listOf(value);
  const plain = isObject(inner) ? inner['@value'] : inner;
  const text = typeof plain === 'number' ? String(plain) : plain;
  return typeof text === 'string' && text.trim() !== '' ? text.trim() : null;
}

/** Names of types and of members of enumerations, without `https://schema.org/` or `schema:`. */
export function namesOf(value: unknown): readonly string[] {
  return listOf(value).flatMap((item) => {
    const text = isObject(item) ? textOf(item['@id'] ?? item.name) : textOf(item);
    return text === null ? [] : [text.replace(/^(?:https?:\/\/(?:www\.)?schema\.org\/|schema:)/i, '')];
  });
}
