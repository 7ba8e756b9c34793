/**
 * What `/status` shows: one plain value, as JSON or as a page. Moments are ISO 8601 in UTC. No text has a path of this machine, nor more
 * than 200 letters.
 */
import type { ServeContext } from '../../serve/annex.ts';
import { withoutFolders } from '../../serve/http/replies.ts';
import { upcomingEvents } from '../../serve/query/view.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import type { InEach } from '../page/reader.ts';
import type { MetricValues } from './relay.ts';
import { cut, publicAsBuilt } from './reports.ts';

interface Failing {
  /** When it began, in milliseconds since 1970. */
  readonly since: number;
  readonly reason: string;
}

/** The server and its calendar as this process knows them: all that a concern can be about. */
export type Health = Awaited<ReturnType<typeof healthOf>>;

export async function healthOf(
  { keeper, isStopping, clock, upkeep }: Pick<ServeContext, 'keeper' | 'isStopping' | 'clock' | 'upkeep'>,
  failingMail: Failing | null,
) {
  const { current, adoptedAt, lastRefusal, damage } = keeper.state();
  const now = clock();
  const running = current === null ? 'waiting' : 'serving';
  const { builds, hook = null, store = null, origin = null } = await upkeep();
  return {
    at: iso(now),
    state: isStopping() ? 'stopping' : running,
    snapshot: current && snapshotHealth(current, adoptedAt ?? now, now),
    /** The latest refused delivery, also if a good one came after it. */
    refusal: lastRefusal && {
      at: iso(lastRefusal.at),
      reason: shown(lastRefusal.reason),
      isLast: lastRefusal.at > (adoptedAt ?? 0),
      isDamage: damage !== null,
    },
    /** Builds of this machine, the latest first. */
    builds: builds.map(({ kind, outcome, id, counts, reason, publicReason, startedAt, ms }) => ({
      kind,
      outcome,
      id,
      counts,
      startedAt: iso(startedAt),
      milliseconds: Math.round(ms),
      // H9: the public reason has no values of records.
      reason: reason && shown(publicReason ?? reason),
    })),
    ...(await publicAsBuilt(keeper, now / 1_000)),
    /** Null for a machine that copies from no origin. */
    replica: origin && {
      /** Why the origin cannot be reached; null if it can. */
      outOfReach: origin.outOfReach && shown(origin.outOfReach),
      outOfReachSince: origin.since === null ? null : iso(origin.since),
    },
    /** J1: the store that this machine publishes to; null for none. */
    store: store && {
      ...store,
      /** Why the store differs from the folder. */
      failing: store.failing && dated(store.failing),
      /** A snapshot that another builder published there within the last day. */
      rival: store.rival && { ...store.rival, seenAt: iso(store.rival.seenAt) },
    },
    /** H10: the hook that has been failing for the longest time; null while none fails. */
    hook: hook && dated(hook),
    /** H12: null while mails can be sent. */
    mail: failingMail && dated(failingMail),
  } as const;
}

const shown = (reason: string): string => cut(withoutFolders(reason));

const dated = <More extends Failing>(failing: More) => ({
  ...failing,
  since: iso(failing.since),
  reason: shown(failing.reason),
});

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();

function snapshotHealth(snapshot: Snapshot, adoptedAt: number, now: number) {
  const { builtAt, horizonDay, counts, format } = snapshot.meta;
  return {
    id: snapshot.id,
    format,
    builtAt,
    horizonDay,
    counts,
    ageSeconds: Math.max(0, Math.floor((now - Date.parse(builtAt)) / 1_000)),
    adoptedAt: iso(adoptedAt),
    upcoming: upcomingEvents(snapshot, now / 1_000),
  };
}

/** A problem that an operator should look into, and its remedy. */
export interface Concern {
  readonly name: string;
  readonly what: InEach<string>;
  /** ISO 8601; null if it is unknown. */
  readonly since: string | null;
  /** Its details, such as the message of a build. */
  readonly details: readonly InEach<string>[];
  readonly advice: InEach<string>;
}

/** Metrics that `/status` reads, summed over all processes. */
export const NAMES = {
  durations: 'almanakk_request_duration_seconds',
  admitted: 'almanakk_work_admitted_total',
  refused: 'almanakk_work_refused_total',
  working: 'almanakk_work_running',
  waiting: 'almanakk_work_waiting',
} as const;

export type Status = ReturnType<typeof statusOf>;

/** `concerns`: problems that the operator should look into. `metrics`: of all processes of this server, since its start. */
export function statusOf(state: Health & { readonly concerns: readonly Concern[] }, metrics: MetricValues) {
  const samplesOf = (name: string) => metrics.find((metric) => metric.name === name)?.values ?? [];
  const numberOf = (name: string) => samplesOf(name)[0]?.value ?? 0;
  return {
    ...state,
    /** D14. */
    load: {
      admitted: numberOf(NAMES.admitted),
      refused: numberOf(NAMES.refused),
      working: numberOf(NAMES.working),
      waiting: numberOf(NAMES.waiting),
    },
    traffic: { callers: callersIn(samplesOf(NAMES.durations)) },
  };
}

export type Caller = ReturnType<typeof callersIn>[number];

/** The busiest first. `errors`, `refused` and `failed` are outcomes of requests. */
function callersIn(samples: MetricValues[number]['values']) {
  /** `kind`: `application`, `anonymous` or `operator`; `name`: of an application, empty for others. */
  const none = { kind: '', name: '', requests: 0, errors: 0, refused: 0, failed: 0 };
  const callers = new Map<string, typeof none>();
  for (const { labels, value, ...sample } of samples) {
    const isCount = 'metricName' in sample && sample.metricName === `${NAMES.durations}_count`;
    if (!isCount) continue;
    const kind = `${labels.caller}`;
    const name = `${labels.application}`;
    const { outcome } = labels;
    const caller = callers.get(`${kind} ${name}`) ?? { ...none, kind, name };
    callers.set(`${kind} ${name}`, caller);
    caller.requests += value;
    if (outcome === 'errors' || outcome === 'refused' || outcome === 'failed') caller[outcome] += value;
  }
  return [...callers.values()].toSorted((left, right) => right.requests - left.requests);
}
