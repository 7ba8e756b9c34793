/**
 * The calendar's data model: what a build passes to the snapshot, and what the server reads back. Field names are the interface's
 * wherever it has one. Moments are instants in whole seconds. A table of fields is the shape of their JSON (`shape.ts`).
 */
import type { Values } from './field.ts';
import type { EVENT, ORGANIZER, VENUE } from './fields.ts';
import type { OlderDateFields, OlderEventFields, OlderImageFields } from './older-fields.ts';
import type { Shaped } from './shape.ts';
import type { EventStatus } from './status.ts';

/** The written standards of Norwegian: Bokmål and Nynorsk. */
export const NORWEGIAN = ['nb', 'nn'] as const;
export type Norwegian = (typeof NORWEGIAN)[number];

/** The standard that a snapshot names; Bokmål for any other text. */
export const norwegianOf = (name: string | null): Norwegian => (name === 'nn' ? 'nn' : 'nb');

export const MODES = ['online', 'offline'] as const;
type Mode = (typeof MODES)[number];

export const TICKETS_INFORMATION = ['free', 'noTicketsInfo', 'ticketsInfo'] as const;
type TicketsInformation = (typeof TICKETS_INFORMATION)[number];

export const LICENCE_FIELDS = {
  id: 'text',
  name: 'text',
  siteUrl: 'text',
  portalUrl: 'text?',
  /** I11: the page about personal data, to which each page links. */
  privacyUrl: 'text?',
  /** Id of the special event; null if the licence has none (B11). */
  specialEvent: 'text?',
  registration: 'flag',
  /** I16: the Norwegian of the calendar's pages, and of events that name none. */
  language: 'text',
  /** The licence of the data. */
  dataLicence: { name: 'text', url: 'text?' },
  /** The credit line that users of the data must show. */
  attribution: 'text?',
  /** The contact for questions about the calendar. */
  contact: { name: 'text?', email: 'text?', url: 'text?' },
} as const;

export type Licence = Shaped<typeof LICENCE_FIELDS>;

/** One entry of the taxonomy. Top-level categories and subcategories are in one list, children after their parent. */
export const CATEGORY_FIELDS = {
  id: 'text',
  name_nb: 'text',
  name_en: 'text',
  /** Null: the name in Bokmål applies. */
  name_nn: 'text?',
  slug_nb: 'text',
  slug_en: 'text',
  visible: 'flag',
  /** Index of the parent in the same list; NO_PARENT for a top-level category. */
  parent: 'integer',
} as const;

export type Category = Shaped<typeof CATEGORY_FIELDS>;

export const NO_PARENT = -1;

export function isTopLevel({ parent }: Pick<Category, 'parent'>): boolean {
  return parent === NO_PARENT;
}

/** Fields of venues and organizers that are not plain ones (see `fields.ts`). */
export const NAME_FIELDS = { id: 'text', name: 'text', slug: 'text' } as const;
export const PLACE_FIELDS = {
  /** Four digits of the national register (B6); not part of the answer. */
  municipalityNumber: 'text?',
  location: { latitude: 'number', longitude: 'number' },
} as const;

/** E2: where events were taken from, as `sources.json` says of a feed. */
export const SOURCE_FIELDS = { id: 'text', name: 'text?', url: 'text?', licence: 'text?' } as const;

export type EventSource = Shaped<typeof SOURCE_FIELDS>;

export type Organizer = Shaped<typeof NAME_FIELDS> & Values<typeof ORGANIZER>;
export type Venue = Shaped<typeof NAME_FIELDS & typeof PLACE_FIELDS> & Values<typeof VENUE>;
export type Location = NonNullable<Venue['location']>;

export const IMAGE_FIELDS = {
  urlSmall: 'text?',
  urlLarge: 'text?',
  alt: 'text?',
  caption: 'text?',
  credits: 'text?',
  focusX: 'number?',
  focusY: 'number?',
  width: 'integer?',
  height: 'integer?',
} as const;

export interface Image extends Shaped<typeof IMAGE_FIELDS> {
  readonly older?: OlderImageFields | undefined;
}

export const PRICE_FIELDS = {
  type: 'text',
  /** Whole kroner; null if the organizer's text is not a number (F7). */
  price: 'integer?',
  name_nb: 'text?',
  name_en: 'text?',
} as const;

export type Price = Shaped<typeof PRICE_FIELDS>;

/** An event's own fields, the same for all of its occurrences. It holds only ids of entities; the directories hold the rest. */
export interface EventFields extends Values<typeof EVENT> {
  readonly id: string;
  readonly event_slug: string;
  readonly eventLink: string;
  readonly title_nb: string | null;
  readonly title_en: string | null;
  readonly desc_nb: string | null;
  readonly desc_en: string | null;
  readonly categories: readonly string[];
  readonly tags: readonly string[];
  readonly mode: Mode;
  readonly organizers: readonly string[];
  readonly images: readonly Image[];
  readonly ticketsInformation: TicketsInformation;
  readonly prices: readonly Price[];
  readonly super_event: string | null;
  readonly isFeaturedInSpecialEvent: boolean;
  readonly older?: OlderEventFields | undefined;
}

/** One dated happening of an event, with the values that its node shows (its own, else the event's: F5). */
export interface Occurrence {
  /** Instant. */
  readonly start: number;
  /** Instant; equal to `start` if published without an end. */
  readonly end: number;
  /** Elapsed minutes; null if published without an end. */
  readonly duration: number | null;
  /** `HH:mm` as entered; a clock change may have skipped it (A12). */
  readonly startTime: string;
  /** A15: given by dates alone; from midnight to midnight. */
  readonly allDay: boolean;
  /** Venue id. */
  readonly venue: string | null;
  readonly ticketsURL: string | null;
  /** E12: whether the date takes place as planned. */
  readonly status: EventStatus;
  /** Instant: the start that the date had before it was moved; null if it was not, or if that is not known. */
  readonly previousStart: number | null;
  readonly eventSoldOut: boolean;
  /** Null: the event's prices apply. */
  readonly prices: readonly Price[] | null;
  readonly older?: OlderDateFields | undefined;
}

/** G12, H7: characters of a title, or of the name of something. */
export const MOST_IN_NAME = 300;
/** G12, H7: characters of a description, markup included. */
export const MOST_IN_DESCRIPTION = 20_000;
