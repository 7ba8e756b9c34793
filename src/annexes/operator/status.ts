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
import { CONCERN_NAMES, type Concern, type ConcernName, concernOf, type Found } from '../facts/concerns.ts';
import type { CallerLimits } from '../facts/facts.ts';
import { type BuildChanges, changesOf } from './changes.ts';
import { disclosedReason, disclosedReport } from './disclosure.ts';
import type { Hour } from './hours.ts';
import type { Metrics } from './relay.ts';
import { asBuiltOf, type BuildReport, cut, type Feed, isDroppedLately } from './reports.ts';
import { readUsage } from './usage.ts';

/** What is known without asking other processes: all that a concern can be about. */
export interface Health {
  readonly at: string;
  readonly state: 'serving' | 'waiting' | 'stopping';
  readonly snapshot: ReturnType<typeof snapshotStatus> | null;
  /** The latest refused delivery, also if a good one came after it. */
  readonly refusal: { readonly at: string; readonly reason: string; readonly isLast: boolean } | null;
  /** Builds of this machine, the latest first. */
  readonly builds: readonly ReturnType<typeof buildStatus>[];
  /** Effects of the snapshot's build on its source, not redacted yet; null if the snapshot does not say. */
  readonly report: BuildReport | null;
  readonly feeds: readonly Feed[];
  /** Null for a machine that copies from no origin. */
  readonly replica: ReturnType<typeof replicaStatus>;
  /** J1, publishing to an object store: the store that this machine publishes to; null for none. */
  readonly store: ReturnType<typeof storeStatus> | null;
  /** H10, hooks: the hook that has been failing for the longest time; null while none fails. */
  readonly hook: { readonly host: string; readonly since: string; readonly reason: string } | null;
}

export interface Status extends Health, ReturnType<typeof readUsage> {
  /** Problems that the operator should look into; empty if there are none. */
  readonly concerns: readonly Concern[];
  /** H9, nothing unpublished leaves: only with what is public. */
  readonly report: BuildReport | null;
  /** G10, what came, went and changed: changes of the latest builds that changed something, the latest first. */
  readonly changes: readonly BuildChanges[];
  /** Requests of this process in each hour of the last day, the oldest first. */
  readonly hours: readonly Hour[];
  /** K4, quota; null if there is none. */
  readonly quota: CallerLimits | null;
  readonly process: ReturnType<typeof processStatus>;
}

export interface StatusOptions extends Pick<ServeContext, 'upkeep' | 'isStopping' | 'clock'> {
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
  const { metrics, keeper, clock, hours, limits, concerns } = options;
  const health = await healthOf(options);
  const now = clock() / 1_000;
  return {
    ...health,
    ...readUsage(await metrics.values()),
    concerns: await concerns(),
    report: await disclosed(health, keeper, now),
    changes: await changesOf(keeper, now),
    hours: hours(),
    quota: limits(),
    process: processStatus(),
  };
}

/** H9: records are public as far as the snapshot publishes them that the report belongs to; null once another one has taken its place. */
async function disclosed({ report, snapshot: told }: Health, keeper: StatusOptions['keeper'], now: number) {
  if (report === null) return null;
  const { snapshot, release } = keeper.pin();
  const isOwn = snapshot.id === told?.id;
  return (isOwn ? disclosedReport(report, { snapshot, now }) : Promise.resolve(null)).finally(release);
}

export async function healthOf({
  keeper,
  isStopping,
  clock,
  upkeep: read,
}: Pick<StatusOptions, 'upkeep' | 'isStopping' | 'clock' | 'keeper'>): Promise<Health> {
  const { current, adoptedAt, lastRefusal } = keeper.state();
  const now = clock();
  const upkeep = read();
  const { hook } = upkeep;
  return {
    at: iso(now),
    state: isStopping() ? 'stopping' : current === null ? 'waiting' : 'serving',
    snapshot: current && snapshotStatus(current, adoptedAt, now),
    refusal: lastRefusal && {
      at: iso(lastRefusal.at),
      reason: shown(lastRefusal.reason),
      isLast: lastRefusal.at > (adoptedAt ?? 0),
    },
    builds: upkeep.builds.map(buildStatus),
    ...(await asBuiltOf(keeper)),
    replica: replicaStatus(upkeep, current),
    store: upkeep.store ? storeStatus(upkeep.store) : null,
    hook: hook ? { host: hook.host, since: iso(hook.since), reason: cut(hook.reason) } : null,
  };
}

const shown = (reason: string): string => cut(withoutFolders(reason));

/** What this annex knows of. */
export function concernsIn(health: Health): readonly Concern[] {
  return CONCERN_NAMES.flatMap((name) => {
    const found = FINDERS[name]?.(health) ?? null;
    return found === null ? [] : [concernOf(name, found)];
  });
}

type Finder = (health: Health) => Found | null;

const FINDERS: Readonly<Partial<Record<ConcernName, Finder>>> = {
  'no snapshot': ({ snapshot }) => (snapshot === null ? {} : null),
  'delivery refused': ({ refusal }) =>
    refusal?.isLast ? { since: refusal.at, details: [refusal.reason] } : null,
  'build failed': failingBuild('rebuild'),
  'copy failed': failingBuild('pull'),
  'feed failing': ({ feeds }) => {
    const failing = feeds.filter(({ state }) => state !== 'ok');
    if (failing.length === 0) return null;
    const [since = null] = failing.flatMap((feed) => feed.since ?? []).toSorted();
    return { since, details: failing.map(({ id, why }) => `${id}: ${why}`) };
  },
  'records dropped': ({ report, at }) =>
    isDroppedLately(report, Date.parse(at)) ? { since: report?.lastDroppedAt ?? null } : null,
  'origin out of reach': ({ replica }) =>
    replica && replica.outOfReach !== null
      ? { since: replica.outOfReachSince, details: [replica.outOfReach] }
      : null,
  'store failing': ({ store }) =>
    store?.failing ? { since: store.failing.since, details: [store.failing.reason] } : null,
  'another builder': ({ store }) =>
    store?.rival ? { since: store.rival.seenAt, details: [store.rival.id] } : null,
  'hook failing': ({ hook }) => hook && { since: hook.since, details: [`${hook.host}: ${hook.reason}`] },
};

/** Since the first of the builds that failed one after the other. */
function failingBuild(kind: BuildRecord['kind']): Finder {
  return ({ builds }) => {
    const [latest] = builds;
    if (latest?.outcome !== 'failed' || latest.kind !== kind) return null;
    const good = builds.findIndex(({ outcome }) => outcome !== 'failed');
    const first = builds.at(good === -1 ? -1 : good - 1);
    return { since: first?.startedAt ?? null, details: latest.reason === null ? [] : [latest.reason] };
  };
}

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
