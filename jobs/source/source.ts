/** What a build reads: the raw entries of a source folder, and those of its feeds. */
import type { EventSource } from '../../src/calendar/model.ts';
import type { Origin } from '../findings.ts';
import type { MergedRecord, Municipality, NamedByEvents } from '../records.ts';

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

/** A source folder, which `openNativeSource` opens. Whatever is called reads its file from the beginning. */
export interface Source {
  // Lists: one entry for each record, none if the file does not exist.
  readonly venues: () => AsyncIterable<RawEntry>;
  readonly organizers: () => AsyncIterable<RawEntry>;
  readonly events: () => AsyncIterable<RawEntry>;
  readonly notices: () => AsyncIterable<RawEntry>;
  /** `corrections.json` (F13). A later one takes precedence. */
  readonly corrections: () => AsyncIterable<CorrectionEntry>;
  /** Lines of `postal-codes.tsv` (F8), each an array of its columns. */
  readonly postalCodes: () => AsyncIterable<RawEntry>;

  // Files that are one entry.
  readonly licence: () => Promise<RawEntry>;
  /** `duplicates.json` (F12); null if it does not exist. */
  readonly duplicates: () => Promise<RawEntry | null>;

  /** I15: the files of the calendar's own design. */
  readonly brand: () => Promise<BrandFiles>;
  /** SHA-256 (hex) of all bytes of the source, each file under its name, in the order of the names (G5, G7). */
  readonly hash: () => Promise<string>;
}

/**
 * A source folder and its feeds, as one source. In place of the folder's lists, it has streams that are read only once, because reading them
 * reports findings. The venues and organizers come first, because the other streams need their ids. A function whose result a stream completes
 * throws until that stream has ended.
 */
export interface MergedSource extends Omit<Source, 'venues' | 'organizers' | 'events' | 'corrections'> {
  readonly venues: AsyncIterable<RawEntry>;
  readonly organizers: AsyncIterable<RawEntry>;
  /** F15: the rows of correction sheets, then `corrections.json` (F13). A later one takes precedence. */
  readonly corrections: AsyncIterable<CorrectionEntry>;
  readonly events: AsyncIterable<RawEntry>;
  /** F15: the decisions on duplicates in correction sheets, in the order of the sheets. */
  readonly sheetDecisions: AsyncIterable<SheetDecision>;
  /** F17: events that are not approved, and what only these name, which the lists leave out. */
  readonly heldBack: HeldBack;
  /** F11, L4: venues and events of feeds that were merged with others. `venues` and `events` complete it. */
  readonly merged: () => readonly MergedRecord[];
  /** F8: for venues of feeds that are in no known municipality, by their ids. `venues` completes it. */
  readonly defaultMunicipalities: () => ReadonlyMap<string, DefaultMunicipality>;
  /** A9: places and organizers that are in the feeds only because events name them. `venues` and `organizers` complete it. */
  readonly namedByEvents: () => NamedByEvents;
  /** E2: feeds that `sources.json` gives a name or a link. */
  readonly sources: readonly EventSource[];
}

export function withoutFeeds(native: Source): MergedSource {
  return {
    ...native,
    venues: native.venues(),
    organizers: native.organizers(),
    corrections: native.corrections(),
    events: native.events(),
    sheetDecisions: noDecisions(),
    heldBack: { events: new Map(), venues: new Set(), organizers: new Set() },
    merged: () => [],
    defaultMunicipalities: () => new Map(),
    namedByEvents: () => ({ venues: new Set(), organizers: new Set() }),
    sources: [],
  };
}

async function* noDecisions(): AsyncGenerator<SheetDecision, void, undefined> {}

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
