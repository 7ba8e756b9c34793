/** Reads events and their dates from a snapshot, as lists show them (`listed.ts`). Their values are parsed while a list is written. */
import { wordsIn } from '../../calendar/accessibility.ts';
import { dateText } from '../../calendar/date-address.ts';
import { type Field, having } from '../../calendar/field.ts';
import { EVENT as EVENT_FIELDS } from '../../calendar/fields.ts';
import {
  type Category,
  type EventSource,
  type Norwegian,
  norwegianOf,
  type Organizer,
} from '../../calendar/model.ts';
import { leavesOf } from '../../serve/graphql/project.ts';
import { EVENT_TYPE, IMAGE_TYPE, PRICE_TYPE, REPETITION_TYPE } from '../../serve/graphql/types.ts';
import type { EventNode, RepetitionNode } from '../../serve/query/nodes.ts';
import { elementAt, listAt, previousStartOf } from '../../snapshot/columns.ts';
import { OCCURRENCE_FLAGS, statusOf } from '../../snapshot/flags.ts';
import { EVENT_SCALARS } from '../../snapshot/fragments.ts';
import type { InBoth, Language } from '../page/reader.ts';
import type {
  ListedCategory,
  ListedEvent,
  ListedImage,
  ListedOccurrence,
  ListedPrice,
  LocalText,
} from './listed.ts';
import { fieldsOf, storedAt } from './stored-values.ts';

export function listedEventOf(node: EventNode, language: Language): ListedEvent {
  const { json, text, textOrNull } = fieldsOf(EVENT_TYPE, node);
  const { prices, scalars } = node.fragment;
  const norwegian = norwegianOf(textOrNull('norwegian'));
  const localText = (name: string) =>
    localized({ nb: textOrNull(`${name}_nb`), en: textOrNull(`${name}_en`) }, language, norwegian);
  const instant = (name: string) => instantOrNull(textOrNull(name));
  const id = text('id');
  const tickets = text('ticketsInformation');
  const categories = categoriesOf(json('categories'), node, language);
  return {
    id,
    title: localText('title') ?? { text: id, language },
    description: localText('desc'),
    summary: localText('summary'),
    link: text('eventLink'),
    slug: text('event_slug'),
    categories,
    labels: categories.map(({ label }) => label),
    organizers: organizersOf(node),
    image: coverImageOf(node),
    isOnline: text('mode') === 'online',
    streamingURL: textOrNull('streamingURL'),
    moreInfoURL: textOrNull('moreInfoURL'),
    isFree: tickets === 'free',
    prices: tickets === 'ticketsInfo' ? readPrices(prices, language) : [],
    source: sourceOf(node),
    superEvent: textOrNull('super_event'),
    plain: plainOf(scalars, language),
    published: instant('publishingDate'),
    created: instant('created_at'),
    updated: instant('updated_at'),
    nextSince: nextSinceOf(node),
  };
}

/** What JSON-LD and tables have of an event besides its own values. */
const PLAIN = { ...having(EVENT_FIELDS, 'schemaOrg'), ...having(EVENT_FIELDS, 'listed') };

function plainOf(scalars: readonly string[], language: Language): Readonly<Record<string, unknown>> {
  const { json, textOrNull } = fieldsOf(LINES_OF_EVENT, scalars);
  const values: Record<string, unknown> = {};
  for (const [name, { localized: pair }] of Object.entries<Field>(PLAIN)) {
    if (pair === undefined) values[name] = json(name);
    else {
      const texts = { nb: textOrNull(`${pair}_nb`), en: textOrNull(`${pair}_en`) };
      values[pair] = localized(texts, language)?.text ?? null;
    }
  }
  return values;
}

/** The fields as the record has them: the leaves of Event lift some of them from the shown date. */
const LINES_OF_EVENT = {
  name: 'Event',
  leaves: leavesOf(EVENT_SCALARS, (scalars: readonly string[], _, line) => storedAt(scalars, line)),
};

/** When the shown date became the event's next one: the end of the last earlier date; null if there was none. */
function nextSinceOf({ view, row }: EventNode): number | null {
  const { event, over, nextSince, occurrences, occurrencesAt } = view.columns;
  const ordinal = storedAt(event, row);
  const dates = listAt(occurrences, occurrencesAt, ordinal);
  const earlier = [...dates].filter((date) => date < row);
  // Dates that were over at the build are not among them.
  const latest = Math.max(storedAt(nextSince, ordinal), ...earlier.map((date) => storedAt(over, date)));
  return Number.isFinite(latest) ? latest : null;
}

export function listedOccurrenceOf(node: RepetitionNode, language: Language): ListedOccurrence {
  const { view, row, fragment } = node;
  const { columns, lists } = view;
  const { text, textOrNull } = fieldsOf(REPETITION_TYPE, node);
  const flags = storedAt(columns.occurrenceFlags, row);
  const start = storedAt(columns.start, row);
  const nth = Math.max(1, storedAt(columns.nth, row));
  const isAllDay = (flags & OCCURRENCE_FLAGS.allDay) !== 0;
  // -1 and ABSENT are indexes of nothing.
  const venue = lists.venues[storedAt(columns.venue, row)];
  const prices = fragment.priceLists[storedAt(columns.prices, row)];
  return {
    id: text('id'),
    link: textOrNull('occurrenceLink'),
    nth,
    date: dateText({ start, nth, isAllDay }),
    start,
    end: storedAt(columns.end, row),
    sequence: storedAt(columns.sequence, row),
    isAllDay,
    startText: text('startDate'),
    endText: text('endDate'),
    startTime: text('startTime'),
    venue: venue ?? null,
    accessibility: wordsIn(storedAt(columns.accessibility, row)),
    isCancelled: (flags & OCCURRENCE_FLAGS.cancelled) !== 0,
    status: statusOf(flags),
    previousStart: previousStartOf(columns, row),
    previousStartText: textOrNull('previousStartDate'),
    isSoldOut: (flags & OCCURRENCE_FLAGS.soldOut) !== 0,
    ticketsURL: textOrNull('ticketsURL') || null,
    prices: prices === undefined ? null : readPrices(prices, language),
  };
}

function categoriesOf(ids: unknown, { view }: EventNode, language: Language): readonly ListedCategory[] {
  if (!Array.isArray(ids)) return [];
  return ids.flatMap((id) => {
    const category = elementAt(view.lists.categories, view.directory.categoryById.get(String(id)));
    const label = category && labelOf(category, language);
    return category && label ? { id: category.id, label } : [];
  });
}

/** In the reader's language if the category has such a name, else in another; empty without any. */
export function labelOf({ name_nb, name_en, name_nn }: Category, language: Language): string {
  const norwegian = language === 'nn' ? (name_nn ?? name_nb) : name_nb;
  return localized({ nb: norwegian, en: name_en }, language)?.text ?? '';
}

function sourceOf({ view, row }: EventNode): EventSource | null {
  const { source, event } = view.columns;
  // -1 is the index of none.
  return view.lists.sources[storedAt(source, storedAt(event, row))] ?? null;
}

function organizersOf({ view, row }: EventNode): readonly Organizer[] {
  const { organizers, organizersAt, event } = view.columns;
  const ordinals = listAt(organizers, organizersAt, storedAt(event, row));
  return Array.from(ordinals, (ordinal) => storedAt(view.lists.organizers, ordinal));
}

/** Null without pictures. */
export function coverImageOf({ fragment: { images } }: EventNode): ListedImage | null {
  const [parts] = images;
  if (parts === undefined) return null;
  const { textOrNull } = fieldsOf(IMAGE_TYPE, parts);
  const large = textOrNull('urlLarge');
  const small = textOrNull('urlSmall');
  const largest = large ?? small;
  if (largest === null) return null;
  return {
    large: largest,
    small: small ?? largest,
    alt: textOrNull('alt'),
    credits: textOrNull('credits'),
  };
}

function readPrices(prices: readonly (readonly string[])[], language: Language): readonly ListedPrice[] {
  return prices.map((parts) => {
    const { json, text, textOrNull } = fieldsOf(PRICE_TYPE, parts);
    const price = json('price');
    return {
      type: text('type'),
      name: localized({ nb: textOrNull('name_nb'), en: textOrNull('name_en') }, language)?.text ?? null,
      price: typeof price === 'number' ? price : null,
    };
  });
}

/** The interface's datetimes are ISO 8601 except for the space. */
function instantOrNull(text: string | null): number | null {
  return text === null ? null : Math.floor(Date.parse(text.replace(' ', 'T')) / 1_000);
}

/**
 * In Norwegian or English, as the reader's language is, if it exists, else in the other; null if both are missing. `norwegian`: the language
 * of the text in Norwegian.
 */
function localized(
  { nb, en }: InBoth<string | null>,
  language: Language,
  norwegian: Norwegian = 'nb',
): LocalText | null {
  const inNorwegian: LocalText | null = nb ? { text: nb, language: norwegian } : null;
  const inEnglish: LocalText | null = en ? { text: en, language: 'en' } : null;
  return language === 'en' ? (inEnglish ?? inNorwegian) : (inNorwegian ?? inEnglish);
}
