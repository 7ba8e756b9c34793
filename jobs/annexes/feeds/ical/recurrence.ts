/** The dates of an event: listed ones, and series (RFC 5545, 3.8.5). All are readings of the clock of its start. */
import type { JsonObject } from '../../../../src/calendar/json.ts';
import { formatWall, instantIn, overAt } from '../../../../src/calendar/time.ts';
import { endOf } from '../../../recurrence/occurrences.ts';
import type { Rule } from '../../../recurrence/rule.ts';
import type { FeedSeries, Length } from '../../../recurrence/series.ts';
import type { AddFinding } from '../last-good.ts';
import { cite } from './citations.ts';
import { first as firstProperty } from './content.ts';
import type { CalendarContext, CalendarEntry } from './entries.ts';
import { createFurtherReader } from './further-dates.ts';
import { changesOf, type OverriddenEvent, overridingDate, withoutOlder } from './overrides.ts';
import type { Property } from './properties.ts';
import { countedFromStart, endedBefore, readRuleOf } from './rules.ts';
import { instantOfMoment, type Moment, seriesReading } from './values.ts';
import type { Version } from './versions.ts';
import { isAllDay, writtenDate } from './written-dates.ts';

interface DatesContext extends CalendarContext, Pick<OverriddenEvent, 'dateFieldsOf'> {}

interface EventDates {
  /** As a native event lists them. */
  readonly dates: readonly JsonObject[];
  /** Absent without rules: then all dates are listed. */
  readonly series?: FeedSeries;
  /** The number of entries that became dates of the event, without the main one. */
  readonly entriesAsDates: number;
}

/** The dates and the series of an event. Throws FeedProblem if the rules of the feed have too many dates. */
export function datesOfVersion(version: Version, context: DatesContext): EventDates {
  const { kind, main, overrides } = version;
  // An override from a date on changes the series, unless the series is missing.
  const replacing = overrides.filter((entry) => kind === 'dates' || !entry.isThisAndFuture);
  const parts = partsOf(version, replacing, context);
  const series = seriesOf(version, parts, context);
  const clock = main.start.zone.offsetAt;
  const unmatched = series === null ? null : context.dates.addSet({ ...series, clock });
  const isDateOfSeries = createDateTest(main.start, parts.recurrence, unmatched);
  reportWithoutEffect(parts.recurrence.except, isDateOfSeries, context.addFinding);

  const event: OverriddenEvent = { kind, main, isDateOfSeries, dateFieldsOf: context.dateFieldsOf };
  const current = withoutOlder(replacing, event, context.addFinding);
  const dates = [
    ...datesOfMain(version, { listed: parts.listed, isListed: series === null }, context),
    ...current.map((entry) => overridingDate(entry, event)),
  ];
  const leftOut = replacing.length - current.length;
  const entriesAsDates = overrides.length - leftOut;
  return series === null ? { dates, entriesAsDates } : { dates, series, entriesAsDates };
}

/** What an event says of its dates, before it is known whether they are a series. */
interface DateParts {
  readonly recurrence: Recurrence;
  readonly excluded: ExcludedDates;
  readonly listed: ListedDates;
}

function partsOf(version: Version, replacing: readonly CalendarEntry[], context: DatesContext): DateParts {
  const written = recurrenceOf(version.main, context);
  const excluded = excludedFrom(version, replacing, written);
  const rules = written.rules.map((rule) => endedBefore(excluded.hiddenFrom, rule));
  const recurrence = { ...written, rules };
  const listed = listedDates(version.main, { recurrence, excluded, now: context.now });
  return { recurrence, excluded, listed };
}

/** What an entry says of its dates, as readings of its clock. */
interface Recurrence {
  readonly rules: readonly Rule[];
  readonly exceptRules: readonly Rule[];
  /** Each exception, with the property that has it. */
  readonly except: ReadonlyMap<number, Property>;
  /** Further starts: RDATE without a period. */
  readonly starts: readonly number[];
  /** The length of each period by its start; of several with one start, the first. */
  readonly periods: ReadonlyMap<number, Length>;
}

function recurrenceOf(entry: CalendarEntry, context: DatesContext): Recurrence {
  const { start, component } = entry;
  const named = (name: string) => component.properties.filter((property) => property.name === name);
  const rulesOf = (name: string) =>
    named(name).flatMap((property) => readRuleOf(property, start, context.addFinding) ?? []);
  const fromStart = (rule: Rule) => countedFromStart(rule, start, context.allowance.forEvent()) ?? [];
  const furtherOf = createFurtherReader(entry, context);

  const further = named('RDATE').flatMap(furtherOf);
  const periods = new Map<number, Length>();
  for (const { wall, length } of further)
    if (length !== null && !periods.has(wall)) periods.set(wall, length);
  const exceptOf = (property: Property) => furtherOf(property).map(({ wall }) => [wall, property] as const);
  return {
    rules: rulesOf('RRULE').flatMap(fromStart),
    exceptRules: rulesOf('EXRULE'),
    except: new Map(named('EXDATE').flatMap(exceptOf)),
    starts: further.filter(({ length }) => length === null).map(({ wall }) => wall),
    periods,
  };
}

/** Dates that are not the series' own. */
interface ExcludedDates {
  readonly except: ReadonlySet<number>;
  /** From this date on, all dates are private; infinite if none are. */
  readonly hiddenFrom: number;
}

/** Exceptions, dates with an entry or an event of their own, and private ones. `replacing`: the entries of single dates. */
function excludedFrom(
  { kind, main, apart, hidden }: Version,
  replacing: readonly CalendarEntry[],
  recurrence: Recurrence,
): ExcludedDates {
  const except = new Set(recurrence.except.keys());
  for (const start of apart) except.add(seriesReading(main.start, start));
  // Dates without a series cannot be exceptions.
  if (kind === 'dates') return { except, hiddenFrom: Number.POSITIVE_INFINITY };
  const datesIn = (entries: readonly CalendarEntry[]) =>
    entries.flatMap(({ recurrenceId }) =>
      recurrenceId === null ? [] : [seriesReading(main.start, recurrenceId)],
    );
  for (const date of datesIn([...replacing, ...hidden])) except.add(date);
  const hiddenRanges = datesIn(hidden.filter(({ isThisAndFuture }) => isThisAndFuture));
  const hiddenFrom = hiddenRanges.reduce((first, date) => Math.min(first, date), Number.POSITIVE_INFINITY);
  return { except, hiddenFrom };
}

interface ListedDates {
  /** DTSTART, and further starts. */
  readonly starts: readonly number[];
  readonly periods: readonly (readonly [wall: number, length: Length])[];
  /** The rules end before the start, and the start is over. */
  readonly isOver: boolean;
}

interface Listing {
  readonly recurrence: Recurrence;
  readonly excluded: ExcludedDates;
  /** Instant of the build. */
  readonly now: number;
}

/** The dates that are listed and not excluded. */
function listedDates(main: CalendarEntry, { recurrence, excluded, now }: Listing): ListedDates {
  const { start } = main;
  const { rules, periods } = recurrence;
  const isLeft = (wall: number) => wall < excluded.hiddenFrom && !excluded.except.has(wall);
  // A series that ends before it begins has only its listed dates; the rest of one that was split is over (G2).
  const isEnded = rules.length > 0 && rules.every(({ until }) => (until ?? start.wall) < start.wall);
  const isOver = isEnded && isLeft(start.wall) && isOverAt(main, now);
  const first = isEnded && !isOver ? [] : [start.wall];
  const starts = [...new Set([...first, ...recurrence.starts])];
  return {
    starts: starts.filter((wall) => isLeft(wall) && !periods.has(wall)),
    // 3.8.5.2: a period has an end of its own, so it is not a date of the series, whose dates all have the same length.
    periods: [...periods].filter(([wall]) => isLeft(wall)),
    isOver,
  };
}

function isOverAt({ start, length }: CalendarEntry, now: number): boolean {
  return overAt(instantOfMoment(start), endOf(start.zone.offsetAt, start.wall, length)) <= now;
}

/** Null without rules, and without changes from a date on. */
function seriesOf(
  { kind, main, overrides }: Version,
  { recurrence, excluded, listed }: DateParts,
  { dateFieldsOf }: DatesContext,
): FeedSeries | null {
  const { start, length, component } = main;
  const { rules, exceptRules, periods } = recurrence;
  const changes = kind === 'event' ? changesOf(overrides, { main, dateFieldsOf }) : [];
  const hasRules = rules.length > 0 && !listed.isOver;
  if (!hasRules && exceptRules.length === 0 && changes.length === 0) return null;
  return {
    zone: start.zone.name,
    start: start.wall,
    length,
    allDay: isAllDay(start, length),
    starts: listed.starts,
    rule: firstProperty(component, 'RRULE')?.value.slice(0, LONGEST_RULE) ?? '',
    rules,
    exceptRules,
    except: [...excluded.except, ...periods.keys()],
    changes,
  };
}

/** Characters of a rule in a finding. */
const LONGEST_RULE = 200;

interface MainDates {
  readonly listed: ListedDates;
  /** Whether its starts are listed as dates, because there is no series. */
  readonly isListed: boolean;
}

/** The dates that the main entry has besides its series. */
function datesOfMain(
  { kind, main }: Version,
  { listed, isListed }: MainDates,
  { dateFieldsOf }: DatesContext,
): readonly JsonObject[] {
  const { start, length } = main;
  const dateFields = kind === 'event' ? undefined : dateFieldsOf(main);
  const starts = isListed ? listed.starts : [];
  return [
    ...starts.map((wall) => writtenDate({ ...start, wall }, length, dateFields)),
    ...listed.periods.map(([wall, ofPeriod]) => writtenDate({ ...start, wall }, ofPeriod, dateFields)),
  ];
}

type DateTest = OverriddenEvent['isDateOfSeries'];

/** `unmatched`: the instants of exceptions that no rule yields; null without rules. */
function createDateTest(
  start: Moment,
  { starts, periods }: Recurrence,
  unmatched: ReadonlySet<number> | null,
): DateTest {
  const listed = new Set([start.wall, ...starts, ...periods.keys()]);
  return (wall) => {
    if (listed.has(wall)) return true;
    return unmatched !== null && !unmatched.has(instantIn(start.zone.offsetAt, wall));
  };
}

/** 3.8.5.1: an exception without effect. Programs write many; some are mistakes, such as another time of day. */
function reportWithoutEffect(
  except: Recurrence['except'],
  isDateOfSeries: DateTest,
  addFinding: AddFinding,
): void {
  const [first, ...more] = [...except].filter(([wall]) => !isDateOfSeries(wall));
  if (first === undefined) return;
  const [wall, property] = first;
  const found = `${formatWall(wall)}${more.length === 0 ? '' : ` and ${more.length} more`}`;
  const expected = 'a date of the series (nothing is excluded)';
  addFinding({ ...cite(property), action: 'tidied', expected, found });
}
