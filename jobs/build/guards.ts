/** G3: what stops a build although every record was read, because the result would empty a calendar that people use. */
import { CalendarError } from '../../src/calendar/errors.ts';
import type { Calendar } from '../records.ts';
import type { ListCounts, Report, ReportSummary } from '../report.ts';
import type { Previous } from './previous.ts';
import { lostReferences } from './references.ts';

interface Guarded {
  readonly calendar: Calendar;
  readonly previous: Previous | null;
  /** Ids that the licence retires. */
  readonly retired: readonly string[];
  /** Instant. */
  readonly now: number;
  readonly report: Report;
  readonly force: boolean;
}

/** Throws BUILD_REFUSED. */
export function checkGuards({ previous, report, force, ...guarded }: Guarded): void {
  const summary = report.summary();
  refuseEmpty(summary);
  if (force) return;
  refuseRejected(summary);
  if (previous === null) return;
  refuseGone(previous, guarded.calendar);
  refuseLost(previous, guarded);
}

const MOST_GONE = 1 / 2;
const MOST_REJECTED = 1 / 4;
const MOST_LOST = 1 / 4;

/** Nothing overrides this one: a calendar without events is never what a source means. */
function refuseEmpty({ lists }: ReportSummary): void {
  const { read, kept } = lists.events;
  if (kept > 0) return;
  throw refused(`expected at least one valid event, found none among ${read}: look at the source`);
}

function refuseRejected({ lists }: ReportSummary): void {
  const { events, venues, organizers } = lists;
  const all = [events, venues, organizers].reduce(sum);
  for (const [what, { read, dropped }] of [
    ['events', events],
    ['records', all],
  ] as const) {
    if (dropped <= read * MOST_REJECTED) continue;
    throw refused(
      `expected at most a quarter of the ${what} to be rejected, found ${dropped} of ${read}: ${ADVICE}`,
    );
  }
}

function refuseGone(previous: Previous, { events }: Calendar): void {
  const present = new Set(events.map(({ id }) => id));
  const gone = [...previous.upcoming.values()].filter((id) => !present.has(id)).length;
  const { size: length } = previous.upcoming;
  if (gone <= length * MOST_GONE) return;
  throw refused(
    `expected at most half of the upcoming events of ${previous.file} to be gone, found ${gone} of ${length}: ${ADVICE}`,
  );
}

/** G4. What a snapshot of an older format has is not looked at. */
function refuseLost(
  { carried: before, file, upcoming }: Previous,
  guarded: Pick<Guarded, 'calendar' | 'retired' | 'now'>,
): void {
  if (before === null) return;
  const { events, most } = lostReferences({ ...guarded, before, upcoming });
  if (most === null || events <= upcoming.size * MOST_LOST) return;
  const found = `found ${events} of ${upcoming.size}, most often ${most.reference} (${most.events})`;
  throw refused(
    `expected at most a quarter of the upcoming events of ${file} to lose a category, venue or organizer, ${found}: ${ADVICE}`,
  );
}

const ADVICE = 'look at the source; if it is meant, build again with --force';

function sum(left: ListCounts, right: ListCounts): ListCounts {
  return {
    read: left.read + right.read,
    kept: left.kept + right.kept,
    dropped: left.dropped + right.dropped,
  };
}

function refused(message: string): CalendarError {
  return new CalendarError('BUILD_REFUSED', message);
}
