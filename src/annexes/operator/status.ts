/**
 * The state of the server and its calendar: one plain value. `/status` returns it as JSON or as a page, mails name its concerns, and
 * metrics are read of it. Moments are ISO 8601 in UTC. No text has a path of this machine, nor more than 200 letters.
 */
import type { ServeContext } from '../../serve/annex.ts';
import { withoutFolders } from '../../serve/http/replies.ts';
import { nextChangeAt, upcomingEvents } from '../../serve/query/view.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import type { BuildRecord, Upkeep } from '../../upkeep.ts';
import type { StoreState } from '../common/upkeep.ts';
import type { Concern } from '../facts/concerns.ts';
import type { CallerLimits } from '../facts/facts.ts';
import { disclosedReason, publicAsBuilt } from './disclosure.ts';
import type { Hour } from './hours.ts';
import type { Metrics } from './relay.ts';
import { cut } from './reports.ts';
import { readUsage } from './usage.ts';

/** What is known without asking other processes: all that a concern can be about. */
export type Health = Awaited<ReturnType<typeof healthOf>>;

export interface Status extends Health, ReturnType<typeof readUsage> {
  /** Problems that the operator should look into; empty if there are none. */
  readonly concerns: readonly Concern[];
  /** Requests of this process in each hour of the last day, the oldest first. */
  readonly hours: readonly Hour[];
  /** K4, quota; null if there is none. */
  readonly quota: CallerLimits | null;
  readonly process: ReturnType<typeof processStatus>;
}

interface StatusOptions extends Pick<ServeContext, 'upkeep' | 'isStopping' | 'clock'> {
  /** Of all processes of this server. */
  readonly metrics: Metrics;
  readonly keeper: Pick<ServeContext['keeper'], 'pin' | 'state'>;
  readonly hours: () => readonly Hour[];
  /** Of all annexes. */
  readonly concerns: () => Promise<readonly Concern[]>;
  /** K4; null if there are none. */
  readonly limits: () => CallerLimits | null;
}

export async function statusOf(options: StatusOptions): Promise<Status> {
  const { metrics, hours, limits, concerns } = options;
  return {
    ...(await healthOf(options)),
    ...readUsage(await metrics.values()),
    concerns: await concerns(),
    hours: hours(),
    quota: limits(),
    process: processStatus(),
  };
}

export async function healthOf({
  keeper,
  isStopping,
  clock,
  upkeep: read,
}: Pick<StatusOptions, 'upkeep' | 'isStopping' | 'clock' | 'keeper'>) {
  const { current, adoptedAt, lastRefusal, damage } = keeper.state();
  const now = clock();
  const upkeep = read();
  const { hook, store } = upkeep;
  const state: 'serving' | 'waiting' | 'stopping' = isStopping()
    ? 'stopping'
    : current === null
      ? 'waiting'
      : 'serving';
  return {
    at: iso(now),
    state,
    snapshot: current && snapshotStatus(current, adoptedAt, now),
    /** The latest refused delivery, also if a good one came after it. */
    refusal: lastRefusal && {
      at: iso(lastRefusal.at),
      reason: shown(lastRefusal.reason),
      isLast: lastRefusal.at > (adoptedAt ?? 0),
      isDamage: damage !== null,
    },
    /** Builds of this machine, the latest first. */
    builds: upkeep.builds.map(buildStatus),
    ...(await publicAsBuilt(keeper, now / 1_000)),
    /** Null for a machine that copies from no origin. */
    replica: replicaStatus(upkeep, current),
    /** J1, publishing to an object store: the store that this machine publishes to; null for none. */
    store: store ? storeStatus(store) : null,
    /** H10, hooks: the hook that has been failing for the longest time; null while none fails. */
    hook: hook ? { host: hook.host, since: iso(hook.since), reason: cut(hook.reason) } : null,
  };
}

const shown = (reason: string): string => cut(withoutFolders(reason));

function snapshotStatus(snapshot: Snapshot, adoptedAt: number | null, now: number) {
  const { builtAt, horizonDay, counts } = snapshot.meta;
  const next = nextChangeAt(snapshot, now / 1_000);
  return {
    id: snapshot.id,
    format: snapshot.meta.format,
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

function buildStatus({ kind, outcome, id, counts, reason, startedAt, ms }: BuildRecord) {
  return {
    kind,
    outcome,
    id,
    counts,
    reason: reason === null ? null : cut(disclosedReason(withoutFolders(reason))),
    startedAt: iso(startedAt),
    milliseconds: Math.round(ms),
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
    outOfReach: why === null ? null : shown(why),
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
    failing: failing && { since: iso(failing.since), why: failing.why, reason: shown(failing.reason) },
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

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function isoOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : iso(milliseconds);
}
