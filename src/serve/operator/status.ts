/** How the server and its calendar are doing: one plain value, which `/status` gives as JSON or as a page. */

import type { StoreState } from '../../snapshot/folder.ts';
import type { Keeper } from '../../snapshot/keeper.ts';
import type { Counts } from '../../snapshot/meta.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { withoutFolders } from '../http/health.ts';
import type { QuotaLimits } from '../http/quota.ts';
import { nextChangeAt, upcomingEvents } from '../query/view.ts';
import { asBuiltOf, type BuildReport, droppedOf, type Feed, readReport } from './build-report.ts';
import type { BuildRecord, Upkeep } from './builds.ts';
import type { Metrics } from './metrics.ts';
import {
  type QuotaStatus,
  type ReuseStatus,
  readQuota,
  readReuse,
  readTraffic,
  type Traffic,
  type TrafficStatus,
} from './traffic.ts';

/** Moments are ISO 8601 in UTC. Paths of this machine are in none of the texts. */
export interface Status {
  readonly at: string;
  readonly state: 'serving' | 'waiting' | 'stopping';
  /** What somebody should look into; empty when all is well. */
  readonly concerns: readonly Concern[];
  readonly snapshot: SnapshotStatus | null;
  /** The latest delivery that was not taken, whether or not a good one came after it. */
  readonly refusal: { readonly at: string; readonly reason: string } | null;
  /** Of this machine, the latest first. */
  readonly builds: readonly BuildStatus[];
  /** What the build of the snapshot did to its source; null when it does not say. */
  readonly report: BuildReport | null;
  readonly feeds: readonly Feed[];
  readonly replica: ReplicaStatus | null;
  readonly store: StoreStatus | null;
  readonly reuse: ReuseStatus;
  readonly traffic: TrafficStatus;
  /** K4; null where there is none. */
  readonly quota: QuotaStatus | null;
  readonly process: ProcessStatus;
}

const CONCERNS = [
  'no snapshot',
  'delivery refused',
  'build failed',
  'copy failed',
  'feed failing',
  'records dropped',
  'origin out of reach',
  'store failing',
  'another builder',
] as const;

type Concern = (typeof CONCERNS)[number];

interface SnapshotStatus {
  readonly id: string;
  readonly builtAt: string;
  readonly ageSeconds: number;
  readonly adoptedAt: string | null;
  readonly horizonDay: string;
  readonly counts: Counts;
  /** Events that have not ended. */
  readonly upcoming: number;
  /** When the next answer changes; null for never. */
  readonly nextChangeAt: string | null;
}

interface BuildStatus extends Pick<BuildRecord, 'kind' | 'outcome' | 'id' | 'counts' | 'reason'> {
  readonly startedAt: string;
  readonly milliseconds: number;
  readonly report: BuildReport | null;
}

interface ReplicaStatus {
  /** Seconds from the snapshot's build, wherever that was, to its arrival here; null before the first arrival. */
  readonly lagSeconds: number | null;
  /** When a copy last arrived, or failed to. */
  readonly lastCopyAt: string | null;
  /** Why the origin cannot be asked; null when it can. */
  readonly outOfReach: string | null;
  readonly outOfReachSince: string | null;
}

/** J1: where this machine's snapshots are copied to. */
interface StoreStatus extends Pick<StoreState, 'name' | 'id' | 'bytes'> {
  readonly sentAt: string | null;
  readonly milliseconds: number;
  /** Why the store has not what the folder has. */
  readonly failing: { readonly since: string; readonly why: string; readonly reason: string } | null;
  /** What another builder has published there within the last day. */
  readonly rival: { readonly id: string; readonly builtAt: string; readonly seenAt: string } | null;
}

interface ProcessStatus {
  readonly node: string;
  readonly pid: number;
  readonly uptimeSeconds: number;
  readonly residentBytes: number;
  readonly heapBytes: number;
}

export interface StatusOptions {
  readonly keeper: Pick<Keeper, 'pin' | 'state'>;
  readonly upkeep: () => Upkeep;
  /** Of this process: for the hosts of pages, which are in no metric. */
  readonly traffic: Pick<Traffic, 'pageHosts'>;
  readonly metrics: Metrics;
  readonly quota: QuotaLimits;
  readonly isStopping: () => boolean;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export async function statusOf(options: StatusOptions): Promise<Status> {
  const { keeper, traffic, isStopping, clock } = options;
  const { current, adoptedAt, lastRefusal } = keeper.state();
  const now = clock();
  const metrics = await options.metrics.values();
  const upkeep = options.upkeep();
  const { report, feeds } = await asBuiltOf(keeper);
  const status: Omit<Status, 'concerns'> = {
    at: iso(now),
    state: isStopping() ? 'stopping' : current === null ? 'waiting' : 'serving',
    snapshot: current && snapshotStatus(current, adoptedAt, now),
    refusal: lastRefusal && { at: iso(lastRefusal.at), reason: withoutFolders(lastRefusal.reason) },
    builds: upkeep.builds.map(buildStatus),
    report,
    feeds,
    replica: replicaStatus(upkeep, current),
    store: upkeep.store && storeStatus(upkeep.store),
    reuse: readReuse(metrics),
    traffic: readTraffic(metrics, traffic.pageHosts()),
    quota: readQuota(metrics, options.quota),
    process: processStatus(),
  };
  const isRefused = lastRefusal !== null && lastRefusal.at > (adoptedAt ?? 0);
  return { ...status, concerns: concernsOf(status, isRefused) };
}

function snapshotStatus(snapshot: Snapshot, adoptedAt: number | null, now: number): SnapshotStatus {
  const { builtAt, horizonDay, counts } = snapshot.meta;
  const next = nextChangeAt(snapshot, now / 1_000);
  return {
    id: snapshot.id,
    builtAt,
    ageSeconds: Math.max(0, Math.floor((now - Date.parse(builtAt)) / 1_000)),
    adoptedAt: adoptedAt === null ? null : iso(adoptedAt),
    horizonDay,
    counts,
    upcoming: upcomingEvents(snapshot, now / 1_000),
    nextChangeAt: Number.isFinite(next) ? iso(next * 1_000) : null,
  };
}

function buildStatus({ kind, outcome, id, counts, reason, startedAt, ms, report }: BuildRecord): BuildStatus {
  return {
    kind,
    outcome,
    id,
    counts,
    reason: reason === null ? null : withoutFolders(reason),
    startedAt: iso(startedAt),
    milliseconds: Math.round(ms),
    report: readReport(report),
  };
}

function replicaStatus({ builds, origin }: Upkeep, current: Snapshot | null): ReplicaStatus | null {
  if (origin === null) return null;
  const [last] = builds;
  const arrived = builds.find(({ outcome }) => outcome === 'published');
  const why = origin.outOfReach;
  return {
    lagSeconds:
      current !== null && arrived?.id === current.id
        ? Math.max(0, Math.round((arrived.startedAt + arrived.ms - Date.parse(current.meta.builtAt)) / 1_000))
        : null,
    lastCopyAt: last === undefined ? null : iso(last.startedAt + last.ms),
    outOfReach: why === null ? null : withoutFolders(why),
    outOfReachSince: origin.since === null ? null : iso(origin.since),
  };
}

function storeStatus({ name, id, sentAt, bytes, ms, failing, rival }: StoreState): StoreStatus {
  return {
    name,
    id,
    sentAt: sentAt === null ? null : iso(sentAt),
    bytes,
    milliseconds: Math.round(ms),
    failing: failing && {
      since: iso(failing.since),
      why: failing.why,
      reason: withoutFolders(failing.reason),
    },
    rival: rival && { id: rival.id, builtAt: rival.builtAt, seenAt: iso(rival.seenAt) },
  };
}

function processStatus(): ProcessStatus {
  const { rss, heapUsed } = process.memoryUsage();
  return {
    node: process.version,
    pid: process.pid,
    uptimeSeconds: Math.floor(process.uptime()),
    residentBytes: rss,
    heapBytes: heapUsed,
  };
}

function concernsOf(status: Omit<Status, 'concerns'>, isRefused: boolean): readonly Concern[] {
  const [latest] = status.builds;
  const found: Readonly<Record<Concern, boolean>> = {
    'no snapshot': status.snapshot === null,
    'delivery refused': isRefused,
    'build failed': latest?.outcome === 'failed' && latest.kind === 'rebuild',
    'copy failed': latest?.outcome === 'failed' && latest.kind === 'pull',
    'feed failing': status.feeds.some(({ state }) => state !== 'ok'),
    'records dropped': [...droppedOf(status.report).values()].some((count) => count > 0),
    'origin out of reach': status.replica !== null && status.replica.outOfReach !== null,
    'store failing': status.store !== null && status.store.failing !== null,
    'another builder': status.store !== null && status.store.rival !== null,
  };
  return CONCERNS.filter((concern) => found[concern]);
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
