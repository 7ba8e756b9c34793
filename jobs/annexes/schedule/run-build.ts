/**
 * Runs one build as its own process, which cannot slow down, exhaust or block the serving processes. Here the two halves meet: a server
 * starts the command `rebuild` as a child, and reads its `--json` output.
 */
import { DROPPED, isDropping } from '../../../src/calendar/actions.ts';
import { parsedJson } from '../../../src/calendar/json.ts';
import { runChild } from '../../../src/child.ts';
import { programPath } from '../../../src/package.ts';
import type { BuildRecord } from '../../../src/upkeep.ts';
import { type Finding, findingLine } from '../../findings.ts';
import type { FeedHealth } from '../../report/summary.ts';

/** The compiled or the source module, like this file. */
export const BUILD_COMMAND: readonly string[] = [programPath('jobs/cli'), 'rebuild', '--json'];

/** The reason of a build that was ended because this process ends. */
export const STOPPED = 'stopped';

interface RunOptions {
  /** Milliseconds after which a build is ended. */
  readonly timeoutMs: number;
  /** Ends the build, like the time limit. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** The build's script and arguments. */
  readonly command?: readonly string[];
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly patienceMs?: number;
}

export interface FinishedBuild {
  readonly record: BuildRecord;
  /** The first finding about something dropped; null for none. */
  readonly firstDropped: string | null;
  /** The end of the build's standard error. */
  readonly stderr: string;
  /** Whether it failed because the disk was full. */
  readonly isFull: boolean;
}

/** Never rejects: a build that cannot be started is one that failed. */
export async function runBuild(options: RunOptions): Promise<FinishedBuild> {
  const { clock, command = BUILD_COMMAND, timeoutMs, signal, patienceMs = 5_000 } = options;
  const startedAt = clock();
  const { failure, limit, stdout, stderr } = await runChild(command, {
    milliseconds: timeoutMs,
    signal,
    patienceMs,
  });
  const ms = Math.max(0, clock() - startedAt);
  const printed: Partial<PrintedResult> = Object(parsedJson(stdout));
  const late = `not finished after ${timeoutMs / 1_000} s, so it was stopped`;
  const fault = limit === null ? failure : { time: late, signal: STOPPED }[limit];
  return {
    record: {
      ...resultOf(printed, fault, stderr),
      ...sheetsIn(printed),
      dropped: droppedIn(printed),
      startedAt,
      ms,
    },
    firstDropped: firstDroppedIn(printed),
    stderr,
    isFull: printed.code === 'DISK_FULL',
  };
}

/** The JSON document that a build prints. A build that failed early prints none. */
interface PrintedResult extends Pick<BuildRecord, 'outcome' | 'id' | 'counts' | 'changes'> {
  /** Why a build failed. */
  readonly code: string;
  readonly message: string;
  /** The message without values of records; absent if it has none. */
  readonly publicMessage: string;
  readonly report: {
    readonly actions?: Readonly<Record<string, number>>;
    readonly findings?: readonly Finding[];
    readonly feeds?: readonly Pick<FeedHealth, 'id' | 'kind' | 'state' | 'readAt'>[];
  } | null;
}

/** `fault`: why the process failed; null if it ended well. */
function resultOf(
  { outcome, id = null, counts = null, changes, message, publicMessage }: Partial<PrintedResult>,
  fault: string | null,
  stderr: string,
): Omit<BuildRecord, 'dropped' | 'startedAt' | 'ms' | 'sheetsReadAt'> {
  if (fault === null && (outcome === 'published' || outcome === 'unchanged'))
    return { kind: 'rebuild', outcome, id, counts, changes, reason: null };
  const words = [fault ?? 'it printed nothing', lastLine(stderr)].filter((part) => part !== '');
  const failed = { kind: 'rebuild', outcome: 'failed', id: null, counts: null } as const;
  const reason = message ?? words.join(': ');
  return publicMessage === undefined
    ? { ...failed, reason }
    : { ...failed, reason, publicReason: publicMessage };
}

function sheetsIn({ report }: Partial<PrintedResult>): Pick<BuildRecord, 'sheetsReadAt'> {
  const sheets = (report?.feeds ?? []).flatMap(({ id, kind, state, readAt }) =>
    kind === 'corrections' && state === 'ok' && readAt !== null ? [[id, readAt]] : [],
  );
  return sheets.length === 0 ? {} : { sheetsReadAt: Object.fromEntries(sheets) };
}

function droppedIn({ report }: Partial<PrintedResult>): number {
  return DROPPED.reduce((sum, action) => sum + (report?.actions?.[action] ?? 0), 0);
}

/** The report lists dropped entries first. */
function firstDroppedIn({ report }: Partial<PrintedResult>): string | null {
  const [first] = report?.findings ?? [];
  return first !== undefined && isDropping(first) ? findingLine(first) : null;
}

/** The last line of a text, or the line of a stack trace that names the error: frames are indented. */
function lastLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return (lines.findLast((line) => /^\S*Error\b.*: /.test(line)) ?? lines.at(-1) ?? '').trim();
}
