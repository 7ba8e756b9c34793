/** The report of a build as `/status` shows it: of the whole calendar, or of some feeds. */
import { ACTIONS } from '../../calendar/actions.ts';
import { isDropping } from './words.ts';

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
  readonly findings: readonly Finding[];
  readonly findingsLeftOut: number;
  /** Events with a place that is in no known municipality. */
  readonly withoutMunicipality: { readonly events: number; readonly hasRegister: boolean } | null;
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
  /** The first ones, each with its position in the report. */
  readonly findings: readonly PlacedFinding[];
}

interface PlacedFinding {
  readonly at: number;
  readonly finding: Finding;
}

/** The things that a build dropped of one file of the source, or of one feed. */
export interface FileLoss extends Drops {
  /** `feed ID` for a feed. */
  readonly file: string;
  readonly actions: Actions;
}

interface Drops {
  readonly dropped: number;
  /** When a build last dropped something new; null if nothing is dropped, or if the time is unknown for some of it. */
  readonly lastDroppedAt: string | null;
}

type Actions = BuildReport['actions'];

export function dropsIn(actions: Actions, findings: readonly Finding[]): Drops {
  const dropped = actions.filter(isDropping).reduce((sum, { count }) => sum + count, 0);
  const moments = findings.filter(isDropping).map(({ since }) => since ?? '');
  const isKnown = moments.length >= dropped && !moments.includes('');
  return { dropped, lastDroppedAt: isKnown ? (moments.toSorted().at(-1) ?? null) : null };
}

const ORDER: ReadonlyMap<string, number> = new Map(ACTIONS.map((action, at) => [action, at]));

const orderOf = ({ action }: Finding): number => ORDER.get(action) ?? ACTIONS.length;

/** By the name of the file: `feed ID` for a feed. `actionsByFile`: as the report counts them. */
export function fileReports(
  findings: readonly (Finding & { readonly file: string })[],
  actionsByFile: Readonly<Record<string, Readonly<Record<string, number>>>>,
): ReadonlyMap<string, FileReport> {
  const placed = new Map<string, PlacedFinding[]>();
  const sorted = findings.toSorted((left, right) => orderOf(left) - orderOf(right));
  for (const [at, { file, ...finding }] of sorted.entries()) {
    const ofFile = placed.get(file) ?? [];
    ofFile.push({ at, finding });
    placed.set(file, ofFile);
  }
  const reports = Object.entries(actionsByFile).map(([file, actions]): readonly [string, FileReport] => {
    const ofFile = placed.get(file) ?? [];
    const drops = dropsIn(
      listOf(actions),
      ofFile.map(({ finding }) => finding),
    );
    return [file, { ...drops, actions, findings: ofFile.slice(0, MOST_FINDINGS) }];
  });
  return new Map(reports);
}

/** The files and feeds of which something was dropped. */
export function lossesIn(files: ReadonlyMap<string, FileReport>): readonly FileLoss[] {
  return [...files].flatMap(([file, { dropped, lastDroppedAt, actions }]) =>
    dropped > 0 ? [{ file, dropped, lastDroppedAt, actions: listOf(actions).filter(isDropping) }] : [],
  );
}

/** The actions that occurred. */
export function listOf(counts: Readonly<Record<string, number>>): Actions {
  return Object.entries(counts).flatMap(([action, count]) => (count > 0 ? [{ action, count }] : []));
}

/** The report of these feeds alone. What it says of the whole calendar is left out. */
export function reportOfFeeds(
  { actions: all }: BuildReport,
  files: ReadonlyMap<string, FileReport>,
  ids: readonly string[],
): BuildReport {
  const parts = ids.flatMap((id) => files.get(`feed ${id}`) ?? []);
  const actions = all.flatMap(({ action }) => {
    const count = parts.reduce((sum, part) => sum + (part.actions[action] ?? 0), 0);
    return count > 0 ? [{ action, count }] : [];
  });
  const placed = parts.flatMap((part) => part.findings).toSorted((left, right) => left.at - right.at);
  const findings = placed.slice(0, MOST_FINDINGS).map(({ finding }) => finding);
  const found = actions.reduce((sum, { count }) => sum + count, 0);
  const lossy = parts.filter(({ dropped }) => dropped > 0);
  const moments = lossy.map(({ lastDroppedAt }) => lastDroppedAt);
  return {
    over: 0,
    lists: [],
    actions,
    dropped: lossy.reduce((sum, { dropped }) => sum + dropped, 0),
    findings,
    // One finding may give several reasons, each of them a finding.
    findingsLeftOut: Math.max(0, found - findings.length),
    lastDroppedAt: moments.includes(null) ? null : (moments.toSorted().at(-1) ?? null),
    withoutMunicipality: null,
  };
}

export function countOf({ actions }: BuildReport, action: string): number {
  return actions.find((done) => done.action === action)?.count ?? 0;
}

/** G2: whether something is dropped now that was not seven days before `now` (milliseconds since 1970). */
export function isDroppedLately({ dropped, lastDroppedAt: last }: Drops, now: number): boolean {
  return dropped > 0 && (last === null || now - Date.parse(last) < CONCERN_MS);
}

const CONCERN_MS = 7 * 86_400_000;
