import { ACTIONS, type Action, GRAVITY } from '../src/calendar/actions.ts';
import { compareCodePoints } from '../src/calendar/text.ts';
import type { Changes } from './changes/comparison.ts';
import type { Finding, Reporter } from './records.ts';

const LISTS = ['venues', 'organizers', 'events', 'notices', 'postalCodes'] as const;
export type ListName = (typeof LISTS)[number];

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

/** F13: a correction, and what it matched. */
export interface CountedCorrection {
  /** Such as `corrections.json:3`. */
  readonly at: string;
  readonly does: 'hide' | 'set';
  readonly note: string | null;
  readonly events: number;
  /** Null for one that is of whole events. */
  readonly dates: number | null;
}

/** ISO 8601; undefined if the finding is about nothing dropped. */
export type Since = (finding: Finding) => string | undefined;

export interface Report extends Reporter {
  readonly read: (list: ListName) => void;
  readonly kept: (list: ListName) => void;
  /** An importer dropped an entry of its feed, which is therefore not among the records that are read. */
  readonly droppedByImporter: (list: ListName) => void;
  /** G2: when a build first dropped what a finding is about; called before the first one. */
  readonly date: (since: Since) => void;
  readonly time: (step: string, milliseconds: number) => void;
  readonly feeds: (feeds: readonly FeedHealth[]) => void;
  /** F13: what each of them matched. */
  readonly corrections: (corrections: readonly CountedCorrection[]) => void;
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
  /** F13: accepted events that the editor hides. */
  readonly hidden: number;
  readonly corrections: readonly CountedCorrection[];
  /** Null until it is known, and for a first build. */
  readonly changes: Pick<Changes, 'counts' | 'lists'> | null;
  readonly actions: Readonly<Record<Action, number>>;
  /**
   * G2: what is missing, each of it, then up to three examples of what else is alike (`Finding.alike`); by action in their order.
   * `findingsLeftOut` more are only counted.
   */
  readonly findings: readonly Finding[];
  readonly findingsLeftOut: number;
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

/** Bounds the report, however bad a source is: what is missing is named up to this number. */
const MOST_FINDINGS = 50_000;
const MOST_NAMES = 1_000;
export const EXAMPLES = 3;

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
  let changes: ReportSummary['changes'] = null;

  function countsOf(list: ListName): ListCounts {
    const all = read[list] + droppedByImporters[list];
    return { read: all, kept: kept[list], dropped: all - kept[list] };
  }

  return {
    addFinding: found.add,
    date: found.date,
    ignored: (name, nearest = null) => ignored.add(name, nearest),
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
    corrections: (all) => {
      corrections = all.slice(0, MOST_NAMES);
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
      corrections,
      changes,
      ...found.summary(),
      ...ignored.summary(),
      timings: [...timings],
    }),
  };
}

/** Counts all findings. Stores those about what is missing, and a few examples of others that are alike. */
function createFindings() {
  const actions = Object.fromEntries(ACTIONS.map((action) => [action, 0])) as Record<Action, number>;
  const missing: Finding[] = [];
  const alike = new Map<string, { readonly examples: Finding[]; count: number }>();
  let sinceOf: Since = () => undefined;

  function store(finding: Finding): void {
    const since = sinceOf(finding);
    if (missing.length < MOST_FINDINGS) missing.push(since === undefined ? finding : { ...finding, since });
  }

  function storeExample(finding: Finding): void {
    const key = alikeKey(finding);
    const group = alike.get(key);
    if (group !== undefined) {
      group.count++;
      if (group.examples.length < EXAMPLES) group.examples.push(finding);
    } else if (alike.size < MOST_NAMES) alike.set(key, { examples: [finding], count: 1 });
  }

  function findings(): readonly Finding[] {
    const others = [...alike.values()].flatMap(({ examples: [first, ...more], count }) => {
      if (first === undefined) return [];
      return [count > EXAMPLES ? { ...first, alike: count } : first, ...more];
    });
    const all = [...missing, ...others];
    return ACTIONS.flatMap((action) => all.filter((finding) => finding.action === action));
  }

  let added = 0;
  return {
    add(finding: Finding): void {
      added++;
      if (finding.isFurther !== true) actions[finding.action]++;
      if (isMissing(finding)) store(finding);
      else storeExample(finding);
    },
    date(since: Since): void {
      sinceOf = since;
    },
    summary(): Pick<ReportSummary, 'actions' | 'findings' | 'findingsLeftOut'> {
      const shown = findings();
      return { actions: { ...actions }, findings: shown, findingsLeftOut: added - shown.length };
    },
  };
}

/** Whether it is about a part of the source that is not in the calendar: then the report names it, however many there are. */
export function isMissing({ action }: Finding): boolean {
  return GRAVITY[action] === 'dropped' || GRAVITY[action] === 'missing';
}

/** Words that are no category are alike by the word, unsafe values by what was removed, others by what was expected where. */
export function alikeKey({ action, origin: { file }, field, expected, found }: Finding): string {
  const isByFound = action === 'kept as tag' || action === 'made safe';
  const where = field?.replace(/\[\d+\]/g, '[]');
  return JSON.stringify([action, file, isByFound ? found : [where, expected]]);
}

function mapLists<Made>(make: (list: ListName) => Made) {
  return Object.fromEntries(LISTS.map((list) => [list, make(list)])) as Record<ListName, Made>;
}

const NO_RECORDS = mapLists(() => 0);

/** Without the timings for a snapshot, which must have the same bytes every time (G5). */
export function reportJson(report: Report, { timings }: { readonly timings: boolean }): string {
  const { timings: measured, ...rest } = report.summary();
  return JSON.stringify(timings ? { ...rest, timings: measured } : rest);
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
      else counted.set(name, { name, ...(nearest !== null && { nearest }), count: 1 });
    },
    summary: () => ({
      ignored: [...counted.values()]
        .sort((left, right) => right.count - left.count || compareCodePoints(left.name, right.name))
        .map((one) => ({ ...one })),
      ignoredLeftOut,
    }),
  };
}
