/** The values of an event and of its dates that feeds and pages have a place for, parsed while they are written. */
import { type Accessibility, wordsIn } from '../../calendar/accessibility.ts';
import { EVENT as EVENT_FIELDS, having, mapFields } from '../../calendar/fields.ts';
import type { Organizer, Venue } from '../../calendar/model.ts';
import { EVENT, IMAGE, PRICE, REPETITION } from '../../serve/graphql/types.ts';
import type { EventNode, RepetitionNode } from '../../serve/query/select.ts';
import { listAt, OCCURRENCE_FLAGS } from '../../snapshot/columns.ts';
import { EVENT_SCALARS } from '../../snapshot/fragments.ts';
import { type Language, type LocalText, localized } from '../page/reader.ts';

export interface FeedEvent {
  readonly id: string;
  readonly title: LocalText;
  /** HTML that formats text and nothing else (G8, made safe at the build). */
  readonly description: LocalText | null;
  readonly link: string;
  readonly slug: string;
  readonly categories: readonly { readonly id: string; readonly label: string }[];
  /** Labels of its categories. */
  readonly labels: readonly string[];
  readonly organizers: readonly Organizer[];
  /** Its cover. */
  readonly image: FeedImage | null;
  readonly isOnline: boolean;
  readonly streamingURL: string | null;
  readonly moreInfoURL: string | null;
  readonly isFree: boolean;
  readonly prices: readonly FeedPrice[];
  /** Id of its container. */
  readonly superEvent: string | null;
  /** Its plain fields that schema.org has names for. */
  readonly plain: Readonly<Record<string, unknown>>;
  /** Instants. */
  readonly published: number | null;
  readonly created: number | null;
  readonly updated: number | null;
  /** The instant since which the shown date is its next one; null if it has no earlier date. */
  readonly nextSince: number | null;
}

export interface FeedImage {
  readonly large: string;
  /** The same picture, narrower. */
  readonly small: string;
  readonly alt: string | null;
  readonly credits: string | null;
}

export interface FeedPrice {
  /** Ticket type id. */
  readonly type: string;
  readonly name: string | null;
  /** Whole kroner; null if the organizer's text is not a number. */
  readonly price: number | null;
}

export function feedEventOf(node: EventNode, language: Language): FeedEvent {
  const text = (name: string) => parsedText(EVENT.leaves[name]?.(node));
  const localText = (name: string) => localized({ nb: text(`${name}_nb`), en: text(`${name}_en`) }, language);
  const moment = (name: string) => instantOrNull(text(name));
  const id = text('id') ?? '';
  const isPaid = text('ticketsInformation') === 'ticketsInfo';
  const { images, prices } = node.fragment;
  const categories = categoriesOf(node, language);
  return {
    id,
    title: localText('title') ?? { text: id, language },
    description: localText('desc'),
    link: text('eventLink') ?? '',
    slug: text('event_slug') ?? '',
    categories,
    labels: categories.map(({ label }) => label),
    organizers: organizersOf(node),
    image: images[0] === undefined ? null : imageOf(images[0]),
    isOnline: text('mode') === 'online',
    streamingURL: text('streamingURL'),
    moreInfoURL: text('moreInfoURL'),
    isFree: text('ticketsInformation') === 'free',
    prices: isPaid ? pricesOf(prices, language) : [],
    superEvent: text('super_event'),
    plain: mapFields(PLAIN, (_, name): unknown =>
      JSON.parse(node.fragment.scalars[LINES.indexOf(name)] ?? 'null'),
    ),
    published: moment('publishingDate'),
    created: moment('created_at'),
    updated: moment('updated_at'),
    nextSince: nextSinceOf(node),
  };
}

const PLAIN = having(EVENT_FIELDS, 'schemaOrg');

/** The latest end of the dates before the shown one, those included that were over at the build. */
function nextSinceOf({ view, row }: EventNode): number | null {
  const { event, over, nextSince } = view.columns;
  const ordinal = event[row] ?? -1;
  let latest = nextSince[ordinal] ?? Number.NEGATIVE_INFINITY;
  for (const earlier of listAt(view.columns, 'occurrences', ordinal)) {
    if (earlier >= row) break;
    latest = Math.max(latest, over[earlier] ?? latest);
  }
  return finite(latest);
}

export interface FeedOccurrence {
  /** A16, ids of occurrences. */
  readonly id: string;
  /** Instants. */
  readonly start: number;
  /** Equal to `start` if there is no end. */
  readonly end: number;
  /** I9, small subscriptions: the number of its changes. */
  readonly sequence: number;
  /** A15, all-day: from 00:00 on its first day to 00:00 on the day after its last. */
  readonly isAllDay: boolean;
  /** In the interface's form (A13, datetimes out). */
  readonly startText: string;
  readonly endText: string;
  /** `HH:mm`, as entered. */
  readonly startTime: string;
  readonly venue: Venue | null;
  /** E6, accessibility: its event's and its venue's features. */
  readonly accessibility: readonly Accessibility[];
  readonly isCancelled: boolean;
  readonly isSoldOut: boolean;
  readonly ticketsURL: string | null;
  /** Null: the event's prices apply. */
  readonly prices: readonly FeedPrice[] | null;
}

export function feedOccurrenceOf(node: RepetitionNode, language: Language): FeedOccurrence {
  const { view, row, fragment } = node;
  const { columns, lists } = view;
  const text = (name: string) => parsedText(REPETITION.leaves[name]?.(node)) ?? '';
  const flags = columns.occurrenceFlags[row] ?? 0;
  const prices = fragment.priceLists[columns.prices[row] ?? -1];
  return {
    id: text('id'),
    start: columns.start[row] ?? 0,
    end: columns.end[row] ?? 0,
    sequence: columns.sequence[row] ?? 0,
    isAllDay: (flags & OCCURRENCE_FLAGS.allDay) !== 0,
    startText: text('startDate'),
    endText: text('endDate'),
    startTime: text('startTime'),
    venue: lists.venues[columns.venue[row] ?? -1] ?? null,
    accessibility: wordsIn(columns.accessibility[row] ?? 0),
    isCancelled: (flags & OCCURRENCE_FLAGS.cancelled) !== 0,
    isSoldOut: (flags & OCCURRENCE_FLAGS.soldOut) !== 0,
    ticketsURL: text('ticketsURL') || null,
    prices: prices === undefined ? null : pricesOf(prices, language),
  };
}

const finite = (value: number | undefined): number | null =>
  value !== undefined && Number.isFinite(value) ? value : null;

const LINES: readonly string[] = EVENT_SCALARS;
const CATEGORIES_LINE = EVENT_SCALARS.indexOf('categories');

function categoriesOf({ view, fragment }: EventNode, language: Language): FeedEvent['categories'] {
  const ids: unknown = JSON.parse(fragment.scalars[CATEGORIES_LINE] ?? '[]');
  if (!Array.isArray(ids)) return [];
  return ids.flatMap((id) => {
    const category = view.lists.categories[view.directory.categoryById.get(String(id)) ?? -1];
    if (category === undefined) return [];
    const name = localized({ nb: category.name_nb, en: category.name_en }, language);
    return name === null ? [] : { id: category.id, label: name.text };
  });
}

function organizersOf({ view, row }: EventNode): readonly Organizer[] {
  const own = listAt(view.columns, 'organizers', view.columns.event[row] ?? 0);
  return [...own].flatMap((place) => view.lists.organizers[place] ?? []);
}

function imageOf(parts: readonly string[]): FeedImage | null {
  const text = (name: string) => parsedText(IMAGE.leaves[name]?.(parts));
  const [large, small] = [text('urlLarge'), text('urlSmall')];
  const known = large ?? small;
  if (known === null) return null;
  return { large: known, small: small ?? known, alt: text('alt'), credits: text('credits') };
}

function pricesOf(prices: readonly (readonly string[])[], language: Language): readonly FeedPrice[] {
  return prices.map((parts) => {
    const text = (name: string) => parsedText(PRICE.leaves[name]?.(parts));
    const price: unknown = JSON.parse(PRICE.leaves.price?.(parts) ?? 'null');
    return {
      type: text('type') ?? '',
      name: localized({ nb: text('name_nb'), en: text('name_en') }, language)?.text ?? null,
      price: typeof price === 'number' ? price : null,
    };
  });
}

/** The text in a leaf's JSON. */
function parsedText(json: string | undefined): string | null {
  const value: unknown = JSON.parse(json ?? 'null');
  return typeof value === 'string' ? value : null;
}

/** The interface's datetimes are ISO 8601 except for the space. */
function instantOrNull(text: string | null): number | null {
  return text === null ? null : Math.floor(Date.parse(text.replace(' ', 'T')) / 1_000);
}
