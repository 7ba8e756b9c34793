/** The finished calendar, as a build writes it. */
import type { Category, EventFields, EventSource, Licence, Organizer, Venue } from '../src/calendar/model.ts';
import type { Columns } from '../src/snapshot/columns.ts';
import type { OccurrenceTexts } from '../src/snapshot/fragments.ts';
import type { LexiconColumns } from '../src/snapshot/lexicon.ts';
import type { NamedByEvents } from './records.ts';
import type { SlugLedger } from './slugs/records.ts';

/** All lists are in their final order; ordinals and rows are indexes into them. */
export interface Calendar {
  /** `specialEvent` is null if there is no such event. */
  readonly licence: Licence;
  readonly venues: readonly Venue[];
  readonly organizers: readonly Organizer[];
  readonly namedByEvents: NamedByEvents;
  readonly sources: readonly EventSource[];
  readonly categories: readonly Category[];
  /** `YYYY-MM-DD` in Norway: the last day on which an occurrence of a rule may start (A11). */
  readonly horizonDay: string;
  /** By id in code point order; only events with an occurrence that is not over at the build. */
  readonly events: readonly CalendarEvent[];
  /** One entry a row, in serving order: start, event ordinal, then A2's order. */
  readonly occurrences: Occurrences;
  /** An event's texts by its ordinal. They are on disk: each call reads them again. */
  readonly read: (ordinal: number) => EventTexts;
  /** A17: further slugs that the next build has to know. */
  readonly slugs: SlugLedger;
  readonly searchIndex: LexiconColumns;
  /** Frees the disk space; `read` fails from then on. */
  readonly close: () => void;
}

/** The data of columns, facets and search. The rest of the event is in its texts. */
export interface CalendarEvent {
  readonly id: string;
  readonly slug: string;
  readonly publishingDate: number | null;
  /** Bits of EVENT_FLAGS. */
  readonly flags: number;
  readonly superEvent: string | null;
  /** Ordinals in the record's order. */
  readonly organizers: readonly number[];
  /** C2: ordinals of its categories in the record's order, then the missing parents of its subcategories. */
  readonly categories: readonly number[];
  /** How many of them the record has itself. */
  readonly ownCategories: number;
  readonly tags: readonly string[];
  /** Its own features, one bit each (E6). */
  readonly accessibility: number;
  /** I9: when the last of its dates before its first one here was over; null if none was. */
  readonly nextSince: number | null;
  /** E2: index into the calendar's sources, -1 for none. */
  readonly source: number;
  /** Values of the columns of filters, in their order. */
  readonly filterValues: readonly number[];
}

interface Link {
  readonly slug: string;
  readonly link: string;
}

/** The texts of an event's row. The columns `ticketsURL`, `prices` and `olderTexts` index its lists. */
export interface EventTexts extends OccurrenceTexts {
  readonly fields: Omit<
    EventFields,
    'event_slug' | 'eventLink' | 'super_event' | 'isFeaturedInSpecialEvent' | 'organizers'
  >;
  readonly link: Link;
}

/** E12: of each row the start before it was moved; not a number if it was not, or if that is not known. */
interface StartsBefore {
  readonly previousStart: Float64Array<ArrayBuffer>;
}

/** Columns that are not derived from others. */
export type Occurrences = StartsBefore &
  Pick<
    Columns,
    | 'start'
    | 'end'
    | 'over'
    | 'event'
    | 'venue'
    | 'startTime'
    | 'duration'
    | 'occurrenceFlags'
    | 'nth'
    | 'ticketsURL'
    | 'prices'
    | 'olderTexts'
  >;
