/** The contents of a linked-data event, as the fields of a native event. */
import { decodeHTML } from 'entities';
import { accessibilityNamed } from '../../../../src/annexes/common/accessibility.ts';
import { isObject, type JsonObject } from '../../../../src/calendar/json.ts';
import { fold } from '../../../../src/calendar/text.ts';
import type { Categories } from '../categories.ts';
import type { FeedDirectory } from '../directory.ts';
import type { DateValues } from '../event-assembly.ts';
import { languageNamed, withoutBlanks } from '../event-fields.ts';
import { writtenAt } from '../native-dates.ts';
import { withoutFiller } from '../places.ts';
import { A_NEW_DATE } from '../title-words.ts';
import { momentOf, type Note } from './dates.ts';
import { listOf, nameOf, namesOf, textOf, titleOf } from './linked-data.ts';
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

/** Only the fields that it has: the rest is for the feed's defaults. */
export function fieldsOfNode(node: Node, context: FieldContext): JsonObject {
  const { value } = node;
  const images = thingsOf(node, value.image).flatMap((image) => imageOf(node, image, context) ?? []);
  const organizers = thingsOf(node, value.organizer).flatMap(
    (thing) => organizerOf(node, thing, context) ?? [],
  );
  const links = listOf(value.sameAs).map((link) => absoluteUrl(node, link) ?? '');
  return withoutBlanks({
    ...languagesOf('title', node, context),
    ...languagesOf('desc', node, context),
    ...wordsIn(node, context),
    ...onlineOf(node),
    ...agesOf(value),
    organizers: organizers.length === 0 ? null : [...new Set(organizers)],
    images: images.length === 0 ? null : images,
    moreInfoURL: absoluteUrl(node, value.url),
    facebookURL: links.find((url) => /\/\/(?:\w+\.)?facebook\.com\//.test(url)),
    ticketsFromDate: salesOf(node),
  });
}

/** Values that a date may have of its own (F5). */
export function dateValuesOf(node: Node, context: FieldContext): DateValues {
  const { value } = node;
  const [written = ''] = namesOf(value.eventStatus);
  const states = namesOf(value.eventStatus).map(stateOf);
  const note = (expected: string) => context.note('changed value', 'eventStatus', expected, written);
  if (states.includes('postponed')) note(A_NEW_DATE);
  if (states.includes(undefined)) note(A_STATUS);
  const before = previousStartIn(value, context);
  const offers = offersOf(node);
  const shop = offers
    .map(({ url }) => absoluteUrl(node, url))
    .find((url) => url !== null && url !== absoluteUrl(node, value.url));
  const isGone = ({ availability }: JsonObject) =>
    namesOf(availability).some((name) => stateOf(name) === 'soldOut');
  return {
    venue: venueOf(node, context),
    ticketsURL: shop ?? null,
    tickets: ticketsIn(node, offers, context),
    status: statusIn(states, before),
    previousStart: before,
    eventSoldOut: states.includes('soldOut') || (offers.length > 0 && offers.every(isGone)),
  };
}

/** E12. EventMovedOnline is as planned, and online. */
function statusIn(states: readonly (string | undefined)[], before: string | null): DateValues['status'] {
  if (states.includes('cancelled')) return 'CANCELLED';
  if (states.includes('postponed')) return 'POSTPONED';
  return states.includes('rescheduled') || before !== null ? 'RESCHEDULED' : null;
}

/** A day for an event of days. */
function previousStartIn(
  { startDate, previousStartDate }: JsonObject,
  { note }: FieldContext,
): string | null {
  const before = momentOf(previousStartDate, 'previousStartDate', note);
  if (before === null) return null;
  const isOfDays = momentOf(startDate, 'startDate', null)?.time === null;
  const { day, time, offset } = before;
  return time === null || isOfDays ? day : writtenAt({ day, time, offset });
}

const A_STATUS = 'a status such as EventScheduled or EventCancelled (it is ignored)';

/** `https://example.org/Event-Cancelled` and `cancelled` are one word. Undefined for an unknown one. */
function stateOf(name: string) {
  const word = fold(name)
    .replace(/^.*[/#:]/, '')
    .replace(/[^a-z]/g, '')
    .replace(/^event/, '');
  return STATES.find(({ words }) => words.split(' ').includes(word))?.state;
}

const STATES = [
  { state: 'cancelled', words: 'cancelled canceled avlyst kansellert' },
  { state: 'postponed', words: 'postponed utsatt' },
  { state: 'rescheduled', words: 'rescheduled flyttet' },
  { state: 'soldOut', words: 'soldout utsolgt' },
  { state: 'online', words: 'movedonline onlineeventattendancemode online' },
  {
    state: 'held',
    words: 'scheduled confirmed active published onsale planned planlagt bekreftet',
  },
] as const;

function languagesOf(name: 'title' | 'desc', { value }: Node, { language }: FieldContext): JsonObject {
  const languageOfNode = languageOf(value.inLanguage) ?? language;
  const fields: Record<string, string> = {};
  for (const item of listOf(name === 'title' ? value.name : value.description)) {
    const text = textOf(item);
    const stated = (isObject(item) ? languageOf(item['@language']) : null) ?? languageOfNode;
    if (text !== null) fields[`${name}_${stated}`] ??= name === 'title' ? titleOf(text) : descriptionOf(text);
  }
  return fields;
}

/** From a tag, a name or a Language. Null for none, several, or another one. */
function languageOf(written: unknown): 'nb' | 'en' | null {
  const [first, ...more] = listOf(written);
  const named = isObject(first) ? (first.alternateName ?? first.name ?? first) : first;
  const text = textOf(named) ?? '';
  return more.length > 0 ? null : languageNamed(text);
}

/** Markup is often escaped twice, line ends included. */
function descriptionOf(text: string): string {
  return text.includes('<') ? text : decodeHTML(text).replaceAll('\\n', '\n').trim();
}

/** Types are names for the feed's map; keywords and performers are tags unless the map has them. E6: features are words, too. */
function wordsIn(node: Node, { categories, note }: FieldContext): JsonObject {
  const { value } = node;
  const keywords = [...listOf(value.keywords), ...listOf(value.genre)].flatMap(partsOf);
  const performers = thingsOf(node, value.performer)
    .map((performer) => nameOf(performer) ?? '')
    .filter((name) => !NO_NAMES.has(name));
  const words = [...keywords, ...performers].map(titleOf);
  const sorted = categories.fieldsFor(words.filter((word) => word !== '' && !/^https?:/.test(word)));
  const byType = categories.fieldsFor(namesOf(value['@type'])).categories ?? [];
  const all = [...new Set([...byType, ...(sorted.categories ?? [])])];
  // Keywords need not name a category: only likely typing errors are reported.
  const unnamed = sorted.unnamed?.filter(({ nearest }) => nearest !== null) ?? [];
  const features = listOf(value.accessibilityFeature)
    .flatMap(partsOf)
    .flatMap((written) => {
      const feature = accessibilityNamed(written.replace(SCHEMA_ORG, ''));
      if (feature === undefined && written.trim() !== '')
        note('changed value', 'accessibilityFeature', A_FEATURE, written);
      return feature ?? [];
    });
  const accessibility = [...features, ...(sorted.accessibility ?? [])];
  return {
    ...sorted,
    unnamed,
    ...(all.length > 0 && { categories: all }),
    ...(accessibility.length > 0 && { accessibility }),
  };
}

function partsOf(item: unknown): readonly string[] {
  return nameOf(item)?.split(',') ?? [];
}

const SCHEMA_ORG = /^\s*https?:\/\/schema\.org\//;
const A_FEATURE = 'a feature such as signLanguage, captions or audioDescription (it is ignored)';

/** Some programs write the type instead of the name. */
const NO_NAMES = new Set(['Organization', 'Person', 'PerformingGroup', 'MusicGroup']);

function onlineOf(node: Node): JsonObject {
  const { value } = node;
  const modes = [...namesOf(value.eventAttendanceMode), ...namesOf(value.eventStatus)];
  const streams = thingsOf(node, value.location).flatMap(
    (place) => absoluteUrl(node, isObject(place) ? (isVirtual(place) ? place.url : null) : place) ?? [],
  );
  const isOnline =
    modes.some((mode) => stateOf(mode) === 'online') ||
    thingsOf(node, value.location).some(isNamedOnline(node));
  return { mode: isOnline ? 'online' : null, streamingURL: streams[0] ?? null };
}

/** `18-`, `6-12` */
function agesOf({ typicalAgeRange }: JsonObject): JsonObject {
  const [, least, most] = /^(\d{1,2})(?:\+|\s*-\s*(\d{1,3})?)$/.exec(textOf(typicalAgeRange) ?? '') ?? [];
  return { minimumAge: least && Number(least), maximumAge: most && Number(most) };
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
  return { urlSmall: url, urlLarge: url, ...(caption === null ? {} : { caption }) };
}
