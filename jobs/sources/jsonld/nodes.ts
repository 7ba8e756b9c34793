/** Pages with linked data: the events in them, which of them are one, and which are another's programme. */

import { decodeHTML } from 'entities';
import { messageOf } from '../../../src/calendar/errors.ts';
import { DEEPEST_JSON, isObject, type JsonObject, measureJson } from '../../../src/calendar/json.ts';
import { nameKey } from '../../../src/calendar/text.ts';
import { FeedProblem } from '../../feed-health.ts';
import type { AddFinding } from '../../feeds/slice.ts';
import { decodeText } from '../../read/encoding.ts';
import { shorten } from '../../records.ts';
import { scriptsIn } from '../../validate/tags.ts';
import type { FeedDocument } from '../parser.ts';

interface Page {
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
      addFinding({ action: 'dropped reference', field, expected: LINKED_DATA, found });
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
      addFinding({ action, line, field, expected, found });
    const read = parse(json);
    if ('problem' in read) {
      note('dropped record', 'JSON', read.problem);
      return [];
    }
    if (read.mended !== undefined) note('changed value', 'JSON', `${read.mended}, and read all the same`);
    return [{ line, value: read.value }];
  });
}

/** The commonest slips of programs, and what undoes them. Within JSON but not within its texts, control characters are blanks. */
const SLIPS: readonly (readonly [what: string, undo: (text: string) => string])[] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  ['line ends within its texts', (text) => text.replace(/[\0-\x1f]/g, ' ')],
  ['quotes written as HTML', (text) => (/^[[{\s]*&(?:quot|#34);/.test(text) ? decodeHTML(text) : text)],
];

/** The value, with the slip that was passed over; or why there is none. */
function parse(
  json: string,
): { readonly value: unknown; readonly mended?: string } | { readonly problem: string } {
  if (measureJson(Buffer.from(json)).depth > DEEPEST_JSON)
    return { problem: `a value nested deeper than ${DEEPEST_JSON} levels` };
  // Some programs write comments around it for browsers of another time.
  const text = json
    .replace(/^\s*(?:\/\/\s*)?(?:<!\[CDATA\[|<!--)/, '')
    .replace(/(?:\/\/\s*)?(?:\]\]>|-->)\s*$/, '');
  try {
    return { value: JSON.parse(text) };
  } catch (cause) {
    for (const [mended, undo] of SLIPS) {
      try {
        return { value: JSON.parse(undo(text)), mended };
      } catch {
        // The next slip, or none that is known.
      }
    }
    return { problem: text.trim() === '' ? 'nothing' : shorten(messageOf(cause)) };
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

/** One event as a page tells of it. */
export interface Node {
  readonly page: Page;
  readonly line: number;
  readonly value: JsonObject;
  /** As written; empty for a date of a series that has no name of its own. */
  readonly name: string;
  /** Its address, where it has one: what tells it from others of its name. */
  readonly identity: string;
}

/** All that is told of one event. */
export interface Draft {
  readonly identity: string;
  readonly name: string;
  /** The name of its first place, folded; empty for none. */
  readonly place: string;
  /** The event itself, as often as it is told of; those that are its dates besides. */
  readonly nodes: Node[];
  readonly dates: Node[];
  /** The container in whose programme it is; null for none. */
  container: Draft | null;
  isContainer: boolean;
}

interface Found extends Node {
  /** The event that it is a sub-event of, by where it stands or by who refers to it. */
  parent: Node | null;
}

/** In the order in which they are found. */
export function draftsOf(pages: readonly Page[]): readonly Draft[] {
  const found = pages.flatMap(eventsIn);
  const byKey = new Map<string, Draft>();
  const byIdentity = new Map<string, Draft>();

  function draftOf(node: Node): Draft {
    const key = keyOf(node);
    const known = byKey.get(key);
    if (known !== undefined) return known;
    const { identity, name } = node;
    const empty = { nodes: [], dates: [], container: null, isContainer: false };
    const draft: Draft = { identity, name, place: placeOf(node), ...empty };
    byKey.set(key, draft);
    if (identity !== '' && !byIdentity.has(identity)) byIdentity.set(identity, draft);
    return draft;
  }

  /** The draft of what an event says it is part of; null for what no page tells of. */
  function parentOf({ page, line, value, parent }: Found): Draft | null {
    if (parent !== null) return draftOf(parent);
    for (const written of listOf(value.superEvent)) {
      const target = page.resolve(written);
      const node = isObject(target) ? nodeOf(target, page, line) : null;
      if (node !== null && node.name !== '') {
        const draft = draftOf(node);
        if (draft.nodes.length === 0) draft.nodes.push(node);
        return draft;
      }
      const known = byIdentity.get(node?.identity ?? textOf(written) ?? '');
      if (known !== undefined) return known;
    }
    return null;
  }

  // First those that are nobody's, so that what refers to them finds them.
  for (const node of found) if (node.parent === null && node.name !== '') draftOf(node);
  for (const node of found) {
    const container = parentOf(node);
    if (container !== null && (node.name === '' || nameKey(node.name) === nameKey(container.name))) {
      container.dates.push(node);
      continue;
    }
    const draft = draftOf(node);
    draft.nodes.push(node);
    if (container === null || container === draft) continue;
    draft.container = container;
    container.isContainer = true;
  }
  return [...byKey.values()].filter(({ nodes, dates }) => nodes.length + dates.length > 0);
}

/** With an address, events of one name and address are one; else those of one name and place. */
function keyOf(node: Node): string {
  const { identity, name } = node;
  return identity === '' ? `\n${nameKey(name)}\n${placeOf(node)}` : `${identity}\n${nameKey(name)}`;
}

function placeOf({ page, value }: Node): string {
  const [place] = listOf(value.location).map((location) => page.resolve(location));
  return nameKey((isObject(place) ? textOf(place.name) : textOf(place)) ?? '');
}

function eventsIn(page: Page): readonly Found[] {
  const found = new Map<JsonObject, Found>();
  const references: (readonly [target: unknown, parent: Node])[] = [];
  const visit = (value: unknown, line: number, parent: Node | null): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item, line, parent);
      return;
    }
    if (!isObject(value)) return;
    const node = isEvent(value) && !isReference(value) ? { ...nodeOf(value, page, line), parent } : null;
    if (node !== null) found.set(value, node);
    for (const [key, inner] of Object.entries(value)) {
      const isProgramme = node !== null && SUB_EVENTS.has(key);
      visit(inner, line, isProgramme ? node : null);
      if (isProgramme) for (const item of listOf(inner)) references.push([page.resolve(item), node]);
    }
  };
  for (const { value, line } of page.values) visit(value, line, null);
  // What is referred to stands elsewhere in the page. Each event has one parent at most, and is not its own.
  for (const [target, parent] of references) {
    const node = isObject(target) ? found.get(target) : undefined;
    if (node !== undefined && node !== parent) node.parent ??= parent;
  }
  return [...found.values()];
}

const SUB_EVENTS = new Set(['subEvent', 'subEvents']);

/** schema.org's types of events that people go to. */
function isEvent({ '@type': types }: JsonObject): boolean {
  return namesOf(types).some(
    (type) => OTHER_EVENTS.has(type) || (/Event$/.test(type) && !NO_EVENTS.has(type)),
  );
}

const OTHER_EVENTS = new Set(['Festival', 'Hackathon', 'EventSeries', 'CourseInstance']);
const NO_EVENTS = new Set(['BroadcastEvent', 'DeliveryEvent', 'OnDemandEvent', 'PublicationEvent']);

function nodeOf(value: JsonObject, page: Page, line: number): Node {
  return { page, line, value, name: textOf(value.name) ?? '', identity: identityOf(value) };
}

/** Blank nodes are called something else in every answer. */
function identityOf({ '@id': id, url, identifier }: JsonObject): string {
  const [own] = listOf(identifier);
  const texts = [url, id, isObject(own) ? (own.value ?? own['@id']) : own].map(textOf);
  return texts.find((text) => text !== null && !text.startsWith('_:') && !/^#?$/.test(text)) ?? '';
}

/** It says who it is, and nothing else. */
function isReference(value: JsonObject): boolean {
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
