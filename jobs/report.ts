import type { FeedHealth } from './feeds/health.ts';
import type { Action, Complaint, Reporter } from './records.ts';
import { createTally } from './report/tally.ts';

/** The lists that records come in, as the report counts them. */
export type ListName = 'venues' | 'organizers' | 'events' | 'postalCodes';

/** The story of a build while it is going on. */
export interface Report extends Reporter {
  /** An entry of that list has been read. */
  readonly read: (list: ListName) => void;
  /** It was valid and is passed on. */
  readonly kept: (list: ListName) => void;
  readonly time: (step: string, milliseconds: number) => void;
  /** How the source's feeds are; in the source's order. */
  readonly feeds: (feeds: readonly FeedHealth[]) => void;
  /** As it stands. Without the timings it depends on the source and `now` only. */
  readonly summary: () => ReportSummary;
}

export interface ReportSummary {
  readonly feeds: readonly FeedHealth[];
  readonly lists: Readonly<Record<ListName, ListCounts>>;
  /** How often each thing was done; all of them, also beyond the complaints that are kept. */
  readonly actions: Readonly<Record<Action, number>>;
  /** The same by file and field, with `[]` for any place in a list; the most frequent first. */
  readonly kinds: readonly ComplaintKind[];
  /** In the order in which they came; `complaintsLeftOut` more are only counted. */
  readonly complaints: readonly Complaint[];
  readonly complaintsLeftOut: number;
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

export interface ComplaintKind {
  readonly action: Action;
  readonly file: string;
  readonly field: string | null;
  readonly count: number;
}

export interface IgnoredField {
  readonly name: string;
  readonly count: number;
}

export interface Timing {
  readonly step: string;
  readonly milliseconds: number;
}

/** However bad a source is, its report stays small. */
const MOST_COMPLAINTS = 10_000;
/** Of these, so that a flood of odd prices does not crowd out what was lost. */
const MOST_MILD_COMPLAINTS = 5_000;
const MOST_NAMES = 1_000;

const MILD: ReadonlySet<Action> = new Set(['changed value', 'made safe', 'migrated category']);

export interface ReportOptions {
  /** Told of each entry that is read, for a progress bar. */
  readonly onRead?: (list: ListName) => void;
}

export function createReport({ onRead = () => {} }: ReportOptions = {}): Report {
  const read = { ...NO_RECORDS };
  const kept = { ...NO_RECORDS };
  const actions = { ...NO_COMPLAINTS };
  const kinds = createTally<Omit<ComplaintKind, 'count'>>(MOST_NAMES);
  const ignored = createTally<Omit<IgnoredField, 'count'>>(MOST_NAMES);
  const complaints: Complaint[] = [];
  const timings: Timing[] = [];
  let feeds: readonly FeedHealth[] = [];
  let mild = 0;
  let leftOut = 0;

  function complain(complaint: Complaint): void {
    const { action, origin, field } = complaint;
    const kind = { action, file: origin.file, field: field?.replace(/\[\d+\]/g, '[]') ?? null };
    actions[action]++;
    kinds.add(`${kind.action} ${kind.file} ${kind.field}`, kind);
    const isMild = MILD.has(action);
    if (complaints.length >= MOST_COMPLAINTS || (isMild && mild >= MOST_MILD_COMPLAINTS)) leftOut++;
    else complaints.push(complaint);
    if (isMild) mild++;
  }

  function summary(): ReportSummary {
    return {
      feeds,
      lists: {
        venues: countsOf(read.venues, kept.venues),
        organizers: countsOf(read.organizers, kept.organizers),
        events: countsOf(read.events, kept.events),
        postalCodes: countsOf(read.postalCodes, kept.postalCodes),
      },
      actions: { ...actions },
      kinds: kinds.counts(),
      complaints: [...complaints],
      complaintsLeftOut: leftOut,
      ignored: ignored.counts(),
      ignoredLeftOut: ignored.leftOut(),
      timings: [...timings],
    };
  }

  return {
    complain,
    ignored: (name) => ignored.add(name, { name }),
    read: (list) => {
      read[list]++;
      onRead(list);
    },
    kept: (list) => {
      kept[list]++;
    },
    feeds: (found) => {
      feeds = found;
    },
    time: (step, milliseconds) => {
      timings.push({ step, milliseconds });
    },
    summary,
  };
}

const NO_RECORDS: Record<ListName, number> = { venues: 0, organizers: 0, events: 0, postalCodes: 0 };

const NO_COMPLAINTS: Record<Action, number> = {
  'dropped record': 0,
  'dropped date': 0,
  'dropped reference': 0,
  'cut rule': 0,
  'changed value': 0,
  'made safe': 0,
  'migrated category': 0,
};

function countsOf(read: number, kept: number): ListCounts {
  return { read, kept, dropped: read - kept };
}

export interface ReportJsonOptions {
  /** False for what is stored in a snapshot, which must be the same bytes every time (G5). */
  readonly timings: boolean;
}

export function reportJson(report: Report, { timings }: ReportJsonOptions): string {
  const { timings: measured, ...rest } = report.summary();
  return JSON.stringify(timings ? { ...rest, timings: measured } : rest);
}
