/**
 * The one interface between a program that builds and its annexes: what a calendar can do without, such as feeds, signatures, hooks and
 * schedules. `jobs/annexes.ts` lists them. The steps of every build are in `jobs/build.ts`.
 *
 *     export const greeting = {
 *       name: 'greeting',
 *       settings: { greeting: { name: 'ALMANAKK_GREETING', … } },
 *       load: ({ greeting }) => (greeting === null ? null : import('./greeting.ts')),
 *     } as const satisfies BuildAnnex<{ readonly greeting: string | null }>;
 */
import type { Log } from '../src/calendar/log.ts';
import type { CoreSettings } from '../src/settings/core.ts';
import type { SettingsTable } from '../src/settings/kinds.ts';
import type { Manifest } from '../src/snapshot/manifest.ts';
import type { AnnexUpkeep, BuildRecord, ChangeCounts } from '../src/upkeep.ts';
import type { BuildChangeCounts } from './changes/comparison.ts';
import type { Sign } from './publish/publish.ts';
import type { Report } from './report/report.ts';
import type { FeedHealth } from './report/summary.ts';
import type { MergedSource, Source } from './source/source.ts';

/** An entry of the list. It imports little, because everything that reads settings loads it. `Own`: the values of its settings. */
export interface BuildAnnex<Own = unknown> {
  readonly name: string;
  readonly settings: SettingsTable;
  /** Values that follow from several settings, or from variables of other programs. Throws INVALID_SETTING. */
  readonly derive?: (settings: Own, variable: Variable) => Readonly<Record<string, unknown>>;
  /** Loads the annex's code, in programs that build; null if the settings do not need it. */
  readonly load?: (settings: CoreSettings & Own) => Promise<{
    /** Throws INVALID_SETTING if its settings are invalid, for example if a file cannot be read. */
    readonly create: (settings: CoreSettings & Own, variable: Variable) => BuildPart;
  }> | null;
  /** Keeps the snapshot folder current; null if the settings do not enable it. If several annexes have it, the first of the list does. */
  readonly follow?: (
    settings: CoreSettings & Own,
  ) => Promise<{ readonly follow: Follow<CoreSettings & Own> }> | null;
  readonly command?: () => Promise<{ readonly run: Command<Own> }>;
}

/** An environment variable, or a line of `.env`. */
export type Variable = (name: string) => string | undefined;

/** Adds records of other sources to those of the source folder; the lock of `target` is held. Throws INVALID_SOURCE. */
export type AddRecords = (native: Source, options: AddOptions) => Promise<AddedRecords>;

export interface AddedRecords extends MergedSource {
  readonly feeds: readonly FeedHealth[];
  /** The feeds that may have events; the others only correct events, or describe places. */
  readonly eventFeeds: readonly EventFeed[];
  /**
   * Called once the snapshot is published: removes stored records of feeds that the source no longer names. Returns warnings, and never
   * rejects: the calendar is live.
   */
  readonly onPublished?: () => Promise<readonly string[]>;
}

export interface EventFeed {
  readonly id: string;
  /** L4: whether `"series": "title"` may be set for it. */
  readonly takesSeries: boolean;
  /** F17: whether its events are published only once an editor has approved them. */
  readonly needsApproval: boolean;
}

export interface AddOptions {
  readonly folder: string;
  readonly target: string;
  /** Instant, whole seconds. */
  readonly now: number;
  /** A11: day number. */
  readonly horizonDay: number;
  /** Accept suspicious content, and fetch feeds that asked for a pause. */
  readonly force: boolean;
  /** Read local files again, and use the last records of remote feeds, if there are any. */
  readonly isLocal: boolean;
  /** F19: feeds that are read again nevertheless. */
  readonly readAgain: readonly string[];
  readonly reporter: Pick<Report, 'addFinding' | 'countDroppedByImporter' | 'setWaiting'>;
}

/** Optional steps that annexes add to a build (jobs/build.ts). */
export interface BuildSteps {
  readonly addRecords?: AddRecords;
  readonly sign?: Sign;
  /** G14: makes the snapshot of a URL or a folder the current one of `target`, before a build there. Throws ORIGIN_UNUSABLE. */
  readonly fetchPrevious?: (from: string, target: string) => Promise<string | null>;
  /** The reason why this machine does not build, with the remedy. Commands that build end with it. */
  readonly refusal?: string | undefined;
}

/** What an annex adds to builds, and to the programs that build. */
export interface BuildPart extends BuildSteps {
  /** Runs alongside the builds or copies, for as long as the program runs. */
  readonly startService?: (program: Program) => Service;
  /** Runs after a build by `npm run rebuild`, which then ends. The publication stands, even if this fails. Never rejects. */
  readonly afterBuild?: (
    folder: string,
    published: Published,
    clock: Program['clock'],
  ) => Promise<AfterBuild | null>;
}

/** A snapshot that a build published, or found unchanged. */
export interface Published extends Pick<Manifest, 'id' | 'builtAt' | 'counts'> {
  readonly changes: ChangeCounts;
}

/** The result of a build that did not fail. */
export interface BuildResult extends Published {
  /** G7: `unchanged` publishes nothing. */
  readonly outcome: 'published' | 'unchanged';
  readonly file: string;
  /** G10: compared with the previous snapshot. */
  readonly changes: BuildChangeCounts;
  /** The source report of the build that made an unchanged snapshot (JSON); null for a published one. */
  readonly previousReport: string | null;
  /** There was no previous snapshot, so that earlier ones are unknown. */
  readonly isFirst: boolean;
  /** Problems of the target folder that did not stop the build. */
  readonly warnings: readonly string[];
}

/** What a long-running program provides to the services of annexes. */
export interface Program {
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
  /**
   * Begins a build, after a running one; null if the folder is kept current in another way. It reads files, and fetches these feeds alone. With
   * feeds, it does not wait for a scheduled build (F19).
   */
  readonly build: ((feeds?: readonly string[]) => void) | null;
  /** Reports the annex's state to servers, whenever it changes. */
  readonly reportState: (state: Partial<AnnexUpkeep>) => void;
  /** The states that the previous run of the program reported last. */
  readonly previous: Partial<AnnexUpkeep>;
}

/** Keeps the folder current until it is stopped, and calls `addRecord` with each build or copy as it ends. Throws INVALID_SETTING. */
export type Follow<Own> = (
  settings: Own,
  program: Omit<Program, 'build'> & {
    /** The states that annexes have reported. */
    readonly reported: () => Partial<AnnexUpkeep>;
  },
  addRecord: (record: BuildRecord) => void,
) => Follower;

interface Follower extends Pick<Service, 'stop'> {
  /** H14: builds or copies the current snapshot again. */
  readonly repair: () => void;
  /** `build` of a program. */
  readonly build?: (feeds?: readonly string[]) => void;
}

/** Work of an annex alongside builds. */
export interface Service {
  /** Called with each build or copy as it ends. */
  readonly onBuild?: (record: BuildRecord) => void;
  /** Also ends running work. */
  readonly stop: () => Promise<void>;
}

/** The result of an annex's work after a build. */
export interface AfterBuild {
  /** For the report in JSON, under the annex's name. */
  readonly value: unknown;
  readonly line: string;
  readonly isFailed: boolean;
}

/** Returns the exit code. Throws INVALID_SETTING. */
type Command<Own> = (args: readonly string[], context: CommandContext<Own>) => Promise<number>;

export interface CommandContext<Own> {
  readonly settings: CoreSettings & Own;
  readonly now: Date;
  readonly print: (line: string) => void;
  /** Continues as a program that keeps the snapshot folder current. */
  readonly keepCurrent: () => Promise<void>;
}

/** The annexes that the settings enable, by name. */
export async function createBuildParts<Own>(
  annexes: readonly BuildAnnex<Own>[],
  settings: CoreSettings & Own,
  variable: Variable,
): Promise<ReadonlyMap<string, BuildPart>> {
  const parts = new Map<string, BuildPart>();
  for (const { name, load } of annexes) {
    const program = await load?.(settings);
    if (program) parts.set(name, program.create(settings, variable));
  }
  return parts;
}

/** The steps of all annexes together: one reads feeds, another signs. */
export function stepsOf(parts: ReadonlyMap<string, BuildPart>): BuildSteps {
  const steps = [...parts.values()].map(({ startService: _, afterBuild: __, ...added }) => added);
  return Object.assign({}, ...steps);
}
