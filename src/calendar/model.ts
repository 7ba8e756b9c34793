/**
 * The calendar's data model: what a build passes to the snapshot, and what the server reads back. Field names are the interface's
 * wherever it has one. Moments are instants in whole seconds.
 */
import type { EVENT, ORGANIZER, Values, VENUE } from './fields.ts';

type Mode = 'online' | 'offline';
export const MODES: readonly Mode[] = ['online', 'offline'];

type TicketsInformation = 'free' | 'noTicketsInfo' | 'ticketsInfo';
export const TICKETS_INFORMATION: readonly TicketsInformation[] = ['free', 'noTicketsInfo', 'ticketsInfo'];

export interface Licence {
  readonly id: string;
  readonly name: string;
  readonly siteUrl: string;
  readonly portalUrl: string | null;
  /** Id of the special event; null if the licence has none (B11, special event). */
  readonly specialEvent: string | null;
  readonly registration: boolean;
  /** The licence of the data. */
  readonly dataLicence: DataLicence | null;
  /** The credit line that users of the data must show. */
  readonly attribution: string | null;
  readonly contact: Contact | null;
}

export interface DataLicence {
  readonly name: string;
  readonly url: string | null;
}

/** The contact for questions about the calendar. */
export interface Contact {
  readonly name: string | null;
  readonly email: string | null;
  readonly url: string | null;
}

/** One entry of the taxonomy. Top-level categories and subcategories stand in one list, children after their parent. */
export interface Category {
  readonly id: string;
  readonly name_nb: string;
  readonly name_en: string;
  readonly slug_nb: string;
  readonly slug_en: string;
  readonly visible: boolean;
  /** Index of the parent in the same list; -1 for a top-level category. */
  readonly parent: number;
}

export interface Venue extends Values<typeof VENUE> {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  /** Four digits of the national register (B6, tags and municipalities); not part of the answer. */
  readonly municipalityNumber: string | null;
  readonly location: Location | null;
}

export interface Location {
  readonly latitude: number;
  readonly longitude: number;
}

export interface Organizer extends Values<typeof ORGANIZER> {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
}

export interface Image {
  readonly urlSmall: string | null;
  readonly urlLarge: string | null;
  readonly alt: string | null;
  readonly caption: string | null;
  readonly credits: string | null;
  readonly focusX: number | null;
  readonly focusY: number | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly older?: OlderImageFields | undefined;
}

export interface Price {
  readonly type: string;
  /** Whole kroner; null if the organizer's text is not a number (F7, prices). */
  readonly price: number | null;
  readonly name_nb: string | null;
  readonly name_en: string | null;
}

/**
 * Fields that the interface no longer describes but older clients still select (E5, fields of older clients): a record may have them, under
 * these names. The object is missing if a record has none of them, which is nearly always.
 */

export const OLDER_IMAGE_FIELDS = ['urlOriginal', 'originalSize', 'largeSize', 'smallSize'] as const;
type OlderImageFields = { readonly [Field in (typeof OLDER_IMAGE_FIELDS)[number]]: string | null };

/** The last two are fields of `contact_custom`. */
export const OLDER_EVENT_FIELDS = [
  'type',
  'author_id',
  'editableBy',
  'contact_from',
  'videosURL',
  'email',
  'phone',
] as const;
export type OlderEventFields = { readonly [Field in (typeof OLDER_EVENT_FIELDS)[number]]: string | null };

/** Fields of a single date; not inherited from the event. */
export const OLDER_DATE_FIELDS = ['mode', 'streamingURL'] as const;
export type OlderDateFields = { readonly [Field in (typeof OLDER_DATE_FIELDS)[number]]: string | null };

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

/** One dated happening of an event, with the values that its node shows (F5, what dates inherit: its own, else the event's). */
export interface Occurrence {
  readonly start: number;
  /** Equal to `start` if published without an end. */
  readonly end: number;
  /** Elapsed minutes; null if published without an end. */
  readonly duration: number | null;
  /** `HH:mm` as entered; a clock change may have skipped it (A12, clock changes). */
  readonly startTime: string;
  /** A15, all-day: given by dates alone; from midnight to midnight. */
  readonly allDay: boolean;
  /** Venue id. */
  readonly venue: string | null;
  readonly ticketsURL: string | null;
  readonly eventCancelled: boolean;
  readonly eventSoldOut: boolean;
  /** Null: the event's prices apply. */
  readonly prices: readonly Price[] | null;
  readonly older?: OlderDateFields | undefined;
}

/**
 * K2, planned changes: a change that is announced to callers, and the day on which it takes effect. All texts are plain; `text` may have
 * several lines.
 */
export interface Notice {
  /** Constant for its whole life, so that no recipient gets it twice. */
  readonly id: string;
  /** `YYYY-MM-DD` in Norway. */
  readonly from: string;
  readonly title_nb: string;
  readonly title_en: string;
  readonly text_nb: string;
  readonly text_en: string;
  /** Ids of categories that will retire. */
  readonly categories: readonly RetiringCategory[];
}

export interface RetiringCategory {
  readonly id: string;
  /** Ids that replace it; empty if the notice names none. */
  readonly replacements: readonly string[];
}

/** No reader needs more. */
export const MOST_NOTICES = 200;
export const LONGEST_NOTICE_TITLE = 200;
export const LONGEST_NOTICE_TEXT = 5_000;

export const NOTICE_ID = /^[\w.-]{1,60}$/;
