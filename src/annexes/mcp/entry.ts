/** An event or a date as assistants read it: each value is short, in words that they can repeat, with its weekday. */
import { shortened, shortenedToWord } from '../../calendar/display-text.ts';
import { EVENT_TYPE } from '../../serve/graphql/types.ts';
import { type EventNode, repetitionsOf } from '../../serve/query/nodes.ts';
import { described, TEXT, TEXT_OR_NULL, WHOLE } from '../common/json-schema.ts';
import { type ListedEvent, type ListedOccurrence, linkOf } from '../events/listed.ts';
import { listedEventOf, listedOccurrenceOf } from '../events/values.ts';
import { statesOf, writePlace, writePrices, writeWhen } from '../events/words.ts';
import { inEach, type Language, writeNumber } from '../page/reader.ts';

export interface EntryOptions {
  readonly language: Language;
  /** Seconds since 1970. */
  readonly now: number;
}

/** Characters of the longest values that are shown: one entry always fits into an answer. */
const LONGEST = { id: 200, title: 120, place: 150, summary: 160, link: 600, prices: 200 };

/** JSON Schema of a date. */
export const DATE_FIELDS = {
  when: described('The weekday, date and time in words, in Norwegian time.'),
  start: described('The start in ISO 8601, with Norway’s offset.'),
  end: described('The end; null if it is unknown.', TEXT_OR_NULL),
  place: TEXT_OR_NULL,
  state: described('Such as cancelled or sold out; null for an ordinary date.', TEXT_OR_NULL),
  price: described('The price in words; null if it is unknown.', TEXT_OR_NULL),
};

/** Fields of an event in the answers of every tool. */
export const SHARED_FIELDS = {
  id: described('The id to give to get_event.'),
  title: TEXT,
  ...DATE_FIELDS,
  ages: described('The ages in words; null for all ages.', TEXT_OR_NULL),
  link: described('The page of the event, or of this date, for people.', TEXT_OR_NULL),
};

/** Fields of an event in a list. */
export const EVENT_FIELDS = {
  ...SHARED_FIELDS,
  summary: TEXT_OR_NULL,
  laterDates: described('The number of dates after this one.', WHOLE),
};

/** A date; DATE_FIELDS describes its values. */
export interface DateEntry {
  readonly when: string;
  readonly start: string;
  readonly end: string | null;
  readonly place: string | null;
  readonly state: string | null;
  readonly price: string | null;
}

/** An event with its next date; EVENT_FIELDS describes its values. */
export interface EventEntry extends DateEntry {
  readonly id: string;
  readonly title: string;
  readonly ages: string | null;
  readonly summary: string | null;
  readonly link: string | null;
  readonly laterDates: number;
}

export function entryOf(node: EventNode, options: EntryOptions): EventEntry {
  const event = listedEventOf(node, options.language);
  const shown = listedOccurrenceOf(node, options.language);
  const { id, slug, title, summary } = event;
  return {
    id: id.length <= LONGEST.id ? id : slug,
    title: shortened(title.text, LONGEST.title),
    ...dateOf(event, shown, options),
    ages: agesOf(node, options.language),
    summary: summary && shortenedToWord(summary.text, LONGEST.summary),
    link: linkText(linkOf(event, shown)),
    laterDates: repetitionsOf(node).length,
  };
}

export function dateOf(event: ListedEvent, date: ListedOccurrence, options: EntryOptions): DateEntry {
  const { language } = options;
  return {
    when: writeWhen(date, options),
    start: isoOf(date.startText),
    end: date.end > date.start ? isoOf(date.endText) : null,
    place: textOrNull(shortened(placeWithTown(event, date, language), LONGEST.place)),
    state: textOrNull(statesOf(date, language).join(', ')),
    price: textOrNull(plain(writePrices(event, date, language))),
  };
}

/** The municipality, where the address does not say it. */
function placeWithTown(event: ListedEvent, date: ListedOccurrence, language: Language): string {
  const place = writePlace(event, date, language);
  const { municipality = null } = date.venue ?? {};
  return municipality === null || place.includes(municipality) ? place : `${place}, ${municipality}`;
}

/** A13's form with a `T`. */
const isoOf = (text: string): string => text.replace(' ', 'T');

const textOrNull = (text: string): string | null => (text === '' ? null : text);

/** Without blanks that do not break: programs compare what they quote. */
const plain = (text: string): string => text.replaceAll('\u00a0', ' ');

export const linkText = (link: string | null): string | null =>
  link !== null && link !== '' && link.length <= LONGEST.link ? link : null;

/** `3–7 år`, `fra 18 år`. */
function agesOf(node: EventNode, language: Language): string | null {
  const { from, to, between } = TEXTS[language];
  const [least, most] = ['minimumAge', 'maximumAge'].map((name) =>
    JSON.parse(EVENT_TYPE.leaves[name]?.(node) ?? 'null'),
  );
  const hasLeast = typeof least === 'number';
  if (typeof most === 'number') return hasLeast ? between(least, most) : to(most);
  return hasLeast ? from(least) : null;
}

/** `Voksen 250 kr, Barn 100 kr`. */
export function priceListOf({ prices }: ListedEvent, language: Language): string | null {
  const priced = prices.flatMap(({ name, type, price }) =>
    price === null ? [] : `${name ?? type} ${writeNumber(price, language)} kr`,
  );
  return priced.length === 0 ? null : shortened(plain(priced.join(', ')), LONGEST.prices);
}

/** The filled parts, with dots between them. */
export const dotted = (parts: readonly (string | null)[]): string =>
  parts.filter((part) => part !== null && part !== '').join(' · ');

const TEXTS = inEach({
  from: [
    (age: number) => `fra ${age} år`,
    (age: number) => `from age ${age}`,
    (age: number) => `frå ${age} år`,
  ],
  to: [
    (age: number) => `til og med ${age} år`,
    (age: number) => `up to age ${age}`,
    (age: number) => `til og med ${age} år`,
  ],
  between: [
    (least: number, most: number) => `${least}–${most} år`,
    (least: number, most: number) => `ages ${least}–${most}`,
    (least: number, most: number) => `${least}–${most} år`,
  ],
});
