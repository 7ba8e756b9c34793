/**
 * One build (G1), from the source folder to a published snapshot, with its steps in order. The steps do not know each other. Only feed records
 * in `feeds/` and unfinished files are written to the target before the last one. docs/rules.md explains codes such as G1.
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
import { firstDropped, firstNamed, reportGoneFeeds } from './changes/previous-report.ts';
import { type ColumnSet, columnsOf } from './columns.ts';
import { compress } from './compress.ts';
import { applyCorrections } from './corrections/corrections.ts';
import { leftOutIds, withoutHidden } from './corrections/hidden.ts';
import { joinDuplicates } from './duplicates/duplicates.ts';
import { readSheetDecisions } from './duplicates/sheet-decisions.ts';
import { refuseEmpty, refuseGreatLosses, refuseOtherLicence, refuseWithoutPrevious } from './guards.ts';
import { refuseHeld } from './hold.ts';
import { withLock } from './lock.ts';
import { faultOf } from './machine-fault.ts';
import { materialise } from './materialise.ts';
import { createNaming } from './naming/naming.ts';
import { openNativeSource } from './native.ts';
import { type Plans, readPlans } from './notices/notices.ts';
import { findPrevious, type Previous } from './previous.ts';
import { withProposals } from './proposals.ts';
import { makePublicEdition } from './public-edition/edition.ts';
import { type PublicDraft, verifyAndPublish } from './publish.ts';
import type { Records } from './records.ts';
import { createAllowance } from './recurrence/allowance.ts';
import { reportJson } from './report.ts';
import { roomFaultOf } from './room.ts';
import { NO_SLUGS } from './slug-ledger.ts';
import { withoutFeeds } from './source.ts';
import { isUnchanged, passOn, refuseChangedSource, sourceHashOf } from './unchanged.ts';
import { removeDebris, unfinishedPath } from './unfinished.ts';
import { validate } from './validate.ts';
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
  const warn = (warning: string) => void warnings.push(warning);
  if (options.requirePrevious) refuseWithoutPrevious(previous, comparedFolder);
  // A build that compares with another folder's snapshot always builds.
  const mayPassOn = options.previous === undefined;
  if (mayPassOn && previous !== null && isUnchanged(previous, { sourceHash, horizonDay, now, isPublic }))
    return { ...(await passOn(previous, { ...options, warn })), warnings };
  const { manifest, changes } = await buildAnew(options, { source, sourceHash, previous, horizonDay, warn });
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
  /** Takes a warning about the target folder. */
  readonly warn: (warning: string) => void;
}

/** Everything between an open source and a published snapshot. */
async function buildAnew(options: BuildOptions, opened: Opened): Promise<Published> {
  const { target, now, report } = options;
  const { previous } = opened;
  report.dateDropsBy(firstDropped(previous, isoSecond(now)));
  report.dateWaitingBy(firstNamed(previous, isoSecond(now)));
  reportGoneFeeds(previous, report);
  const prepared = await prepareRecords(options, opened);
  const calendar = await materialiseRecords(options, opened, prepared.records);
  try {
    return await publishCalendar(options, opened, { ...prepared, calendar });
  } finally {
    calendar.close();
    // The next build removes what cannot be removed now; the error to report is why this one failed.
    await removeDebris(target).catch(() => undefined);
  }
}

interface Published {
  readonly manifest: Manifest;
  readonly changes: BuildChangeCounts;
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
async function prepareRecords(options: BuildOptions, opened: Opened): Promise<Prepared> {
  const { now, report, ownUrl } = options;
  const { source, previous, horizonDay } = opened;
  const valid = await timed(options, 'directories', () => validate(source, countingReport(options), options));
  refuseOtherLicence(previous, valid.licence.id, options.previousFrom);
  const naming = createNaming(valid, {
    ownUrl,
    slugs: previous?.slugs ?? NO_SLUGS,
    heldBack: source.heldBack.events,
    report,
  });
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

interface Materialised extends Prepared {
  readonly calendar: Calendar;
}

/** Guards, writes, verifies and publishes. */
async function publishCalendar(
  options: BuildOptions,
  opened: Opened,
  materialised: Materialised,
): Promise<Published> {
  const { target, now, report, force } = options;
  const { source, sourceHash, previous, warn } = opened;
  const { records, calendar, plans, isProvisional } = materialised;
  const summary = report.summary();
  refuseEmpty(summary);
  const { retired } = records;
  const { heldBack } = source;
  const leftOut = leftOutIds(records.finish());
  if (!force) await refuseGreatLosses({ calendar, previous, retired, leftOut, heldBack, now, summary });
  const file = unfinishedPath(target, 'calendar.sqlite');
  const columnSet = await timed(options, 'columns', async () => columnsOf(calendar, now));
  const brand = JSON.stringify(await readBrand(await source.brand(), report));
  const draft = { calendar, plans, isProvisional, file, columnSet, brand };
  const changes = await compareAndWrite(options, opened, draft);
  // The verification reads them from the file again.
  freeColumns(Object.values(columnSet.columns));
  await refuseChangedSource(source, sourceHash, options);
  const publicDraft = await publicEditionOf(options, file);
  const manifest = await timed(options, 'publish', () =>
    verifyAndPublish({
      folder: target,
      file,
      compress,
      publicDraft,
      sign: options.sign,
      keepDays: options.keepDays,
      warn,
    }),
  );
  for (const warning of (await source.onPublished?.()) ?? []) warn(warning);
  return { manifest, changes };
}

/** What is written to a snapshot, and its path. */
interface Draft extends Omit<Materialised, 'records'> {
  readonly file: string;
  readonly columnSet: ColumnSet;
  readonly brand: string;
}

/** G10: the changes are known once the events are written, and go into the same file. */
async function compareAndWrite(
  options: BuildOptions,
  opened: Opened,
  draft: Draft,
): Promise<BuildChangeCounts> {
  const { now, report, progress } = options;
  const { previous, horizonDay } = opened;
  const { calendar, file, columnSet, brand } = draft;
  const { columns } = columnSet;
  const comparison = await compareWith(previous, { calendar, columns, now, horizonDay });
  const take = (event: WrittenEvent) => {
    progress?.record();
    return comparison.take(event);
  };
  const meta = (compared: ComparedBuild) => {
    report.setChanges(compared.changes);
    return { ...metaOf(options, opened, draft, compared), brand };
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
  { previous, sourceHash }: Opened,
  { plans, isProvisional }: Pick<Draft, 'plans' | 'isProvisional'>,
  { recentChanges }: ComparedBuild,
) {
  return {
    builtAt: now,
    // No source has an empty hash.
    sourceHash: isProvisional ? '' : sourceHash,
    ledger: plans.ledger,
    notices: plans.notices,
    changes: recentChanges ?? previous?.recentChanges ?? '[]',
    report: reportJson(report),
    feeds: JSON.stringify(report.summary().feeds),
  };
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
