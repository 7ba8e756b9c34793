/** One log line a request: each at `debug`; at `info` those that the server failed or that took long. */
import type { Execute } from './graphql/answer.ts';
import type { Traffic } from './http/front.ts';
import type { Log } from './log.ts';

export interface RequestLogOptions {
  readonly log: Pick<Log, 'debug' | 'info'>;
  /** Whether lines at `debug` are written at all. */
  readonly isDebug: boolean;
}

/** Milliseconds from which a request is worth a line of its own. */
export const SLOW_MS = 1_000;

/** What to call with each request. Neither keys nor query texts are in what it writes. */
export function createRequestLog({ log, isDebug }: RequestLogOptions): (traffic: Traffic) => void {
  return (traffic) => {
    const { status, milliseconds } = traffic;
    if (status >= 500) log.info(fieldsOf(traffic), 'request failed');
    else if (milliseconds >= SLOW_MS) log.info(fieldsOf(traffic), 'request slow');
    else if (isDebug) log.debug(fieldsOf(traffic), 'request');
  };
}

function fieldsOf(traffic: Traffic): Readonly<Record<string, unknown>> {
  const { method, route, status, caller, operationName, rootField, reused, failed, milliseconds } = traffic;
  return {
    method,
    route,
    status,
    ms: Math.round(milliseconds * 1_000) / 1_000,
    rootField,
    operation: operationName,
    caller: caller.kind,
    name: caller.name,
    pageHost: caller.pageHost,
    ...(reused && { reused }),
    ...(failed && { failed }),
  };
}

/** Tells the text and the variables of what is worked out: for those who have asked to see them. */
export function withQueryLog(execute: Execute, log: Pick<Log, 'info'>): Execute {
  return async (operation, moment) => {
    const started = performance.now();
    const answer = await execute(operation, moment);
    const { query, variables } = operation.sent;
    const ms = Math.round((performance.now() - started) * 1_000) / 1_000;
    log.info({ query: query.slice(0, LONGEST_QUERY), variables, ms, failed: answer.failed }, 'query');
    return answer;
  };
}

/** Characters. */
const LONGEST_QUERY = 4_000;
