/**
 * One access-log entry per answered request, and its log line: at `debug`, or at `info` if it failed or took long. Connections that are cut
 * are counted in separate lines.
 */
import type { ErrorCode } from '../../calendar/errors.ts';
import { briefly, createThrottle, type Log } from '../../calendar/log.ts';
import type { AddressedMessage, Attribution } from './caller.ts';
import type { CutReason, OnCut } from './connections.ts';

/** One request, after its reply was made. It never holds a key or the text of a query. */
export interface AccessLogEntry {
  readonly method: string;
  /** The router's name for the path, such as `/graphQL`; undefined for a path that does not exist. */
  readonly route: string | undefined;
  readonly status: number;
  readonly caller: Attribution;
  readonly operationName: string | undefined;
  /** The root field's name; `several` for more than one, undefined if no operation was found. */
  readonly rootField: string | undefined;
  /** Whether the answer was made for an earlier request. */
  readonly isCacheHit: boolean;
  /** Whether the answer has errors. */
  readonly hasErrors: boolean;
  /** Why the request was refused as a whole; undefined if it was not. */
  readonly refusedAs?: ErrorCode | undefined;
  /** From the last byte of the request until its reply. */
  readonly milliseconds: number;
}

/** Called with each request after it was answered. The message is there for its address alone, which is never logged. */
export type OnAccess = (entry: AccessLogEntry, message: AddressedMessage) => void;

interface AccessLogOptions {
  readonly log: Pick<Log, 'debug' | 'info'>;
  /** Whether lines at `debug` are written at all. */
  readonly isDebug: boolean;
  /** Milliseconds since any fixed time. */
  readonly clock?: () => number;
}

/** Milliseconds from which a request counts as slow. */
const SLOW_MS = 1_000;

/** D12: a client can make requests fail a thousand times a second, so the lines of each period are limited. */
const MOST_LINES = 20;
/** Milliseconds in which at most MOST_LINES are written. */
const PERIOD_MS = 10_000;

export function createAccessLog(options: AccessLogOptions): (entry: AccessLogEntry) => void {
  const { log, isDebug, clock = () => performance.now() } = options;
  const throttle = createThrottle({ most: MOST_LINES, periodMs: PERIOD_MS, clock });
  const write = (entry: AccessLogEntry, event: string) => {
    const suppressed = throttle();
    if (suppressed === null) return;
    const fields = fieldsOf(entry);
    log.info(suppressed === 0 ? fields : { ...fields, suppressed }, event);
  };
  return (entry) => {
    const { route, status, milliseconds } = entry;
    // A 503 of `/readyz` is not a failure: the server has no snapshot yet, or is stopping.
    const isFailure = status >= 500 && route !== '/readyz';
    if (isFailure) write(entry, 'request failed');
    else if (milliseconds >= SLOW_MS) write(entry, 'request slow');
    else if (isDebug) log.debug(fieldsOf(entry), 'request');
  };
}

function fieldsOf(entry: AccessLogEntry): Readonly<Record<string, unknown>> {
  const { caller } = entry;
  const fields: Record<string, unknown> = {
    method: entry.method,
    route: entry.route,
    status: entry.status,
    ms: Math.round(entry.milliseconds * 1_000) / 1_000,
    rootField: entry.rootField,
    operation: briefly(entry.operationName),
    caller: caller.kind,
    name: caller.name,
    pageHost: briefly(caller.pageHost),
  };
  if (entry.isCacheHit) fields.cacheHit = true;
  if (entry.hasErrors) fields.hasErrors = true;
  if (entry.refusedAs !== undefined) fields.code = entry.refusedAs;
  return fields;
}

/** Milliseconds from the first connection that is cut to the line that counts them, and between two lines. */
const FIRST_LINE_MS = 1_000;
const EACH_LINE_MS = 60_000;

/** D14: counts the connections that were closed for the sake of others, in one line a minute. */
export function createCutLog(
  log: Pick<Log, 'warn'>,
  later: (act: () => void, ms: number) => void = (act, ms) => void setTimeout(act, ms).unref(),
): OnCut {
  let counts: Partial<Record<CutReason, number>> = {};
  let isWaiting = false;
  const write = () => {
    isWaiting = Object.keys(counts).length > 0;
    if (!isWaiting) return;
    log.warn(counts, 'connections cut to make room for others');
    counts = {};
    later(write, EACH_LINE_MS);
  };
  return (reason) => {
    counts[reason] = (counts[reason] ?? 0) + 1;
    if (!isWaiting) later(write, FIRST_LINE_MS);
    isWaiting = true;
  };
}
