/** The fields that a mirror reads of answers, by kind, and the two forms in which it asks for them. */
import * as fields from '../../../../src/calendar/fields.ts';

export type Kind = 'text' | 'texts' | 'integer' | 'number' | 'flag' | 'moment' | 'time';

/** A field with fields of its own is an object, or a list of them. */
export interface Wanted {
  readonly [field: string]: Kind | Wanted;
}

function all<Of extends Kind, Name extends string>(
  kind: Of,
  ...names: readonly Name[]
): Readonly<Record<Name, Of>> {
  return Object.fromEntries(names.map((name) => [name, kind] as const)) as Record<Name, Of>;
}

const LOCATION = all('number', 'latitude', 'longitude');

/** How a mirror reads the plain fields of a table, by their kinds. */
function plainOf(table: Readonly<Record<string, fields.Field>>): Readonly<Record<string, Kind>> {
  return fields.mapFields(fields.lacking(table, 'mirror'), ({ kind }) => PLAIN_KINDS[kind]);
}

const PLAIN_KINDS = {
  line: 'text',
  lines: 'text',
  url: 'text',
  olderLine: 'text',
  olderUrl: 'text',
  integer: 'integer',
  flag: 'flag',
  moment: 'moment',
  utc: 'moment',
  accessibility: 'texts',
} as const satisfies Readonly<Record<fields.Kind, Kind>>;

const NAMED = all('text', 'id', 'name', 'slug');

export const VENUE = { ...NAMED, ...plainOf(fields.VENUE), location: LOCATION } as const satisfies Wanted;

export const ORGANIZER = { ...NAMED, ...plainOf(fields.ORGANIZER) } as const satisfies Wanted;

const SUBCATEGORY = {
  ...all('text', 'id', 'name_nb', 'name_en', 'slug_nb', 'slug_en'),
  visible: 'flag',
} as const satisfies Wanted;

export const CATEGORY = { ...SUBCATEGORY, subcategories: SUBCATEGORY } as const satisfies Wanted;

export const IMAGE = {
  ...all('text', 'urlSmall', 'urlLarge', 'alt', 'caption', 'credits'),
  ...all('number', 'focusX', 'focusY'),
  ...all('integer', 'width', 'height'),
} as const satisfies Wanted;

export const PRICE = {
  ...all('text', 'type', 'name_nb', 'name_en'),
  price: 'integer',
} as const satisfies Wanted;

/** Fields that a repetition may have of its own, and that an event has of the shown occurrence. */
const OCCURRENCE = {
  ...all('moment', 'startDate', 'endDate'),
  startTime: 'time',
  duration: 'integer',
  ticketsURL: 'text',
  ...all('flag', 'allDay', 'eventCancelled', 'eventSoldOut'),
  venue: VENUE,
} as const satisfies Wanted;

export const REPETITION = { ...OCCURRENCE, prices: PRICE } as const satisfies Wanted;

/** Fields of an event that a native record has under the same name. */
export const PLAIN = {
  ...all('text', 'eventLink', 'title_nb', 'title_en', 'desc_nb', 'desc_en', 'mode', 'ticketsInformation'),
  tags: 'texts',
  ...plainOf(fields.EVENT),
} as const satisfies Readonly<Record<string, Kind>>;

/** Fields that concern the whole event, not the shown occurrence. */
export const EVENT_ITSELF = {
  ...PLAIN,
  ...all('text', 'id', 'event_slug', 'super_event'),
  categories: 'texts',
} as const satisfies Wanted;

const EVENT = {
  ...EVENT_ITSELF,
  ...OCCURRENCE,
  organizers: ORGANIZER,
  images: IMAGE,
  prices: PRICE,
  occurrencePrices: PRICE,
  repetitions: REPETITION,
} as const satisfies Wanted;

/** The fields that a mirror asks of each kind of entry, in braces. */
export interface Form {
  readonly event: string;
  readonly venue: string;
  readonly organizer: string;
  readonly category: string;
}

/** Calendars of this program have every field. */
export const OWN_FORM: Form = {
  event: selectionOf(EVENT),
  venue: selectionOf(VENUE),
  organizer: selectionOf(ORGANIZER),
  category: selectionOf(CATEGORY),
};

/** Any other one has at least those of the interface. */
export const BASE_FORM: Form = baseForm();

function selectionOf(wanted: Wanted): string {
  const parts = Object.entries(wanted).map(([name, inner]) =>
    typeof inner === 'string' ? name : `${name} ${selectionOf(inner)}`,
  );
  return `{ ${parts.join(' ')} }`;
}

function baseForm(): Form {
  const venue = '{ id name slug address location { latitude longitude } }';
  const organizer = '{ id name slug website }';
  const prices = 'prices { type price name_nb name_en }';
  const images = 'images { urlSmall urlLarge alt focusX focusY width height }';
  const event = `{ id event_slug eventLink title_nb title_en startDate endDate startTime duration categories tags mode
    venue ${venue} organizers ${organizer} ${images} ${prices}
    repetitions { startDate endDate startTime venue { name } ${prices} }
    ticketsInformation ticketsURL eventCancelled eventSoldOut minimumAge maximumAge cancellationPeriod views
    publishingDate ticketsFromDate created_at updated_at }`;
  const category = '{ id name_nb name_en slug_nb slug_en visible }';
  return { event: event.replace(/\s+/g, ' '), venue, organizer, category };
}

/** Of each day of an event, in the base form: with days as entries, a later date shows what its repetition lacks. */
export const BASE_DAY = `{ id startDate duration ticketsURL eventCancelled eventSoldOut venue ${BASE_FORM.venue} }`;
