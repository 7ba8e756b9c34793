/** The tool `get_event` (I14): one event with all of its dates. */
import { readTail } from '../../calendar/date-address.ts';
import { shortened } from '../../calendar/display-text.ts';
import { parsedUrl } from '../../calendar/urls.ts';
import type { AnswerBasis } from '../../serve/graphql/answer.ts';
import { shownRow } from '../../serve/query/lookups.ts';
import { type EventNode, readNodes, repetitionsOf } from '../../serve/query/nodes.ts';
import { viewAt } from '../../serve/query/view.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { FEATURES } from '../common/accessibility.ts';
import { described, listOf, objectOf, TEXT, TEXT_OR_NULL, WHOLE } from '../common/json-schema.ts';
import { plainLines } from '../common/lines.ts';
import { type ListedEvent, shopOf } from '../events/listed.ts';
import { listedEventOf, listedOccurrenceOf } from '../events/values.ts';
import { norwegianIn } from '../page/menu.ts';
import { inEach, LANGUAGES, type Language } from '../page/reader.ts';
import * as take from './arguments.ts';
import {
  DATE_FIELDS,
  type DateEntry,
  dateOf,
  dotted,
  type EntryOptions,
  type EventEntry,
  entryOf,
  linkText,
  priceListOf,
  SHARED_FIELDS,
} from './entry.ts';
import * as position from './position.ts';
import { type Texts, type Tool, tool } from './tool.ts';

const PARAMETERS = {
  event: { ...take.address, about: 'The id, slug or link of the event.', isRequired: true },
  from: { ...position.next, about: 'The value of `next` in an earlier answer, for later dates.' },
  language: {
    ...take.oneOf(LANGUAGES),
    about: 'The language of the answer; by default, the calendar’s Norwegian.',
  },
};

/** In place of long texts, if the answer would not fit with them. */
const WITHOUT_LONG_TEXTS = {
  description: null,
  priceList: null,
  organizers: [],
  categories: [],
  tickets: null,
  stream: null,
};

/** Dates that are looked at for one answer: more never fit. */
const MOST_DATES = 60;
/** Characters. */
const LONGEST_DESCRIPTION = 500;
/** Organizers, and categories. */
const MOST_NAMES = 5;
/** Characters of one of these. */
const LONGEST_NAME = 60;

export const GET_EVENT: Tool = tool({
  title: 'One event',
  about: 'One event with its description, prices, accessibility, organizer, tickets and all upcoming dates.',
  parameters: PARAMETERS,
  outputSchema: objectOf({
    ...SHARED_FIELDS,
    description: TEXT_OR_NULL,
    priceList: described('Each price with its name; null: none is known.', TEXT_OR_NULL),
    accessibility: listOf(TEXT),
    organizers: listOf(TEXT),
    categories: listOf(TEXT),
    tickets: described('Where tickets are sold.', TEXT_OR_NULL),
    stream: described('Where it can be watched.', TEXT_OR_NULL),
    totalDates: WHOLE,
    dates: listOf(objectOf(DATE_FIELDS)),
    next: position.NEXT_SCHEMA,
  }),
  answer: getEvent,
});

async function getEvent(values: take.ValuesOf<typeof PARAMETERS>, { snapshot, now }: AnswerBasis) {
  const { event: named = '', language = norwegianIn(snapshot), from } = values;
  const view = viewAt(snapshot, now);
  const ordinal = ordinalOf(named, snapshot);
  const row = ordinal === null ? null : shownRow(view, ordinal, now);
  const [node] = row === null ? [] : await readNodes(view, [row], { validAt: now, byDay: false });
  if (node === undefined) return { faults: [TEXTS[language].unknown(shortened(named, 100))] };
  const options = { language, now };
  const event = listedEventOf(node, language);
  const details = detailsOf(node, event, options);
  const skip = Math.min(from?.skip ?? 0, details.totalDates);
  const nodes = [node, ...repetitionsOf(node)].slice(skip, skip + MOST_DATES);
  const dates = nodes.map((date) => dateOf(event, listedOccurrenceOf(date, language), options));
  // `count`: the answer must fit into 8 KB, so fewer dates may be written.
  const write = (count: number, texts: Texts) => {
    const isCut = skip + count < details.totalDates;
    const structure = {
      ...details,
      ...(texts === 'short' && WITHOUT_LONG_TEXTS),
      dates: dates.slice(0, count),
      next: isCut ? position.nextOf({}, skip + count) : null,
    };
    return { words: wordsOf(structure, { language, skip }), structure };
  };
  return { most: dates.length, write };
}

/** The structured answer without its dates. */
interface Details extends Omit<EventEntry, 'summary' | 'laterDates'> {
  readonly description: string | null;
  readonly priceList: string | null;
  readonly accessibility: readonly string[];
  readonly organizers: readonly string[];
  readonly categories: readonly string[];
  readonly tickets: string | null;
  readonly stream: string | null;
  readonly totalDates: number;
}

function detailsOf(node: EventNode, event: ListedEvent, options: EntryOptions): Details {
  const { language } = options;
  const shown = listedOccurrenceOf(node, language);
  const { laterDates, summary, ...entry } = entryOf(node, options);
  const { description } = event;
  return {
    ...entry,
    description: description && shortened(plainLines(description.text), LONGEST_DESCRIPTION),
    priceList: event.isFree ? entry.price : priceListOf(event, language),
    accessibility: shown.accessibility.map((word) => FEATURES[word][language]),
    organizers: shortNames(event.organizers.map(({ name }) => name)),
    categories: shortNames(event.labels),
    tickets: linkText(shopOf(shown)),
    stream: linkText(event.streamingURL),
    totalDates: laterDates + 1,
  };
}

const shortNames = (names: readonly string[]): readonly string[] =>
  names.slice(0, MOST_NAMES).map((name) => shortened(name, LONGEST_NAME));

/** By its id, that of one of its dates, its slug, or a link whose last part is its slug. */
function ordinalOf(named: string, { ordinalById, ordinalBySlug }: Snapshot): number | null {
  const ofDate = eventOfDate(named);
  const byDate = ofDate === null ? null : ordinalById(ofDate);
  return ordinalById(named) ?? byDate ?? ordinalBySlug(slugIn(named));
}

/** The event's id in the id of one of its dates; null for any other text. */
function eventOfDate(named: string): string | null {
  const at = named.lastIndexOf('@');
  return at > 0 && readTail(named.slice(at + 1)) !== null ? named.slice(0, at) : null;
}

function slugIn(named: string): string {
  const path = parsedUrl(named)?.pathname ?? named;
  return path
    .replace(/\/$/, '')
    .replace(/^.*\//s, '')
    .replace(/\.html$/, '');
}

interface Written extends Details {
  readonly dates: readonly DateEntry[];
  readonly next: string | null;
}

interface WordsOptions {
  readonly language: Language;
  /** The number of dates before those that the answer lists. */
  readonly skip: number;
}

function wordsOf(event: Written, { language, skip }: WordsOptions): string {
  const texts = TEXTS[language];
  const { description, dates, totalDates, next } = event;
  const isWhole = dates.length === totalDates;
  const heading = isWhole
    ? texts.allDates(totalDates)
    : texts.dates(skip + 1, skip + dates.length, totalDates);
  const list = [heading, ...dates.map((date) => wordsOfDate(date, event))];
  const hasList = totalDates > 1 && dates.length > 0;
  const paragraphs = [
    headOf(event, language),
    description,
    hasList ? list.join('\n') : null,
    next === null ? null : texts.rest(next),
  ];
  return paragraphs.filter((paragraph) => paragraph !== null).join('\n\n');
}

function headOf(event: Written, language: Language): string {
  const texts = TEXTS[language];
  const { title, state, when, place, price, priceList, ages, accessibility, organizers } = event;
  const prefix = state === null ? '' : `${state.toUpperCase()}: `;
  const facts: readonly (readonly [name: string, value: string | null])[] = [
    [texts.prices, priceList === price ? null : priceList],
    [texts.accessibility, accessibility.join(', ')],
    [texts.organizer, organizers.join(', ')],
    [texts.tickets, event.tickets],
    [texts.stream, event.stream],
  ];
  const shownFacts = facts.filter(([, value]) => value !== null && value !== '');
  const lines = [
    `${prefix}${title}`,
    when,
    dotted([place, price, ages]),
    ...shownFacts.map(([name, value]) => `${name}: ${value}`),
    event.link,
  ];
  return lines.filter((line) => line !== null).join('\n');
}

/** One date of an event, with its place and its price only if they are not the event's. */
function wordsOfDate(date: DateEntry, event: Written): string {
  const place = date.place === event.place ? null : date.place;
  const price = date.price === event.price ? null : date.price;
  return `- ${dotted([date.when, date.state, place, price])}`;
}

const TEXTS = inEach({
  unknown: [
    (named: string) =>
      `Ingen kommende arrangementer har id-en, slugen eller lenken ${JSON.stringify(named)}. Arrangementet kan være over. Finn andre med find_events.`,
    (named: string) =>
      `No upcoming event has the id, slug or link ${JSON.stringify(named)}. It may be over. Find others with find_events.`,
    (named: string) =>
      `Ingen kommande arrangement har id-en, slugen eller lenkja ${JSON.stringify(named)}. Arrangementet kan vere over. Finn andre med find_events.`,
  ],
  prices: ['Priser', 'Prices', 'Prisar'],
  accessibility: ['Tilgjengelighet', 'Accessibility', 'Tilgjenge'],
  organizer: ['Arrangør', 'Organizer', 'Arrangør'],
  tickets: ['Billetter', 'Tickets', 'Billettar'],
  stream: ['Direktesending', 'Stream', 'Direktesending'],
  allDates: [
    (count: number) => `Alle ${count} datoer:`,
    (count: number) => `All ${count} dates:`,
    (count: number) => `Alle ${count} datoar:`,
  ],
  dates: [
    (first: number, last: number, total: number) => `Dato ${first}–${last} av ${total}:`,
    (first: number, last: number, total: number) => `Dates ${first}–${last} of ${total}:`,
    (first: number, last: number, total: number) => `Dato ${first}–${last} av ${total}:`,
  ],
  rest: [
    (next: string) => `Flere datoer: spør på nytt med "from": ${JSON.stringify(next)}.`,
    (next: string) => `More dates: ask again with "from": ${JSON.stringify(next)}.`,
    (next: string) => `Fleire datoar: spør på nytt med "from": ${JSON.stringify(next)}.`,
  ],
});
