/**
 * The state of the server and its calendar as this process knows it: all that a concern can be about. Moments are ISO 8601 in UTC. No text
 * has a path of this machine, nor more than 200 letters.
 */
import type { ServeContext } from '../../serve/annex.ts';
import { withoutFolders } from '../../serve/http/replies.ts';
import { nextChangeAt, upcomingEvents } from '../../serve/query/view.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import type { BuildRecord, Upkeep } from '../../upkeep.ts';
import type { FailingMail } from './alerts-state.ts';
import { disclosedReason, publicAsBuilt } from './disclosure.ts';
import { cut } from './reports.ts';

export type Health = Awaited<ReturnType<typeof healthOf>>;

export async function healthOf(
  { keeper, isStopping, clock, upkeep }: Pick<ServeContext, 'keeper' | 'isStopping' | 'clock' | 'upkeep'>,
  failingMail: FailingMail | null,
) {
  const { current, adoptedAt, lastRefusal, damage } = keeper.state();
  const now = clock();
  const { builds, hook = null, store = null, origin = null } = upkeep();
  return {
    at: iso(now),
    state: isStopping() ? 'stopping' : current === null ? 'waiting' : 'serving',
    snapshot: current && snapshotHealth(current, adoptedAt, now),
    /** The latest refused delivery, also if a good one came after it. */
    refusal: lastRefusal && {
      at: iso(lastRefusal.at),
      reason: shown(lastRefusal.reason),
      isLast: lastRefusal.at > (adoptedAt ?? 0),
      isDamage: damage !== null,
    },
    /** Builds of this machine, the latest first. */
    builds: builds.map(({ kind, outcome, id, counts, reason, startedAt, ms }) => ({
      ...{ kind, outcome, id, counts, startedAt: iso(startedAt), milliseconds: Math.round(ms) },
      reason: reason && disclosedReason(shown(reason)),
    })),
    ...(await publicAsBuilt(keeper, now / 1_000)),
    /** Null for a machine that copies from no origin. */
    replica: origin && {
      lagSeconds: lagOf(builds, current),
      /** When a copy last arrived, or failed. */
      lastCopyAt: isoOrNull(endOf(builds[0])),
      /** Why the origin cannot be reached; null if it can. */
      outOfReach: origin.outOfReach && shown(origin.outOfReach),
      outOfReachSince: isoOrNull(origin.since),
    },
    /** J1, publishing to an object store: the store that this machine publishes to; null for none. */
    store: store && storeHealth(store),
    /** H10, hooks: the hook that has been failing for the longest time; null while none fails. */
    hook: hook && { host: hook.host, since: iso(hook.since), reason: cut(hook.reason) },
    /** H12, alerts: null while mails can be sent. */
    mail: failingMail && { since: iso(failingMail.since), reason: cut(failingMail.reason) },
  } as const;
}

const shown = (reason: string): string => cut(withoutFolders(reason));

function snapshotHealth(snapshot: Snapshot, adoptedAt: number | null, now: number) {
  const { builtAt, horizonDay, counts, format } = snapshot.meta;
  const next = nextChangeAt(snapshot, now / 1_000);
  return {
    id: snapshot.id,
    format,
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

/** Seconds from the snapshot's build, on any machine, to its arrival here; null before the first arrival. */
function lagOf(builds: readonly BuildRecord[], current: Snapshot | null): number | null {
  const arrived = builds.find(({ outcome }) => outcome === 'published');
  if (current === null || arrived?.id !== current.id) return null;
  return Math.max(0, Math.round(((endOf(arrived) ?? 0) - Date.parse(current.meta.builtAt)) / 1_000));
}

/** Milliseconds since 1970. */
const endOf = (build: BuildRecord | undefined): number | null => (build ? build.startedAt + build.ms : null);

function storeHealth({ ms, sentAt, failing, rival, ...store }: NonNullable<Upkeep['store']>) {
  return {
    ...store,
    sentAt: isoOrNull(sentAt),
    milliseconds: Math.round(ms),
    /** Why the store differs from the folder. */
    failing: failing && { ...failing, since: iso(failing.since), reason: shown(failing.reason) },
    /** A snapshot that another builder published there within the last day. */
    rival: rival && { ...rival, seenAt: iso(rival.seenAt) },
  };
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function isoOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : iso(milliseconds);
}
