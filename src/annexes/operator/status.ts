/** The state of the server and its calendar: one plain value, which `/status` returns as JSON or as a page. */
import type { ServeContext } from '../../serve/annex.ts';
import { withoutFolders } from '../../serve/http/replies.ts';
import { nextChangeAt, upcomingEvents } from '../../serve/query/view.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import type { BuildRecord, Upkeep } from '../../upkeep.ts';
import { CONCERNS, type ConcernName } from '../common/concerns.ts';
import type { StoreState } from '../common/upkeep.ts';
import type { CallerLimits, Concern } from '../facts/facts.ts';
import { disclosedReason, disclosedReport, redactedReport } from './disclosure.ts';
import type { Metrics } from './relay.ts';
import { asBuiltOf, type BuildReport, type Feed, isDroppedLately, readReport } from './reports.ts';
import { type BuildChanges, changesOf } from './status-changes.ts';
import { readLoad, readQuota, readReuse, readTraffic } from './usage.ts';

/** Moments are ISO 8601 in UTC. No text contains a path of this machine. */
export interface Status {
  readonly at: string;
  readonly state: 'serving' | 'waiting' | 'stopping';
  /** Problems that the operator should look into; empty if there are none. */
  readonly concerns: readonly ConcernName[];
  readonly snapshot: ReturnType<typeof snapshotStatus> | null;
  /** The latest refused delivery, also if a good one came after it. */
  readonly refusal: { readonly at: string; readonly reason: string } | null;
  /** Builds of this machine, the latest first. */
  readonly builds: readonly Awaited<ReturnType<typeof buildStatus>>[];
  /** Effects of the snapshot's build on its source; null if the snapshot does not say. */
  readonly report: BuildReport | null;
  /** G10: changes of the latest builds that changed something, the latest first. */
  readonly changes: readonly BuildChanges[];
  readonly feeds: readonly Feed[];
  /** Null for a machine that copies from no origin. */
  readonly replica: ReturnType<typeof replicaStatus>;
  /** J1: the store that this machine publishes to; null for none. */
  readonly store: ReturnType<typeof storeStatus> | null;
  /** H10: the hook that has been failing for the longest time; null while none fails. */
  readonly hook: { readonly host: string; readonly since: string; readonly reason: string } | null;
  readonly reuse: ReturnType<typeof readReuse>;
  /** D14. */
  readonly load: ReturnType<typeof readLoad>;
  readonly traffic: ReturnType<typeof readTraffic>;
  /** K4; null if there is no quota. */
  readonly quota: ReturnType<typeof readQuota>;
  readonly process: ReturnType<typeof processStatus>;
}

export interface StatusOptions extends Pick<ServeContext, 'upkeep' | 'isStopping' | 'clock'> {
  /** Of all processes of this server. */
  readonly metrics: Metrics;
  readonly keeper: Pick<ServeContext['keeper'], 'pin' | 'state'>;
  /** K4; null if there are none. */
  readonly limits: () => CallerLimits | null;
}

export async function statusOf(options: StatusOptions): Promise<Status> {
  const { keeper, isStopping, clock } = options;
  const { current, adoptedAt, lastRefusal } = keeper.state();
  const now = clock();
  const metrics = await options.metrics.values();
  const upkeep = options.upkeep();
  const { report, feeds } = await asBuiltOf(keeper);
  const disclose = disclosureOf(keeper, now / 1_000);
  const status: Omit<Status, 'concerns'> = {
    at: iso(now),
    state: isStopping() ? 'stopping' : current === null ? 'waiting' : 'serving',
    snapshot: current && snapshotStatus(current, adoptedAt, now),
    refusal: lastRefusal && { at: iso(lastRefusal.at), reason: withoutFolders(lastRefusal.reason) },
    builds: await Promise.all(upkeep.builds.map((build) => buildStatus(build, disclose))),
    report: await disclose(report, current?.id ?? null),
    changes: await changesOf(keeper, now / 1_000),
    feeds,
    replica: replicaStatus(upkeep, current),
    store: upkeep.store ? storeStatus(upkeep.store) : null,
    hook: upkeep.hook ? { ...upkeep.hook, since: iso(upkeep.hook.since) } : null,
    reuse: readReuse(metrics),
    load: readLoad(metrics),
    traffic: readTraffic(metrics),
    quota: readQuota(metrics, options.limits()),
    process: processStatus(),
  };
  const isRefused = lastRefusal !== null && lastRefusal.at > (adoptedAt ?? 0);
  return { ...status, concerns: namesOf(status, isRefused) };
}

/** The concerns with their known details, for mails. */
export async function concernsOf(options: StatusOptions): Promise<readonly Concern[]> {
  const { concerns, builds, feeds, refusal, replica, store, hook } = await statusOf(options);
  const failing = feeds.filter(({ state }) => state !== 'ok').map(({ id, why }) => `${id}: ${why}`);
  const details: Partial<Record<ConcernName, string | null>> = {
    'delivery refused': refusal?.reason ?? null,
    'build failed': builds[0]?.reason ?? null,
    'copy failed': builds[0]?.reason ?? null,
    'feed failing': failing.join('; '),
    'origin out of reach': replica?.outOfReach ?? null,
    'store failing': store?.failing?.reason ?? null,
    'another builder': store?.rival?.id ?? null,
    'hook failing': hook && `${hook.host}: ${hook.reason}`,
  };
  return concerns.map((name) => ({ name, detail: details[name] ?? null }));
}

function snapshotStatus(snapshot: Snapshot, adoptedAt: number | null, now: number) {
  const { builtAt, horizonDay, counts } = snapshot.meta;
  const next = nextChangeAt(snapshot, now / 1_000);
  return {
    id: snapshot.id,
    builtAt,
    ageSeconds: Math.max(0, Math.floor((now - Date.parse(builtAt)) / 1_000)),
    adoptedAt: isoOrNull(adoptedAt),
    horizonDay,
    counts,
    upcoming: upcomingEvents(snapshot, now / 1_000),
    /** When the next answer changes; null for never. */
    nextChangeAt: Number.isFinite(next) ? iso(next * 1_000) : null,
  };
}

type Disclose = (report: BuildReport | null, id: string | null) => Promise<BuildReport | null>;

/** H9. Records are public as far as the current snapshot publishes them: the id decides whose report may be shown. */
function disclosureOf(keeper: StatusOptions['keeper'], now: number): Disclose {
  return async (report, id) => {
    if (report === null || keeper.state().current === null) return report && redactedReport(report);
    const { snapshot, release } = keeper.pin();
    try {
      const isOwn = snapshot.id === id;
      return isOwn ? await disclosedReport(report, { snapshot, now }) : redactedReport(report);
    } finally {
      release();
    }
  };
}

async function buildStatus(record: BuildRecord, disclose: Disclose) {
  const { kind, outcome, id, counts, reason, startedAt, ms, report } = record;
  return {
    kind,
    outcome,
    id,
    counts,
    reason: reason === null ? null : disclosedReason(withoutFolders(reason)),
    startedAt: iso(startedAt),
    milliseconds: Math.round(ms),
    report: await disclose(readReport(report), id),
  };
}

function replicaStatus({ builds, origin }: Upkeep, current: Snapshot | null) {
  if (!origin) return null;
  const [last] = builds;
  const arrived = builds.find(({ outcome }) => outcome === 'published');
  const why = origin.outOfReach;
  return {
    /** Seconds from the snapshot's build, on any machine, to its arrival here; null before the first arrival. */
    lagSeconds:
      current !== null && arrived?.id === current.id
        ? Math.max(0, Math.round((arrived.startedAt + arrived.ms - Date.parse(current.meta.builtAt)) / 1_000))
        : null,
    /** When a copy last arrived, or failed. */
    lastCopyAt: last === undefined ? null : iso(last.startedAt + last.ms),
    /** Why the origin cannot be reached; null if it can. */
    outOfReach: why === null ? null : withoutFolders(why),
    outOfReachSince: isoOrNull(origin.since),
  };
}

function storeStatus({ name, id, sentAt, bytes, ms, failing, rival }: StoreState) {
  return {
    name,
    id,
    sentAt: isoOrNull(sentAt),
    bytes,
    milliseconds: Math.round(ms),
    /** Why the store differs from the folder. */
    failing: failing && {
      since: iso(failing.since),
      why: failing.why,
      reason: withoutFolders(failing.reason),
    },
    /** A snapshot that another builder published there within the last day. */
    rival: rival && { id: rival.id, builtAt: rival.builtAt, seenAt: iso(rival.seenAt) },
  };
}

function processStatus() {
  const { rss, heapUsed } = process.memoryUsage();
  return {
    node: process.version,
    pid: process.pid,
    uptimeSeconds: Math.floor(process.uptime()),
    residentBytes: rss,
    heapBytes: heapUsed,
  };
}

function namesOf(status: Omit<Status, 'concerns'>, isRefused: boolean): readonly ConcernName[] {
  const [latest] = status.builds;
  const found: Readonly<Record<ConcernName, boolean>> = {
    'no snapshot': status.snapshot === null,
    'delivery refused': isRefused,
    'build failed': latest?.outcome === 'failed' && latest.kind === 'rebuild',
    'copy failed': latest?.outcome === 'failed' && latest.kind === 'pull',
    'feed failing': status.feeds.some(({ state }) => state !== 'ok'),
    'records dropped': isDroppedLately(status.report, Date.parse(status.at)),
    'origin out of reach': status.replica !== null && status.replica.outOfReach !== null,
    'store failing': status.store !== null && status.store.failing !== null,
    'another builder': status.store !== null && status.store.rival !== null,
    'hook failing': status.hook !== null,
  };
  return NAMES.filter((concern) => found[concern]);
}

const NAMES = Object.keys(CONCERNS) as readonly ConcernName[];

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function isoOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : iso(milliseconds);
}
