/** The report of a build (G2): what it read, kept and dropped, what it found, and how long its steps took. */
import { groupBy } from '../../src/calendar/groups.ts';
import { compareCodePoints } from '../../src/calendar/text.ts';
import type { Changes } from '../changes/comparison.ts';
import type { Reporter } from '../findings.ts';
import { createFindings, type FirstDropped } from './findings.ts';
import {
  type CountedCorrection,
  type DuplicateGroup,
  type FeedHealth,
  type FirstNamed,
  type ListCounts,
  type ListName,
  type Proposals,
  type ReportDetails,
  type ReportSummary,
  SOURCE_LISTS,
  type WaitingEvent,
} from './summary.ts';

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
  return Object.fromEntries(SOURCE_LISTS.map((list) => [list, make(list)])) as Record<ListName, Made>;
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
