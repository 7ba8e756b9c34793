/** The occurrences of one series of a record (F4, A11), with findings about its rule. */
import type { Occurrence } from '../../src/calendar/model.ts';
import { formatOslo, overAt } from '../../src/calendar/time.ts';
import type { Flaw } from '../findings.ts';
import type { EventRecord } from '../records.ts';
import type { EventAllowance } from '../recurrence/allowance.ts';
import { expandSet } from '../recurrence/dates.ts';
import type { Expansion } from '../recurrence/expand.ts';
import { type ClockedSeries, occurrenceOf, type Span, spanAt } from '../recurrence/occurrences.ts';

/** What all series of a record have in common while they are expanded. */
export interface Surroundings {
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

/** Adds a finding about the record that is dated. */
type Note = (action: 'dropped date' | 'cut rule', flaw: Flaw) => void;

interface SeriesOccurrences {
  /** Occurrences that are not over at the build. */
  readonly upcoming: readonly Occurrence[];
  /** Occurrences that are over but start no earlier than `from`. */
  readonly over: readonly Span[];
  /** The first date ever, however long ago; null if the series has none. */
  readonly first: Span | null | typeof NOT_SOUGHT;
}

/** Stands for the first date of a series that has upcoming dates and belongs to no programme. */
const NOT_SOUGHT = 'not sought';

export function occurrencesOf(series: ClockedSeries, surroundings: Surroundings): SeriesOccurrences {
  const { record, note } = surroundings;
  const { walls, over, cut } = upcomingOf(series, surroundings);
  const noteCut = (expected: string) =>
    note('cut rule', { field: series.fields.rule, expected, found: series.rule.slice(0, 80) });
  if (cut !== null) noteCut(cut);
  const upcoming = walls
    .map((wall) => occurrenceOf(series, wall))
    .filter((occurrence) => isSound(occurrence, series, note));
  // For the span of a programme (A10), and to see whether the series has any date.
  const isFirstSought = walls.length === 0 || record.super_event !== null;
  if (!isFirstSought) return { upcoming, over, first: NOT_SOUGHT };
  const { first, cut: cutBefore } = firstOf(series, surroundings);
  if (first === null && cut === null) {
    if (cutBefore === null) noteDateless(series, surroundings);
    else noteCut(cutBefore);
  }
  return { upcoming, over, first };
}

/** The dates of a series that count for the span of its event. */
export function spansOf({ upcoming, first }: SeriesOccurrences): readonly Span[] {
  if (first === NOT_SOUGHT) return [];
  return first === null ? upcoming : [first, ...upcoming];
}

/** F4: whether a listed date of the event replaces a date of its series. */
export function isReplaced(
  { start }: Pick<Span, 'start'>,
  { isReplaceable }: ClockedSeries,
  listedStarts: Surroundings['listedStarts'],
): boolean {
  return isReplaceable && listedStarts.has(start);
}

interface Upcoming extends Pick<SeriesOccurrences, 'over'>, Expansion {}

/** The starts that are not over at the build. */
function upcomingOf(
  series: ClockedSeries,
  { allowance, now, horizon, from, listedStarts }: Surroundings,
): Upcoming {
  // By readings of the clock: two rules of one series may yield the same date.
  const overByWall = new Map<number, Span>();
  // Those that are over are noted on the way, because a start that is kept would count against the limit on dates.
  const keepUpcoming = (wall: number) => {
    const times = spanAt(series, wall);
    if (isReplaced(times, series, listedStarts)) return false;
    const isOver = overAt(times.start, times.end) <= now;
    if (isOver && times.end >= times.start) overByWall.set(wall, times);
    return !isOver;
  };
  const expansion = expandSet(series, { from, until: horizon.until, keep: keepUpcoming }, allowance);
  return { ...expansion, over: [...overByWall.values()] };
}

interface FirstDate extends Pick<Expansion, 'cut'> {
  /** Null if none was found up to the horizon. */
  readonly first: Span | null;
}

/** The first date ever. */
function firstOf(series: ClockedSeries, { allowance, horizon, listedStarts }: Surroundings): FirstDate {
  const isOwn = (wall: number) => !isReplaced(spanAt(series, wall), series, listedStarts);
  const window = { from: null, until: horizon.until, keep: isOwn, most: 1 };
  const { walls, cut } = expandSet(series, window, allowance);
  const [first] = walls;
  return { first: first === undefined ? null : spanAt(series, first), cut };
}

/** G2: the finding about a series without any date, unless its exceptions explain that. */
function noteDateless(series: ClockedSeries, surroundings: Surroundings): void {
  if (isSettled(series, surroundings)) return;
  const expected = `an occurrence on or before the horizon, ${surroundings.horizon.day}, that is not excluded`;
  surroundings.note('cut rule', { field: series.fields.rule, expected, found: 'none' });
}

/** G2: whether exceptions explain a series without dates: all of its dates are past, or the event also lists dates, which may replace them. */
function isSettled(series: ClockedSeries, { record, horizon, allowance, now }: Surroundings): boolean {
  const isGiven = (from: number | null) => {
    const window = { from, until: horizon.until, keep: () => true, most: 1 };
    return expandSet({ ...series, except: [], exceptRules: [] }, window, allowance).walls.length > 0;
  };
  return isGiven(null) && (record.dates.length > 0 || !isGiven(now));
}

/** False, after a finding, if a clock change puts the end before the start, as for 02:30 to 03:00 in the night that skips 02:30. */
function isSound({ start, end }: Occurrence, { fields }: ClockedSeries, note: Note): boolean {
  if (end >= start) return true;
  const expected = 'an end that is not before the start';
  const found = `${formatOslo(start)} to ${formatOslo(end)}`;
  note('dropped date', { field: fields.end, expected, found });
  return false;
}
