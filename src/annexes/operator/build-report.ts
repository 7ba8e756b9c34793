/** The report of a build as `/status` shows it: of the whole calendar, or of some feeds. */
import { ACTIONS, isDropping } from '../../calendar/actions.ts';
import { sumOf } from '../../calendar/groups.ts';

/** Effects of a build on its source. */
export interface BuildReport extends Drops {
  /** Events of the source that are not in the snapshot, because they are over. */
  readonly over: number;
  readonly lists: readonly {
    readonly list: string;
    readonly read: number;
    readonly kept: number;
    readonly dropped: number;
  }[];
  /** Only those that occurred. */
  readonly actions: readonly { readonly action: string; readonly count: number }[];
  /** At most `MOST_FINDINGS`. */
  readonly findings: readonly Finding[];
  readonly findingsLeftOut: number;
  /** Events with a place that is in no known municipality. */
  readonly withoutMunicipality: { readonly events: number; readonly hasRegister: boolean } | null;
  readonly waiting: Waiting;
}

/** F17: events that wait for an editor's approval. */
export interface Waiting {
  /** By feed. */
  readonly counts: Readonly<Record<string, number>>;
  /** The first ones by their dates. */
  readonly events: readonly {
    readonly feed: string;
    readonly id: string;
    readonly title: string;
    readonly start: string | null;
    readonly place: string | null;
    /** The URL of a page at the source. */
    readonly link: string | null;
    /** ISO 8601: when a build first named it; null if it is not known. */
    readonly since: string | null;
    /** What an approval is of; null if it is of all versions. */
    readonly version: string | null;
    readonly wasApproved: boolean;
  }[];
}

export interface Finding {
  readonly action: string;
  /** Such as `events.ndjson:14`. */
  readonly place: string;
  readonly id: string | null;
  readonly field: string | null;
  readonly expected: string;
  /** Null if it is not disclosed. */
  readonly found: string | null;
  /** ISO 8601: when a build first dropped it. */
  readonly since: string | null;
}

/** Findings that `/status` shows. */
export const MOST_FINDINGS = 50;

/** Findings of one file of the source, or of one feed. */
interface FileReport extends Drops {
  readonly actions: Readonly<Record<string, number>>;
  /** At most `MOST_FINDINGS`, in the order of the whole report. */
  readonly findings: readonly PlacedFinding[];
}

interface PlacedFinding {
  /** Its position in the whole report, by which findings of several files are merged. */
  readonly position: number;
  readonly finding: Finding;
}

/** What a build dropped of one file of the source, or of one feed. */
export interface FileLoss extends Drops {
  /** `feed ID` for a feed. */
  readonly file: string;
  readonly actions: Actions;
}

/** Parts of the source that are missing in the calendar. */
interface Drops {
  /** Their number. */
  readonly dropped: number;
  /** When a build last dropped something new; null if nothing is dropped, or if the time is unknown for some of it. */
  readonly lastDroppedAt: string | null;
}

type Actions = BuildReport['actions'];

/** `actions` count all findings, of which `findings` may be only some. */
export function dropsIn(actions: Actions, findings: readonly Finding[]): Drops {
  const dropped = sumOf(actions.filter(isDropping).map(({ count }) => count));
  const listed = findings.filter(isDropping);
  // One that is counted and not listed may be the newest.
  const areAllListed = listed.length >= dropped;
  return { dropped, lastDroppedAt: areAllListed ? latestOf(listed.map(({ since }) => since)) : null };
}

/** Null if one of the moments is unknown, or if there are none. */
function latestOf(moments: readonly (string | null)[]): string | null {
  const known = moments.filter((moment) => moment !== null);
  const areAllKnown = known.length === moments.length;
  return areAllKnown ? (known.toSorted().at(-1) ?? null) : null;
}

/** The name under which a report has the findings of a feed, where other findings have their file. */
export const feedFile = (id: string): string => `feed ${id}`;

/** By the name of the file, or of the feed. `actionsByFile`: as the report counts them. */
export function fileReports(
  findings: readonly (Finding & { readonly file: string })[],
  actionsByFile: Readonly<Record<string, Readonly<Record<string, number>>>>,
): ReadonlyMap<string, FileReport> {
  const placed = placedByFile(findings);
  const reports = Object.entries(actionsByFile).map(([file, actions]): readonly [string, FileReport] => {
    const ofFile = placed.get(file) ?? [];
    const all = ofFile.map(({ finding }) => finding);
    const { dropped, lastDroppedAt } = dropsIn(listOf(actions), all);
    return [file, { dropped, lastDroppedAt, actions, findings: ofFile.slice(0, MOST_FINDINGS) }];
  });
  return new Map(reports);
}

/** Findings by their file, in the order of the whole report: by action, those about missing content first. */
function placedByFile(
  findings: readonly (Finding & { readonly file: string })[],
): ReadonlyMap<string, readonly PlacedFinding[]> {
  const placed = new Map<string, PlacedFinding[]>();
  const sorted = findings.toSorted((left, right) => orderOf(left) - orderOf(right));
  for (const [position, { file, ...finding }] of sorted.entries()) {
    const ofFile = placed.get(file) ?? [];
    ofFile.push({ position, finding });
    placed.set(file, ofFile);
  }
  return placed;
}

const ORDER: ReadonlyMap<string, number> = new Map(ACTIONS.map((action, position) => [action, position]));

/** An action of another version comes last. */
const orderOf = ({ action }: Finding): number => ORDER.get(action) ?? ACTIONS.length;

/** The files and feeds of which something was dropped. */
export function lossesIn(files: ReadonlyMap<string, FileReport>): readonly FileLoss[] {
  const lossy = [...files].filter(([, { dropped }]) => dropped > 0);
  return lossy.map(([file, { dropped, lastDroppedAt, actions }]) => ({
    file,
    dropped,
    lastDroppedAt,
    actions: listOf(actions).filter(isDropping),
  }));
}

/** The actions that occurred. */
export function listOf(counts: Readonly<Record<string, number>>): Actions {
  return Object.entries(counts).flatMap(([action, count]) => (count > 0 ? [{ action, count }] : []));
}

/** The report of these feeds alone. What it says of the whole calendar is left out. */
export function reportOfFeeds(
  { actions: all, waiting }: BuildReport,
  files: ReadonlyMap<string, FileReport>,
  ids: readonly string[],
): BuildReport {
  const parts = ids.flatMap((id) => files.get(feedFile(id)) ?? []);
  const countIn = (action: string) => sumOf(parts.map((part) => part.actions[action] ?? 0));
  const counts = all.map(({ action }) => ({ action, count: countIn(action) }));
  const actions = counts.filter(({ count }) => count > 0);
  const placed = parts.flatMap((part) => part.findings);
  const sorted = placed.toSorted((left, right) => left.position - right.position);
  const findings = sorted.slice(0, MOST_FINDINGS).map(({ finding }) => finding);
  const counted = sumOf(actions.map(({ count }) => count));
  const lossy = parts.filter(({ dropped }) => dropped > 0);
  return {
    over: 0,
    lists: [],
    actions,
    dropped: sumOf(lossy.map(({ dropped }) => dropped)),
    findings,
    // The counts can be lower than the number of findings: a record is counted once, and can be refused for several reasons.
    findingsLeftOut: Math.max(0, counted - findings.length),
    lastDroppedAt: latestOf(lossy.map(({ lastDroppedAt }) => lastDroppedAt)),
    withoutMunicipality: null,
    waiting: waitingOf(waiting, ids),
  };
}

function waitingOf({ counts, events }: Waiting, ids: readonly string[]): Waiting {
  const isOfThem = (feed: string) => ids.includes(feed);
  return {
    counts: Object.fromEntries(Object.entries(counts).filter(([feed]) => isOfThem(feed))),
    events: events.filter(({ feed }) => isOfThem(feed)),
  };
}

/** Events of one feed that wait. */
interface WaitingOfFeed {
  readonly feed: string;
  readonly count: number;
  /** Since when the first of them has waited; null if it is not known. */
  readonly since: string | null;
  /** Their number by the moment at which they came in, the first ones first. Those that the report does not name are not among them. */
  readonly arrivals: ReadonlyMap<string, number>;
}

export function waitingByFeed({ counts, events }: Waiting): readonly WaitingOfFeed[] {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.map(([feed, count]) => {
    const moments = events.flatMap((event) => (event.feed === feed ? (event.since ?? []) : [])).toSorted();
    const arrivals = new Map<string, number>();
    for (const moment of moments) arrivals.set(moment, (arrivals.get(moment) ?? 0) + 1);
    return { feed, count, since: moments[0] ?? null, arrivals };
  });
}

/** F17: the numbers alone, for a page that anyone may open. */
export function withoutNames(report: BuildReport): BuildReport {
  return { ...report, waiting: { ...report.waiting, events: [] } };
}

export function countOf({ actions }: BuildReport, action: string): number {
  return actions.find((done) => done.action === action)?.count ?? 0;
}

/** G2: whether something is dropped now that was not seven days before `now` (milliseconds since 1970). */
export function isDroppedLately({ dropped, lastDroppedAt: last }: Drops, now: number): boolean {
  return dropped > 0 && (last === null || now - Date.parse(last) < CONCERN_MS);
}

const CONCERN_MS = 7 * 86_400_000;
