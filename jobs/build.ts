/**
 * One build: read → validate → materialise → write → verify → publish (G1). The steps know nothing of each other; this file
 * puts them together. Until the last one, the target folder is as it was.
 */
import { mkdir } from 'node:fs/promises';
import { CalendarError, isCalendarError } from '../src/calendar/errors.ts';
import { addMonths, formatDay, isoSecond, osloDay } from '../src/calendar/time.ts';
import type { Manifest } from '../src/snapshot/folder.ts';
import { FORMAT } from '../src/snapshot/format.ts';
import { checkGuards } from './build/guards.ts';
import {
  EMPTY_LEDGER,
  findPrevious,
  ledgerText,
  newlyRetired,
  nextLedger,
  type Previous,
  readLedger,
} from './build/previous.ts';
import { columnsOf } from './columns.ts';
import type { FeedSettings } from './feeds/fetch.ts';
import { NO_SLUGS } from './ledger/slugs.ts';
import { faultOf, withLock } from './lock.ts';
import { materialise } from './materialise.ts';
import { publish, removeDebris, type Sign, signAgain, unfinishedPath } from './publish.ts';
import type { Source } from './records.ts';
import { createAllowance } from './recurrence/expand.ts';
import { type DroppedSince, droppedSince, type Report, reportJson } from './report.ts';
import { openSource } from './sources/open.ts';
import type { Progress } from './terminal.ts';
import { warnOfUnannounced } from './validate/notices.ts';
import { validate } from './validate.ts';
import { writeSnapshot } from './write.ts';

export interface BuildOptions {
  /** Folder of the native source. */
  readonly source: string;
  /** Snapshot folder; made when it is not there. */
  readonly target: string;
  /** Instant, whole seconds. */
  readonly now: number;
  /** A11. */
  readonly horizonMonths: number;
  readonly feedSettings?: FeedSettings;
  /** G3: publish whatever the drop guards say. */
  readonly force?: boolean;
  /** J3: signs what is published; without it, nothing is signed. */
  readonly sign?: Sign;
  /** Seconds to wait for another build of this target (G6); none by default. */
  readonly wait?: number;
  /** Empty; filled as the build goes on, also when it fails. */
  readonly report: Report;
  /** Told how far the reading is. */
  readonly progress?: Progress;
  /** Milliseconds of a clock that only goes forward, for the timings. */
  readonly clock?: () => number;
}

export interface BuildResult {
  /** G7: `unchanged` publishes nothing. */
  readonly outcome: 'published' | 'unchanged';
  readonly id: string;
  readonly file: string;
  readonly builtAt: string;
  readonly counts: Manifest['counts'];
  /** What the build that made an unchanged snapshot said of the source (JSON); null for one that was published. */
  readonly earlierReport: string | null;
  /** There was no snapshot before it, so that nothing is known of earlier ones. */
  readonly isFirst: boolean;
  /** What was wrong with the target folder and is not any more. */
  readonly warnings: readonly string[];
}

/** Throws INVALID_SOURCE, BUILD_REFUSED or BUILD_LOCKED with a message that says what to do. */
export async function build(options: BuildOptions): Promise<BuildResult> {
  const { source, target, wait = 0 } = options;
  try {
    await mkdir(target, { recursive: true });
    return await withLock(target, () => buildAlone(options), { wait });
  } catch (cause) {
    throw sourceFaultOf(source, faultOf(target, cause));
  }
}

async function buildAlone(options: BuildOptions): Promise<BuildResult> {
  const { target, now, horizonMonths, report, progress, feedSettings = NO_FEED_SETTINGS } = options;
  await removeDebris(target);
  const horizonDay = addMonths(osloDay(now), horizonMonths);
  const source = await timed(options, 'open', () =>
    openSource(options.source, {
      target,
      now,
      horizonDay,
      force: options.force ?? false,
      reporter: report,
      feedSettings,
      onBytes: (count) => progress?.bytes(count),
    }),
  );
  report.feeds(source.feeds);
  const sourceHash = await timed(options, 'hash', () => source.hash());
  const { previous, warnings } = await timed(options, 'previous', () => findPrevious(target, now));
  if (
    previous?.current === true &&
    isUnchanged(previous, { sourceHash, horizonDay: formatDay(horizonDay) })
  ) {
    const { id, file, meta, report: earlierReport } = previous;
    const { builtAt, counts, licence } = meta;
    if (options.sign !== undefined) await signAgain(target, options.sign, licence);
    return { outcome: 'unchanged', id, file, builtAt, counts, isFirst: false, earlierReport, warnings };
  }
  const manifest = await buildChanged(options, { source, sourceHash, previous, horizonDay });
  const { id, file, builtAt, counts } = manifest;
  const isFirst = previous === null;
  return { outcome: 'published', id, file, builtAt, counts, isFirst, earlierReport: null, warnings };
}

const NO_FEED_SETTINGS: FeedSettings = {
  allowPrivate: false,
  variable: () => undefined,
};

const NOTHING_DROPPED: DroppedSince = new Map();

/** G7. */
function isUnchanged({ meta }: Previous, wanted: { sourceHash: string; horizonDay: string }): boolean {
  const { sourceHash, horizonDay, format } = meta;
  return sourceHash === wanted.sourceHash && horizonDay === wanted.horizonDay && format === FORMAT;
}

interface Changed {
  readonly source: Source;
  readonly sourceHash: string;
  readonly previous: Previous | null;
  /** A11: day number. */
  readonly horizonDay: number;
}

async function buildChanged(
  options: BuildOptions,
  { source, sourceHash, previous, horizonDay }: Changed,
): Promise<Manifest> {
  const { target, now, force = false, report, progress, sign } = options;
  const known = previous === null ? NOTHING_DROPPED : droppedSince(previous.report, previous.meta.builtAt);
  report.droppedBefore(known, isoSecond(now));
  progress?.start(source.bytes);
  const records = await timed(options, 'directories', () => validate(source, report));
  const before = previous === null ? EMPTY_LEDGER : readLedger(previous.ledger);
  const ledger = nextLedger(before, records);
  warnOfUnannounced({
    ...records,
    retiring: newlyRetired(before, records),
    today: formatDay(osloDay(now)),
    report,
  });
  const calendar = await timed(options, 'events', () =>
    materialise(records, {
      now,
      horizonDay,
      allowance: createAllowance(),
      report,
      slugs: previous?.slugs ?? NO_SLUGS,
      scratch: unfinishedPath(target, 'texts'),
    }),
  ).finally(() => progress?.end());
  try {
    const { retired } = records;
    checkGuards({ calendar, previous, retired, now, report, force });
    const columnSet = await timed(options, 'columns', async () => columnsOf(calendar, now));
    const file = unfinishedPath(target, 'calendar.sqlite');
    await timed(options, 'write', () =>
      writeSnapshot(file, {
        calendar,
        columnSet,
        meta: {
          builtAt: now,
          sourceHash,
          ledger: ledgerText(ledger),
          notices: JSON.stringify(records.notices),
          report: reportJson(report, { timings: false }),
          feeds: JSON.stringify(report.summary().feeds),
        },
      }),
    );
    await refuseChangedSource(source, sourceHash);
    return await timed(options, 'publish', () =>
      publish({ folder: target, file, compressed: true, ...(sign !== undefined && { sign }) }),
    );
  } finally {
    calendar.close();
    // What cannot be removed now is removed by the next build; what to tell of is why this one failed.
    await removeDebris(target).catch(() => undefined);
  }
}

/** The records were read after the hash was taken: both must be of the same bytes, or `unchanged` would lie later (G7). */
async function refuseChangedSource(source: Source, sourceHash: string): Promise<void> {
  if ((await source.hash()) === sourceHash) return;
  const message = 'expected the source to stay as it was during the build, found it changed';
  throw new CalendarError('INVALID_SOURCE', message);
}

async function timed<T>(
  { report, clock = () => performance.now() }: BuildOptions,
  step: string,
  work: () => Promise<T>,
): Promise<T> {
  const begun = clock();
  try {
    return await work();
  } finally {
    report.time(step, clock() - begun);
  }
}

/** What is wrong with a source as a whole: its files are named where they are read, and its folder here. */
function sourceFaultOf(folder: string, cause: unknown): unknown {
  if (!isCalendarError(cause) || cause.code !== 'INVALID_SOURCE') return cause;
  const message = `${cause.message}; look at the source in ${folder}, then build again`;
  return new CalendarError('INVALID_SOURCE', message, { cause });
}
