/** The options of a build, and how it reports its progress and the time of each step. */
import type { BuildSteps } from './annex.ts';
import type { Progress } from './progress.ts';
import type { Report } from './report/report.ts';

export interface BuildOptions extends BuildSteps {
  readonly source: string;
  /** Snapshot folder; created if it is missing. */
  readonly target: string;
  /** Folder of the snapshot to compare with, if it is not the target's. Then an unchanged source is built, too. */
  readonly previous?: string;
  /** Instant, whole seconds. */
  readonly now: number;
  /** A11: months that rules are expanded ahead. */
  readonly horizonMonths: number;
  /** Read local files again, and use the last records of remote feeds, if there are any. */
  readonly isLocal: boolean;
  /** F19: feeds that are read again nevertheless; none by default. */
  readonly readAgain?: readonly string[];
  /** I11: address of the server's own pages, ending in a slash, for a licence without a site. */
  readonly ownUrl?: string;
  /** G14: the place that the previous snapshot was taken from: it has to be of the same licence. */
  readonly previousFrom?: string | undefined;
  /** G14: stop if there is no previous snapshot. */
  readonly requirePrevious: boolean;
  /** J5: also make the public edition. */
  readonly isPublic: boolean;
  /** G3: publish regardless of the drop guards, and of earlier snapshots that cannot be read. */
  readonly force: boolean;
  /** H5: the number of days of which the last snapshot is kept. */
  readonly keepDays: number;
  /** Seconds to wait for another build of this target (G6). */
  readonly wait: number;
  /** Empty; filled as the build proceeds, also if it fails. */
  readonly report: Report;
  readonly progress?: Progress | undefined;
}

/** The report, which also counts events for the display of progress. */
export function countingReport({ report, progress }: Pick<BuildOptions, 'report' | 'progress'>): Report {
  const countRead: Report['countRead'] = (list) => {
    if (list === 'events') progress?.record();
    report.countRead(list);
  };
  return { ...report, countRead };
}

/** Does the work of a step, and adds its time to the report. */
export async function timed<T>(
  { report, progress }: Pick<BuildOptions, 'report' | 'progress'>,
  step: string,
  work: () => Promise<T>,
): Promise<T> {
  const begun = performance.now();
  progress?.step(step);
  try {
    return await work();
  } finally {
    report.addTiming(step, performance.now() - begun);
  }
}
