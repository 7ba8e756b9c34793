/**
 * The data that feeds are written from: nodes as `events` returns them for the same filter (I1), with the values that the formats have a
 * place for. Events are parsed one by one, while they are written.
 */
import { type Accessibility, wordsIn } from '../../calendar/accessibility.ts';
import { EVENT as EVENT_FIELDS, having, mapFields } from '../../calendar/fields.ts';
import type { Licence, Organizer, Venue } from '../../calendar/model.ts';
import { addMonths, osloDay, startOfDay } from '../../calendar/time.ts';
import type { AnswerBasis } from '../../serve/graphql/execute.ts';
import { EVENT, IMAGE, PRICE, REPETITION } from '../../serve/graphql/types.ts';
import { type EventNode, type RepetitionNode, readNodes, repetitionsOf } from '../../serve/query/node.ts';
import type { EventsPlan, Selection } from '../../serve/query/plan.ts';
import { selectNodes, shownRow } from '../../serve/query/select.ts';
import { type NodeSet, type View, viewAt } from '../../serve/query/view.ts';
import { hasBit, placesOf } from '../../snapshot/bitmaps.ts';
import { OCCURRENCE_FLAGS } from '../../snapshot/columns.ts';
import { EVENT_SCALARS } from '../../snapshot/fragments.ts';
import { type Language, type LocalText, localized } from '../page/reader.ts';

export interface Feed {
  readonly licence: Licence;
  /** When the snapshot was built, in seconds since 1970. */
  readonly builtAt: number;
  /** When the request arrived, in seconds since 1970. */
  readonly now: number;
  readonly language: Language;
  /** Its own address, without a key; null if the server does not know its address. */
  readonly address: string | null;
  /** The server's address, without a slash at the end: for examples, if it does not know its own. */
  readonly server: string;
  /** The query of its address: empty, or from its question mark on. */
  readonly search: string;
  readonly events: readonly EventNode[];
  /** A4: what began before this second is running already. */
  readonly from: number;
  /** Containers of these events by id: those that can be found (A7). */
  readonly containers: ReadonlyMap<string, EventNode>;
  /** I9: null if it has all dates. */
  readonly reach: Reach | null;
  /** Whether it has an entry for each date of an event; else only for the shown one. */
  readonly hasDates: boolean;
  /** Nodes on all pages. */
  readonly total: number;
  readonly page: number;
  readonly pageSize: number;
  /** Values of the parameters that only this format has. */
  readonly own: FeedQuery['own'];
  readonly query: Pick<FeedQuery, 'plan' | 'event'>;
  readonly view: View;
}

export interface FeedQuery {
  readonly plan: EventsPlan;
  /** Id of the only event to list; null: all. */
  readonly event: string | null;
  readonly language: Language;
  /** I9: whether it omits distant dates. */
  readonly isSubscription: boolean;
  /** Values of the parameters that only this format has. */
  readonly own: Readonly<Record<string, unknown>>;
}

export async function readFeed(
  query: FeedQuery,
  { snapshot, now }: AnswerBasis,
  where: Pick<Feed, 'address' | 'server' | 'search' | 'hasDates'>,
): Promise<Feed> {
  const { plan, event, language, isSubscription, own } = query;
  const view = viewAt(snapshot, now);
  const reach = isSubscription ? reachAt(now) : null;
  const set = await selectNodes(view, within(plan.selection, reach), now);
  const first = plan.page * plan.pageSize;
  const found = event === null ? null : await rowsOfEvent(view, set, event);
  const rows = found?.slice(first, first + plan.pageSize) ?? placesOf(set.rows, first, plan.pageSize);
  const { validAt, byDay } = set;
  const events = await readNodes(view, rows, { validAt, byDay });
  return {
    licence: view.lists.licence,
    builtAt: Math.floor(Date.parse(snapshot.meta.builtAt) / 1_000),
    now,
    language,
    ...where,
    events,
    from: validAt,
    containers: await containersOf(view, events, now),
    total: found?.length ?? set.total,
    page: plan.page,
    pageSize: plan.pageSize,
    reach,
    own,
    query,
    view,
  };
}

/** I9: how far a subscription looks ahead. */
interface Reach {
  /** Its last second: a date that starts later is omitted. */
  readonly last: number;
  /** Seconds from now to that second, on this Norwegian day. */
  readonly ahead: number;
}

/** I9: months, and dates after the shown one. */
const MOST_MONTHS = 12;
const MOST_REPETITIONS = 20;

/** Counts a day's seconds from its beginning, so that within a day the limit advances as the clock does. */
export function reachAt(now: number): Reach {
  const today = osloDay(now);
  const ahead = startOfDay(addMonths(today, MOST_MONTHS)) - startOfDay(today);
  return { last: now + ahead, ahead };
}

/** I9: an event's dates are ordered by start, so an event whose first date is beyond reach is not in the set. */
function within(selection: Selection, reach: Reach | null): Selection {
  if (reach === null) return selection;
  return {
    ...selection,
    untilDate: Math.min(reach.last + 1, selection.untilDate ?? Number.POSITIVE_INFINITY),
  };
}

/** Its estimated bytes, from counts. */
export function estimateOf(feed: Feed): number {
  let bytes = 0;
  let descriptions = 0;
  for (const node of feed.events) {
    const entries = entriesOf(node, feed).length;
    let each = ENTRY_BYTES;
    for (const [line, scalar] of node.fragment.scalars.entries()) {
      if (DESCRIPTIONS.has(line)) descriptions += entries * scalar.length;
      else each += scalar.length;
    }
    bytes += entries * each;
  }
  return bytes + Math.min(descriptions, MOST_DESCRIBED);
}

/** The dates of a node that this list has entries for. */
function entriesOf(node: EventNode, { hasDates, reach }: Pick<Feed, 'hasDates' | 'reach'>) {
  return hasDates ? occurrencesOf(node, reach) : [node];
}

/** Bytes of an entry besides its texts. */
const ENTRY_BYTES = 250;

async function containersOf(
  view: View,
  events: readonly EventNode[],
  now: number,
): Promise<Feed['containers']> {
  const { event, container } = view.columns;
  const places = new Set(events.map(({ row }) => container[event[row] ?? -1] ?? -1));
  const ids = [...places].flatMap((place) => view.lists.containers[place] ?? []);
  const ordinals = await Promise.all(ids.map((id) => view.snapshot.ordinalById(id)));
  const shown = new Map<number, string>();
  for (const [place, ordinal] of ordinals.entries()) {
    const row = ordinal === null ? null : shownRow(view, ordinal, now);
    if (row !== null) shown.set(row, ids[place] ?? '');
  }
  const nodes = await readNodes(view, [...shown.keys()], { validAt: now, byDay: false });
  return new Map(nodes.map((node) => [shown.get(node.row) ?? '', node]));
}

async function rowsOfEvent(view: View, { rows }: NodeSet, id: string): Promise<readonly number[]> {
  const ordinal = await view.snapshot.ordinalById(id);
  if (ordinal === null) return [];
  const { occurrences, occurrencesAt } = view.columns;
  const own = occurrences.subarray(occurrencesAt[ordinal], occurrencesAt[ordinal + 1]);
  return [...own].filter((row) => hasBit(rows, row));
}

/**
 * Each event of a feed and its dates, the shown one first; both are read while they are written. D10: an event whose description is too
 * long for one entry, or for all of its entries together, has none, so that no event makes the list too large for others.
 */
export function* eventsIn(feed: Feed) {
  const { events, language } = feed;
  let left = MOST_DESCRIBED;
  for (const node of events) {
    const entries = entriesOf(node, feed);
    const whole = feedEventOf(node, language);
    const length = whole.description?.text.length ?? 0;
    const isFitting = length <= LONGEST_DESCRIPTION && length * entries.length <= left;
    if (isFitting) left -= length * entries.length;
    const event = isFitting ? whole : { ...whole, description: null };
    const shown = () => feedOccurrenceOf(node, language);
    const dates = function* (): Generator<FeedOccurrence> {
      for (const date of entries) yield feedOccurrenceOf(date, language);
    };
    yield { node, event, shown, dates };
  }
}

/** UTF-16 units of all descriptions in a list: a quarter of what an answer may hold (D10). */
const MOST_DESCRIBED = 8 * 1_024 * 1_024;
/** UTF-16 units. Builds cut earlier; a snapshot from elsewhere may have been built otherwise. */
const LONGEST_DESCRIPTION = 200_000;

/** The credit and the licence of the data; null if the calendar has neither. */
export function termsOf({ attribution, dataLicence }: Licence): string | null {
  const licence = dataLicence && [dataLicence.name, dataLicence.url].filter(Boolean).join(', ');
  return [attribution, licence].filter(Boolean).join(' – ') || null;
}

export interface FeedEvent {
  readonly id: string;
  readonly title: LocalText;
  /** HTML that formats text and nothing else (G8). */
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
  const { event, occurrences, occurrencesAt, over, nextSince } = view.columns;
  const ordinal = event[row] ?? -1;
  let latest = nextSince[ordinal] ?? Number.NEGATIVE_INFINITY;
  for (const earlier of occurrences.subarray(occurrencesAt[ordinal], occurrencesAt[ordinal + 1])) {
    if (earlier >= row) break;
    latest = Math.max(latest, over[earlier] ?? latest);
  }
  return finite(latest);
}

export interface FeedOccurrence {
  /** A16. */
  readonly id: string;
  /** Instants. */
  readonly start: number;
  /** Equal to `start` if there is no end. */
  readonly end: number;
  /** I9: the number of its changes. */
  readonly sequence: number;
  /** A15: from 00:00 on its first day to 00:00 on the day after its last. */
  readonly isAllDay: boolean;
  /** In the interface's form (A13). */
  readonly startText: string;
  readonly endText: string;
  /** `HH:mm`, as entered. */
  readonly startTime: string;
  readonly venue: Venue | null;
  /** E6: its event's and its venue's features. */
  readonly accessibility: readonly Accessibility[];
  readonly isCancelled: boolean;
  readonly isSoldOut: boolean;
  readonly ticketsURL: string | null;
  /** Null: the event's prices apply. */
  readonly prices: readonly FeedPrice[] | null;
}

/** The shown occurrence and its repetitions: all of them, or those within reach. */
export function occurrencesOf(node: EventNode, reach: Reach | null): readonly RepetitionNode[] {
  if (reach === null) return [node, ...repetitionsOf(node)];
  const { start } = node.view.columns;
  const next = repetitionsOf(node, MOST_REPETITIONS);
  return [node, ...next.filter(({ row }) => (start[row] ?? 0) <= reach.last)];
}

function feedOccurrenceOf(node: RepetitionNode, language: Language): FeedOccurrence {
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
/** Indexes of the descriptions. */
const DESCRIPTIONS: ReadonlySet<number> = new Set(['desc_nb', 'desc_en'].map((name) => LINES.indexOf(name)));
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
  const { event, organizers, organizersAt } = view.columns;
  const ordinal = event[row] ?? 0;
  const own = organizers.subarray(organizersAt[ordinal], organizersAt[ordinal + 1]);
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
