/** The microdata of a page (HTML, 5.2) as values of linked data. `itemref` is ignored. */
import { INLINE, readTokens, type Tag, words } from '../../../validate/tags.ts';

type Item = Record<string, unknown[]>;

interface Element {
  readonly name: string;
  /** The item that the element begins. */
  readonly item: Item | null;
  /** The item whose property the element's text is. */
  readonly owner: Item | null;
  readonly properties: readonly string[];
  readonly text: string[];
}

/** HTML elements without an end tag. */
const VOID = words('area base br col embed hr img input link meta source track wbr');
/** A second one within the first ends it. */
const UNENDED = words('p li dt dd tr td th option');
/** Attributes with an element's value, which precede its text. Sites write the first two on any element. */
const VALUES = ['content', 'datetime', 'href', 'src', 'data', 'value'];

/** Elements are tracked to this depth; so many texts at once are collected. */
const DEEPEST = 500;
const MOST_TEXTS = 20;

/** Items that belong to no other, in the order of the page. */
export function microdataIn(html: string): readonly Item[] {
  const items: Item[] = [];
  if (!/itemscope/i.test(html)) return items;
  const open: Element[] = [];

  function opened(name: string, attributes: ReadonlyMap<string, string>): void {
    if (UNENDED.has(name) && open.at(-1)?.name === name) close(open.length - 1);
    const owner = open.findLast(({ item }) => item !== null)?.item ?? null;
    const properties = words(attributes.get('itemprop') ?? '');
    properties.delete('');
    const item = attributes.has('itemscope') ? itemOf(attributes) : null;
    const attribute = VALUES.find((one) => attributes.has(one));
    const isText = item === null && attribute === undefined;
    if (item !== null && (owner === null || properties.size === 0)) items.push(item);
    else if (owner !== null && !isText) add(owner, [...properties], item ?? attributes.get(attribute ?? ''));
    if (VOID.has(name) || open.length === DEEPEST) return;
    const names = isText && owner !== null ? [...properties] : [];
    open.push({ name, item, owner, properties: names, text: [] });
  }

  /** Closes the elements from there on. */
  function close(from: number): void {
    for (const { owner, properties, text } of open.splice(from)) {
      const value = text.join('').replace(/\s+/g, ' ').trim();
      if (owner !== null && value !== '') add(owner, properties, value);
    }
  }

  function say(text: string): void {
    for (const element of open.filter(({ properties }) => properties.length > 0).slice(-MOST_TEXTS))
      element.text.push(text);
  }

  function tag({ name, isClosing, attributes }: Tag): void {
    // Block elements separate words.
    if (!INLINE.has(name)) say(' ');
    if (!isClosing) opened(name, new Map(attributes.toReversed()));
    else {
      const from = open.findLastIndex((element) => element.name === name);
      if (from !== -1) close(from);
    }
  }

  readTokens(html, { text: say, reference: say, tag }, true);
  close(0);
  return items;
}

function itemOf(attributes: ReadonlyMap<string, string>): Item {
  const id = attributes.get('itemid');
  const types = (attributes.get('itemtype') ?? '').split(/\s+/).filter((type) => type !== '');
  return { '@type': types, ...(id === undefined ? {} : { '@id': [id] }) };
}

function add(item: Item, properties: readonly string[], value: unknown): void {
  for (const property of properties) {
    // It would change the object's prototype.
    if (property === '__proto__') continue;
    if (Object.hasOwn(item, property)) item[property]?.push(value);
    else item[property] = [value];
  }
}
