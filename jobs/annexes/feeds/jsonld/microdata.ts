/** The microdata of a page (HTML, 5.2) as values of linked data. `itemref` is ignored. */
import { INLINE, namesIn } from '../../../validate/html-elements.ts';
import { readTokens, type Tag } from '../../../validate/tags.ts';
import { oneLine } from '../event-fields.ts';

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
const VOID = namesIn('area base br col embed hr img input link meta source track wbr');
/** A second one within the first ends it. */
const UNENDED = namesIn('p li dt dd tr td th option');
/** Attributes with an element's value, which precede its text. Sites write the first two on any element. */
const VALUES = ['content', 'datetime', 'href', 'src', 'data', 'value'];

/** Deeper elements are not tracked. */
const DEEPEST = 500;
/** Open elements whose text is collected, the innermost ones. */
const MOST_TEXTS = 20;

/** Items that belong to no other, in the order of the page. */
export function microdataIn(html: string): readonly Item[] {
  if (!/itemscope/i.test(html)) return [];
  const items: Item[] = [];
  const open: Element[] = [];

  function begin(name: string, attributes: ReadonlyMap<string, string>): void {
    if (UNENDED.has(name) && open.at(-1)?.name === name) endFrom(open.length - 1);
    const owner = open.findLast(({ item }) => item !== null)?.item ?? null;
    const properties = [...namesIn(attributes.get('itemprop') ?? '')].filter((word) => word !== '');
    const item = attributes.has('itemscope') ? itemOf(attributes) : null;
    const value = item ?? valueIn(attributes);
    const isOfOwner = owner !== null && (item === null || properties.length > 0);
    if (item !== null && !isOfOwner) items.push(item);
    else if (owner !== null && value !== null) add(owner, properties, value);
    if (VOID.has(name) || open.length === DEEPEST) return;
    const hasTextAsValue = value === null && owner !== null;
    open.push({ name, item, owner, properties: hasTextAsValue ? properties : [], text: [] });
  }

  /** Ends the open elements from that index on. */
  function endFrom(index: number): void {
    for (const { owner, properties, text } of open.splice(index)) {
      const value = oneLine(text.join(''));
      if (owner !== null && value !== '') add(owner, properties, value);
    }
  }

  function addText(text: string): void {
    const collecting = open.filter(({ properties }) => properties.length > 0);
    for (const element of collecting.slice(-MOST_TEXTS)) element.text.push(text);
  }

  function readTag({ name, isClosing, attributes }: Tag): void {
    // Block elements separate words.
    if (!INLINE.has(name)) addText(' ');
    if (!isClosing) {
      begin(name, new Map(attributes.toReversed()));
      return;
    }
    const index = open.findLastIndex((element) => element.name === name);
    if (index !== -1) endFrom(index);
  }

  readTokens(html, { text: addText, reference: addText, tag: readTag }, { decodesReferences: true });
  endFrom(0);
  return items;
}

/** The value of an element's attribute; null if its text is the value. */
function valueIn(attributes: ReadonlyMap<string, string>): string | null {
  const name = VALUES.find((attribute) => attributes.has(attribute));
  return name === undefined ? null : (attributes.get(name) ?? null);
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
