/**
 * Counts what is asked and by whom, in plain numbers: a request costs a few look-ups here, and everything that needs
 * putting together is put together when somebody looks. Nothing that clients make up becomes a key without a bound.
 */
import type { AccessLogEntry } from './access-log.ts';
import { GRAPHQL_PATH } from './http/graphql.ts';
import { type Counted, createBusiest } from './traffic/busiest.ts';

export const OUTCOMES = ['ok', 'errors', 'refused', 'failed'] as const;
/** `errors`: answered, but with errors; `refused`: the client's fault; `failed`: the server's. */
export type Outcome = (typeof OUTCOMES)[number];

export interface Labels {
  /** Of this server; versions in file names left out. */
  readonly route: string;
  /** Root field of a GraphQL request; empty for others, and for what was not understood. */
  readonly operation: string;
  readonly caller: 'application' | 'anonymous' | 'operator';
  /** Name of the application; empty for other callers. */
  readonly application: string;
  readonly outcome: Outcome;
}

/** Requests of one kind. */
export interface Series {
  readonly labels: Labels;
  readonly count: number;
  /** Of all of them together. */
  readonly seconds: number;
  /** How many took longer than the bound before and at most this one, by SECONDS; the rest took longer than any. */
  readonly buckets: Float64Array;
}

/** Upper bounds of the buckets. Answers at hand take some 0.03 ms, answers that are worked out some 0.3 ms and up. */
export const SECONDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
] as const;

export interface ReuseCounts {
  readonly hits: number;
  readonly misses: number;
}

export interface TrafficCounts {
  readonly record: (entry: AccessLogEntry) => void;
  readonly series: () => readonly Series[];
  /** Hosts of the pages that calls came from, the busiest first. */
  readonly pageHosts: () => readonly Counted[];
  /** GraphQL answers without errors that were at hand, and that were not. */
  readonly reuse: () => ReuseCounts;
}

/** Applications with series of their own: more than an operator gives keys to, but not more than a page can show. */
const MOST_APPLICATIONS = 200;
const MOST_HOSTS = 100;
export const OTHERS = 'others';

export function createTraffic(): TrafficCounts {
  const callers = new Map<string, Map<string, (Counting | undefined)[]>>();
  const all: Counting[] = [];
  const hosts = createBusiest(MOST_HOSTS);
  const routes = new Map<string, string>();
  const reuse = { hits: 0, misses: 0 };

  const routeOf = (route: string | undefined) => {
    if (route === undefined) return 'unknown';
    let name = routes.get(route);
    if (name === undefined) {
      name = withoutVersion(route);
      routes.set(route, name);
    }
    return name;
  };

  const find = (entry: AccessLogEntry, outcome: number): Counting => {
    const { kind, name = '' } = entry.caller;
    const caller = kind === 'application' ? `${kind} ${name}` : kind;
    let subjects = callers.get(caller);
    if (subjects === undefined) {
      if (kind === 'application' && callers.size >= MOST_APPLICATIONS && name !== OTHERS) {
        return find({ ...entry, caller: { ...entry.caller, name: OTHERS } }, outcome);
      }
      subjects = new Map();
      callers.set(caller, subjects);
    }
    // Root fields and routes cannot be mistaken for one another: routes begin with a slash.
    const subject = entry.rootField ?? entry.route ?? '';
    let outcomes = subjects.get(subject);
    if (outcomes === undefined) {
      outcomes = [];
      subjects.set(subject, outcomes);
    }
    let counting = outcomes[outcome];
    if (counting === undefined) {
      const application = kind === 'application' ? name : '';
      counting = startCounting({
        route: routeOf(entry.route),
        operation: entry.rootField ?? '',
        caller: kind,
        application,
        outcome: OUTCOMES[outcome] ?? 'failed',
      });
      outcomes[outcome] = counting;
      all.push(counting);
    }
    return counting;
  };

  return {
    record: (entry) => {
      const outcome = outcomeOf(entry);
      const counting = find(entry, outcome);
      const seconds = entry.milliseconds / 1_000;
      counting.count++;
      counting.seconds += seconds;
      const place = bucketOf(seconds);
      if (place < SECONDS.length) counting.buckets[place] = (counting.buckets[place] ?? 0) + 1;
      if (outcome === OK && entry.route === GRAPHQL_PATH && entry.rootField !== undefined) {
        if (entry.reused) reuse.hits++;
        else reuse.misses++;
      }
      if (entry.caller.pageHost !== undefined) hosts.add(entry.caller.pageHost);
    },
    series: () => all,
    pageHosts: hosts.counts,
    reuse: () => reuse,
  };
}

interface Counting extends Series {
  count: number;
  seconds: number;
}

function startCounting(labels: Labels): Counting {
  return { labels, count: 0, seconds: 0, buckets: new Float64Array(SECONDS.length) };
}

const OK = OUTCOMES.indexOf('ok');
const ERRORS = OUTCOMES.indexOf('errors');
const REFUSED = OUTCOMES.indexOf('refused');
const FAILED = OUTCOMES.indexOf('failed');

/** Place in OUTCOMES. */
function outcomeOf({ status, failed }: AccessLogEntry): number {
  if (status >= 500) return FAILED;
  if (status >= 400) return REFUSED;
  return failed ? ERRORS : OK;
}

function bucketOf(seconds: number): number {
  let place = 0;
  while (place < SECONDS.length && seconds > (SECONDS[place] ?? 0)) place++;
  return place;
}

/** `/graphQL/sandbox-0123456789ab/x.js` is `/graphQL/sandbox`, `/almanakk-0123456789ab.css` is `/almanakk`. */
function withoutVersion(route: string): string {
  return route.replace(/-[0-9a-f]{12}[./].*$/, '');
}
