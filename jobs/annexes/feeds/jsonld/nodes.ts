/** Finds the events on pages: groups descriptions of the same event, and attaches events to the programmes of others. */
import { isObject, type JsonObject } from '../../../../src/calendar/json.ts';
import { nameKey } from '../../../../src/calendar/text.ts';
import { parsedUrl } from '../../../../src/calendar/urls.ts';
import { webAddress } from '../../../validate/web-address.ts';
import { stateOfDate, titleWithoutState } from '../title-words.ts';
import { isEvent, isReference, listOf, nameOf, textOf, titleOf } from './linked-data.ts';
import type { Page } from './pages.ts';

export interface Node {
  readonly page: Page;
  readonly line: number | null;
  readonly value: JsonObject;
  /** As written; empty for a date of a series that has no name of its own. */
  readonly name: string;
  /** Its address, if it has one: it distinguishes events of one name. */
  readonly identity: string;
}

/** An event with all its descriptions. */
export interface DescribedEvent {
  readonly identity: string;
  /** Without words for cancelled (L0). */
  readonly name: string;
  /** The name of its first place, folded; empty for none. */
  readonly place: string;
  /** The descriptions of the event itself; then those that are its dates. */
  readonly nodes: Node[];
  readonly dates: Node[];
  /** The container whose programme it belongs to; null for none. */
  container: DescribedEvent | null;
  isContainer: boolean;
}

interface FoundEvent extends Node {
  /** The event that it is a sub-event of, by nesting or by reference; references are followed once all events are found. */
  parent: Node | null;
}

/** In the order in which they are found. */
export function describedEvents(pages: readonly Page[]): readonly DescribedEvent[] {
  const found = pages.flatMap(eventsIn);
  const described = createDescribedEvents();
  // Events without a parent come first, so that references find them.
  for (const node of found) if (node.parent === null && node.name !== '') described.eventOf(node);
  for (const node of found) {
    const container = described.containerOf(node);
    if (container !== null && !stateOfDate(titleOf(node.name), titleOf(container.name)).isOwn) {
      container.dates.push(node);
      continue;
    }
    const event = described.eventOf(node);
    event.nodes.push(node);
    if (container === null || container === event) continue;
    event.container = container;
    container.isContainer = true;
  }
  return described.all().filter(({ nodes, dates }) => nodes.length + dates.length > 0);
}

interface DescribedEvents {
  /** The event that a node describes; a new one if no earlier node does. */
  readonly eventOf: (node: Node) => DescribedEvent;
  /** The event that a node is a part of; null if no page describes that. */
  readonly containerOf: (node: FoundEvent) => DescribedEvent | null;
  readonly all: () => readonly DescribedEvent[];
}

function createDescribedEvents(): DescribedEvents {
  const byKey = new Map<string, DescribedEvent>();
  const byIdentity = new Map<string, DescribedEvent>();

  function eventOf(node: Node): DescribedEvent {
    const key = descriptionKey(node);
    const existing = byKey.get(key);
    if (existing !== undefined) return existing;
    const { identity, name } = node;
    const event: DescribedEvent = {
      identity,
      name: titleWithoutState(name),
      place: placeNameOf(node),
      nodes: [],
      dates: [],
      container: null,
      isContainer: false,
    };
    byKey.set(key, event);
    if (identity !== '' && !byIdentity.has(identity)) byIdentity.set(identity, event);
    return event;
  }

  function containerOf({ page, line, value, parent }: FoundEvent): DescribedEvent | null {
    if (parent !== null) return eventOf(parent);
    for (const written of listOf(value.superEvent)) {
      const target = page.resolve(written);
      const node = isObject(target) ? nodeOf(target, page, line) : null;
      if (node !== null && node.name !== '') {
        const event = eventOf(node);
        if (event.nodes.length === 0) event.nodes.push(node);
        return event;
      }
      const container = byIdentity.get(node?.identity ?? textOf(written) ?? '');
      if (container !== undefined) return container;
    }
    return null;
  }

  return { eventOf, containerOf, all: () => [...byKey.values()] };
}

/** Events with equal names and addresses are one; without an address, those with equal names and places. */
function descriptionKey(node: Node): string {
  const { identity } = node;
  const name = nameKey(titleWithoutState(node.name));
  return identity === '' ? `\n${name}\n${placeNameOf(node)}` : `${identity}\n${name}`;
}

/** The folded name of the first place; empty for none. */
function placeNameOf(node: Node): string {
  return nameKey(nameOf(thingsOf(node, node.value.location)[0]) ?? '');
}

/** The things that an event's property names, or references of. */
export function thingsOf({ page }: Pick<Node, 'page'>, property: unknown): readonly unknown[] {
  return listOf(property).map((item) => page.resolve(item));
}

/** The events of a page, each with its parent on the page. */
function eventsIn(page: Page): readonly FoundEvent[] {
  const found = new Map<JsonObject, FoundEvent>();
  const subEvents: SubEvent[] = [];

  function visit(value: unknown, line: number | null, parent: Node | null): void {
    if (Array.isArray(value)) {
      for (const item of value) visit(item, line, parent);
      return;
    }
    if (!isObject(value)) return;
    const isFound = isEvent(value) && !isReference(value);
    const node = isFound ? { ...nodeOf(value, page, line), parent } : null;
    if (node !== null) found.set(value, node);
    for (const [key, inner] of Object.entries(value)) {
      const programmeOf = SUB_EVENTS.has(key) ? node : null;
      visit(inner, line, programmeOf);
      if (programmeOf === null) continue;
      for (const item of listOf(inner)) subEvents.push({ value: page.resolve(item), parent: programmeOf });
    }
  }

  for (const { value, line } of page.values) visit(value, line, null);
  // A reference names another place in the page. Each event has at most one parent, and never itself.
  for (const { value, parent } of subEvents) {
    const node = isObject(value) ? found.get(value) : undefined;
    if (node !== undefined && node !== parent) node.parent ??= parent;
  }
  return [...found.values()];
}

/** An item of a programme, by nesting or by reference. */
interface SubEvent {
  readonly value: unknown;
  readonly parent: Node;
}

const SUB_EVENTS = new Set(['subEvent', 'subEvents']);

function nodeOf(value: JsonObject, page: Page, line: number | null): Node {
  return { page, line, value, name: textOf(value.name) ?? '', identity: identityOf(value) };
}

/** The event's URL, id or identifier; empty for none. Blank nodes do not count: they have other names in every answer. */
function identityOf({ '@id': id, url, identifier }: JsonObject): string {
  const [firstIdentifier] = listOf(identifier);
  const texts = [
    url,
    id,
    isObject(firstIdentifier) ? (firstIdentifier.value ?? firstIdentifier['@id']) : firstIdentifier,
  ].map(textOf);
  return texts.find((text) => text !== null && !text.startsWith('_:') && !/^#?$/.test(text)) ?? '';
}

/** An absolute URL; a path is completed with the page's host. Null for anything else. */
export function absoluteUrl({ page }: Node, value: unknown): string | null {
  const [first] = listOf(value);
  const text = textOf(isObject(first) ? (first['@id'] ?? first.url) : first);
  if (text === null) return null;
  const isPath = text.startsWith('/') && page.origin !== null;
  const completed = isPath ? parsedUrl(text, page.origin ?? undefined) : null;
  return webAddress(completed?.href ?? text);
}
