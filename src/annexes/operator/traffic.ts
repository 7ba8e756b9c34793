/** The Prometheus metrics of requests, which are counted as they end. Labels never hold unbounded texts of clients. */
import { Counter, Histogram, type Registry } from 'prom-client';
import type { AccessLogEntry, OnAccess } from '../../serve/http/access-log.ts';
import type { CallerAddressOf } from '../../serve/http/caller.ts';
import { createOthers } from './others.ts';
import { NAMES } from './status.ts';

/** `errors`: answered, but with errors; `refused`: the client's fault; `failed`: the server's. */
const OUTCOMES = ['ok', 'errors', 'refused', 'failed'] as const;
type Outcome = (typeof OUTCOMES)[number];

/** The reasons for which requests failed. `overloaded`: D14 protects the server; `unavailable`: it has no snapshot; `error`: all others. */
const REASONS = ['error', 'overloaded', 'unavailable'] as const;
type Reason = (typeof REASONS)[number];

/** Their failures concern no caller: `/readyz` answers 503 while a server starts or stops. */
const OPERATORS_ROUTES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/status', '/metrics']);

/**
 * `route`: the path; `operation`: root field of a GraphQL request or a feed, empty for others and for
 * unreadable ones; `application`: its name, empty for other callers.
 */
const LABELS = ['route', 'operation', 'caller', 'application', 'outcome'] as const;

/** Upper bounds of the buckets: cached answers are in the first ones. */
const SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** H12: of these, an alert reads whether a server refuses more than one caller. */
const OF_OTHERS = [
  {
    name: 'almanakk_others_requests_total',
    help: 'Requests in past minutes, without those of the address that was refused most (OVERLOADED) in each minute',
    kind: 'requests',
  },
  {
    name: 'almanakk_others_refused_total',
    help: 'Requests counted in almanakk_others_requests_total that were refused (OVERLOADED)',
    kind: 'refused',
  },
] as const;

/** `clock`: milliseconds since any fixed time. */
export function createTraffic(
  registry: Registry,
  addressOf: CallerAddressOf,
  clock = () => performance.now(),
): OnAccess {
  const { durations, requests, failures, reuse, limited } = createMetrics(registry);
  const others = createOthers(addressOf, clock);
  addOthers(registry, others);
  return (entry, message) => {
    const { caller, route = 'unknown', rootField: operation = '', milliseconds, isCacheHit } = entry;
    const outcome = outcomeOf(entry);
    const application = caller.kind === 'application' ? (caller.name ?? '') : '';
    const labels = { route, operation, caller: caller.kind, application, outcome };
    durations.observe(labels, milliseconds / 1_000);
    if (!OPERATORS_ROUTES.has(route)) {
      requests.inc({ outcome });
      const reason = outcome === 'failed' ? reasonOf(entry) : null;
      if (reason !== null) failures.inc({ reason });
      others.count(message, reason === 'overloaded');
    }
    if (outcome === 'ok' && operation !== '') reuse.inc({ result: isCacheHit ? 'hit' : 'miss' });
    if (entry.status === 429) limited.inc({ caller: caller.kind, application });
  };
}

function createMetrics(registry: Registry) {
  const registers = [registry];
  const durations = new Histogram({
    name: NAMES.durations,
    help: 'Response time in seconds; its count is the number of requests',
    labelNames: LABELS,
    buckets: SECONDS,
    registers,
  });
  const requests = new Counter({
    name: 'almanakk_requests_total',
    help: 'Requests of callers: all but those to /healthz, /readyz, /status and /metrics',
    labelNames: ['outcome'],
    registers,
  });
  const failures = new Counter({
    name: 'almanakk_requests_failed_total',
    help: 'Failed requests of callers: overloaded (OVERLOADED), unavailable (no snapshot) or error',
    labelNames: ['reason'],
    registers,
  });
  const reuse = new Counter({
    name: 'almanakk_reuse_requests_total',
    help: 'Responses and feeds without errors: hit for those from the response cache',
    labelNames: ['result'],
    registers,
  });
  const limited = new Counter({
    name: 'almanakk_rate_limited_total',
    help: 'Requests refused because the quota of their caller was used up (429)',
    labelNames: ['caller', 'application'],
    registers,
  });
  // A series that began with its first request would hide this one from Prometheus, which sees only increases.
  for (const outcome of OUTCOMES) requests.inc({ outcome }, 0);
  for (const reason of REASONS) failures.inc({ reason }, 0);
  for (const result of ['hit', 'miss']) reuse.inc({ result }, 0);
  limited.inc({ caller: 'anonymous', application: '' }, 0);
  return { durations, requests, failures, reuse, limited };
}

function addOthers(registry: Registry, others: ReturnType<typeof createOthers>): void {
  for (const { name, help, kind } of OF_OTHERS) {
    new Counter({
      name,
      help,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(others.read()[kind]);
      },
    });
  }
}

function outcomeOf({ status, hasErrors }: AccessLogEntry): Outcome {
  if (status >= 500) return 'failed';
  if (status >= 400) return 'refused';
  return hasErrors ? 'errors' : 'ok';
}

function reasonOf({ status, refusedAs }: AccessLogEntry): Reason {
  if (refusedAs === 'OVERLOADED') return 'overloaded';
  return status === 503 ? 'unavailable' : 'error';
}
