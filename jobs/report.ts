/** The report of a build (G2): what it read, kept and dropped, what it found, and how long its steps took. */
import { groupBy } from '../src/calendar/groups.ts';
import { compareCodePoints } from '../src/calendar/text.ts';
import type { Changes } from './changes/comparison.ts';
import type { Reporter } from './records.ts';
import { createFindings, type FindingsSummary, type FirstDropped } from './report-findings.ts';

const LISTS = ['venues', 'organizers', 'events', 'notices', 'postalCodes'] as const;
export type ListName = (typeof LISTS)[number];

/** Limits on the report, however bad a source is: names of unknown fields, corrections, and groups of duplicates. */
const MOST_NAMES = 1_000;
const MOST_CORRECTIONS = 1_000;
const MOST_GROUPS = 50_000;
/** F17: events that wait for approval, which the report names. */
const MOST_WAITING = 500;

/** An empty report, which collects as the build proceeds. */
export function createReport(): Report {
  const read = { ...NO_RECORDS };
  const kept = { ...NO_RECORDS };
  const droppedByImporters = { ...NO_RECORDS };
  const found = createFindings();
  const ignored = createIgnored();
  const timings: ReportSummary['timings'][number][] = [];
  const fates = { over: 0, merged: 0, hidden: 0 };
  let corrections: readonly CountedCorrection[] = [];
  let feeds: readonly FeedHealth[] = [];
  const { summary: waitingSummary, ...waiting } = createWaiting();
  let changes: ReportSummary['changes'] = null;
  let proposals: Proposals | null = null;
  const groups = createGroups();

  function countsOf(list: ListName): ListCounts {
    const all = read[list] + droppedByImporters[list];
    return { read: all, kept: kept[list], dropped: all - kept[list] };
  }

  return {
    addFinding: found.add,
    dateDropsBy: found.dateDropsBy,
    countIgnored: (name, nearest = null) => ignored.add(name, nearest),
    countFate: (fate) => {
      if (fate === 'dropped') kept.events--;
      else fates[fate]++;
    },
    countRead: (list) => {
      read[list]++;
    },
    countKept: (list) => {
      kept[list]++;
    },
    countDroppedByImporter: (list) => {
      droppedByImporters[list]++;
    },
    setCorrections: (all) => {
      corrections = all.slice(0, MOST_CORRECTIONS);
    },
    ...waiting,
    setFeeds: (all) => {
      feeds = all;
    },
    addDuplicates: groups.add,
    setProposals: (all) => {
      proposals = all;
    },
    setChanges: ({ isFirst, counts, lists }) => {
      if (!isFirst) changes = { counts, lists };
    },
    addTiming: (step, milliseconds) => void timings.push({ step, milliseconds }),
    summary: () => ({
      feeds,
      lists: mapLists(countsOf),
      droppedByImporters: { ...droppedByImporters },
      ...fates,
      corrections,
      waiting: waitingSummary(),
      changes,
      proposals,
      ...found.summary(),
      ...ignored.summary(),
      timings: [...timings],
    }),
    details: () => ({ ...found.all(), ...groups.all() }),
  };
}

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
  /** Of a page at the source: about the event, about its tickets, or about the feed. */
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

export interface Report extends Reporter {
  readonly countRead: (list: ListName) => void;
  readonly countKept: (list: ListName) => void;
  /** An importer dropped an entry of its feed, which is therefore not among the records that are read. */
  readonly countDroppedByImporter: (list: ListName) => void;
  /** G2: when a build first dropped what a finding is about; called before the first one. */
  readonly dateDropsBy: (firstDropped: FirstDropped) => void;
  readonly addTiming: (step: string, milliseconds: number) => void;
  readonly setFeeds: (feeds: readonly FeedHealth[]) => void;
  readonly setWaiting: (events: readonly WaitingEvent[], feeds: readonly string[]) => void;
  /** F17: since when each event waits. */
  readonly dateWaitingBy: (firstNamed: FirstNamed) => void;
  /** F13: what each of them matched. */
  readonly setCorrections: (corrections: readonly CountedCorrection[]) => void;
  readonly addDuplicates: (group: DuplicateGroup) => void;
  readonly setProposals: (proposals: Proposals) => void;
  /** G10: the result of a comparison with the previous snapshot. */
  readonly setChanges: (changes: Changes) => void;
  /** The present state. Without the timings it depends on the source and `now` only. */
  readonly summary: () => ReportSummary;
  /** Each finding, up to 50,000, and each group of duplicates. */
  readonly details: () => ReportDetails;
}

export type ReportDetails = Pick<ReportSummary, 'findings' | 'findingsLeftOut'> & {
  readonly duplicates: readonly DuplicateGroup[];
  readonly duplicatesLeftOut: number;
};

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

/** Groups of duplicates, up to the limit. */
function createGroups() {
  const duplicates: DuplicateGroup[] = [];
  let duplicatesLeftOut = 0;
  return {
    add(group: DuplicateGroup): void {
      if (duplicates.length < MOST_GROUPS) duplicates.push(group);
      else duplicatesLeftOut++;
    },
    all: () => ({ duplicates: [...duplicates], duplicatesLeftOut }),
  };
}

/** Events that wait for approval, up to the limit. */
function createWaiting() {
  let counts: ReportSummary['waiting']['counts'] = {};
  let events: ReportSummary['waiting']['events'] = [];
  return {
    setWaiting(all: readonly WaitingEvent[], feeds: readonly string[]): void {
      counts = countsByFeed(all, feeds);
      events = all.toSorted(byStart).slice(0, MOST_WAITING);
    },
    dateWaitingBy(firstNamed: FirstNamed): void {
      events = events.map((event) => ({ ...event, since: firstNamed(event) }));
    },
    summary: () => ({ counts, events }),
  };
}

/** Feeds without waiting events are among them: the next build has to know which needed approval. */
function countsByFeed(
  events: readonly WaitingEvent[],
  feeds: readonly string[],
): Readonly<Record<string, number>> {
  const groups = groupBy(events, ({ feed }) => feed);
  return Object.fromEntries(feeds.map((feed) => [feed, groups.get(feed)?.length ?? 0]));
}

/** Events without a date come last. */
function byStart(left: WaitingEvent, right: WaitingEvent): number {
  return compareCodePoints(left.start ?? '~', right.start ?? '~');
}

function mapLists<Made>(make: (list: ListName) => Made) {
  return Object.fromEntries(LISTS.map((list) => [list, make(list)])) as Record<ListName, Made>;
}

const NO_RECORDS = mapLists(() => 0);

/** For a snapshot: without the timings, because it must have the same bytes every time (G5). */
export function reportJson(report: Report): string {
  const { timings: _, ...rest } = report.summary();
  return JSON.stringify(rest);
}

/** The complete report, for `--json`. */
export function fullReport(report: Report): object {
  const { furtherExamples: _, ...rest } = report.summary();
  return { ...rest, ...report.details() };
}

/** Unknown fields by their names. */
function createIgnored() {
  const counted = new Map<string, { readonly name: string; readonly nearest?: string; count: number }>();
  let ignoredLeftOut = 0;
  return {
    add(name: string, nearest: string | null): void {
      const field = counted.get(name);
      if (field !== undefined) field.count++;
      else if (counted.size === MOST_NAMES) ignoredLeftOut++;
      else counted.set(name, nearest === null ? { name, count: 1 } : { name, nearest, count: 1 });
    },
    summary: () => ({
      ignored: [...counted.values()]
        .sort((left, right) => right.count - left.count || compareCodePoints(left.name, right.name))
        .map((field) => ({ ...field })),
      ignoredLeftOut,
    }),
  };
}
