/** When an event is, as the fields of a native event: listed dates, rules, and what neither can say as a series. */
import { DAY, formatWall } from '../../../src/calendar/time.ts';
import type { Complain } from '../../feeds/slice.ts';
import { isFlaw, readRule } from '../../recurrence/rule.ts';
import { excerpt } from '../../report/excerpt.ts';
import { createMoments, type Entry, type EntryContext } from './entry.ts';
import type { Length } from './length.ts';
import { type Moment, readDuration } from './moments.ts';
import type { Property } from './property.ts';
import { ruleOnClock } from './rules.ts';
import { type Change, type DateFields, dateOf, type Series } from './series.ts';
import type { Version } from './versions.ts';
import { instantOfMoment, OSLO, wallIn, type Zone } from './zones.ts';

export interface DatesContext extends EntryContext {
  /** Told of every recurrence, as a series. */
  readonly rehearse: (series: Series) => void;
  /** What an entry's own dates have that the event's do not. */
  readonly ownOf: (entry: Entry) => DateFields;
}

export interface EventDates {
  readonly dates: readonly DateFields[];
  readonly repeats?: readonly DateFields[];
  readonly series?: Series;
}

export function datesOf({ main, further, overrides }: Version, context: DatesContext): EventDates {
  const { start, length } = main;
  const zone = start.zone;
  const isSeries = main.recurrence === null;
  const said = recurrenceOf(main, context);
  const changes = changesOf(isSeries ? overrides : [], main, context);
  const single = overrides.filter(({ isFuture }) => !isSeries || !isFuture);
  const except = new Set(said.except);
  for (const { recurrence } of isSeries ? single : [])
    if (recurrence !== null) except.add(placeIn(start, recurrence));

  const own = isSeries ? undefined : context.ownOf(main);
  const listed = [
    ...said.periods
      .filter((period) => !except.has(placeIn(start, period.start)))
      .map((period) => dateOf(period.start, period.length)),
    ...further.map((entry) => dateOf(entry.start, entry.length, context.ownOf(entry))),
    ...single.map((entry) => dateOf(entry.start, entry.length, context.ownOf(entry))),
  ];
  const starts = [...new Set([start.wall, ...said.starts])].filter((wall) => !except.has(wall));
  const { rules, exceptRules } = said;
  const series = {
    zone: zone.name,
    start: start.wall,
    length,
    starts,
    rules,
    exceptRules,
    except: [...except],
    changes,
  };
  if (rules.length + exceptRules.length + changes.length > 0) {
    context.rehearse(series);
    const isNative = zone === OSLO && exceptRules.length + changes.length === 0;
    if (!isNative) return { dates: listed, series };
  }
  const dates = [...starts.map((wall) => dateOf({ ...start, wall }, length, own)), ...listed];
  if (rules.length === 0) return { dates };
  return { dates, repeats: rules.map((rule) => repeatOf(rule, main, except)) };
}

function repeatOf(rule: string, { start, length }: Entry, except: ReadonlySet<number>): DateFields {
  return {
    rule,
    start: formatWall(start.wall),
    ...spanOf(start, length),
    ...(except.size === 0 ? {} : { except: [...except].sort((left, right) => left - right).map(formatWall) }),
  };
}

/** Hours of a DURATION are elapsed time, and so are the native form's minutes; everything else is read off the clock. */
function spanOf(start: Moment, length: Length | null): DateFields {
  if (length === null) return {};
  const { days, seconds, isElapsed } = length;
  if (isElapsed && days === 0 && seconds % 60 === 0) return { duration: seconds / 60 };
  return { end: formatWall(start.wall + days * DAY + seconds) };
}

/** RANGE=THISANDFUTURE: the series goes on like this entry. */
function changesOf(overrides: readonly Entry[], main: Entry, { ownOf }: DatesContext): readonly Change[] {
  return overrides
    .flatMap((entry) => {
      if (!entry.isFuture || entry.recurrence === null) return [];
      const from = placeIn(main.start, entry.recurrence);
      const shift = placeIn(main.start, entry.start) - from;
      return [{ from, shift, length: entry.length, own: ownOf(entry) }];
    })
    .sort((left, right) => left.from - right.from);
}

/** The reading of the series' clock that a date of the series is known by, however it is written. */
function placeIn(start: Moment, date: Moment): number {
  const day = (wall: number) => Math.floor(wall / DAY) * DAY;
  if (start.isDate) return day(date.wall);
  if (date.isDate) return date.wall + start.wall - day(start.wall);
  return date.zone === start.zone ? date.wall : wallIn(start.zone, instantOfMoment(date));
}

interface Recurrence {
  readonly rules: readonly string[];
  readonly exceptRules: readonly string[];
  /** Readings of the series' clock. */
  readonly starts: readonly number[];
  readonly except: readonly number[];
  readonly periods: readonly Period[];
}

interface Period {
  readonly start: Moment;
  /** Null for a start alone. */
  readonly length: Length | null;
}

function recurrenceOf({ start, component }: Entry, context: DatesContext): Recurrence {
  const { complain } = context;
  const moments = createMoments(component, context);
  const named = (name: string) => component.properties.filter((property) => property.name === name);
  const rulesOf = (name: string) =>
    named(name).flatMap((property) => ruleOf(property, start.zone, complain) ?? []);

  function periodsOf(property: Property): readonly Period[] {
    return property.value.split(',').flatMap((written): readonly Period[] => {
      const [first = '', second] = written.split('/');
      const moment = moments.value(first, property);
      if (moment !== null && second === undefined) return [{ start: moment, length: null }];
      const length =
        moment === null ? null : periodLength(moment, moments.value(second ?? '', property), second ?? '');
      if (moment !== null && length !== null) return [{ start: moment, length }];
      complainOfDate(property, written, complain);
      return [];
    });
  }

  const dates = named('RDATE').flatMap(periodsOf);
  const placesOf = (periods: readonly Period[]) => periods.map((period) => placeIn(start, period.start));
  return {
    rules: rulesOf('RRULE'),
    exceptRules: rulesOf('EXRULE'),
    except: placesOf(named('EXDATE').flatMap(periodsOf)),
    starts: placesOf(dates.filter(({ length }) => length === null)),
    periods: dates.filter(({ length }) => length !== null),
  };
}

function periodLength(start: Moment, end: Moment | null, written: string): Length | null {
  const duration = readDuration(written);
  if (duration !== null) return { ...duration, isElapsed: true };
  const seconds = end === null ? -1 : instantOfMoment(end) - instantOfMoment(start);
  return seconds < 0 ? null : { days: 0, seconds, isElapsed: true };
}

function complainOfDate({ name, line }: Property, written: string, complain: Complain): void {
  if (written.trim() === '') return;
  const expected = 'dates or times such as 20260517T193000, with commas between';
  complain({ action: 'dropped date', line, id: null, field: name, expected, found: excerpt(written) });
}

function ruleOf({ name, value, line }: Property, zone: Zone, complain: Complain): string | null {
  const rule = ruleOnClock(value, zone.offsetAt);
  const read = readRule(rule);
  if (!isFlaw(read)) return rule;
  const { part, expected, found } = read;
  complain({
    action: 'dropped date',
    line,
    id: null,
    field: `${name};${part}`,
    expected,
    found: excerpt(found),
  });
  return null;
}
