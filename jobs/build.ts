/**
 * One build: read → validate → materialise → write → verify → publish (G1, one direction). The steps do not know each other; this file
 * connects them. The target folder is unchanged until the last step.
 */
import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { CalendarError, isCalendarError } from '../src/calendar/errors.ts';
import { isObject, parsedJson } from '../src/calendar/json.ts';
import { addMonths, formatDay, isoSecond, osloDay } from '../src/calendar/time.ts';
import type { Manifest } from '../src/snapshot/folder.ts';
import { FORMAT } from '../src/snapshot/format.ts';
import { SHAPE } from '../src/snapshot/verify.ts';
import type { AddRecords, BuildResult, BuildSteps } from './annex.ts';
import { columnsOf } from './columns.ts';
import {
  type ComparedBuild,
  countedOnly,
  NO_CHANGES,
  type RenamedCounts,
  type WrittenEvent,
} from './comparison.ts';
import { faultOf, refuseHeld, withLock } from './lock.ts';
import { materialise } from './materialise.ts';
import { openNativeSource } from './native.ts';
import { findPrevious, type Previous } from './previous.ts';
import type { Progress } from './progress.ts';
import { publish, removeDebris, signAgain, unfinishedPath } from './publish.ts';
import type { Calendar, Source } from './records.ts';
import { createAllowance } from './recurrence/allowance.ts';
import { type Report, reportJson } from './report.ts';
import { NO_SLUGS } from './slug-ledger.ts';
import { validate } from './validate.ts';
import { type ContentMeta, writeSnapshot } from './write.ts';

export interface BuildOptions extends BuildSteps {
  readonly source: string;
  /** Snapshot folder; created if it is missing. */
  readonly target: string;
  /** Folder of the snapshot to compare with, if it is not the target's. Then an unchanged source is built, too. */
  readonly previous?: string;
  /** Instant, whole seconds. */
  readonly now: number;
  /** A11, horizon: months that rules are expanded ahead. */
  readonly horizonMonths: number;
  /** Read local files anew, and use the last records of remote feeds, if there are any. */
  readonly isLocal?: boolean;
  /** I11, the calendar's own site: address of the server's own pages, ending in a slash, for a licence without a site. */
  readonly ownUrl?: string;
  /** G3, what stops a build: publish regardless of the drop guards, and of earlier snapshots that cannot be read. */
  readonly force?: boolean;
  /** Seconds to wait for another build of this target (G6, one build at a time); none by default. */
  readonly wait?: number;
  /** Empty; filled as the build proceeds, also if it fails. */
  readonly report: Report;
  readonly progress?: Progress | undefined;
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
  const { target, now, horizonMonths, report, addRecords, force = false } = options;
  await refuseHeld(target);
  await removeDebris(target);
  const horizonDay = addMonths(osloDay(now), horizonMonths);
  const source = await timed(options, 'open', async () => {
    const own = await openNativeSource(options.source);
    if (addRecords === undefined) return { ...own, feeds: [] };
    const { source: folder, isLocal = false } = options;
    return addRecords(own, { ...options, folder, horizonDay, force, isLocal, reporter: report });
  });
  report.feeds(source.feeds);
  const sourceHash = await timed(options, 'hash', () => hashOf(source, options));
  const { previous, warnings } = await timed(options, 'previous', () =>
    findPrevious(options.previous ?? target, { now, force }),
  );
  const isSame =
    previous !== null &&
    options.previous === undefined &&
    isUnchanged(previous, { sourceHash, horizonDay: formatDay(horizonDay) });
  if (isSame && (previous.current || previous.meta.builtAt === isoSecond(now))) {
    const { id, file, path, meta, current, report: earlierReport } = previous;
    const { builtAt, counts, licence } = meta;
    // G5, same in, same out: a snapshot that only lost its manifest would be rebuilt to the same bytes.
    if (!current) await publish({ ...options, folder: target, file: path });
    else if (options.sign !== undefined) await signAgain(target, options.sign, licence);
    const outcome = current ? 'unchanged' : 'published';
    const known = { id, file, builtAt, counts, changes: NO_CHANGES };
    return { outcome, ...known, isFirst: false, earlierReport, warnings };
  }
  const { manifest, changes } = await buildChanged(options, { source, sourceHash, previous, horizonDay });
  const { id, file, builtAt, counts } = manifest;
  const isFirst = previous === null;
  return { outcome: 'published', id, file, builtAt, counts, changes, isFirst, earlierReport: null, warnings };
}

/** G7, unchanged: of the source's bytes and, where links begin with the server's own address, of that. */
async function hashOf(source: Source, { ownUrl }: Pick<BuildOptions, 'ownUrl'>): Promise<string> {
  const { value } = await source.licence();
  const hash = await source.hash();
  if (ownUrl === undefined || !isObject(value) || value.siteUrl !== undefined) return hash;
  return createHash('sha256').update(`${hash} ${ownUrl}`).digest('hex');
}

/** G7: whether a build would give the same snapshot. */
function isUnchanged({ meta }: Previous, wanted: { sourceHash: string; horizonDay: string }): boolean {
  const { sourceHash, horizonDay, format, shape } = meta;
  const isSameForm = format === FORMAT && shape === SHAPE;
  return isSameForm && sourceHash === wanted.sourceHash && horizonDay === wanted.horizonDay;
}

interface Changed {
  readonly source: Awaited<ReturnType<AddRecords>>;
  readonly sourceHash: string;
  readonly previous: Previous | null;
  /** A11: day number. */
  readonly horizonDay: number;
}

async function buildChanged(
  options: BuildOptions,
  { source, sourceHash, previous, horizonDay }: Changed,
): Promise<{ readonly manifest: Manifest; readonly changes: RenamedCounts }> {
  const { target, now, force = false, report, joinEvents, checkBuild, progress } = options;
  if (options.since !== undefined) report.date(options.since(previous, isoSecond(now)));
  if (previous !== null) reportGone(previous, report);
  const read: Report['read'] = (list) => {
    if (list === 'events') progress?.record();
    report.read(list);
  };
  const validated = await timed(options, 'directories', () => validate(source, { ...report, read }, options));
  const entries = source.notices();
  const plans = await options.plan?.(validated, { entries, previous, now, report });
  const joined = joinEvents?.(validated, {
    now,
    horizonDay,
    report,
    decisions: await source.duplicates(),
    hasFeeds: report.summary().feeds.length > 0,
    scratch: unfinishedPath(target, 'records'),
  });
  const records = joined ?? validated;
  const calendar = await timed(options, 'events', () => {
    progress?.expect(previous?.meta.counts.events ?? 0);
    return materialise(records, {
      now,
      horizonDay,
      allowance: createAllowance(),
      report,
      slugs: previous?.slugs ?? NO_SLUGS,
      scratch: unfinishedPath(target, 'texts'),
    });
  });
  try {
    const { retired } = records;
    refuseEmpty(report);
    await checkBuild?.({ calendar, previous, retired, now, summary: report.summary(), force });
    const file = unfinishedPath(target, 'calendar.sqlite');
    const meta = { builtAt: now, sourceHash, ...(plans ?? (previous && { ledger: previous.ledger })) };
    const { changes } = await writeCompared(options, { calendar, previous, horizonDay, file, meta });
    await refuseChangedSource(source, sourceHash, options);
    const manifest = await timed(options, 'publish', () => publish({ ...options, folder: target, file }));
    await source.onPublished?.();
    return { manifest, changes: changes.counts };
  } finally {
    calendar.close();
    // The next build removes what cannot be removed now; the error to report is why this one failed.
    await removeDebris(target).catch(() => undefined);
  }
}

/** L0: a feed that the source no longer names is gone with its events. */
function reportGone({ report: earlier }: Previous, report: Report): void {
  const before = parsedJson(earlier);
  const named = new Set<unknown>(report.summary().feeds.map(({ id }) => id));
  for (const feed of isObject(before) && Array.isArray(before.feeds) ? before.feeds : []) {
    if (!isObject(feed) || typeof feed.id !== 'string' || named.has(feed.id)) continue;
    const count = isObject(feed.counts) ? feed.counts.events : 'its';
    const events = `${count} ${count === 1 ? 'event' : 'events'}`;
    const origin = { file: 'sources.json' };
    const said = { expected: 'the feed, as before', found: `none: ${events} went with it` };
    report.addFinding({ action: 'left out', origin, id: feed.id, field: null, ...said });
  }
}

/** G3: no option overrides this one: a source without events is always a mistake. */
function refuseEmpty(report: Report): void {
  const { read, kept } = report.summary().lists.events;
  if (kept > 0) return;
  const found = `found none among ${read}: look at the source`;
  throw new CalendarError('BUILD_REFUSED', `expected at least one valid event, ${found}`);
}

interface Writing extends Pick<Changed, 'previous' | 'horizonDay'> {
  readonly calendar: Calendar;
  readonly file: string;
  readonly meta: Omit<ContentMeta, 'changes' | 'report' | 'feeds'>;
}

/** G10, what came, went and changed: the changes are known once the events are written, and go into the same file. */
async function writeCompared(options: BuildOptions, writing: Writing): Promise<ComparedBuild> {
  const { now, report, compare } = options;
  const { calendar, previous, horizonDay, file, meta } = writing;
  const columnSet = await timed(options, 'columns', async () => columnsOf(calendar, now));
  const compared = { calendar, columns: columnSet.columns, now, horizonDay };
  const comparison =
    (await compare?.(previous, compared)) ?? countedOnly(calendar, new Set(previous?.upcoming.values()));
  const metaOf = ({ changes, recent }: ComparedBuild) => {
    report.compared(changes);
    return {
      ...meta,
      changes: recent ?? previous?.changes ?? '[]',
      report: reportJson(report, { timings: false }),
      feeds: JSON.stringify(report.summary().feeds),
    };
  };
  const take = (event: WrittenEvent) => {
    options.progress?.record();
    return comparison.take(event);
  };
  const finish = () => comparison.finish();
  return timed(options, 'write', () => {
    options.progress?.expect(calendar.events.length);
    const content = { calendar, columnSet, comparison: { take, finish }, meta: metaOf };
    return writeSnapshot(file, content);
  }).finally(() => comparison.close());
}

/** The records were read after the hash was computed: both must be of the same bytes, or a later `unchanged` would be wrong (G7). */
async function refuseChangedSource(source: Source, sourceHash: string, options: BuildOptions): Promise<void> {
  if ((await hashOf(source, options)) === sourceHash) return;
  const message = 'expected the source to stay as it was during the build, found it changed';
  throw new CalendarError('INVALID_SOURCE', message);
}

async function timed<T>(
  { report, progress }: Pick<BuildOptions, 'report' | 'progress'>,
  step: string,
  work: () => Promise<T>,
): Promise<T> {
  const begun = performance.now();
  progress?.step(step);
  try {
    return await work();
  } finally {
    report.time(step, performance.now() - begun);
  }
}

/** An error about the source folder; errors about its files are named where they are read. */
function sourceFaultOf(folder: string, cause: unknown): unknown {
  if (!isCalendarError(cause) || cause.code !== 'INVALID_SOURCE') return cause;
  const message = `${cause.message}; look at the source in ${folder}, then build again`;
  return new CalendarError('INVALID_SOURCE', message, { cause });
}
