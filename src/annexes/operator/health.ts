/**
 * The state of a server and of its calendar as this process knows it: all that a concern can be about. Moments are ISO 8601 in UTC. No text
 * has a path of this machine, nor more than 200 letters.
 */
import type { ServeContext } from '../../serve/annex.ts';
import { withoutFolders } from '../../serve/http/health.ts';
import { upcomingEvents } from '../../serve/query/view.ts';
import type { SnapshotProblem } from '../../snapshot/damaged-files.ts';
import type { KeeperState } from '../../snapshot/keeper.ts';
import type { SnapshotCounts } from '../../snapshot/meta.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import type { BuildRecord, ChangeCounts, Schedule } from '../../upkeep.ts';
import type { FailingHook, Rival, StoreState, UrgentSheetState } from '../common/upkeep.ts';
import type { BackupHealth } from './backup.ts';
import type { DiskHealth } from './disk.ts';
import { includesFeed } from './editors.ts';
import { type FeedChoice, publicAsBuilt } from './reports.ts';
import { cut } from './stored-build.ts';

export interface Health extends Awaited<ReturnType<typeof publicAsBuilt>> {
  /** When it was read. */
  readonly at: string;
  readonly state: 'waiting' | 'serving' | 'stopping';
  /** Null while there is none to answer from. */
  readonly snapshot: SnapshotHealth | null;
  /** The latest refused delivery, even if a good one came after it, or the damage below if that came later. */
  readonly refusal: NotReady | null;
  /** H14: of the file that was served last; null from a good delivery on. */
  readonly damage: Problem | null;
  /** Builds of this machine, the latest first. */
  readonly builds: readonly BuildHealth[];
  /** Null if no builder with a schedule keeps the snapshot folder current. */
  readonly builder: BuilderHealth | null;
  /** Null for a machine that copies from no origin. */
  readonly replica: ReplicaHealth | null;
  /** J1: the store that this machine publishes to; null for none. */
  readonly store: StoreHealth | null;
  /** H10: those that fail, the longest first. */
  readonly hooks: readonly HookFailure[];
  /** F19: the urgent sheets that the builder of the folder checks. */
  readonly urgentSheets: readonly UrgentSheetHealth[];
  /** H12: null while mails can be sent. */
  readonly mail: Failure | null;
  /** H12: null without ALMANAKK_BACKUP_MARK. */
  readonly backup: BackupHealth | null;
  /** H12: null while there is no snapshot folder. */
  readonly disk: DiskHealth | null;
}

interface SnapshotHealth extends Pick<Snapshot['meta'], 'format' | 'builtAt' | 'horizonDay' | 'counts'> {
  readonly id: string;
  readonly ageSeconds: number;
  readonly adoptedAt: string;
  /** Events that have not ended. */
  readonly upcoming: number;
}

interface NotReady {
  readonly at: string;
  readonly reason: string;
  /** Whether no delivery was adopted after it. */
  readonly isLast: boolean;
  /** Whether it is the damage of a snapshot that was in use. */
  readonly isDamage: boolean;
}

type Problem = Pick<NotReady, 'at' | 'reason'>;

interface BuildHealth extends Pick<BuildRecord, 'kind' | 'outcome'> {
  /** Id of the snapshot that it published or found unchanged. */
  readonly id: string | null;
  readonly counts: SnapshotCounts | null;
  readonly startedAt: string;
  readonly milliseconds: number;
  /** The reason of a failure. */
  readonly reason: string | null;
}

interface BuilderHealth {
  /** Its last sign of life. */
  readonly aliveAt: string;
  /** As planned then. */
  readonly nextBuildAt: string | null;
  /** Crashes that have cut off a build since a build last ended. */
  readonly crashes: number;
  /**
   * Its last sign of life, or the time by which a build was expected, whichever is earlier. Null unless the next build is so late that the
   * builder must have stopped, hangs or keeps crashing.
   */
  readonly silentSince: string | null;
}

interface ReplicaHealth {
  /** The reason why the origin cannot be reached; null if it can. */
  readonly outOfReach: string | null;
  readonly outOfReachSince: string | null;
}

interface StoreHealth extends Pick<StoreState, 'name' | 'id'> {
  /** The failure for which the store differs from the folder. */
  readonly failing: StoreFailure | null;
  /** A snapshot that another builder published there within the last day. */
  readonly rival: RivalHealth | null;
}

interface RivalHealth extends Omit<Rival, 'seenAt'> {
  readonly seenAt: string;
}

interface Failure {
  /** When it began. */
  readonly since: string;
  readonly reason: string;
}

export interface UrgentSheetHealth {
  readonly id: string;
  /** When a check last read it, according to the builder's last report; null if none has. */
  readonly readAt: string | null;
  /** The failure of the last check. */
  readonly failing: Failure | null;
  /** When the first change that no build has applied was seen; null if every change is applied. */
  readonly waitingSince: string | null;
  /** When the build that applied the last change ended; null if no such build is known. */
  readonly appliedAt: string | null;
  /** What that build changed in the calendar. */
  readonly changes: ChangeCounts | null;
}

export type HookFailure = Failure & Pick<FailingHook, 'host' | 'number'>;

interface StoreFailure extends Failure {
  /** The kind of failure: a label of the metrics. */
  readonly why: string;
}

interface Failing {
  /** When it began, in milliseconds since 1970. */
  readonly since: number;
  readonly reason: string;
}

interface HealthOptions {
  readonly failingMail: Failing | null;
  readonly backup: BackupHealth | null;
  readonly disk: DiskHealth | null;
  /** Null, the default, for all feeds. */
  readonly feeds?: FeedChoice | null;
}

export async function healthOf(
  { keeper, isStopping, clock, upkeep }: Pick<ServeContext, 'keeper' | 'isStopping' | 'clock' | 'upkeep'>,
  { failingMail, backup, disk, feeds = null }: HealthOptions,
): Promise<Health> {
  const kept = keeper.state();
  const { current, adoptedAt } = kept;
  const now = clock();
  const running = current === null ? 'waiting' : 'serving';
  const { builds, hooks: failingHooks = [], store = null, origin = null, ...others } = await upkeep();
  const { schedule = null, urgentSheets = [] } = others;
  const hooks = failingHooks.map(dated);
  return {
    at: iso(now),
    state: isStopping() ? 'stopping' : running,
    snapshot: current && snapshotHealth(current, adoptedAt ?? now, now),
    ...problemsOf(kept),
    builds: builds.map(buildHealth),
    ...(await publicAsBuilt(keeper, now / 1_000, feeds)),
    builder: schedule && builderHealth(schedule, now),
    replica: origin && {
      outOfReach: origin.outOfReach && shown(origin.outOfReach),
      outOfReachSince: origin.since === null ? null : iso(origin.since),
    },
    store: store && {
      ...store,
      failing: store.failing && dated(store.failing),
      rival: store.rival && { ...store.rival, seenAt: iso(store.rival.seenAt) },
    },
    hooks,
    urgentSheets: urgentSheets.filter(isIn(feeds)).map(urgentSheetHealth),
    mail: failingMail && dated(failingMail),
    backup,
    disk,
  };
}

function problemsOf({ adoptedAt, lastRefusal, damage }: KeeperState): Pick<Health, 'refusal' | 'damage'> {
  return {
    refusal: lastRefusal && {
      ...problemOf(lastRefusal),
      isLast: lastRefusal.at > (adoptedAt ?? 0),
      isDamage: lastRefusal === damage,
    },
    damage: damage && problemOf(damage),
  };
}

const problemOf = ({ at, reason }: SnapshotProblem): Problem => ({ at: iso(at), reason: shown(reason) });

const shown = (reason: string): string => cut(withoutFolders(reason));

const dated = <More extends Failing>(failing: More) => ({
  ...failing,
  since: iso(failing.since),
  reason: shown(failing.reason),
});

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString();

function snapshotHealth(snapshot: Snapshot, adoptedAt: number, now: number): SnapshotHealth {
  const { builtAt, horizonDay, counts, format } = snapshot.meta;
  return {
    id: snapshot.id,
    format,
    builtAt,
    horizonDay,
    counts,
    ageSeconds: Math.max(0, Math.floor(now / 1_000) - snapshot.builtAt),
    adoptedAt: iso(adoptedAt),
    upcoming: upcomingEvents(snapshot, now / 1_000),
  };
}

/** Time enough to restart a machine or to install its updates. */
const LATE_MS = 3_600_000;

function builderHealth(
  { aliveAt, nextBuildAt, buildingUntil, crashes }: Schedule,
  now: number,
): BuilderHealth {
  // A build that is due waits for the running one, which ends by its time limit.
  const expectedBy = buildingUntil ?? nextBuildAt;
  const isSilent = expectedBy !== null && now > expectedBy + LATE_MS;
  return {
    aliveAt: iso(aliveAt),
    nextBuildAt: nextBuildAt === null ? null : iso(nextBuildAt),
    crashes,
    // A builder that is started again after each crash gives signs of life, but builds nothing.
    silentSince: isSilent ? iso(Math.min(aliveAt, expectedBy)) : null,
  };
}

/** H15: whether a sheet is one of the feeds to report on. */
const isIn =
  (choice: FeedChoice | null) =>
  ({ id }: UrgentSheetState): boolean =>
    choice === null || (choice.ids.includes(id) && includesFeed(choice.limit, id));

function urgentSheetHealth(sheet: UrgentSheetState): UrgentSheetHealth {
  const { id, readAt, failing, waitingSince, applied } = sheet;
  return {
    id,
    readAt: readAt === null ? null : iso(readAt),
    failing: failing && dated(failing),
    waitingSince: waitingSince === null ? null : iso(waitingSince),
    appliedAt: applied && iso(applied.at),
    changes: applied?.changes ?? null,
  };
}

function buildHealth(build: BuildRecord): BuildHealth {
  const { kind, outcome, id, counts, reason, publicReason, startedAt, ms } = build;
  return {
    kind,
    outcome,
    id,
    counts,
    startedAt: iso(startedAt),
    milliseconds: Math.round(ms),
    // H9: the public reason has no values of records.
    reason: reason && shown(publicReason ?? reason),
  };
}
