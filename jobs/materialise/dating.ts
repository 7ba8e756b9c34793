/** From a record's dates and series to its occurrences (F4, A2, A11, A12) and their numbers (A16). */
import type { Occurrence } from '../../src/calendar/model.ts';
import { DAY, formatDay, formatOslo, instantOf, overAt } from '../../src/calendar/time.ts';
import type { Flaw, Reporter } from '../findings.ts';
import type { EventRecord } from '../records.ts';
import type { Allowance, EventAllowance } from '../recurrence/allowance.ts';
import { createClocks } from '../recurrence/clocks.ts';
import { expandSet } from '../recurrence/dates.ts';
import type { Expansion } from '../recurrence/expand.ts';
import {
  type ClockedSeries,
  occurrenceOf,
  reachOf,
  type Span,
  spanAt,
  unite,
} from '../recurrence/occurrences.ts';

export interface Dated {
  /** Occurrences that are not over at the build, in A2's order. */
  readonly upcoming: readonly Occurrence[];
  /** A16: the 1-based index of each among the occurrences with the same start. */
  readonly numbers: readonly number[];
  /** G10: the occurrences that a rule yields. */
  readonly byRule: ReadonlySet<Occurrence>;
  /** I9: when the latest past date was over; null if there was none in the 400 days before the build. */
  readonly nextSince: () => number | null;
  /**
   * From the earliest start to the latest end, including past ones; null without dates. Only parts of a programme (A10) and events that are
   * over need it: for other events, series with upcoming dates are left out.
   */
  readonly span: Span | null;
  /** False if there is neither a date nor a series: a container. */
  readonly isDated: boolean;
}

interface DatingOptions {
  readonly now: number;
  readonly horizonDay: number;
  readonly allowance: Allowance;
  readonly report: Reporter;
}

/** Creates the function that dates the records of a build, one by one. */
export function createDating(options: DatingOptions): (record: EventRecord) => Dated {
  const { now, horizonDay, allowance, report } = options;
  const horizon = { until: instantOf((horizonDay + 1) * DAY) - 1, day: formatDay(horizonDay) };
  const clockOf = createClocks(allowance);

  function expandingOf(record: EventRecord, clocked: readonly ClockedSeries[]): Expanding {
    const { origin, id, dates } = record;
    return {
      record,
      note: (action, flaw) => report.addFinding({ action, origin, id, ...flaw }),
      allowance: allowance.forEvent(origin.file),
      now,
      horizon,
      // One beginning for all series: a past occurrence of one may share its start with a coming one of another (A16).
      from: now - clocked.reduce((most, series) => Math.max(most, reachOf(series)), 0),
      listedStarts: new Set(dates.map(({ start }) => start)),
    };
  }

  return (record) => {
    const { dates } = record;
    const isOver = ({ start, end }: Span) => overAt(start, end) <= now;
    const clocked = record.series.map((series) => ({ ...series, clock: clockOf(series.zone) }));
    const expanding = expandingOf(record, clocked);
    const expanded = clocked.map((series) => occurrencesOf(series, expanding));
    const byRule = new Set(expanded.flatMap((series) => series.upcoming));
    const upcomingListed = dates.filter((date) => !isOver(date));
    // Sorting is stable, so the position in the source decides between equals.
    const upcoming = [...upcomingListed, ...byRule].sort(byTimes);
    const firstStart = upcoming[0]?.start ?? now;
    // Past occurrences began before now, and can only share a start with others that did.
    const pastListed = firstStart < now ? dates.filter(isOver) : [];
    const past = [...expanded.flatMap((series) => series.over), ...pastListed].sort(byTimes);
    return {
      upcoming,
      numbers: numbersOf(upcoming, past),
      byRule,
      nextSince: () => nextSinceOf(clocked, firstStart, expanding),
      span: [...dates, ...expanded.flatMap(spansOf)].reduce<Span | null>(unite, null),
      isDated: dates.length + clocked.length > 0,
    };
  };
}

/** Adds a finding about the record that is dated. */
type Note = (action: 'dropped date' | 'cut rule', flaw: Flaw) => void;

interface Expanding {
  readonly record: EventRecord;
  readonly note: Note;
  readonly allowance: EventAllowance;
  /** Instant of the build. */
  readonly now: number;
  /** A11: its last second, and its day. */
  readonly horizon: { readonly until: number; readonly day: string };
  /** Instant: all that starts before is certainly over. */
  readonly from: number;
  /** Starts of the record's listed dates. */
  readonly listedStarts: ReadonlySet<number>;
}

interface Expanded extends Pick<Dated, 'upcoming'> {
  /** Occurrences that are over but start no earlier than `from`. */
  readonly over: readonly Span[];
  /** The first date ever, however long ago; null if the series has none. */
  readonly first: Span | null | typeof NOT_SOUGHT;
}

/** Stands for the first date of a series that has upcoming dates and belongs to no programme. */
const NOT_SOUGHT = 'not sought';

/** The occurrences of one series, with findings about its rule. */
function occurrencesOf(series: ClockedSeries, expanding: Expanding): Expanded {
  const { record, note } = expanding;
  const { walls, over, cut } = upcomingOf(series, expanding);
  const noteCut = (expected: string) =>
    note('cut rule', { field: series.fields.rule, expected, found: series.rule.slice(0, 80) });
  if (cut !== null) noteCut(cut);
  const upcoming = walls
    .map((wall) => occurrenceOf(series, wall))
    .filter((occurrence) => isSound(occurrence, series, note));
  // For the span of a programme (A10), and to see whether the series has any date.
  const isFirstSought = walls.length === 0 || record.super_event !== null;
  if (!isFirstSought) return { upcoming, over, first: NOT_SOUGHT };
  const { first, cut: cutBefore } = firstOf(series, expanding);
  if (first === null && cut === null) {
    if (cutBefore === null) noteDateless(series, expanding);
    else noteCut(cutBefore);
  }
  return { upcoming, over, first };
}

interface Upcoming extends Pick<Expanded, 'over'>, Expansion {}

/** The starts that are not over at the build. */
function upcomingOf(
  series: ClockedSeries,
  { allowance, now, horizon, from, listedStarts }: Expanding,
): Upcoming {
  // By readings of the clock: two rules of one series may yield the same date.
  const overByWall = new Map<number, Span>();
  // Starts that are over are noted here, because a start that is kept would count against the limit on dates.
  const keep = (wall: number) => {
    const times = spanAt(series, wall);
    if (isReplaced(times, series, listedStarts)) return false;
    const isOver = overAt(times.start, times.end) <= now;
    if (isOver && times.end >= times.start) overByWall.set(wall, times);
    return !isOver;
  };
  const expansion = expandSet(series, { from, until: horizon.until, keep }, allowance);
  return { ...expansion, over: [...overByWall.values()] };
}

interface FirstDate extends Pick<Expansion, 'cut'> {
  /** Null if none was found up to the horizon. */
  readonly first: Span | null;
}

/** The first date ever. */
function firstOf(series: ClockedSeries, { allowance, horizon, listedStarts }: Expanding): FirstDate {
  const keep = (wall: number) => !isReplaced(spanAt(series, wall), series, listedStarts);
  const { walls, cut } = expandSet(series, { from: null, until: horizon.until, keep, most: 1 }, allowance);
  const [first] = walls;
  return { first: first === undefined ? null : spanAt(series, first), cut };
}

/** F4: whether a listed date of the event replaces a date of its series. */
function isReplaced(
  { start }: Pick<Span, 'start'>,
  { isReplaceable }: ClockedSeries,
  listedStarts: Expanding['listedStarts'],
): boolean {
  return isReplaceable && listedStarts.has(start);
}

/** G2: the finding about a series without any date, unless its exceptions explain that. */
function noteDateless(series: ClockedSeries, expanding: Expanding): void {
  if (isSettled(series, expanding)) return;
  const expected = `an occurrence on or before the horizon, ${expanding.horizon.day}, that is not excluded`;
  expanding.note('cut rule', { field: series.fields.rule, expected, found: 'none' });
}

/** The dates of a series that count for the span of its event. */
function spansOf({ upcoming, first }: Expanded): readonly Span[] {
  if (first === NOT_SOUGHT) return [];
  return first === null ? upcoming : [first, ...upcoming];
}

/** G2: whether exceptions explain a series without dates: all of its dates are past, or the event also lists dates, which may replace them. */
function isSettled(series: ClockedSeries, { record, horizon, allowance, now }: Expanding): boolean {
  const isGiven = (from: number | null) => {
    const window = { from, until: horizon.until, keep: () => true, most: 1 };
    return expandSet({ ...series, except: [], exceptRules: [] }, window, allowance).walls.length > 0;
  };
  return isGiven(null) && (record.dates.length > 0 || !isGiven(now));
}

/** Seconds before the build in which the latest date of a rule is looked for: most rules have one in the first. */
const LOOK_BACK_SECONDS: readonly number[] = [9 * DAY, 400 * DAY];

/** I9: when the latest past date was over. `first`: start of the first date that is not over at the build. */
function nextSinceOf(all: readonly ClockedSeries[], first: number, expanding: Expanding): number | null {
  const { record, allowance, now, listedStarts } = expanding;
  const overOfListed = record.dates.flatMap(({ start, end }) => (start <= first ? overAt(start, end) : []));
  const overByRule = all.flatMap((series) => {
    for (const span of LOOK_BACK_SECONDS) {
      const overs: number[] = [];
      const keep = (wall: number) => {
        const { start, end } = spanAt(series, wall);
        const over = overAt(start, end);
        if (over <= now && !isReplaced({ start }, series, listedStarts)) overs.push(over);
        return false;
      };
      const from = now - span - reachOf(series);
      expandSet(series, { from, until: Math.min(now, first), keep }, allowance);
      if (overs.length > 0) return overs;
    }
    return [];
  });
  const past = [...overOfListed, ...overByRule].filter((over) => over <= now);
  return past.reduce<number | null>((latest, over) => Math.max(latest ?? over, over), null);
}

/** False, after a finding, if a clock change puts the end before the start, as for 02:30 to 03:00 in the night that skips 02:30. */
function isSound({ start, end }: Occurrence, { fields }: ClockedSeries, note: Note): boolean {
  if (end >= start) return true;
  const expected = 'an end that is not before the start';
  const found = `${formatOslo(start)} to ${formatOslo(end)}`;
  note('dropped date', { field: fields.end, expected, found });
  return false;
}

/** A2, except for the position in the source. */
const byTimes = (left: Span, right: Span) => left.start - right.start || left.end - right.end;

/** A16. Both lists are sorted. No occurrence in one has the same start and end as one in the other. */
function numbersOf(upcoming: readonly Span[], past: readonly Span[]): readonly number[] {
  const numbers: number[] = [];
  let start = Number.NaN;
  /** Occurrences with this start so far, past ones included. */
  let before = 0;
  let nextPast = 0;
  for (const occurrence of upcoming) {
    if (occurrence.start !== start) before = 0;
    start = occurrence.start;
    for (; isBefore(past[nextPast], occurrence); nextPast++) {
      if (past[nextPast]?.start === start) before++;
    }
    before++;
    numbers.push(before);
  }
  return numbers;
}

function isBefore(past: Span | undefined, occurrence: Span): boolean {
  return past !== undefined && byTimes(past, occurrence) < 0;
}
