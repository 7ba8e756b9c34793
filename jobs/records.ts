/** What passes between the steps of a build: raw entries of a source, validated records, the finished calendar. */

import type {
  Category,
  EventFields,
  Image,
  Licence,
  Mode,
  Occurrence,
  Organizer,
  Price,
  TicketsInformation,
  Venue,
} from '../src/calendar/model.ts';
import type { Notice } from '../src/calendar/notices.ts';
import type { Columns } from '../src/snapshot/columns.ts';
import type { OccurrenceTexts } from '../src/snapshot/fragments.ts';
import type { Lists } from '../src/snapshot/meta.ts';
import type { Series } from './recurrence/set.ts';

/** Where an entry stands in its source, for the report (G2). */
export interface Origin {
  readonly file: string;
  /** 1-based, for files of one record a line. */
  readonly line?: number;
  /** 0-based, for files that are an array. */
  readonly index?: number;
}

export interface RawEntry {
  readonly origin: Origin;
  readonly value: unknown;
  /** Of an event of a feed: its recurrence set, as the feed's records keep it. */
  readonly series?: unknown;
  /** What the file is instead of UTF-8, where that is certain and it was read as such; with the first such entry of a file. */
  readonly charset?: string;
  /** G2: why the entry could not be read at all, such as a line that is not JSON. `value` says nothing then. */
  readonly problem?: { readonly expected: string; readonly found: string };
}

/** One source of records, whatever its kind. Each list can be read once, in order. */
export interface Source {
  readonly licence: () => Promise<RawEntry>;
  readonly venues: () => AsyncIterable<RawEntry>;
  readonly organizers: () => AsyncIterable<RawEntry>;
  readonly events: () => AsyncIterable<RawEntry>;
  /** F8: lines of the register, each an array of its columns. */
  readonly postalCodes: () => AsyncIterable<RawEntry>;
  /** K2: the planned changes. */
  readonly notices: () => AsyncIterable<RawEntry>;
  /** F12; null where there is no such file. */
  readonly duplicates: () => Promise<RawEntry | null>;
  /** F11: venues of feeds that are one with another; complete when `venues` has ended. */
  readonly merged?: () => Iterable<MergedId & { readonly kind: SlugKind }>;
  /** Bytes of all lists, for a progress bar. */
  readonly bytes: number;
  /** SHA-256 (hex) of all bytes of the source, each file under its name, in the order of the names (G5, G7). */
  readonly hash: () => Promise<string>;
}

/** A venue as validated (F8 included); `slug` is its own, else null. */
export interface VenueRecord extends Omit<Venue, 'slug'> {
  readonly origin: Origin;
  readonly slug: string | null;
}

/** An organizer as validated; `slug` is its own, else null. */
export interface OrganizerRecord extends Omit<Organizer, 'slug'> {
  readonly origin: Origin;
  readonly slug: string | null;
}

/** What validation hands on. Everything is in source order; slugs are not made yet. */
export interface Records {
  /** `specialEvent` as the licence says: see `references`. */
  readonly licence: Licence;
  /** The taxonomy, finished: children behind their parent, slugs filled in. */
  readonly categories: readonly Category[];
  /** Ids that the licence lists as retired, for the ledger (G4). */
  readonly retired: readonly string[];
  /** G9: whether events that are likely the same are made one; otherwise they are reported. */
  readonly mergesDuplicates?: boolean;
  /** K2. */
  readonly notices: readonly Notice[];
  readonly venues: readonly VenueRecord[];
  readonly organizers: readonly OrganizerRecord[];
  /** Can be read once. `super_event` is as the record says: see `references`. */
  readonly events: () => AsyncIterable<EventRecord>;
  /** To be called once, when `events` has ended: only then is it known which events there are. Reports the unknown ones. */
  readonly references: () => EventReferences;
  /** G9, F11: ids that are one with another; complete when `events` has ended. See `slug-ledger.ts`. */
  readonly merged?: () => Iterable<MergedId & { readonly kind: SlugKind }>;
}

/** References from and to events, which can be checked only when all of them have been read. */
export interface EventReferences {
  /** The container to write for an event; null when it names none, itself, or one that does not exist. */
  readonly superEvent: (event: Pick<EventRecord, 'id' | 'super_event'>) => string | null;
  /** The licence's special event; null when there is none, or none by that id. */
  readonly specialEvent: string | null;
}

/** An event as validated: defaults filled in, references (but for those to events) checked, times parsed, taxonomy migrated, rules not yet expanded. */
export interface EventRecord
  extends Omit<EventFields, 'event_slug' | 'eventLink' | 'isFeaturedInSpecialEvent'> {
  readonly origin: Origin;
  /** The record's own slug, else null (F6 makes one). */
  readonly slug: string | null;
  readonly eventLink: string | null;
  readonly isFeaturedInSpecialEvent: boolean;
  readonly images: readonly Image[];
  readonly prices: readonly Price[];
  readonly mode: Mode;
  readonly ticketsInformation: TicketsInformation;
  /** The event's own venue and ticket URL: a container without dates is shown with them. */
  readonly venue: string | null;
  readonly ticketsURL: string | null;
  readonly eventCancelled: boolean;
  readonly eventSoldOut: boolean;
  readonly dates: readonly DateRecord[];
  readonly repeats: readonly RepeatRecord[];
  /** What a feed says recurs; events of the source's own have none. */
  readonly series?: SeriesRecord;
}

/** A listed date with the event's values filled in (F5), in the source's order. */
export type DateRecord = Occurrence;

/** What dates and repeats may have instead of the event's (F5). */
export type OwnValues = Pick<
  Occurrence,
  'venue' | 'ticketsURL' | 'eventCancelled' | 'eventSoldOut' | 'prices' | 'older'
>;

/** A recurrence set that is not yet expanded, with the values of its dates from the beginning and after each of its changes. */
export interface SeriesRecord {
  readonly series: Series;
  readonly own: readonly OwnValues[];
}

/** A rule that is not yet expanded. The own values apply to every occurrence it gives. */
export interface RepeatRecord extends Omit<Occurrence, 'start' | 'end' | 'startTime'> {
  /** Place in the record for the report, such as `repeats[0]`. */
  readonly field: string;
  /** RFC 5545 RRULE value, not yet known to be a good one. */
  readonly rule: string;
  /** Wall clock reading of the first start. */
  readonly startWall: number;
  /** From `end`: every occurrence ends that many wall-clock seconds after its start. Null without `end`. */
  readonly wallSpan: number | null;
  /** From `duration`, elapsed minutes, when there is no `end`; null without either. */
  readonly duration: number | null;
  /** `HH:mm` when the repeat has its own, else null: the start's wall clock. */
  readonly startTime: string | null;
  /** Wall clock readings of starts to leave out. */
  readonly except: readonly number[];
}

/**
 * What can be done to an entry, the gravest first. `dropped` is missing from the calendar; of what is `mild`, reports hold only half
 * as many findings.
 */
export const GRAVITY = {
  'dropped record': 'dropped',
  // A rule that cannot be read: all the dates that it would have given.
  'dropped series': 'dropped',
  'dropped date': 'dropped',
  'dropped reference': 'dropped',
  // K2: an id is gone, and no notice announced it.
  'retired unannounced': 'grave',
  'cut rule': 'grave',
  // One value of a record that is kept.
  'dropped value': 'mild',
  'changed value': 'mild',
  // A word that should name a category and names none.
  'kept as tag': 'mild',
  'no category': 'mild',
  // G9: several records that are one event, or may be.
  merged: 'mild',
  'likely same': 'mild',
  // G8: something that is not safe to show was taken out of a value.
  'made safe': 'mild',
  'migrated category': 'mild',
  // Entries that their owner calls private, and those that a later version replaces.
  'left out': 'mild',
} as const satisfies Readonly<Record<string, 'dropped' | 'grave' | 'mild'>>;

export type Action = keyof typeof GRAVITY;

export const ACTIONS = Object.keys(GRAVITY) as readonly Action[];

/** G2: what was done to an entry and why. */
export interface Finding {
  readonly action: Action;
  readonly origin: Origin;
  readonly id: string | null;
  /** Path within the entry, such as `dates[2].start`; null for the entry as a whole. */
  readonly field: string | null;
  readonly expected: string;
  readonly found: string;
  /** A further reason for what a finding before it tells of, which is counted once. */
  readonly isFurther?: true;
  /** ISO 8601: when a build first dropped it, of what is dropped. */
  readonly since?: string;
}

/** What is wrong with a value. */
export type Flaw = Pick<Finding, 'field' | 'expected' | 'found'>;

/** G2: an event that is left out because of its dates is named once, with what is wrong with the first of them. */
export function withCause<Found extends Flaw>(finding: Found, [cause, ...more]: readonly Flaw[]): Found {
  if (cause === undefined) return finding;
  const { field, expected, found } = cause;
  const others = more.length === 0 ? '' : `; ${more.length} more of its dates are no better`;
  return { ...finding, field, expected, found: `${found}${others}` };
}

/** How much of a value a finding shows, in UTF-16 units. */
const SHOWN = 80;

/** A value as short JSON for a finding's `found`; `nothing` when there is none. */
export function excerpt(value: unknown): string {
  const json = JSON.stringify(value);
  if (json === undefined) return 'nothing';
  return shorten(json);
}

/** Text as it is when short, else its beginning: what a report keeps is bounded, however long a source's ids and names are. */
export function shorten(text: string): string {
  if (text.length <= SHOWN) return text;
  const beginning = text.slice(0, SHOWN - 1).replace(/[\ud800-\udbff]$/, '');
  // Through bytes, so that the short text does not keep the long one in memory.
  return `${Buffer.from(beginning).toString()}…`;
}

/** Collects findings while a build runs; `addFinding` never throws. */
export interface Reporter {
  readonly addFinding: (finding: Finding) => void;
  /** Unknown fields are ignored and counted by `list.field` name, such as `events.colour`. */
  readonly ignored: (name: string) => void;
  /** An event that was kept is dropped after all, is over, or has become one with another. */
  readonly event: (fate: 'dropped' | 'over' | 'merged') => void;
}

/** The finished calendar: what is written. All lists are in their final order; ordinals and rows are places in them. */
export interface Calendar {
  /** `specialEvent` is null when there is no such event. */
  readonly licence: Licence;
  readonly venues: readonly Venue[];
  readonly organizers: readonly Organizer[];
  readonly categories: readonly Category[];
  /** `YYYY-MM-DD` in Norway: the last day on which an occurrence of a rule may start (A11). */
  readonly horizonDay: string;
  /** By id in code point order; only events with an occurrence that is not over at the build. */
  readonly events: readonly CalendarEvent[];
  /** One entry a row, in serving order: start, event ordinal, then A2's order. */
  readonly occurrences: Occurrences;
  /** An event's texts by its ordinal. They wait on disk: each call reads and parses them anew. */
  readonly read: (ordinal: number) => EventTexts;
  /** A17: what the next build has to know of slugs beside those that stand above. */
  readonly slugs: SlugLedger;
  /** Gives the disk space back; `read` fails from then on. */
  readonly close: () => void;
}

/** What columns, facets and search are made of. The rest of the event is in its texts. */
export interface CalendarEvent {
  readonly id: string;
  readonly slug: string;
  readonly publishingDate: number | null;
  /** Bits of EVENT_FLAGS. */
  readonly flags: number;
  /** Id of the container whose programme it belongs to. */
  readonly superEvent: string | null;
  /** Ordinals in the record's order. */
  readonly organizers: readonly number[];
  /** C2: ordinals of the categories it carries in the record's order, then the missing parents of its subcategories. */
  readonly categories: readonly number[];
  /** As written. */
  readonly tags: readonly string[];
  /** Its own, as a bit each (E6). */
  readonly accessibility: number;
}

/** Finished but for the rendering; the lists are what the columns `ticketsURL` and `prices` point into. */
export interface EventTexts extends OccurrenceTexts {
  readonly fields: EventFields;
}

/** Those columns that are not worked out from others. */
export type Occurrences = Pick<
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

/** All that columnsOf works out of a calendar. The counts are made as they are read: there may be a million of them. */
export interface ColumnSet {
  readonly columns: Columns;
  readonly lists: Lists;
  /** By kind (total, venue, organizer, category), then ordinal, then time. */
  readonly facetCounts: Iterable<FacetCount>;
}

/** How many nodes the unfiltered `events` has, or has with an entity, in a stretch of time. Stretches without any are left out. */
export interface FacetCount {
  readonly kind: 'total' | 'venue' | 'organizer' | 'category';
  /** Empty for the total. */
  readonly id: string;
  readonly since: number;
  /** Exclusive. */
  readonly until: number;
  readonly hits: number;
}

/** What has slugs of its own. Each kind has a table of that name in a snapshot. */
export const SLUG_KINDS = ['event', 'venue', 'organizer'] as const;
export type SlugKind = (typeof SLUG_KINDS)[number];

/** A17: a slug of a snapshot, with the id that it belongs to. */
export interface OwnedSlug {
  readonly slug: string;
  readonly id: string;
  /** Whether the id is shown with it; an earlier one only finds the id. */
  readonly isCurrent: boolean;
  /** The slug that the record asked for, where it is not this one. */
  readonly given: string | null;
  /** When the last snapshot that held the id was built (instant); null for an id that is in this one. */
  readonly held: number | null;
}

/** G9: an id that finds another one. */
export interface MergedId {
  readonly id: string;
  readonly survivor: string;
}

/** In the order of the slugs and of the ids, by code point. */
export interface KindLedger {
  readonly owned: readonly OwnedSlug[];
  readonly merged: readonly MergedId[];
}

export type SlugLedger = Readonly<Record<SlugKind, KindLedger>>;
