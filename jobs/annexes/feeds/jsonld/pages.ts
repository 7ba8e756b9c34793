/** Pages as values of linked data: the JSON of their scripts, or else their microdata. */
import { isObject, type JsonObject } from '../../../../src/calendar/json.ts';
import { shorten } from '../../../findings.ts';
import { decodeText } from '../../../source/encodings.ts';
import { FeedProblem } from '../feed-problem.ts';
import type { AddFinding } from '../last-good.ts';
import type { FeedDocument } from '../reading.ts';
import { isEvent, isReference } from './linked-data.ts';
import { microdataIn } from './microdata.ts';
import { type Script, scriptsIn } from './page-parts.ts';
import { readScriptJson } from './script-json.ts';

export interface Page {
  /** For findings: `pages[0]`, or the path of a page that a listing links to; null for a single page. */
  readonly label: string | null;
  /** `https://host`, for addresses without it; null for a file. */
  readonly origin: string | null;
  readonly values: readonly PageValue[];
  /** The number of scripts that are not JSON. */
  readonly unreadable: number;
  /** The object that a reference by `@id` names; the reference itself if there is none. */
  readonly resolve: (value: unknown) => unknown;
}

interface PageValue {
  /** 1-based line of its beginning; null for microdata. */
  readonly line: number | null;
  readonly value: unknown;
}

/** Throws FeedProblem if no page has any values. A page that no longer exists has none, and is reported. */
export function readPages(documents: readonly FeedDocument[], addFinding: AddFinding): readonly Page[] {
  const problems: string[] = [];
  const pages = documents.map((document, index) => {
    const { path = `pages[${index}]` } = document;
    const label = documents.length > 1 ? shorten(path) : null;
    return readPage(document, { label, problems, addFinding });
  });
  if (pages.some(({ values }) => values.length > 0)) return pages;
  const [first] = problems;
  const found = first === undefined ? 'none' : `${problems.length} that are not JSON, the first in ${first}`;
  throw new FeedProblem('unreadable answer', `expected ${LINKED_DATA}, found ${found}`);
}

const LINKED_DATA = 'JSON, or a page with a script of the type application/ld+json, or with microdata';

interface PageContext extends Pick<Page, 'label'> {
  readonly addFinding: AddFinding;
  /** What is wrong with the scripts of all pages, each with its line. */
  readonly problems: string[];
}

function readPage(document: FeedDocument, context: PageContext): Page {
  const { origin, bytes } = document;
  const html = bytes === null ? '' : decodeText(bytes).text;
  const scripts = bytes === null ? [] : scriptsOf(html);
  const parsed = scripts.flatMap((script) => valueOfScript(script, context) ?? []);
  // Many pages have the same events in both.
  const items = parsed.some(({ value }) => containsEvent(value)) ? [] : microdataIn(html);
  if (scripts.length + items.length === 0) reportWithoutData(document, context);
  const values = [...parsed, ...items.map((value) => ({ line: null, value }))];
  const unreadable = scripts.length - parsed.length;
  return { label: context.label, origin, values, unreadable, resolve: resolverOf(values) };
}

/** The scripts of a page; a document that is JSON itself counts as one. */
function scriptsOf(text: string): readonly Script[] {
  const isJson = /^\s*[[{]/.test(text);
  return isJson ? [{ text, line: 1 }] : scriptsIn(text, /^\s*application\/ld\+json\s*(?:;|$)/i);
}

/** Null, after a finding, for a script that is not JSON. */
function valueOfScript(
  { text, line }: Script,
  { label, addFinding, problems }: PageContext,
): PageValue | null {
  const about = { line, field: label, expected: 'JSON' };
  const read = readScriptJson(text);
  if ('problem' in read) {
    problems.push(`line ${line}: ${read.problem}`);
    addFinding({ ...about, action: 'dropped record', found: read.problem });
    return null;
  }
  const { value, mistakes } = read;
  if (mistakes.length > 0) {
    const found = `${mistakes.join(', ')}; it is read anyway`;
    addFinding({ ...about, action: 'changed value', found });
  }
  return { line, value };
}

/** Reports one of several pages without linked data. A listing may have none, and not every link leads to an event. */
function reportWithoutData({ bytes, role }: FeedDocument, { label, addFinding }: PageContext): void {
  if (label === null || role === 'listing') return;
  const found = bytes === null ? 'a page that no longer exists' : 'a page without it';
  const action = role === 'linked' ? 'left out' : 'dropped reference';
  addFinding({ action, field: label, expected: LINKED_DATA, found });
}

function containsEvent(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(containsEvent);
  return isObject(value) && (isEvent(value) || Object.values(value).some(containsEvent));
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
