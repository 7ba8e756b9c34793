/** Events and their dates as lists show them, in the reader's language. `values.ts` reads them from a snapshot. */
import type { Accessibility } from '../../calendar/accessibility.ts';
import type { EventSource, Organizer, Venue } from '../../calendar/model.ts';
import type { EventStatus } from '../../calendar/status.ts';
import type { Language } from '../page/reader.ts';

/** An event, with texts in the reader's language, or in the other one if that is missing. */
export interface ListedEvent {
  readonly id: string;
  /** Its id, if the event has no title. */
  readonly title: LocalText;
  /** HTML that formats text and nothing else (G8). */
  readonly description: LocalText | null;
  /** E2: plain text for cards and previews. */
  readonly summary: LocalText | null;
  readonly link: string;
  readonly slug: string;
  readonly categories: readonly ListedCategory[];
  /** The names of its categories. */
  readonly labels: readonly string[];
  readonly organizers: readonly Organizer[];
  /** The cover; null without pictures. */
  readonly image: ListedImage | null;
  readonly isOnline: boolean;
  readonly streamingURL: string | null;
  readonly moreInfoURL: string | null;
  readonly isFree: boolean;
  readonly prices: readonly ListedPrice[];
  /** E2: null for an event of the calendar itself. */
  readonly source: EventSource | null;
  /** Id of its container. */
  readonly superEvent: string | null;
  /** The plain fields that JSON-LD and tables have, by their names or those of their pairs. */
  readonly plain: Readonly<Record<string, unknown>>;
  /** Instants. */
  readonly published: number | null;
  readonly created: number | null;
  readonly updated: number | null;
  /** When the shown date became the next one: an instant; null if it always was. */
  readonly nextSince: number | null;
}

export interface ListedOccurrence {
  /** A16: constant while the date exists. */
  readonly id: string;
  /** I12: null where the event's page is on another site. */
  readonly link: string | null;
  /** A16: its place among the dates of this start. */
  readonly nth: number;
  /** I12: what names it in the address of its event's page. */
  readonly date: string;
  /** Instants; equal if there is no end. */
  readonly start: number;
  readonly end: number;
  /** I9: the number of its changes. */
  readonly sequence: number;
  /** A15: from 00:00 on its first day to 00:00 on the day after its last. */
  readonly isAllDay: boolean;
  /** As the interface writes it (A13). */
  readonly startText: string;
  readonly endText: string;
  /** `HH:mm`, as entered. */
  readonly startTime: string;
  readonly venue: Venue | null;
  /** E6: features of the event and of the venue. */
  readonly accessibility: readonly Accessibility[];
  readonly isCancelled: boolean;
  readonly status: EventStatus;
  /** E12: an instant, and as the interface writes it. */
  readonly previousStart: number | null;
  readonly previousStartText: string | null;
  readonly isSoldOut: boolean;
  readonly ticketsURL: string | null;
  /** Null: the event's prices apply. */
  readonly prices: readonly ListedPrice[] | null;
}

export interface ListedCategory {
  readonly id: string;
  readonly label: string;
}

/** Addresses of one picture; `small` is narrower, if there are two. */
export interface ListedImage {
  readonly large: string;
  readonly small: string;
  readonly alt: string | null;
  readonly credits: string | null;
}

export interface ListedPrice {
  /** Ticket type id. */
  readonly type: string;
  readonly name: string | null;
  /** Whole kroner; null if the organizer's text is not a number. */
  readonly price: number | null;
}

export interface LocalText {
  readonly text: string;
  readonly language: Language;
}

/** I4: wherever there is a stream, too. */
export const isOnline = (event: ListedEvent): boolean => event.isOnline || event.streamingURL !== null;

/** A date's own prices replace those of its event. */
export const pricesOf = (event: ListedEvent, occurrence: ListedOccurrence): readonly ListedPrice[] =>
  occurrence.prices ?? event.prices;

/** Whether visitors can attend it. */
export const takesPlace = ({ isCancelled }: ListedOccurrence): boolean => !isCancelled;

/** I12: where visitors can buy tickets; null for a date that does not take place or is sold out. */
export const shopOf = (occurrence: ListedOccurrence): string | null =>
  takesPlace(occurrence) && !occurrence.isSoldOut ? occurrence.ticketsURL : null;

/** I12: the address of a date; that of its event if the event's page is on another site. */
export const linkOf = (event: ListedEvent, occurrence: ListedOccurrence): string =>
  occurrence.link ?? event.link;
