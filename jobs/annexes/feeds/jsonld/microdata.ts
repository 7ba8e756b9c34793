/** The microdata of a page (HTML, 5.2) as values of linked data. `itemref` is ignored. */
import { onOneLine } from '../../../../src/calendar/display-text.ts';
import { INLINE, namesIn } from '../../../validate/html-elements.ts';
import { readTokens, type Tag } from '../../../validate/tags.ts';

/** Each property with its values. */
type Item = Record<string, unknown[]>;

/** An element whose end has not been read yet. */
interface OpenElement {
  readonly name: string;
  /** The item that the element begins. */
  readonly item: Item | null;
  /** The item whose property the element's text is. */
  readonly owner: Item | null;
  /** The names of the properties that its text is the value of. */
  readonly properties: readonly string[];
  readonly text: string[];
}

/** HTML elements without an end tag. */
const VOID = namesIn('area base br col embed hr img input link meta source track wbr');
/** Elements that the next one of their name ends. */
const ENDED_BY_NEXT = namesIn('p li dt dd tr td th option');
/** Attributes with an element's value, which precede its text. Sites write the first two on any element. */
const VALUE_ATTRIBUTES = ['content', 'datetime', 'href', 'src', 'data', 'value'];

/** Open elements: deeper ones are not tracked. */
const MOST_OPEN = 500;
/** The innermost open elements whose text is collected. */
const MOST_COLLECTING = 20;

/** Items that belong to no other, in the order of the page. */
export function microdataIn(html: string): readonly Item[] {
  if (!/itemscope/i.test(html)) return [];
  const items: Item[] = [];
  const open: OpenElement[] = [];

  function begin(name: string, attributes: ReadonlyMap<string, string>): void {
    if (ENDED_BY_NEXT.has(name) && open.at(-1)?.name === name) endFrom(open.length - 1);
    const owner = open.findLast(({ item }) => item !== null)?.item ?? null;
    const properties = [...namesIn(attributes.get('itemprop') ?? '')].filter((word) => word !== '');
    const item = attributes.has('itemscope') ? itemOf(attributes) : null;
    const value = item ?? valueIn(attributes);
    const belongsToNone = item !== null && (owner === null || properties.length === 0);
    if (belongsToNone) items.push(item);
    else if (owner !== null && value !== null) add(owner, properties, value);
    if (VOID.has(name) || open.length === MOST_OPEN) return;
    // Without a value of its own, the element has its text as value.
    const textProperties = value === null && owner !== null ? properties : [];
    open.push({ name, item, owner, properties: textProperties, text: [] });
  }

  /** Ends the open elements from that index on. */
  function endFrom(index: number): void {
    for (const { owner, properties, text } of open.splice(index)) {
      const value = onOneLine(text.join(''));
      if (owner !== null && value !== '') add(owner, properties, value);
    }
  }

  function addText(text: string): void {
    const collecting = open.filter(({ properties }) => properties.length > 0);
    for (const element of collecting.slice(-MOST_COLLECTING)) element.text.push(text);
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
  const name = VALUE_ATTRIBUTES.find((attribute) => attributes.has(attribute));
  return name === undefined ? null : (attributes.get(name) ?? null);
}

function itemOf(attributes: ReadonlyMap<string, string>): Item {
  const id = attributes.get('itemid');
  const types = (attributes.get('itemtype') ?? '').split(/\s+/).filter((type) => type !== '');
  return id === undefined ? { '@type': types } : { '@type': types, '@id': [id] };
}

/** Adds a value to each of these properties. */
function add(item: Item, properties: readonly string[], value: unknown): void {
  for (const property of properties) {
    // It would change the object's prototype.
    if (property === '__proto__') continue;
    if (Object.hasOwn(item, property)) item[property]?.push(value);
    else item[property] = [value];
  }
}
