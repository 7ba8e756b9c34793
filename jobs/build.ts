/**
 * One build (G1), from the source folder to a published snapshot, with its steps in order. They are put together here, and share the types of
 * what they pass on, and helpers such as the spool. Only feed records in `feeds/` and unfinished files are written to the target before the
 * last one. docs/rules.md explains codes such as G1.
 */
import { CalendarError, isCalendarError } from '../src/calendar/errors.ts';
import { addMonths, isoSecond, osloDay } from '../src/calendar/time.ts';
import { freeColumns } from '../src/snapshot/columns.ts';
import { makeFolder } from '../src/snapshot/files.ts';
import type { Manifest } from '../src/snapshot/manifest.ts';
import type { AddedRecords, BuildResult } from './annex.ts';
import { readBrand } from './brand/brand.ts';
import { type BuildOptions, countingReport, timed } from './build-options.ts';
import type { Calendar } from './calendar.ts';
import { compareWith } from './changes/changes.ts';
import type { BuildChangeCounts, ComparedBuild, WrittenEvent } from './changes/comparison.ts';
import { applyCorrections } from './corrections/corrections.ts';
import { leftOutIds, withoutHidden } from './corrections/hidden.ts';
import { joinDuplicates } from './duplicates/duplicates.ts';
import { readSheetDecisions } from './duplicates/sheet-decisions.ts';
import { refuseEmpty, refuseGreatLosses, refuseOtherLicence, refuseWithoutPrevious } from './guards.ts';
import { type ColumnSet, columnsOf } from './indexes/columns.ts';
import { faultOf } from './machine-fault.ts';
import { materialise } from './materialise/materialise.ts';
import { createNaming } from './naming/naming.ts';
import { openNativeSource } from './native.ts';
import { type Plans, readPlans } from './notices/notices.ts';
import { findPrevious, type Previous } from './previous.ts';
import { withProposals } from './proposals/proposals.ts';
import { makePublicEdition } from './public-edition/edition.ts';
import { compress } from './publish/compress.ts';
import { refuseHeld } from './publish/hold.ts';
import { withLock } from './publish/lock.ts';
import { type PublicDraft, verifyAndPublish } from './publish/publish.ts';
import { roomFaultOf } from './publish/room.ts';
import { removeDebris, unfinishedPath } from './publish/unfinished.ts';
import type { Records } from './records.ts';
import { createAllowance } from './recurrence/allowance.ts';
import { firstDropped, firstNamed, reportGoneFeeds } from './report/previous.ts';
import { reportJson } from './report/report.ts';
import { NO_SLUGS } from './slugs/ledger.ts';
import { withoutFeeds } from './source/source.ts';
import { isUnchanged, passOn, refuseChangedSource, sourceHashOf } from './unchanged.ts';
import { validate } from './validate/validate.ts';
import { writeSnapshot } from './write.ts';

/**
 * Builds once, and publishes unless the source is unchanged. Throws INVALID_SOURCE, BUILD_REFUSED, BUILD_LOCKED or DISK_FULL, with a message
 * that says what to do.
 */
export async function build(options: BuildOptions): Promise<BuildResult> {
  const { source, target, wait } = options;
  try {
    await makeFolder(target);
    return await withLock(target, () => buildAlone(options), { wait });
  } catch (cause) {
    throw sourceFaultOf(source, await roomFaultOf(target, faultOf(target, cause)));
  }
}

/** Decides whether a build is needed. The lock of the target is held. */
async function buildAlone(options: BuildOptions): Promise<BuildResult> {
  const { target, now, report, force, isPublic } = options;
  await refuseHeld(target);
  await removeDebris(target);
  const horizonDay = addMonths(osloDay(now), options.horizonMonths);
  const source = await timed(options, 'open', () => openSource(options, horizonDay));
  report.setFeeds(source.feeds);
  const sourceHash = await timed(options, 'hash', () => sourceHashOf(source, options));
  const comparedFolder = options.previous ?? target;
  const { previous, warnings: found } = await timed(options, 'previous', () =>
    findPrevious(comparedFolder, { now, force }),
  );
  const warnings = [...found];
  const warn: Warn = (warning) => void warnings.push(warning);
  if (options.requirePrevious) refuseWithoutPrevious(previous, comparedFolder);
  // A build that compares with another folder's snapshot always builds.
  const mayPassOn = options.previous === undefined;
  if (mayPassOn && previous !== null && isUnchanged(previous, { sourceHash, horizonDay, now, isPublic }))
    return { ...(await passOn(previous, { ...options, warn })), warnings };
  const { manifest, changes } = await buildAnew(options, { source, sourceHash, previous, horizonDay }, warn);
  const { id, file, builtAt, counts } = manifest;
  return {
    outcome: 'published',
    id,
    file,
    builtAt,
    counts,
    changes,
    isFirst: previous === null,
    previousReport: null,
    warnings,
  };
}

/** The source folder, and the feeds that it names. */
async function openSource(options: BuildOptions, horizonDay: number): Promise<AddedRecords> {
  const native = await openNativeSource(options.source);
  const { addRecords, force, isLocal, readAgain = [] } = options;
  if (addRecords === undefined) return { ...withoutFeeds(native), feeds: [], eventFeeds: [] };
  return addRecords(native, {
    folder: options.source,
    target: options.target,
    now: options.now,
    horizonDay,
    force,
    isLocal,
    readAgain,
    reporter: options.report,
  });
}

/** What a build opens before it knows whether it is needed. */
interface Opened {
  readonly source: AddedRecords;
  readonly sourceHash: string;
  readonly previous: Previous | null;
  /** A11: day number. */
  readonly horizonDay: number;
}

/** Takes a warning about the target folder. */
type Warn = (warning: string) => void;

interface Published {
  readonly manifest: Manifest;
  readonly changes: BuildChangeCounts;
}

/** Everything between an open source and a published snapshot. */
async function buildAnew(options: BuildOptions, opened: Opened, warn: Warn): Promise<Published> {
  const { target, now, report } = options;
  const { source, sourceHash, previous } = opened;
  report.dateDropsBy(firstDropped(previous, isoSecond(now)));
  report.dateWaitingBy(firstNamed(previous, isoSecond(now)));
  reportGoneFeeds(previous, report);
  const prepared = await prepareRecords(options, opened);
  const calendar = await materialiseRecords(options, opened, prepared.records);
  try {
    await refuseLosses(options, opened, { records: prepared.records, calendar });
    const file = unfinishedPath(target, 'calendar.sqlite');
    const changes = await writeCalendar(file, options, { opened, prepared, calendar });
    await refuseChangedSource(source, sourceHash, options);
    const manifest = await publishFile(file, options, warn);
    for (const warning of (await source.onPublished?.()) ?? []) warn(warning);
    return { manifest, changes };
  } finally {
    calendar.close();
    // The next build removes what cannot be removed now; the error to report is why this one failed.
    await removeDebris(target).catch(() => undefined);
  }
}

interface Prepared {
  readonly records: Records;
  readonly plans: Plans;
  /**
   * F13: a first build does not know the pages whose addresses corrections have. The next one does, so the hash of the source is left empty:
   * no build then counts as unchanged.
   */
  readonly isProvisional: boolean;
}

/** From here to materialise, events are a stream. Each step wraps it, and none of them sees an event before materialise reads it. */
async function prepareRecords(
  options: BuildOptions,
  { source, previous, horizonDay }: Opened,
): Promise<Prepared> {
  const { now, report, ownUrl } = options;
  const valid = await timed(options, 'directories', () => validate(source, countingReport(options), options));
  refuseOtherLicence(previous, valid.licence.id, options.previousFrom);
  const slugs = previous?.slugs ?? NO_SLUGS;
  const naming = createNaming(valid, { ownUrl, slugs, heldBack: source.heldBack.events, report });
  const corrected = await applyCorrections(valid, {
    ...naming,
    entries: source.corrections,
    feeds: source.eventFeeds,
    now,
    report,
  });
  const plans = await readPlans(corrected, { entries: source.notices(), previous, now, report });
  const joined = joinDuplicates(corrected, {
    now,
    horizonDay,
    report,
    decisions: await source.duplicates(),
    sheets: await readSheetDecisions(source.sheetDecisions, { ...naming, report }),
    hasFeeds: source.eventFeeds.length > 0,
    scratch: unfinishedPath(options.target, 'records'),
  });
  const visible = withoutHidden(joined, report);
  return {
    records: withProposals(visible, { now, report, feeds: source.eventFeeds }),
    plans,
    isProvisional: previous === null && naming.hasUnknownPage(),
  };
}

function materialiseRecords(
  options: BuildOptions,
  { source, previous, horizonDay }: Opened,
  records: Records,
): Promise<Calendar> {
  const { now, report, target, progress } = options;
  // G11: the sources share the limits on rules. The folder's own records are one more.
  const allowance = createAllowance(source.feeds.length + 1);
  return timed(options, 'events', () => {
    progress?.expect(previous?.meta.counts.events ?? 0);
    return materialise(records, {
      now,
      horizonDay,
      allowance,
      report,
      slugs: previous?.slugs ?? NO_SLUGS,
      scratch: unfinishedPath(target, 'texts'),
    });
  });
}

interface Materialised {
  /** The records that the calendar was made of. */
  readonly records: Records;
  readonly calendar: Calendar;
}

/** G3, G4: refuses a calendar that is empty or has lost too much. Throws BUILD_REFUSED. */
async function refuseLosses(
  { now, report, force }: BuildOptions,
  { source: { heldBack }, previous }: Opened,
  { records, calendar }: Materialised,
): Promise<void> {
  const summary = report.summary();
  refuseEmpty(summary);
  const { retired } = records;
  const leftOut = leftOutIds(records.finish());
  if (!force) await refuseGreatLosses({ calendar, previous, retired, leftOut, heldBack, now, summary });
}

/** The results of the steps before writing. */
interface Finished {
  readonly opened: Opened;
  readonly prepared: Pick<Prepared, 'plans' | 'isProvisional'>;
  readonly calendar: Calendar;
}

async function writeCalendar(
  file: string,
  options: BuildOptions,
  finished: Finished,
): Promise<BuildChangeCounts> {
  const { calendar, opened } = finished;
  const columnSet = await timed(options, 'columns', async () => columnsOf(calendar, options.now));
  const brand = JSON.stringify(await readBrand(await opened.source.brand(), options.report));
  const counts = await compareAndWrite(file, options, { ...finished, columnSet, brand });
  // The verification reads them from the file again.
  freeColumns(Object.values(columnSet.columns));
  return counts;
}

/** Everything that the snapshot gets, except what the comparison adds. */
interface Content extends Finished {
  readonly columnSet: ColumnSet;
  /** JSON (I15). */
  readonly brand: string;
}

/** G10: the changes are known once the events are written, and go into the same file. */
async function compareAndWrite(
  file: string,
  options: BuildOptions,
  { opened, prepared, calendar, columnSet, brand }: Content,
): Promise<BuildChangeCounts> {
  const { now, report, progress } = options;
  const { previous, horizonDay } = opened;
  const { columns } = columnSet;
  const comparison = await compareWith(previous, { calendar, columns, now, horizonDay });
  const take = (event: WrittenEvent) => {
    progress?.record();
    return comparison.take(event);
  };
  const meta = (compared: ComparedBuild) => {
    report.setChanges(compared.changes);
    return { ...metaOf(options, opened, prepared), brand, changes: recentChangesOf(compared, previous) };
  };
  try {
    const { changes } = await timed(options, 'write', () => {
      progress?.expect(calendar.events.length);
      const watched = { take, finish: () => comparison.finish() };
      return writeSnapshot(file, { calendar, columnSet, comparison: watched, meta });
    });
    return changes.counts;
  } finally {
    await comparison.close();
  }
}

/** The facts about a build that its snapshot stores. */
function metaOf(
  { now, report }: BuildOptions,
  { sourceHash }: Opened,
  { plans, isProvisional }: Finished['prepared'],
) {
  return {
    builtAt: now,
    // No source has an empty hash.
    sourceHash: isProvisional ? '' : sourceHash,
    ledger: plans.ledger,
    notices: plans.notices,
    report: reportJson(report),
    feeds: JSON.stringify(report.summary().feeds),
  };
}

/** G10: the changes of the latest builds, as JSON. */
function recentChangesOf({ recentChanges }: ComparedBuild, previous: Previous | null): string {
  return recentChanges ?? previous?.recentChanges ?? '[]';
}

/** Verifies and publishes the snapshot, and its public edition. */
async function publishFile(file: string, options: BuildOptions, warn: Warn): Promise<Manifest> {
  const { target, sign, keepDays } = options;
  const publicDraft = await publicEditionOf(options, file);
  return timed(options, 'publish', () =>
    verifyAndPublish({ folder: target, file, compress, publicDraft, sign, keepDays, warn }),
  );
}

/** J5: makes the public edition of the finished snapshot; null if the settings want none. */
async function publicEditionOf(options: BuildOptions, snapshot: string): Promise<PublicDraft | null> {
  const { target, now, ownUrl, sign, isPublic } = options;
  if (!isPublic) return null;
  return timed(options, 'public edition', () =>
    makePublicEdition({ folder: target, snapshot, now, address: ownUrl ?? null, sign }),
  );
}

/** Adds advice to an error about the source. Its message already names the file. */
function sourceFaultOf(folder: string, cause: unknown): unknown {
  if (!isCalendarError(cause) || cause.code !== 'INVALID_SOURCE') return cause;
  const { message, publicMessage } = cause;
  const advice = `look at the source in ${folder}, then build again`;
  return new CalendarError('INVALID_SOURCE', `${message}; ${advice}`, {
    cause,
    publicMessage: publicMessage && `${publicMessage}; ${advice}`,
  });
}
