/** The contents of a linked-data event, as the fields of a native event. */
import { decodeHTML } from 'entities';
import { accessibilityNamed } from '../../../../src/annexes/common/accessibility.ts';
import type { Accessibility } from '../../../../src/calendar/accessibility.ts';
import { unlessEmpty } from '../../../../src/calendar/groups.ts';
import { isObject, type JsonObject } from '../../../../src/calendar/json.ts';
import type { Categories, CategoryFields, UnnamedCategory } from '../categories.ts';
import type { FeedDirectory } from '../directory.ts';
import type { DateValues } from '../event-assembly.ts';
import { isNynorsk, languageNamed, withoutBlanks, withoutFiller } from '../event-fields.ts';
import type { Note } from './dates.ts';
import { readStatus, stateNamed } from './event-status.ts';
import { listOf, nameOf, schemaNames, textOf, titleOf } from './linked-data.ts';
import { absoluteUrl, type Node, thingsOf } from './nodes.ts';
import { offersOf, salesOf, ticketsIn } from './offers.ts';
import { isNamedOnline, isVirtual, venueOf } from './venues.ts';

export interface FieldContext {
  /** For texts without a stated language. */
  readonly language: 'nb' | 'en';
  readonly directory: FeedDirectory;
  readonly categories: Categories;
  readonly note: Note;
}

interface NodeFields {
  /** Only those that it has: the rest is for the feed's defaults. */
  readonly fields: JsonObject;
  /** Keywords that were probably meant as categories. */
  readonly unnamed: readonly UnnamedCategory[];
}

export function fieldsOfNode(node: Node, context: FieldContext): NodeFields {
  const { value } = node;
  const images = thingsOf(node, value.image).flatMap((image) => imageOf(node, image, context) ?? []);
  const organizers = thingsOf(node, value.organizer).flatMap(
    (thing) => organizerOf(node, thing, context) ?? [],
  );
  const links = listOf(value.sameAs).map((link) => absoluteUrl(node, link) ?? '');
  const named = context.categories.sortNames(keywordsOf(node));
  const fields = withoutBlanks({
    ...languagesOf('title', node, context),
    ...languagesOf('desc', node, context),
    norwegian: isInNynorsk(value) ? 'nn' : null,
    ...categoriesOf(node, named.fields, context),
    ...onlineOf(node),
    ...agesOf(value),
    organizers: unlessEmpty([...new Set(organizers)]),
    images: unlessEmpty(images),
    moreInfoURL: absoluteUrl(node, value.url),
    facebookURL: links.find((url) => /\/\/(?:\w+\.)?facebook\.com\//.test(url)),
    ticketsFromDate: salesOf(node),
  });
  // Keywords need not name a category: only likely typing errors are reported.
  return { fields, unnamed: named.unnamed.filter(({ nearest }) => nearest !== null) };
}

/** Values that a date may have of its own (F5). */
export function dateValuesOf(node: Node, context: FieldContext): DateValues {
  const { value } = node;
  const { status, previousStart, isSoldOut } = readStatus(value, context.note);
  const offers = offersOf(node);
  const eventUrl = absoluteUrl(node, value.url);
  const shopUrl = offers
    .map(({ url }) => absoluteUrl(node, url))
    .find((url) => url !== null && url !== eventUrl);
  return {
    venue: venueOf(node, context),
    ticketsURL: shopUrl ?? null,
    tickets: ticketsIn(node, offers, context),
    status,
    previousStart,
    eventSoldOut: isSoldOut || (offers.length > 0 && offers.every(isOfferSoldOut)),
  };
}

function isOfferSoldOut({ availability }: JsonObject): boolean {
  return schemaNames(availability).some((name) => stateNamed(name) === 'soldOut');
}

/** Texts in their languages: by the text, by the event, or else the feed's. */
function languagesOf(name: 'title' | 'desc', { value }: Node, { language }: FieldContext): JsonObject {
  const { written, read } =
    name === 'title'
      ? { written: value.name, read: titleOf }
      : { written: value.description, read: descriptionOf };
  const languageOfNode = languageOf(value.inLanguage) ?? language;
  const fields: Record<string, string> = {};
  for (const item of listOf(written)) {
    const text = textOf(item);
    if (text === null) continue;
    const languageOfText = isObject(item) ? languageOf(item['@language']) : null;
    // The first text in each language counts.
    fields[`${name}_${languageOfText ?? languageOfNode}`] ??= read(text);
  }
  return fields;
}

/** Null for none, several, or another one. */
const languageOf = (written: unknown): 'nb' | 'en' | null => languageNamed(nameOfLanguage(written));

/** By its first title that is not in English or, where that has no language of its own, by the event. */
function isInNynorsk({ name, inLanguage }: JsonObject): boolean {
  const stated = listOf(name).map((item) => (isObject(item) ? item['@language'] : undefined));
  const titles = stated.map((language = inLanguage) => nameOfLanguage(language));
  return isNynorsk(titles.find((language) => languageNamed(language) !== 'en') ?? '');
}

/** From a tag, a name or a Language; empty for none or several. */
function nameOfLanguage(written: unknown): string {
  const [first, ...more] = listOf(written);
  const named = isObject(first) ? (first.alternateName ?? first.name ?? first) : first;
  return more.length > 0 ? '' : (textOf(named) ?? '');
}

/** Markup is often escaped twice, line ends included. */
function descriptionOf(text: string): string {
  return text.includes('<') ? text : decodeHTML(text).replaceAll('\\n', '\n').trim();
}

/** Types are names for the feed's map; keywords and performers are tags unless the map has them. E6: features are words, too. */
function categoriesOf({ value }: Node, named: CategoryFields, context: FieldContext): CategoryFields {
  const byType = context.categories.sortNames(schemaNames(value['@type'])).fields.categories ?? [];
  const allCategories = [...new Set([...byType, ...(named.categories ?? [])])];
  const accessibility = [...featuresOf(value, context.note), ...(named.accessibility ?? [])];
  return {
    categories: unlessEmpty(allCategories),
    tags: named.tags,
    accessibility: unlessEmpty(accessibility),
  };
}

/** Keywords, genres and performers. */
function keywordsOf(node: Node): readonly string[] {
  const { keywords, genre, performer } = node.value;
  const words = [...listOf(keywords), ...listOf(genre)].flatMap(namesInItem);
  const performers = thingsOf(node, performer)
    .map((thing) => nameOf(thing) ?? '')
    .filter((name) => !NO_NAMES.has(name));
  return [...words, ...performers].map(titleOf).filter((word) => word !== '' && !/^https?:/.test(word));
}

/** E6: unknown features are reported. */
function featuresOf({ accessibilityFeature }: JsonObject, note: Note): readonly Accessibility[] {
  return listOf(accessibilityFeature)
    .flatMap(namesInItem)
    .flatMap((written) => {
      const feature = accessibilityNamed(written.replace(SCHEMA_ORG, ''));
      if (feature === undefined && written.trim() !== '')
        note('changed value', 'accessibilityFeature', A_FEATURE, written);
      return feature ?? [];
    });
}

/** The names in one item, which may be separated by commas. */
function namesInItem(item: unknown): readonly string[] {
  return nameOf(item)?.split(',') ?? [];
}

const SCHEMA_ORG = /^\s*https?:\/\/schema\.org\//;
const A_FEATURE = 'a feature such as signLanguage, captions or audioDescription (it is ignored)';

/** Some programs write a type in place of the name. */
const NO_NAMES = new Set(['Organization', 'Person', 'PerformingGroup', 'MusicGroup']);

/** Whether the event is online, and the address of its stream. */
function onlineOf(node: Node): JsonObject {
  const { eventAttendanceMode, eventStatus, location } = node.value;
  const modes = [...schemaNames(eventAttendanceMode), ...schemaNames(eventStatus)];
  const places = thingsOf(node, location);
  const isOnline =
    modes.some((mode) => stateNamed(mode) === 'online') || places.some((place) => isNamedOnline(node, place));
  const [stream = null] = places.flatMap((place) => streamAt(place, node) ?? []);
  return { mode: isOnline ? 'online' : null, streamingURL: stream };
}

/** The web address that a place is, or that a virtual place has. */
function streamAt(place: unknown, node: Node): string | null {
  if (!isObject(place)) return absoluteUrl(node, place);
  return isVirtual(place) ? absoluteUrl(node, place.url) : null;
}

/** `18-`, `6-12` */
function agesOf({ typicalAgeRange }: JsonObject): JsonObject {
  const [, youngest, oldest] =
    /^(\d{1,2})(?:\+|\s*-\s*(\d{1,3})?)$/.exec(textOf(typicalAgeRange) ?? '') ?? [];
  return { minimumAge: youngest && Number(youngest), maximumAge: oldest && Number(oldest) };
}

function organizerOf(node: Node, organizer: unknown, { directory }: FieldContext): string | null {
  const name = nameOf(organizer);
  const isName = name !== null && withoutFiller(name) !== '' && !NO_NAMES.has(name);
  if (!isName || /^https?:/.test(name)) return null;
  const website = isObject(organizer) ? absoluteUrl(node, organizer.url) : null;
  return directory.organizer({ name: titleOf(name), website }, node.line);
}

function imageOf(node: Node, image: unknown, { note }: FieldContext): JsonObject | null {
  const written = isObject(image) ? (image.url ?? image.contentUrl) : image;
  const url = absoluteUrl(node, written);
  if (url === null) {
    if (textOf(written) !== null)
      note('changed value', 'image', 'the http or https URL of an image', written);
    return null;
  }
  const caption = isObject(image) ? textOf(image.caption) : null;
  return withoutBlanks({ urlSmall: url, urlLarge: url, caption });
}
