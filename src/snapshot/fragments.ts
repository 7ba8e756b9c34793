/**
 * An event's answer, rendered ahead of time: one line a field, each line the field's JSON value. JSON text never holds a
 * raw control character, so these can separate what an answer takes apart: fields, items of a list, an item's fields.
 * The first lines are long and stand in the table `event` already, which SQLite makes JSON of when they are read: a third
 * of the file would say them again.
 */
import {
  type EventFields,
  type Image,
  OLDER_DATE_FIELDS,
  OLDER_EVENT_FIELDS,
  OLDER_IMAGE_FIELDS,
  type OlderDateFields,
  type Price,
} from '../calendar/model.ts';
import { formatOslo } from '../calendar/time.ts';

const FIELD_END = '\n';
const GROUP_END = '\x1d';
const ITEM_END = '\x1e';
const PART_END = '\x1f';

type Render = (event: EventFields) => string;

const oslo = (instant: number | null) => JSON.stringify(instant === null ? null : formatOslo(instant));

const quoted = (column: string) => `json_quote(event.${column})`;
const flag = (column: string) => `iif(event.${column}, 'true', 'false')`;
const utc = (column: string) =>
  `coalesce(strftime('"%Y-%m-%d %H:%M:%S+00:00"', event.${column}, 'unixepoch'), 'null')`;

/** Fields of Event that stand in the table `event`, each as SQL that makes JSON of it. */
const EVENT_COLUMNS = {
  id: quoted('id'),
  event_slug: quoted('slug'),
  eventLink: quoted('link'),
  title_nb: quoted('title_nb'),
  title_en: quoted('title_en'),
  desc_nb: quoted('desc_nb'),
  desc_en: quoted('desc_en'),
  tags: 'event.tags',
  mode: quoted('mode'),
  ticketsInformation: quoted('tickets_information'),
  created_at: utc('created_at'),
  updated_at: utc('updated_at'),
  super_event: quoted('super_event'),
  isSuperEvent: flag('is_super_event'),
  isFeaturedEvent: flag('is_featured'),
} as const;

/** Fields of Event that are one JSON value, by the interface's names. Their order is the order of the lines. */
const SCALARS = {
  categories: (event) => JSON.stringify(event.categories),
  minimumAge: (event) => JSON.stringify(event.minimumAge),
  maximumAge: (event) => JSON.stringify(event.maximumAge),
  cancellationPeriod: (event) => JSON.stringify(event.cancellationPeriod),
  views: (event) => JSON.stringify(event.views),
  publishingDate: (event) => oslo(event.publishingDate),
  ticketsFromDate: (event) => oslo(event.ticketsFromDate),
  registrationEnabled: (event) => JSON.stringify(event.registrationEnabled),
  availableTickets: (event) => JSON.stringify(event.availableTickets),
  activeTickets: (event) => JSON.stringify(event.activeTickets),
  maxBookingDate: (event) => JSON.stringify(event.maxBookingDate),
  maxBookingTime: (event) => JSON.stringify(event.maxBookingTime),
  paymentMethod: (event) => JSON.stringify(event.paymentMethod),
  moreInfoURL: (event) => JSON.stringify(event.moreInfoURL),
  streamingURL: (event) => JSON.stringify(event.streamingURL),
  facebookURL: (event) => JSON.stringify(event.facebookURL),
  venueNote: (event) => JSON.stringify(event.venueNote),
  ageRestriction: (event) => JSON.stringify(event.ageRestriction),
} satisfies Readonly<Record<string, Render>>;

export type EventScalar = keyof typeof EVENT_COLUMNS | keyof typeof SCALARS;

const isEventScalar = (name: string): name is EventScalar => name in EVENT_COLUMNS || name in SCALARS;

/** In the order of the lines: those of the table `event`, then those of `event_json`. */
export const EVENT_SCALARS: readonly EventScalar[] = Object.keys({ ...EVENT_COLUMNS, ...SCALARS }).filter(
  isEventScalar,
);

/** SQL: a whole fragment, of a row of `event` joined with its row of `event_json`. */
export const FRAGMENT_SQL = `concat_ws(char(10), ${Object.values(EVENT_COLUMNS).join(', ')}, event_json.body)`;

export const IMAGE_PARTS = [
  'urlSmall',
  'urlLarge',
  'alt',
  'caption',
  'credits',
  'focusX',
  'focusY',
  'width',
  'height',
] as const satisfies readonly (keyof Image)[];

export const PRICE_PARTS = [
  'type',
  'price',
  'name_nb',
  'name_en',
] as const satisfies readonly (keyof Price)[];

/** Behind those of every image, where an image has any of them. */
export const ALL_IMAGE_PARTS = [...IMAGE_PARTS, ...OLDER_IMAGE_FIELDS] as const;

/** The event's own values that occurrences point at by place (columns `ticketsURL`, `prices` and `olderTexts`). */
export interface OccurrenceTexts {
  readonly ticketsURLs: readonly string[];
  readonly priceLists: readonly (readonly Price[])[];
  readonly olderTexts: readonly OlderDateFields[];
}

/** What an answer is put together from. Every string is finished JSON. */
export interface EventFragment {
  /** In the order of EVENT_SCALARS. */
  readonly scalars: readonly string[];
  /** Each image's parts in the order of ALL_IMAGE_PARTS, all of them or those of IMAGE_PARTS. */
  readonly images: readonly (readonly string[])[];
  /** Each price's parts in the order of PRICE_PARTS. */
  readonly prices: readonly (readonly string[])[];
  readonly ticketsURLs: readonly string[];
  readonly priceLists: readonly (readonly (readonly string[])[])[];
  /** In the order of OLDER_EVENT_FIELDS; empty when the event has none of them. */
  readonly older: readonly string[];
  /** Each in the order of OLDER_DATE_FIELDS. */
  readonly olderTexts: readonly (readonly string[])[];
}

/** What stands in `event_json`: all but the columns of `event`. */
export function renderFragment(event: EventFields, texts: OccurrenceTexts): string {
  return [
    ...Object.values(SCALARS).map((render) => blankForNull(render(event))),
    event.images.map(renderImage).join(ITEM_END),
    renderPrices(event.prices),
    texts.ticketsURLs.map((url) => JSON.stringify(url)).join(ITEM_END),
    // Each list is closed, not separated: an empty list of prices is something else than no list.
    texts.priceLists.map((prices) => renderPrices(prices) + GROUP_END).join(''),
    event.older === undefined ? '' : renderParts(event.older, OLDER_EVENT_FIELDS),
    texts.olderTexts.map((older) => renderParts(older, OLDER_DATE_FIELDS)).join(ITEM_END),
  ].join(FIELD_END);
}

export function readFragment(body: string): EventFragment {
  const lines = body.split(FIELD_END);
  for (let line = 0; line < EVENT_SCALARS.length; line++) if (lines[line] === '') lines[line] = 'null';
  const after = (place: number) => lines[EVENT_SCALARS.length + place] ?? '';
  const [urls, lists, older] = [after(2), after(3), after(4)];
  return {
    scalars: lines,
    images: readItems(after(0)),
    prices: readItems(after(1)),
    ticketsURLs: urls === '' ? NONE : urls.split(ITEM_END),
    priceLists: lists === '' ? NONE : lists.slice(0, -1).split(GROUP_END).map(readItems),
    older: older === '' ? NONE : older.split(PART_END),
    olderTexts: readItems(after(5)),
  };
}

/** Half of the fields of most events. */
const blankForNull = (json: string) => (json === 'null' ? '' : json);

const NONE: readonly never[] = [];

/** Lines behind those of the scalars. */
export const LISTS_BEHIND = 6;

function renderImage(image: Image): string {
  const parts = renderParts(image, IMAGE_PARTS);
  return image.older === undefined ? parts : parts + PART_END + renderParts(image.older, OLDER_IMAGE_FIELDS);
}

function renderPrices(prices: readonly Price[]): string {
  return prices.map((price) => renderParts(price, PRICE_PARTS)).join(ITEM_END);
}

function renderParts<Name extends string>(
  of: { readonly [Part in Name]: unknown },
  names: readonly Name[],
): string {
  return names.map((name) => JSON.stringify(of[name])).join(PART_END);
}

function readItems(line: string): readonly (readonly string[])[] {
  return line === '' ? NONE : line.split(ITEM_END).map((item) => item.split(PART_END));
}
