/** What a build has validated: licence, directories and events. */
import type {
  Category,
  EventFields,
  EventSource,
  Licence,
  Occurrence,
  Organizer,
  Venue,
} from '../src/calendar/model.ts';
import type { EventStatus } from '../src/calendar/status.ts';
import type { Origin } from './findings.ts';
import type { Series } from './recurrence/series.ts';
import type { MergedId, SlugKind } from './slugs/records.ts';

/** A validated venue (F8 included); `slug` is its own, or null. */
export interface VenueRecord extends Omit<Venue, 'slug'> {
  readonly origin: Origin;
  readonly slug: string | null;
}

/** Both are null if it is not known. */
export type Municipality = Pick<VenueRecord, 'municipality' | 'municipalityNumber'>;

/** The municipality of a date without a place, and of a place whose municipality is not known. */
export const NO_MUNICIPALITY: Municipality = { municipality: null, municipalityNumber: null };

export function isInMunicipality({ municipality, municipalityNumber }: Municipality): boolean {
  return municipality !== null || municipalityNumber !== null;
}

/** A validated organizer; `slug` is its own, or null. */
export interface OrganizerRecord extends Omit<Organizer, 'slug'> {
  readonly origin: Origin;
  readonly slug: string | null;
}

/** Ids of places and organizers that are in no directory: neither in the folder's, nor in that of a mirrored calendar. */
export type NamedByEvents = Readonly<Record<'venues' | 'organizers', ReadonlySet<string>>>;

/** F6: templates of the addresses of event pages. */
export interface PlacedPages {
  /** Null for the page at `siteUrl`. */
  readonly fallback: string | null;
  readonly towns: readonly TownPages[];
}

/** F6: the pages of events that take place in one municipality. */
interface TownPages {
  readonly municipality: Municipality;
  readonly template: string;
}

/** The result of validation. Everything is in source order; slugs are not made yet. */
export interface Records {
  /** `specialEvent` as in the licence: see `EventReferences`. */
  readonly licence: Licence;
  /** The complete taxonomy: children after their parent, slugs filled in. */
  readonly categories: readonly Category[];
  /** Ids that the licence lists as retired, for the ledger (G4). */
  readonly retired: readonly string[];
  /** E2: the feeds about which `sources.json` has details. */
  readonly sources: readonly EventSource[];
  /** F6: the pages of events on other sites than `siteUrl`; none by default. */
  readonly eventPages?: PlacedPages | undefined;
  /** G9: whether likely duplicates are merged; otherwise they are reported. */
  readonly mergesDuplicates?: boolean;
  readonly venues: readonly VenueRecord[];
  readonly organizers: readonly OrganizerRecord[];
  /** A9: places and organizers that only events name. */
  readonly namedByEvents: NamedByEvents;
  /** Can be read only once. `super_event` is as in the record: see `EventReferences`. */
  readonly events: () => AsyncIterable<EventRecord>;
  /** Throws until `events` has ended. */
  readonly finish: () => EventsEnd;
  /** F15: reports a record that a limited sheet hides, while `others` of the same event stay. */
  readonly reportPartlyHidden?: (record: EventRecord, others: readonly string[]) => void;
}

/** Values that are known only after all events are read. */
export interface EventsEnd {
  readonly references: EventReferences;
  /** G9, F11: ids that were merged into others. See `slugs/ledger.ts`. */
  readonly merged: readonly MergedRecord[];
  /** F13: municipalities that the editor corrects, by the ids of venues. */
  readonly municipalities: ReadonlyMap<string, Municipality>;
  /** F13: ids of events that the editor hides. */
  readonly hidden: ReadonlySet<string>;
  /** F17: ids of events that are not approved, and that no other source has. */
  readonly unapproved: ReadonlySet<string>;
}

/** The id of a record that was merged into another. */
export interface MergedRecord extends MergedId {
  readonly kind: SlugKind;
}

/** References from and to events. */
export interface EventReferences {
  /** The container to write for an event; null if it names none, itself, or an unknown one. */
  readonly superEvent: (event: Pick<EventRecord, 'id' | 'super_event'>) => string | null;
  /** The licence's special event; null if it names none, or an unknown one. */
  readonly specialEvent: string | null;
}

/** A validated event: references (except those to events) checked, times and rules parsed, taxonomy migrated, rules not yet expanded. */
export interface EventRecord extends Omit<EventFields, 'event_slug' | 'eventLink'> {
  readonly origin: Origin;
  /** The id of its feed; null for the source folder's own. */
  readonly feed: string | null;
  /** As in `RawEntry`; none if undefined. */
  readonly rooms?: Readonly<Record<string, string>> | undefined;
  /** As in `RawEntry`. */
  readonly statedPlaces?: readonly Municipality[] | undefined;
  /** The record's own slug, or null (F6 makes one). */
  readonly slug: string | null;
  readonly eventLink: string | null;
  /** The event's own venue and ticket URL: a container without dates is shown with them. */
  readonly venue: string | null;
  readonly ticketsURL: string | null;
  readonly status: EventStatus;
  readonly eventSoldOut: boolean;
  readonly dates: readonly DateRecord[];
  readonly series: readonly Series[];
  /** F13: its duplicates are hidden too. */
  readonly isHidden?: true;
  /** F15: rows of limited sheets that hide it: its duplicates too, if all of them lie within the limit. */
  readonly hiddenBy?: readonly LimitedHiding[];
  /** F15: the numbers of the limits of correction sheets that it lies within. */
  readonly withinLimits?: readonly number[];
  /** F13: dates of its duplicates that begin then are hidden, too. */
  readonly hiddenDates?: readonly Pick<DateRecord, 'start' | 'allDay'>[];
  /** F15: the venues of its dates in the source, of a record that corrections have changed. */
  readonly sourceVenues?: readonly (string | null)[];
  /** F13: the last correction of each field that the editor has set or emptied for the whole event. */
  readonly edits?: readonly Edit[];
}

/** A9: whether its publishing date has passed at `now`; without a date it is always public. */
export function isPublicAt({ publishingDate }: Pick<EventRecord, 'publishingDate'>, now: number): boolean {
  return publishingDate === null || publishingDate <= now;
}

/** The numbers of a correction and of its limit. */
interface LimitedHiding {
  readonly number: number;
  readonly limit: number;
}

/** F13: a field, and the last correction of it. */
export interface Edit {
  readonly field: string;
  /** The number of the correction. A later one takes precedence, also one of a duplicate. */
  readonly number: number;
  /** Whether the field stays empty: duplicates do not fill it. */
  readonly isEmptied: boolean;
  /** F15: the number of the correction's limit; null for none. Duplicates fill the field unless all of them lie within the limit. */
  readonly limit: number | null;
}

/** A listed date with the event's values filled in (F5), in the source's order. */
export type DateRecord = Occurrence;
