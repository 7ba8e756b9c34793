/** The dates of an event: listed ones, and series (RFC 5545, 3.8.5). */
import type { JsonObject } from '../../../../src/calendar/json.ts';
import { DAY, formatDay, formatWall, instantIn, overAt } from '../../../../src/calendar/time.ts';
import { endOf } from '../../../recurrence/occurrences.ts';
import type { Rule } from '../../../recurrence/rule.ts';
import type { FeedSeries, Length } from '../../../recurrence/series.ts';
import type { AddFinding } from '../last-good.ts';
import { cite } from './citations.ts';
import { first as firstOf, type Property } from './content.ts';
import type { CalendarContext, Entry } from './entries.ts';
import { createFurtherReader } from './further-dates.ts';
import { countedFromStart, endedBefore, ruleOf } from './rules.ts';
import { instantOfMoment, type Moment, OSLO, readingIn, seriesReading } from './values.ts';
import { reportOlder, type Version } from './versions.ts';

interface DatesContext extends CalendarContext {
  /** Values of an entry's own dates that differ from the event's. */
  readonly dateFieldsOf: (entry: Entry) => DateFields;
}

type DateFields = FeedSeries['changes'][number]['own'];

/** The dates and the series of an event, and the number of entries that became dates of it, without the main one. */
export function datesOfVersion(version: Version, context: DatesContext) {
  const { main, overrides } = version;
  const { start, length } = main;
  const isSeries = main.recurrenceId === null;
  const recurrence = recurrenceOf(main, context);
  const changes = isSeries ? changesOf(overrides, main, context) : [];
  const single = overrides.filter(({ isThisAndFuture }) => !isSeries || !isThisAndFuture);
  const excluded = excludedFrom(version, single, recurrence);
  const rules = recurrence.rules.map((rule) => endedBefore(excluded.hiddenFrom, rule));
  const { starts, periods, isOver } = listedDates(main, { recurrence, excluded, rules, now: context.now });
  const isRuled = (isOver ? 0 : rules.length) + recurrence.exceptRules.length + changes.length > 0;
  const series = {
    zone: start.zone.name,
    start: start.wall,
    length,
    allDay: isAllDay(start, length),
    starts,
    rule: firstOf(main.component, 'RRULE')?.value.slice(0, 200) ?? '',
    rules,
    exceptRules: recurrence.exceptRules,
    except: [...excluded.except, ...recurrence.periods.keys()],
    changes,
  };
  const misses = isRuled ? context.dates.addSet({ ...series, clock: start.zone.offsetAt }) : null;
  const isMiss = missTest(start, recurrence, misses);
  reportMisses(recurrence.except, isMiss, context.addFinding);
  const current = withoutOlder(single, { main, isMiss }, context.addFinding);
  const dateFields = isSeries ? undefined : context.dateFieldsOf(main);
  const dates = [
    ...(isRuled ? [] : starts.map((wall) => dateOf({ ...start, wall }, length, dateFields))),
    ...periods.map(([wall, ofPeriod]) => dateOf({ ...start, wall }, ofPeriod, dateFields)),
    ...current.map((entry) => withPreviousStart(overridden(entry, main, context), { entry, main, isMiss })),
  ];
  const merged = overrides.length - (single.length - current.length);
  return { merged, dates, ...(isRuled ? { series } : {}) };
}

interface Listing {
  readonly recurrence: Recurrence;
  readonly excluded: Excluded;
  readonly rules: readonly Rule[];
  readonly now: number;
}

/** The starts that are listed, DTSTART among them, and the periods. `isOver`: the series ended before it began, and its start is over. */
function listedDates(main: Entry, { recurrence, excluded, rules, now }: Listing) {
  const { start } = main;
  const isLeft = (wall: number) => wall < excluded.hiddenFrom && !excluded.except.has(wall);
  // A series that ends before it begins has only its listed dates; the rest of one that was split is over (G2).
  const isEnded = rules.length > 0 && rules.every(({ until }) => (until ?? start.wall) < start.wall);
  const isOver = isEnded && isLeft(start.wall) && isOverAt(main, now);
  const first = isEnded && !isOver ? [] : [start.wall];
  const starts = [...new Set([...first, ...recurrence.starts])];
  return {
    starts: starts.filter((wall) => isLeft(wall) && !recurrence.periods.has(wall)),
    // 3.8.5.2: a period has an end of its own, so it is not a date of the series, whose dates all have the same length.
    periods: [...recurrence.periods].filter(([wall]) => isLeft(wall)),
    isOver,
  };
}

/** Whether the series has no date at a reading. `misses`: the instants of exceptions that match no date; null without rules. */
function missTest(
  start: Moment,
  { starts, periods }: Recurrence,
  misses: ReadonlySet<number> | null,
): IsMiss {
  const dates = new Set([start.wall, ...starts, ...periods.keys()]);
  return (wall) => !dates.has(wall) && (misses === null || misses.has(instantIn(start.zone.offsetAt, wall)));
}

type IsMiss = (wall: number) => boolean;

interface InSeries {
  readonly main: Entry;
  readonly isMiss: IsMiss;
}

/** Overrides of an earlier version of the series, whose dates it no longer has, are left out. */
function withoutOlder(
  overrides: readonly Entry[],
  { main, isMiss }: InSeries,
  addFinding: AddFinding,
): readonly Entry[] {
  return overrides.filter((entry) => {
    const { recurrenceId, sequence } = entry;
    const isEarlier = sequence < main.sequence && recurrenceId !== null;
    const isOlder = isEarlier && isMiss(seriesReading(main.start, recurrenceId));
    if (isOlder) reportOlder(entry, addFinding);
    return !isOlder;
  });
}

function isOverAt({ start, length }: Entry, now: number): boolean {
  return overAt(instantOfMoment(start), endOf(start.zone.offsetAt, start.wall, length)) <= now;
}

type Excluded = ReturnType<typeof excludedFrom>;

/** Dates that are not the series' own: exceptions, dates with an entry or an event of their own, and private ones. */
function excludedFrom({ main, apart, hidden }: Version, overrides: readonly Entry[], recurrence: Recurrence) {
  const except = new Set(recurrence.except.keys());
  for (const start of apart) except.add(seriesReading(main.start, start));
  let hiddenFrom = Number.POSITIVE_INFINITY;
  // Dates without a series cannot be exceptions.
  const all = main.recurrenceId === null ? [...overrides, ...hidden] : [];
  for (const { recurrenceId, isThisAndFuture } of all) {
    if (recurrenceId === null) continue;
    const wall = seriesReading(main.start, recurrenceId);
    except.add(wall);
    if (isThisAndFuture) hiddenFrom = Math.min(hiddenFrom, wall);
  }
  return { except, hiddenFrom };
}

/** The date that an override replaces. Without a start of its own it has the series' time. */
function overridden(entry: Entry, { start, length, recurrenceId }: Entry, { dateFieldsOf }: DatesContext) {
  const dateFields = dateFieldsOf(entry);
  if (recurrenceId !== null || !entry.isStandIn || entry.recurrenceId === null)
    return dateOf(entry.start, entry.length, dateFields);
  return dateOf({ ...start, wall: seriesReading(start, entry.recurrenceId) }, length, dateFields);
}

/** E12: a date that an override moves to another time; one whose RECURRENCE-ID the series lacks was never at another. */
function withPreviousStart(
  date: JsonObject,
  { entry, main, isMiss }: InSeries & { readonly entry: Entry },
): JsonObject {
  const { recurrenceId, isStandIn } = entry;
  const isOff = date.eventCancelled === true || date.status === 'POSTPONED';
  if (recurrenceId === null || isStandIn || isOff) return date;
  const isSeries = main.recurrenceId === null;
  const wall = seriesReading(main.start, recurrenceId);
  if (isSeries && isMiss(wall)) return date;
  const before = isSeries ? { ...main.start, wall } : recurrenceId;
  if (instantOfMoment(before) === instantOfMoment(entry.start)) return date;
  return {
    ...date,
    status: 'RESCHEDULED',
    previousStart: startText(before, isAllDay(entry.start, entry.length)),
  };
}

/** RANGE=THISANDFUTURE: the series continues like this entry. */
function changesOf(
  overrides: readonly Entry[],
  main: Entry,
  { dateFieldsOf }: DatesContext,
): FeedSeries['changes'] {
  return overrides
    .flatMap((entry) => {
      if (!entry.isThisAndFuture || entry.recurrenceId === null) return [];
      const from = seriesReading(main.start, entry.recurrenceId);
      const shift = entry.isStandIn ? 0 : readingIn(main.start, entry.start) - from;
      const length = entry.isStandIn ? main.length : entry.length;
      const allDay = isAllDay(entry.isStandIn ? main.start : entry.start, length);
      return [{ from, shift, length, allDay, own: dateFieldsOf(entry) }];
    })
    .sort((left, right) => left.from - right.from);
}

/** A15: whether it is given by dates alone. */
function isAllDay({ isDate }: Moment, length: Length | null): boolean {
  return isDate && (length === null || length.seconds === 0);
}

/** A date as a native event lists it (F3, F4). */
function dateOf(start: Moment, length: Length | null, dateFields: DateFields = {}): JsonObject {
  const { wall, zone } = start;
  if (isAllDay(start, length)) {
    const first = wall / DAY;
    return { start: formatDay(first), end: formatDay(first + (length?.days ?? 1) - 1), ...dateFields };
  }
  // A start that a clock change moves forward may be after the end.
  const end = Math.max(instantOfMoment(start), endOf(zone.offsetAt, wall, length));
  return { start: startText(start, false), ...(length === null ? {} : { end: utcText(end) }), ...dateFields };
}

/** Norwegian times as written in the feed, so that `startTime` is as entered; any other as its instant. */
function startText(start: Moment, allDay: boolean): string {
  if (allDay) return formatDay(Math.floor(start.wall / DAY));
  return start.zone.name === OSLO.name ? formatWall(start.wall) : utcText(instantOfMoment(start));
}

function utcText(instant: number): string {
  return `${formatWall(instant)}Z`;
}

type Recurrence = ReturnType<typeof recurrenceOf>;

/** The rules of an entry, and its listed dates as readings of its clock. */
function recurrenceOf(entry: Entry, context: DatesContext) {
  const { start, component } = entry;
  const named = (name: string) => component.properties.filter((property) => property.name === name);
  const rulesOf = (name: string) =>
    named(name).flatMap((property) => ruleOf(property, start, context.addFinding) ?? []);
  const fromStart = (rule: Rule) => countedFromStart(rule, start, context.allowance.forEvent()) ?? [];
  const furtherOf = createFurtherReader(entry, context);
  const exceptOf = (property: Property) => furtherOf(property).map(({ wall }) => [wall, property] as const);

  const further = named('RDATE').flatMap(furtherOf);
  const periods = further.flatMap(({ wall, length }) => (length === null ? [] : [[wall, length] as const]));
  return {
    rules: rulesOf('RRULE').flatMap(fromStart),
    exceptRules: rulesOf('EXRULE'),
    except: new Map(named('EXDATE').flatMap(exceptOf)),
    starts: further.flatMap(({ wall, length }) => (length === null ? [wall] : [])),
    /** By their start; of several with one start, the first. */
    periods: new Map(periods.reverse()),
  };
}

/** 3.8.5.1: an exception without effect. Programs write many; some are mistakes, such as another time of day. */
function reportMisses(except: Recurrence['except'], isMiss: IsMiss, addFinding: AddFinding): void {
  const [first, ...more] = [...except].filter(([wall]) => isMiss(wall));
  if (first === undefined) return;
  const [wall, property] = first;
  const found = `${formatWall(wall)}${more.length === 0 ? '' : ` and ${more.length} more`}`;
  const expected = 'a date of the series (nothing is excluded)';
  addFinding({ ...cite(property), action: 'tidied', expected, found });
}
