/** What the report of a build says (G2), as data: for its text, for the snapshot, and for `--json`. */
import type { Changes } from '../changes/comparison.ts';
import type { FindingsSummary } from './findings.ts';

/** The lists of records of a source. */
export const SOURCE_LISTS = ['venues', 'organizers', 'events', 'notices', 'postalCodes'] as const;
export type ListName = (typeof SOURCE_LISTS)[number];

export interface ReportSummary extends FindingsSummary {
  readonly feeds: readonly FeedHealth[];
  /** Including entries that importers dropped: the counts agree with `actions` (G2). */
  readonly lists: Readonly<Record<ListName, ListCounts>>;
  readonly droppedByImporters: Readonly<Record<ListName, number>>;
  /** Accepted events that are not in the calendar, because all of their dates are before the build (A11). */
  readonly over: number;
  /** G9: accepted events that were merged with others. */
  readonly merged: number;
  /** F13: accepted events that the editor hides. */
  readonly hidden: number;
  readonly corrections: readonly CountedCorrection[];
  /** F17: the number of events by feed that needs approval, and the first ones by their dates. */
  readonly waiting: {
    readonly counts: Readonly<Record<string, number>>;
    /** `since` is missing until it is known. */
    readonly events: readonly (WaitingEvent & { readonly since?: string })[];
  };
  /** Null until it is known, and for a first build. */
  readonly changes: Pick<Changes, 'counts' | 'lists'> | null;
  /** Null until all events are read. */
  readonly proposals: Proposals | null;
  /** Unknown fields, the most frequent first; `ignoredLeftOut` more are not named. */
  readonly ignored: readonly IgnoredField[];
  readonly ignoredLeftOut: number;
  readonly timings: readonly { readonly step: string; readonly milliseconds: number }[];
}

export interface ListCounts {
  readonly read: number;
  readonly kept: number;
  readonly dropped: number;
}

interface IgnoredField {
  readonly name: string;
  readonly nearest?: string;
  readonly count: number;
}

export type ReportDetails = Pick<ReportSummary, 'findings' | 'findingsLeftOut'> & {
  readonly duplicates: readonly DuplicateGroup[];
  readonly duplicatesLeftOut: number;
};

/** The state of a feed, for the report and for operators, with the reason of a failure. */
export interface FeedHealth {
  readonly id: string;
  readonly kind: string;
  /** `ok`; `stale`: failing, with its last good records; `failed`: without any. */
  readonly state: 'ok' | 'stale' | 'failed';
  /** ISO moments in UTC: when it began to fail; when its records were last known to be current. */
  readonly since: string | null;
  readonly readAt: string | null;
  readonly reason: string | null;
  /** Never contains the feed's address, which may be a secret. */
  readonly why: string | null;
  readonly counts: FeedCounts;
  /** H12: when its records last changed, and within how many days they should; for a feed with `expectChangesWithinDays`. */
  readonly expectedChange?: { readonly last: string; readonly withinDays: number } | undefined;
  /** L2: the pages that a listing links to, if this build has read them. */
  readonly pages?: PageCounts | undefined;
}

export interface PageCounts {
  readonly fetched: number;
  /** They are recent, or their server says that they are unchanged. */
  readonly reused: number;
  /** They could not be read: their copies are used, if there are any. */
  readonly failing: number;
}

/** Results of a feed's entries: `entries` is the sum of the others. */
export interface FeedCounts {
  /** Entries in the feed: VEVENTs, rows of a table, events of a page or an endpoint. */
  readonly entries: number;
  readonly events: number;
  /** Parts of another entry's event: a moved or cancelled date, an older version, a copy. */
  readonly merged: number;
  readonly dropped: number;
  /** F15: rows that became corrections; only for a correction sheet. */
  readonly corrections?: number | undefined;
  /** F18: rows that became feeds; only for a list of feeds. */
  readonly feeds?: number | undefined;
  /** F16: rows that became venues; only for a sheet with venues. */
  readonly venues?: number | undefined;
}

/** F17: an event that no editor has approved or refused. */
export interface WaitingEvent {
  /** The id of its feed. */
  readonly feed: string;
  readonly id: string;
  readonly title: string;
  /** As its source has it: `YYYY-MM-DD` or `YYYY-MM-DD HH:mm`; null without any. */
  readonly start: string | null;
  /** The name of the place of this date. */
  readonly place: string | null;
  /** The URL of a page at the source: about the event, about its tickets, or about the feed. */
  readonly link: string | null;
  /** What an approval is of; only for a feed with `approveAgainAfterChange`. */
  readonly version?: string;
  /** Whether another version was approved. */
  readonly wasApproved?: true;
}

/** ISO 8601: when a build first named the event. */
export type FirstNamed = (event: WaitingEvent) => string;

/** F13: a correction, and what it matched. */
export interface CountedCorrection {
  /** Such as `corrections.json:3`. */
  readonly at: string;
  readonly does: 'hide' | 'set' | 'approve';
  readonly note: string | null;
  readonly events: number;
  /** Null for one that is of whole events. */
  readonly dates: number | null;
}

/** G9: records of the same event, or likely of the same one. */
export interface DuplicateGroup {
  /** Why they are not joined; null if they are. */
  readonly why: string | null;
  /** Whether a date that they have in common is not over. */
  readonly isUpcoming: boolean;
  /** That date of the first event, or its last one, in Norway: `YYYY-MM-DD`, or `YYYY-MM-DD HH:mm`. */
  readonly start: string | null;
  readonly place: string | null;
  readonly events: readonly {
    readonly id: string;
    readonly title: string;
    /** Null for the first. */
    readonly reason: string | null;
  }[];
}

/** Settings by which an editor could improve the calendar. */
export interface Proposals {
  /** Accepted events that are not over and have no category. */
  readonly uncategorised: number;
  /** F13: words of their titles; `events` are those that the words before it do not reach. */
  readonly titleWords: readonly { readonly word: string; readonly events: number }[];
  /** L4: titles that a feed has more than ten times at one place, for `"series": "title"`. */
  readonly series: readonly {
    readonly feed: string;
    readonly title: string;
    readonly place: string | null;
    readonly events: number;
  }[];
  /** F8: accepted events that are not over, and whose places are in no known municipality. */
  readonly withoutMunicipality: {
    readonly events: number;
    /** Whether the source has the register of postal codes. */
    readonly hasRegister: boolean;
    /** The places of most of these events. */
    readonly places: readonly { readonly name: string; readonly events: number }[];
    /** The feeds of most of these events, by their ids. */
    readonly feeds: readonly { readonly name: string; readonly events: number }[];
  };
}
