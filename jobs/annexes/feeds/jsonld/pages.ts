/** Pages as values of linked data: the JSON of their scripts, with common mistakes of programs corrected. */
import { decodeHTML } from 'entities';
import {
  DEEPEST_JSON,
  isObject,
  type JsonObject,
  measureJson,
  parsedJson,
} from '../../../../src/calendar/json.ts';
import { jsonFaultIn } from '../../../../src/calendar/json-fault.ts';
import { decodeText } from '../../../encodings.ts';
import { shorten } from '../../../records.ts';
import { FeedProblem } from '../health.ts';
import type { AddFinding } from '../last-good.ts';
import { type Script, scriptsIn } from '../page-parts.ts';
import type { FeedDocument } from '../reading.ts';
import { isEvent, isReference } from './linked-data.ts';
import { microdataIn } from './microdata.ts';

export interface Page {
  /** For findings: `pages[0]`, or the path of a page that a listing links to; null for a single page. */
  readonly label: string | null;
  /** `https://host`, for addresses without it; null for a file. */
  readonly origin: string | null;
  readonly values: readonly PageValue[];
  readonly refused: number;
  /** The object that a reference by `@id` names; the reference itself if there is none. */
  readonly resolve: (value: unknown) => unknown;
}

interface PageValue {
  /** 1-based line of its beginning; null for microdata. */
  readonly line: number | null;
  readonly value: unknown;
}

/** Throws FeedProblem if no page has any. A page that no longer exists has none, and is reported. */
export function readPages(documents: readonly FeedDocument[], addFinding: AddFinding): readonly Page[] {
  const problems: string[] = [];
  const pages = documents.map(({ origin, bytes, role, path }, index): Page => {
    const label = documents.length > 1 ? shorten(path ?? `pages[${index}]`) : null;
    const html = bytes === null ? '' : decodeText(bytes).text;
    const scripts = bytes === null ? [] : scriptsOf(html);
    const parsed = scripts.flatMap(({ text, line }) => {
      const note = (action: 'dropped record' | 'changed value', expected: string, found: string) =>
        addFinding({ action, line, field: label, expected, found });
      const read = parse(text);
      if ('problem' in read) {
        problems.push(`line ${line}: ${read.problem}`);
        note('dropped record', 'JSON', read.problem);
        return [];
      }
      if (read.slips.length > 0) note('changed value', 'JSON', `${read.slips.join(', ')}; it is read anyway`);
      return [{ line, value: read.value }];
    });
    // Many pages have the same events in both.
    const items = parsed.some(({ value }) => holdsEvent(value)) ? [] : microdataIn(html);
    const values = [...parsed, ...items.map((value) => ({ line: null, value }))];
    // A listing may have none, and not every link leads to an event.
    if (scripts.length + items.length === 0 && label !== null && role !== 'listing') {
      const found = bytes === null ? 'a page that no longer exists' : 'a page without it';
      const action = role === 'linked' ? 'left out' : 'dropped reference';
      addFinding({ action, field: label, expected: LINKED_DATA, found });
    }
    return { label, origin, values, refused: scripts.length - parsed.length, resolve: resolverOf(values) };
  });
  if (pages.every(({ values }) => values.length === 0)) {
    const [first] = problems;
    const found =
      first === undefined ? 'none' : `${problems.length} that are not JSON, the first in ${first}`;
    throw new FeedProblem('unreadable answer', `expected ${LINKED_DATA}, found ${found}`);
  }
  return pages;
}

const LINKED_DATA = 'JSON, or a page with a script of the type application/ld+json, or with microdata';

function holdsEvent(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsEvent);
  return isObject(value) && (isEvent(value) || Object.values(value).some(holdsEvent));
}

function scriptsOf(text: string): readonly Script[] {
  return /^\s*[[{]/.test(text)
    ? [{ text, line: 1 }]
    : scriptsIn(text, /^\s*application\/ld\+json\s*(?:;|$)/i);
}

type Parsed = { readonly value: unknown; readonly slips: readonly string[] } | { readonly problem: string };

/** The value, with the mistakes that were corrected; or why there is none. */
function parse(json: string): Parsed {
  if (measureJson(Buffer.from(json)).depth > DEEPEST_JSON)
    return { problem: `a value nested deeper than ${DEEPEST_JSON} levels` };
  // Some programs write comments around it, for old browsers.
  const text = json
    .replace(/^\s*(?:\/\/\s*)?(?:<!\[CDATA\[|<!--)/, '')
    .replace(/(?:\/\/\s*)?(?:\]\]>|-->)\s*$/, '');
  const value = parsedJson(text);
  if (value !== undefined) return { value, slips: [] };
  const slips = new Set<string>();
  const other = parsedJson(mended(text, slips));
  if (other !== undefined) return { value: other, slips: [...slips] };
  return { problem: text.trim() === '' ? 'nothing' : `other text: ${jsonFaultIn(text)?.cause}` };
}

/** A text in quotes, which may be the last and not end; or a trailing comma. */
const TOKEN = /"(?:[^"\\]|\\[\s\S])*(?:"|$)|,(?=\s*[\]}])/g;

/** Corrects and reports the most common mistakes of programs. In JSON, line ends are blanks outside of texts only. */
function mended(json: string, slips: Set<string>): string {
  const isMarkup = /^[[{\s]*&(?:quot|#34);/.test(json);
  if (isMarkup) slips.add('quotes written as HTML');
  return (isMarkup ? decodeHTML(json) : json).replace(TOKEN, (token) => {
    if (token === ',') {
      slips.add('a trailing comma');
      return '';
    }
    const plain = token.replace(/\\(?:u(?![\da-f]{4})|[^"\\/bfnrtu])/gi, (slip) => {
      slips.add(`${slip.slice(0, 2)} within its texts`);
      return slip.slice(1);
    });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    return plain.replace(/[\0-\x1f]/g, () => {
      slips.add('line ends within its texts');
      return ' ';
    });
  });
}

function resolverOf(values: readonly PageValue[]): Page['resolve'] {
  const thingsById = new Map<string, JsonObject>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isObject(value)) {
      const id = value['@id'];
      if (typeof id === 'string' && !isReference(value) && !thingsById.has(id)) thingsById.set(id, value);
      Object.values(value).forEach(visit);
    }
  };
  for (const { value } of values) visit(value);
  return (value) => {
    const id = isObject(value) && isReference(value) ? value['@id'] : value;
    return (typeof id === 'string' ? thingsById.get(id) : undefined) ?? value;
  };
}
