/** The interface's types, field by field, as a mirror asks for them. Endpoints may lack those that the interface does not show. */

/** How a value is read; see `read.ts`. */
export type Kind = 'text' | 'texts' | 'integer' | 'number' | 'flag' | 'moment' | 'time';

/** A field with fields of its own is an object, or a list of them. */
export interface Wanted {
  readonly [field: string]: Kind | Wanted;
}

const LOCATION = { latitude: 'number', longitude: 'number' } as const satisfies Wanted;

export const VENUE = {
  id: 'text',
  name: 'text',
  slug: 'text',
  address: 'text',
  postalCode: 'text',
  municipality: 'text',
  location: LOCATION,
} as const satisfies Wanted;

export const ORGANIZER = {
  id: 'text',
  name: 'text',
  slug: 'text',
  website: 'text',
} as const satisfies Wanted;

const SUBCATEGORY = {
  id: 'text',
  name_nb: 'text',
  name_en: 'text',
  slug_nb: 'text',
  slug_en: 'text',
  visible: 'flag',
} as const satisfies Wanted;

export const CATEGORY = { ...SUBCATEGORY, subcategories: SUBCATEGORY } as const satisfies Wanted;

export const IMAGE = {
  urlSmall: 'text',
  urlLarge: 'text',
  alt: 'text',
  caption: 'text',
  credits: 'text',
  focusX: 'number',
  focusY: 'number',
  width: 'integer',
  height: 'integer',
} as const satisfies Wanted;

export const PRICE = {
  type: 'text',
  price: 'integer',
  name_nb: 'text',
  name_en: 'text',
} as const satisfies Wanted;

/** What a repetition may tell of its own, and an event's own fields tell of the occurrence that is shown. */
const OCCURRENCE = {
  startDate: 'moment',
  endDate: 'moment',
  startTime: 'time',
  duration: 'integer',
  ticketsURL: 'text',
  eventCancelled: 'flag',
  eventSoldOut: 'flag',
  venue: VENUE,
} as const satisfies Wanted;

export const REPETITION = { ...OCCURRENCE, prices: PRICE } as const satisfies Wanted;

/** Fields of an event that a native record has under the same name. */
export const PLAIN = {
  eventLink: 'text',
  title_nb: 'text',
  title_en: 'text',
  desc_nb: 'text',
  desc_en: 'text',
  tags: 'texts',
  mode: 'text',
  ticketsInformation: 'text',
  minimumAge: 'integer',
  maximumAge: 'integer',
  cancellationPeriod: 'integer',
  views: 'integer',
  publishingDate: 'moment',
  ticketsFromDate: 'moment',
  created_at: 'moment',
  updated_at: 'moment',
  registrationEnabled: 'flag',
  availableTickets: 'integer',
  activeTickets: 'integer',
  maxBookingDate: 'text',
  maxBookingTime: 'text',
  paymentMethod: 'text',
  isSuperEvent: 'flag',
  isFeaturedEvent: 'flag',
  moreInfoURL: 'text',
  streamingURL: 'text',
  facebookURL: 'text',
  venueNote: 'text',
  ageRestriction: 'text',
} as const satisfies Readonly<Record<string, Kind>>;

export const EVENT = {
  ...PLAIN,
  ...OCCURRENCE,
  id: 'text',
  event_slug: 'text',
  categories: 'texts',
  organizers: ORGANIZER,
  images: IMAGE,
  prices: PRICE,
  repetitions: REPETITION,
  super_event: 'text',
} as const satisfies Wanted;

/** What each day of an event has of its own, asked for with days as entries. */
export const DAY_OF_EVENT = {
  id: 'text',
  startDate: 'moment',
  ticketsURL: 'text',
  eventCancelled: 'flag',
  eventSoldOut: 'flag',
  venue: VENUE,
} as const satisfies Wanted;

export const ONLY_ID = { id: 'text' } as const satisfies Wanted;
