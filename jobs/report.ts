import { compareCodePoints } from '../src/calendar/text.ts';
import type { FeedHealth } from './feed-health.ts';
import { ACTIONS, type Action, type Finding, type Reporter } from './records.ts';

/** The lists that records come in, as the report counts them. */
export type ListName = 'venues' | 'organizers' | 'events' | 'notices' | 'postalCodes';

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
  /** Events that were kept and are not in the calendar, because all of their dates lie behind the build (A11). */
  readonly over: number;
  /** How often each thing was done; all of them, also beyond the findings that are kept. */
  readonly actions: Readonly<Record<Action, number>>;
  /** The same by file and field, with `[]` for any place in a list; the most frequent first. */
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

/** However bad a source is, its report stays small. */
const MOST_FINDINGS = 10_000;
/** Of these, so that a flood of odd prices does not crowd out what was lost. */
const MOST_MILD_FINDINGS = 5_000;
const MOST_NAMES = 1_000;

const MILD: ReadonlySet<Action> = new Set(['changed value', 'made safe', 'migrated category', 'left out']);

interface ReportOptions {
  /** Told of each entry that is read, for a progress bar. */
  readonly onRead?: (list: ListName) => void;
}

export function createReport({ onRead = () => {} }: ReportOptions = {}): Report {
  const read = { ...NO_RECORDS };
  const kept = { ...NO_RECORDS };
  const actions = { ...NO_FINDINGS };
  const kinds = createTally<Kind>(MOST_NAMES);
  const ignored = createTally<Omit<IgnoredField, 'count'>>(MOST_NAMES);
  const findings: Finding[] = [];
  const timings: Timing[] = [];
  let feeds: readonly FeedHealth[] = [];
  let over = 0;
  let mild = 0;
  let leftOut = 0;

  function addFinding(finding: Finding): void {
    const { action } = finding;
    const kind = kindOf(finding);
    if (finding.isFurther !== true) actions[action]++;
    kinds.add(keyOf(kind), kind);
    const isMild = MILD.has(action);
    if (findings.length >= MOST_FINDINGS || (isMild && mild >= MOST_MILD_FINDINGS)) leftOut++;
    else findings.push(finding);
    if (isMild) mild++;
  }

  function summary(): ReportSummary {
    return {
      feeds,
      lists: {
        venues: countsOf(read.venues, kept.venues),
        organizers: countsOf(read.organizers, kept.organizers),
        events: countsOf(read.events, kept.events),
        notices: countsOf(read.notices, kept.notices),
        postalCodes: countsOf(read.postalCodes, kept.postalCodes),
      },
      over,
      actions: { ...actions },
      kinds: kinds.counts(),
      findings: [...findings],
      findingsLeftOut: leftOut,
      ignored: ignored.counts(),
      ignoredLeftOut: ignored.leftOut(),
      timings: [...timings],
    };
  }

  return {
    addFinding,
    ignored: (name) => ignored.add(name, { name }),
    event: (fate) => {
      if (fate === 'dropped') kept.events--;
      else over++;
    },
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

type Kind = Omit<FindingKind, 'count'>;

function kindOf({ action, origin: { file }, field }: Finding): Kind {
  return { action, file, field: field?.replace(/\[\d+\]/g, '[]') ?? null };
}

function keyOf({ action, file, field }: Kind): string {
  return `${action} ${file} ${field}`;
}

const NO_RECORDS: Record<ListName, number> = {
  venues: 0,
  organizers: 0,
  events: 0,
  notices: 0,
  postalCodes: 0,
};

const NO_FINDINGS: Record<Action, number> = {
  'dropped record': 0,
  'dropped series': 0,
  'dropped date': 0,
  'dropped reference': 0,
  'retired unannounced': 0,
  'cut rule': 0,
  'changed value': 0,
  'made safe': 0,
  'migrated category': 0,
  'left out': 0,
};

function countsOf(read: number, kept: number): ListCounts {
  return { read, kept, dropped: read - kept };
}

interface ReportJsonOptions {
  /** False for what is stored in a snapshot, which must be the same bytes every time (G5). */
  readonly timings: boolean;
}

export function reportJson(report: Report, { timings }: ReportJsonOptions): string {
  const { timings: measured, ...rest } = report.summary();
  return JSON.stringify(timings ? { ...rest, timings: measured } : rest);
}

/** Counts how often each of a bounded number of things came up. */
interface Tally<Thing> {
  readonly add: (key: string, thing: Thing) => void;
  /** The most frequent first, then by key. */
  readonly counts: () => readonly (Thing & Counted)[];
  /** How many additions found no room. */
  readonly leftOut: () => number;
}

interface Counted {
  readonly count: number;
}

function createTally<Thing extends object>(room: number): Tally<Thing> {
  const counted = new Map<string, { readonly key: string; readonly thing: Thing; count: number }>();
  let leftOut = 0;

  function add(key: string, thing: Thing): void {
    const known = counted.get(key);
    if (known !== undefined) known.count++;
    else if (counted.size < room) counted.set(key, { key, thing, count: 1 });
    else leftOut++;
  }

  function counts(): readonly (Thing & Counted)[] {
    return [...counted.values()]
      .sort((left, right) => right.count - left.count || compareCodePoints(left.key, right.key))
      .map(({ thing, count }) => ({ ...thing, count }));
  }

  return { add, counts, leftOut: () => leftOut };
}

interface ReportTextOptions {
  /** How many findings to show in full. */
  readonly findings: number;
}

const LISTS: readonly (readonly [ListName, string])[] = [
  ['events', 'events'],
  ['venues', 'venues'],
  ['organizers', 'organizers'],
  ['notices', 'notices'],
  ['postalCodes', 'postal codes'],
];

/** The report for a terminal: a table, the first findings, the ignored fields, the timings. Ends with a line feed. */
export function reportText(report: Report, { findings }: ReportTextOptions = { findings: 20 }): string {
  const summary = report.summary();
  return [
    ...listLines(summary),
    ...feedLines(summary),
    ...findingLines(summary, findings),
    ...ignoredLines(summary),
    ...timingLines(summary),
  ]
    .map((line) => `${printable(line).trimEnd()}\n`)
    .join('');
}

/** Lists that few sources have. */
const OPTIONAL: ReadonlySet<ListName> = new Set(['notices', 'postalCodes']);

function listLines({ lists }: ReportSummary): readonly string[] {
  const rows = LISTS.filter(([list]) => lists[list].read > 0 || !OPTIONAL.has(list)).map(([list, label]) => {
    const { read, kept, dropped } = lists[list];
    return row([label, read, kept, dropped]);
  });
  return [row(['', 'read', 'kept', 'dropped']), ...rows];
}

function row([label, ...cells]: readonly [string, ...(string | number)[]]): string {
  return label.padEnd(18) + cells.map((cell) => written(cell).padStart(12)).join('');
}

/** One line a feed: what came of its entries, and since when and why it has been failing. */
export function feedLines({ feeds }: Pick<ReportSummary, 'feeds'>): readonly string[] {
  return feeds.map(({ id, state, since, why, counts: { entries, events, merged, dropped } }) => {
    const parts = [`${written(events)} events`, `${written(merged)} merged`, `${written(dropped)} dropped`];
    const trouble = state === 'ok' ? '' : `; ${TROUBLE[state]} since ${since}: ${why}`;
    return `feed ${id}: ${written(entries)} entries, ${parts.join(', ')}${trouble}`;
  });
}

/** What is missing of a source: one line, or none when nothing is. Takes a report's `actions`, also such as were stored. */
export function droppedLines(actions: Readonly<Record<string, unknown>>): readonly string[] {
  const parts = Object.entries(DROPPED).flatMap(([action, [one, many]]) => {
    const count = actions[action];
    return typeof count === 'number' && count > 0 ? [`${written(count)} ${count === 1 ? one : many}`] : [];
  });
  return parts.length === 0 ? [] : [`dropped: ${parts.join(', ')}`];
}

const DROPPED = {
  'dropped record': ['record', 'records'],
  'dropped series': ['series', 'series'],
  'dropped date': ['date', 'dates'],
  'dropped reference': ['reference', 'references'],
} as const satisfies Partial<Record<Action, readonly [one: string, many: string]>>;

const TROUBLE = { stale: 'last good records kept, failing', failed: 'no records, failing' } as const;

function findingLines(
  { actions, findings, findingsLeftOut }: ReportSummary,
  most: number,
): readonly string[] {
  const all = findings.length + findingsLeftOut;
  if (all === 0) return [];
  const counts = ACTIONS.filter((action) => actions[action] > 0).map((action) =>
    row([action, actions[action]]),
  );
  const graver = ACTIONS.flatMap((action) => findings.filter((finding) => finding.action === action));
  const shown = ofEachKind(graver, most).map((finding) => `  ${findingLine(finding)}`);
  const more = all - shown.length;
  return ['', ...counts, '', ...shown, ...(more > 0 ? [`  … and ${written(more)} more`] : [])];
}

/** Of one kind there may be hundreds: so many of each are shown before more of one. */
const FIRST_OF_KIND = 3;

/** In the same order. */
function ofEachKind(findings: readonly Finding[], most: number): readonly Finding[] {
  const seen = new Map<string, number>();
  const [first, more]: [number[], number[]] = [[], []];
  for (const [place, finding] of findings.entries()) {
    const key = keyOf(kindOf(finding));
    const nth = (seen.get(key) ?? 0) + 1;
    seen.set(key, nth);
    (nth <= FIRST_OF_KIND ? first : more).push(place);
  }
  const shown = new Set([...first, ...more].slice(0, most));
  return findings.filter((_, place) => shown.has(place));
}

/** Where, what was done, and why: `events.ndjson:14 "e-12" dates[2].start: dropped date, expected …, found …`. */
function findingLine({ origin, id, field, action, expected, found }: Finding): string {
  const where = [placeOf(origin), id === null ? '' : JSON.stringify(id), field ?? ''].filter(
    (part) => part !== '',
  );
  return `${where.join(' ')}: ${action}, expected ${expected}, found ${found}`;
}

function placeOf({ file, line, index }: Finding['origin']): string {
  if (line !== undefined) return `${file}:${line}`;
  return index === undefined ? file : `${file}[${index}]`;
}

const MOST_IGNORED = 20;

function ignoredLines({ ignored, ignoredLeftOut }: ReportSummary): readonly string[] {
  if (ignored.length === 0) return [];
  const shown = ignored.slice(0, MOST_IGNORED).map(({ name, count }) => `${name} (${written(count)})`);
  const isAll = ignored.length <= MOST_IGNORED && ignoredLeftOut === 0;
  return ['', `ignored fields: ${shown.join(', ')}${isAll ? '' : ', …'}`];
}

function timingLines({ timings }: ReportSummary): readonly string[] {
  if (timings.length === 0) return [];
  const steps = timings.map(({ step, milliseconds }) => `${step} ${written(Math.round(milliseconds))} ms`);
  return ['', steps.join(', ')];
}

function written(cell: string | number): string {
  return typeof cell === 'string' ? cell : cell.toLocaleString('en');
}

/** Control and direction characters of a source must not steer the terminal that shows them. */
function printable(line: string): string {
  return line.replace(STEERING, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const STEERING = /[\p{Cc}\p{Bidi_Control}]/gu;
