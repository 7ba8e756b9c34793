import { compareCodePoints } from '../src/calendar/text.ts';
import type { Changes } from './comparison.ts';
import { ACTIONS, type Action, type Finding, GRAVITY, type Reporter } from './records.ts';

/** The lists of records, as the report counts them. */
export type ListName = 'venues' | 'organizers' | 'events' | 'notices' | 'postalCodes';

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
}

/** Results of a feed's entries: `entries` is the sum of the other three. */
export interface FeedCounts {
  /** Entries in the feed: VEVENTs, rows of a table, events of a page or an endpoint. */
  readonly entries: number;
  readonly events: number;
  /** Parts of another entry's event: a moved or cancelled date, an older version, a copy. */
  readonly merged: number;
  readonly dropped: number;
}

/** ISO 8601; undefined if the finding is about nothing dropped. */
export type Since = (finding: Finding) => string | undefined;

/** Collects the facts of a build while it runs. */
export interface Report extends Reporter {
  /** An entry of that list was read. */
  readonly read: (list: ListName) => void;
  /** It was valid and is passed on. */
  readonly kept: (list: ListName) => void;
  /** An importer dropped an entry of its feed, which is therefore not among the records that are read. */
  readonly droppedByImporter: (list: ListName) => void;
  /** G2: when a build first dropped what a finding is about; called before the first one. */
  readonly date: (since: Since) => void;
  readonly time: (step: string, milliseconds: number) => void;
  /** The state of the source's feeds, in the source's order. */
  readonly feeds: (feeds: readonly FeedHealth[]) => void;
  /** G10: the result of a comparison with the previous snapshot. */
  readonly compared: (changes: Changes) => void;
  /** The present state. Without the timings it depends on the source and `now` only. */
  readonly summary: () => ReportSummary;
}

export interface ReportSummary {
  readonly feeds: readonly FeedHealth[];
  /** Including entries that importers dropped: the counts agree with `actions` (G2). */
  readonly lists: Readonly<Record<ListName, ListCounts>>;
  readonly droppedByImporters: Readonly<Record<ListName, number>>;
  /** Accepted events that are not in the calendar, because all of their dates are before the build (A11). */
  readonly over: number;
  /** G9: accepted events that were merged with others. */
  readonly merged: number;
  /** Null until it is known, and for a first build. */
  readonly changes: Pick<Changes, 'counts' | 'lists'> | null;
  /** How often each action occurred, findings beyond the limit included. */
  readonly actions: Readonly<Record<Action, number>>;
  /** The same by file and field, with `[]` for any index of a list; the most frequent first. */
  readonly kinds: readonly FindingKind[];
  /** In the order in which they came; `findingsLeftOut` more are only counted. */
  readonly findings: readonly Finding[];
  readonly findingsLeftOut: number;
  /** Unknown fields, the most frequent first; `ignoredLeftOut` more are not named. */
  readonly ignored: readonly IgnoredField[];
  readonly ignoredLeftOut: number;
  readonly timings: readonly Timing[];
}

export interface ListCounts {
  readonly read: number;
  readonly kept: number;
  readonly dropped: number;
}

interface FindingKind {
  readonly action: Action;
  readonly file: string;
  readonly field: string | null;
  readonly count: number;
}

interface IgnoredField {
  readonly name: string;
  readonly count: number;
}

interface Timing {
  readonly step: string;
  readonly milliseconds: number;
}

/** Bounds the report, however bad a source is. */
const MOST_FINDINGS = 10_000;
/** Part of these for mild ones, so that many odd prices do not displace graver findings. */
const MOST_MILD_FINDINGS = 5_000;
const MOST_NAMES = 1_000;

export function createReport(): Report {
  const read = { ...NO_RECORDS };
  const kept = { ...NO_RECORDS };
  const droppedByImporters = { ...NO_RECORDS };
  const found = createFindings();
  const ignored = createTally<Omit<IgnoredField, 'count'>>(MOST_NAMES);
  const timings: Timing[] = [];
  const fates = { over: 0, merged: 0 };
  let feeds: readonly FeedHealth[] = [];
  let changes: ReportSummary['changes'] = null;

  function countsOf(list: ListName): ListCounts {
    const all = read[list] + droppedByImporters[list];
    return { read: all, kept: kept[list], dropped: all - kept[list] };
  }

  return {
    addFinding: found.add,
    date: found.date,
    ignored: (name) => ignored.add(name, { name }),
    event: (fate) => {
      if (fate === 'dropped') kept.events--;
      else fates[fate]++;
    },
    read: (list) => {
      read[list]++;
    },
    kept: (list) => {
      kept[list]++;
    },
    droppedByImporter: (list) => {
      droppedByImporters[list]++;
    },
    feeds: (all) => {
      feeds = all;
    },
    compared: ({ isFirst, counts, lists }) => {
      if (!isFirst) changes = { counts, lists };
    },
    time: (step, milliseconds) => {
      timings.push({ step, milliseconds });
    },
    summary: () => ({
      feeds,
      lists: mapLists(countsOf),
      droppedByImporters: { ...droppedByImporters },
      ...fates,
      changes,
      ...found.summary(),
      ignored: ignored.counts(),
      ignoredLeftOut: ignored.leftOut(),
      timings: [...timings],
    }),
  };
}

/** Counts all findings, and stores the first of them. */
function createFindings() {
  const actions = Object.fromEntries(ACTIONS.map((action) => [action, 0])) as Record<Action, number>;
  const kinds = createTally<Kind>(MOST_NAMES);
  const findings: Finding[] = [];
  let sinceOf: Since = () => undefined;
  let mild = 0;
  let leftOut = 0;
  return {
    add(finding: Finding): void {
      const { action } = finding;
      const kind = kindOf(finding);
      if (finding.isFurther !== true) actions[action]++;
      kinds.add(keyOf(kind), kind);
      const isMild = GRAVITY[action] === 'mild';
      if (findings.length >= MOST_FINDINGS || (isMild && mild >= MOST_MILD_FINDINGS)) leftOut++;
      else {
        const since = sinceOf(finding);
        findings.push(since === undefined ? finding : { ...finding, since });
      }
      if (isMild) mild++;
    },
    date(since: Since): void {
      sinceOf = since;
    },
    summary: (): Pick<ReportSummary, 'actions' | 'kinds' | 'findings' | 'findingsLeftOut'> => ({
      actions: { ...actions },
      kinds: kinds.counts(),
      findings: [...findings],
      findingsLeftOut: leftOut,
    }),
  };
}

type Kind = Omit<FindingKind, 'count'>;

/** The properties by which findings are grouped. */
export function kindOf({ action, origin: { file }, field }: Finding): Kind {
  return { action, file, field: field?.replace(/\[\d+\]/g, '[]') ?? null };
}

export function keyOf({ action, file, field }: Kind): string {
  return `${action} ${file} ${field}`;
}

function mapLists<Made>(make: (list: ListName) => Made): Record<ListName, Made> {
  const [venues, organizers, events] = [make('venues'), make('organizers'), make('events')];
  return { venues, organizers, events, notices: make('notices'), postalCodes: make('postalCodes') };
}

const NO_RECORDS = mapLists(() => 0);

/** Without the timings for a snapshot, which must have the same bytes every time (G5). */
export function reportJson(report: Report, { timings }: { readonly timings: boolean }): string {
  const { timings: measured, ...rest } = report.summary();
  return JSON.stringify(timings ? { ...rest, timings: measured } : rest);
}

/** Counts the occurrences of a bounded number of things. */
function createTally<Thing extends object>(room: number) {
  const counted = new Map<string, { readonly key: string; readonly thing: Thing; count: number }>();
  /** Additions beyond the bound. */
  let leftOut = 0;

  function add(key: string, thing: Thing): void {
    const known = counted.get(key);
    if (known !== undefined) known.count++;
    else if (counted.size < room) counted.set(key, { key, thing, count: 1 });
    else leftOut++;
  }

  /** The most frequent first, then by key. */
  function counts(): readonly (Thing & { readonly count: number })[] {
    return [...counted.values()]
      .sort((left, right) => right.count - left.count || compareCodePoints(left.key, right.key))
      .map(({ thing, count }) => ({ ...thing, count }));
  }

  return { add, counts, leftOut: () => leftOut };
}
