/** The data between the steps of a build: raw entries of a source, validated records, and findings about them. */
import type { Action } from '../src/calendar/actions.ts';
import { detached, shortened } from '../src/calendar/display-text.ts';
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
import type { Series } from './recurrence/series.ts';
import type { MergedId, SlugKind } from './slug-records.ts';

/** The place of an entry in its source, for the report (G2). */
export interface Origin {
  readonly file: string;
  /** 1-based: where the entry begins. */
  readonly line?: number;
}

/** Such as `events.json:14`. */
export function originText({ file, line }: Origin): string {
  return line === undefined ? file : `${file}:${line}`;
}

export interface RawEntry {
  readonly origin: Origin;
  readonly value: unknown;
  /** The id of the feed that it comes from; undefined for the source folder's own. */
  readonly feed?: string;
  /** For an event of a feed: its series, a `FeedSeries`. */
  readonly series?: unknown;
  /** For an event of a feed: the room in each of its venues that is one with its house here (F11), by the venue's id. */
  readonly rooms?: Readonly<Record<string, string>>;
  /** F15: for an event, where it takes place by its own feed, the folder and sheets with venues. Only if a sheet is limited to municipalities. */
  readonly statedPlaces?: readonly Municipality[];
  /** A field that its JSON has twice; JSON's last one counts. */
  readonly repeated?: string;
  /** G2: why the entry could not be read at all, such as a line that is not JSON. `value` has no meaning then. */
  readonly problem?: { readonly expected: string; readonly found: string };
}

/** F13: an entry of `corrections.json`, or a row of a correction sheet in the same form. */
export interface CorrectionEntry extends RawEntry {
  /** The ids of the feeds whose records it may correct; none for all records. */
  readonly onlyFeeds?: readonly string[] | null;
  /** Where the events that it may correct take place; none for everywhere. */
  readonly onlyIn?: MunicipalityLimit | null;
  /** For a row: the name of the sheet's column by the field of the entry, such as `set.title_nb`, for findings. */
  readonly columns?: Readonly<Record<string, string>>;
}

/** F15: the municipalities that a correction sheet is limited to; one for each sheet, which all of its rows share. */
export interface MunicipalityLimit {
  /** Names or numbers. */
  readonly names: readonly string[];
  /** The sheet. */
  readonly origin: Origin;
}

/** F15: a row of a correction sheet that says which events are the same as its own, and which are not. */
export interface SheetDecision {
  readonly origin: Origin;
  /** The row's own event, named as in `where.id` of a correction. */
  readonly id: string;
  /** Other events, named likewise. */
  readonly same: readonly string[];
  readonly different: readonly string[];
  /** The ids of the feeds whose records the sheet may correct; null for all records. */
  readonly onlyFeeds: readonly string[] | null;
  /** Where its events have to take place; null for everywhere. */
  readonly onlyIn: MunicipalityLimit | null;
  /** The names of the sheet's columns, for findings. */
  readonly columns: Readonly<Record<'id' | 'same' | 'different', string>>;
  /** Whether the row is a correction as well: then the finding about an unknown event is that of the correction. */
  readonly isCorrection: boolean;
}

/** F17: ids that the lists leave out. */
export interface HeldBack {
  readonly events: ReadonlyMap<string, HeldEvent>;
  readonly venues: ReadonlySet<string>;
  readonly organizers: ReadonlySet<string>;
}

export interface HeldEvent {
  /** The id of its feed. */
  readonly feed: string;
  /** Whether an editor refused or hid it. */
  readonly isRefused: boolean;
  /** The decisions that a finding says are outside of their sheets' limits, by their origins as text. */
  readonly outside: ReadonlySet<string>;
  /** Whether an approval is of another version of it. */
  readonly isOutdated: boolean;
}

/** The records of a source folder. Each list can be read once, in order. */
export interface Source {
  readonly licence: () => Promise<RawEntry>;
  readonly venues: () => AsyncIterable<RawEntry>;
  readonly organizers: () => AsyncIterable<RawEntry>;
  readonly events: () => AsyncIterable<RawEntry>;
  /** F8: lines of the register, each an array of its columns. */
  readonly postalCodes: () => AsyncIterable<RawEntry>;
  readonly notices: () => AsyncIterable<RawEntry>;
  /** `duplicates.json` (F12); null if it does not exist. */
  readonly duplicates: () => Promise<RawEntry | null>;
  /** `corrections.json` (F13), after the correction sheets of feeds. A later one takes precedence. */
  readonly corrections: () => AsyncIterable<CorrectionEntry>;
  /** I15. */
  readonly brand: () => Promise<BrandFiles>;
  /** SHA-256 (hex) of all bytes of the source, each file under its name, in the order of the names (G5, G7). */
  readonly hash: () => Promise<string>;
}

/** A source folder and its feeds, as one source. */
export interface MergedSource extends Source {
  /** F15: the decisions on duplicates in correction sheets, in the order of the sheets. */
  readonly sheetDecisions: () => AsyncIterable<SheetDecision>;
  /** F17: events that are not approved, and what only these name, which the lists leave out. */
  readonly heldBack: HeldBack;
  /** F11, L4: venues and events of feeds that were merged with others; complete once `venues` and `events` have ended. */
  readonly merged: () => Iterable<MergedId & { readonly kind: SlugKind }>;
  /** F8: for venues of feeds that are in no known municipality, by their ids; complete once `venues` has ended. */
  readonly defaultMunicipalities: () => ReadonlyMap<string, DefaultMunicipality>;
  /** A9: what the feeds have only because their events name it; complete once `venues` and `organizers` have ended. */
  readonly namedByEvents: () => NamedByEvents;
  /** E2: feeds that `sources.json` gives a name or a link. */
  readonly sources: readonly EventSource[];
}

/** Ids of places and organizers that are in no directory: neither in the folder's, nor in that of a mirrored calendar. */
export type NamedByEvents = Readonly<Record<'venues' | 'organizers', ReadonlySet<string>>>;

export function withoutFeeds(native: Source): MergedSource {
  return {
    ...native,
    sheetDecisions: async function* noDecisions() {},
    heldBack: { events: new Map(), venues: new Set(), organizers: new Set() },
    merged: () => [],
    defaultMunicipalities: () => new Map(),
    namedByEvents: () => ({ venues: new Set(), organizers: new Set() }),
    sources: [],
  };
}

/** F8: one for each feed that has one, which all of its venues share. */
export interface DefaultMunicipality {
  /** Its name or number. */
  readonly written: string;
  /** The feed. */
  readonly origin: Origin;
}

/** I15: the files of a source that belong to its design. */
export interface BrandFiles {
  /** `brand.json`; null if it does not exist. */
  readonly entry: RawEntry | null;
  /** `logo.svg`, `logo-dark.png` and others of such names, in the order of these. */
  readonly logos: readonly LogoFile[];
}

export interface LogoFile {
  readonly name: string;
  /** Reads it from its beginning. */
  readonly chunks: () => AsyncIterable<Buffer>;
}

/** A validated venue (F8 included); `slug` is its own, or null. */
export interface VenueRecord extends Omit<Venue, 'slug'> {
  readonly origin: Origin;
  readonly slug: string | null;
}

/** Both are null if it is not known. */
export type Municipality = Pick<VenueRecord, 'municipality' | 'municipalityNumber'>;

export function isInMunicipality({ municipality, municipalityNumber }: Municipality): boolean {
  return municipality !== null || municipalityNumber !== null;
}

/** A validated organizer; `slug` is its own, or null. */
export interface OrganizerRecord extends Omit<Organizer, 'slug'> {
  readonly origin: Origin;
  readonly slug: string | null;
}

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
  /** `specialEvent` as in the licence: see `references`. */
  readonly licence: Licence;
  /** The complete taxonomy: children after their parent, slugs filled in. */
  readonly categories: readonly Category[];
  /** Ids that the licence lists as retired, for the ledger (G4). */
  readonly retired: readonly string[];
  /** E2. */
  readonly sources: readonly EventSource[];
  /** F6: the pages of events on other sites than `siteUrl`; none by default. */
  readonly eventPages?: PlacedPages | undefined;
  /** G9: whether likely duplicates are merged; otherwise they are reported. */
  readonly mergesDuplicates?: boolean;
  readonly venues: readonly VenueRecord[];
  readonly organizers: readonly OrganizerRecord[];
  /** A9. */
  readonly namedByEvents: NamedByEvents;
  /**
   * Can be read once. `super_event` is as in the record: see `references`. Nothing is reported of those that `isHidden` (F13) is true for.
   */
  readonly events: (isHidden?: (event: EventRecord) => boolean) => AsyncIterable<EventRecord>;
  /** Called once, after `events` has ended: only then are all events known. Reports unknown references. */
  readonly references: () => EventReferences;
  /** G9, F11: ids that were merged into others; complete once `events` has ended. See `slug-ledger.ts`. */
  readonly merged: () => Iterable<MergedId & { readonly kind: SlugKind }>;
  /** F13: municipalities that the editor corrects, by the ids of venues; complete once `events` has ended. */
  readonly municipalities?: ReadonlyMap<string, Municipality>;
  /** F13: ids of events that the editor hides; complete once `events` has ended. */
  readonly hidden?: Set<string>;
  /** F15: reports a record that a limited sheet hides, while `others` of the same event stay. */
  readonly reportPartlyHidden?: (record: EventRecord, others: readonly string[]) => void;
}

/** References from and to events, which can be checked only after all of them are read. */
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
  readonly statedPlaces?: RawEntry['statedPlaces'];
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

export interface Finding {
  readonly action: Action;
  readonly origin: Origin;
  readonly id: string | null;
  /** Path within the entry, such as `dates[2].start`; null for the entry as a whole. */
  readonly field: string | null;
  readonly expected: string;
  readonly found: string;
  /** A further reason for an earlier finding, which is counted once. */
  readonly isFurther?: true;
  /** ISO 8601: when a build first dropped it, for dropped entries. */
  readonly since?: string;
  /** On the first of more than three similar findings: their number. Further examples follow it. */
  readonly alike?: number;
}

type ShownFinding = Pick<Finding, 'origin' | 'id' | 'field' | 'expected' | 'found'> & {
  readonly action: string;
};

/** Place, action and reason: `events.ndjson:14 "e-12" dates[2].start: dropped date, expected …, found …`. */
export function findingLine(finding: ShownFinding): string {
  const { action, expected, found } = finding;
  return `${whereOf(finding)}: ${action}, expected ${expected}, found ${found}`;
}

export function whereOf({ origin, id, field }: ShownFinding): string {
  return [originText(origin), id === null ? '' : JSON.stringify(id), field ?? '']
    .filter((part) => part !== '')
    .join(' ');
}

export type Flaw = Pick<Finding, 'field' | 'expected' | 'found'>;

/** G2: an event that is dropped because of its dates is reported once, with the flaw of the first date. */
export function withCause<Found extends Flaw>(finding: Found, [cause, ...more]: readonly Flaw[]): Found {
  if (cause === undefined) return finding;
  const { field, expected, found } = cause;
  const others = more.length === 0 ? '' : `; ${more.length} more of its dates cannot be used either`;
  return { ...finding, field, expected, found: `${found}${others}` };
}

/** UTF-16 units of a value that a finding shows. */
const SHOWN = 80;

/** A value as short JSON for a finding's `found`; `nothing` if it is missing. */
export function excerpt(value: unknown): string {
  const json = JSON.stringify(value);
  if (json === undefined) return 'nothing';
  return shorten(json);
}

/** The text, or its beginning if it is long: this bounds reports, however long a source's ids and names are. */
export function shorten(text: string): string {
  return text.length <= SHOWN ? text : detached(shortened(text, SHOWN - 1));
}

/** Collects findings during a build; `addFinding` never throws. */
export interface Reporter {
  readonly addFinding: (finding: Finding) => void;
  /** Unknown fields are ignored and counted by `list.field` name, such as `events.colour`; `nearest`: the known one that is probably meant. */
  readonly countIgnored: (name: string, nearest?: string | null) => void;
  /** An accepted event was dropped later, is over, was merged with another, or is hidden (F13). */
  readonly countFate: (fate: 'dropped' | 'over' | 'merged' | 'hidden') => void;
}
