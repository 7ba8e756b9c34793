/** The dates of an event: listed ones, and series (RFC 5545, 3.8.5) by rules as programs write them. */
import type { JsonObject } from '../../../../src/calendar/json.ts';
import { DAY, formatDay, formatWall, instantIn, overAt } from '../../../../src/calendar/time.ts';
import { endOf } from '../../../materialise/dating.ts';
import { excerpt } from '../../../records.ts';
import type { Allowance, EventAllowance } from '../../../recurrence/allowance.ts';
import { expand } from '../../../recurrence/expand.ts';
import { type FeedSeries, isFlaw, type Length, type Rule, readRule } from '../../../recurrence/series.ts';
import type { DateCount } from '../date-count.ts';
import type { AddFinding } from '../last-good.ts';
import { cite, first as firstOf, type Property } from './content.ts';
import { createMoments, type Entry, type EntryContext, reportOlder, type Version } from './entries.ts';
import {
  instantOfMoment,
  type Moment,
  OSLO,
  placeIn,
  plainRule,
  readDuration,
  readingIn,
  readMoment,
  UTC,
} from './values.ts';

export interface DatesContext extends EntryContext {
  readonly dates: DateCount;
  readonly allowance: Allowance;
  /** Values of an entry's own dates that differ from the event's. */
  readonly ownOf: (entry: Entry) => OwnFields;
}

type OwnFields = FeedSeries['changes'][number]['own'];

/** The dates and the series of an event, and the number of entries that became dates of it, besides the main one. */
export function datesOf(version: Version, context: DatesContext) {
  const { main, further, overrides } = version;
  const { start, length } = main;
  const placeOf = (date: Moment) => placeIn(start, date);
  const isSeries = main.recurrenceId === null;
  const said = recurrenceOf(main, context);
  const changes = isSeries ? changesOf(overrides, main, context) : [];
  const single = overrides.filter(({ isThisAndFuture }) => !isSeries || !isThisAndFuture);
  const { except, hiddenFrom } = takenOut(version, single, said);
  const rules = said.rules.map((rule) => endedBefore(hiddenFrom, rule));

  const periods = byPlace(said.periods, placeOf);
  const isLeft = (wall: number) => wall < hiddenFrom && !except.has(wall);
  const inPeriods = [...periods.values()].filter((period) => isLeft(placeOf(period.start)));
  // A series that ends before it begins has only its listed dates; what is left of one that was split is over (G2, as little as possible is
  // dropped, and it is named).
  const isEnded = rules.length > 0 && rules.every(({ until }) => (until ?? start.wall) < start.wall);
  const isOver = isEnded && isLeft(start.wall) && isOverAt(main, context.now);
  const first = isEnded && !isOver ? [] : [start.wall];
  const starts = [...new Set([...first, ...said.starts])].filter(
    (wall) => isLeft(wall) && !periods.has(wall),
  );
  const isRuled = (isOver ? 0 : rules.length) + said.exceptRules.length + changes.length > 0;
  const series = {
    zone: start.zone.name,
    start: start.wall,
    length,
    allDay: isAllDay(start, length),
    starts,
    rule: firstOf(main.component, 'RRULE')?.value.slice(0, 200) ?? '',
    rules,
    exceptRules: said.exceptRules,
    except: [...new Set([...except, ...periods.keys()])],
    changes,
  };
  const misses = isRuled ? context.dates.addSet({ ...series, clock: start.zone.offsetAt }) : null;
  const given = new Set([start.wall, ...said.starts, ...periods.keys()]);
  const isMiss = (wall: number) =>
    !given.has(wall) && (misses === null || misses.has(instantIn(start.zone.offsetAt, wall)));
  reportMisses(said.except, isMiss, context.addFinding);
  const current = single.filter((entry) => {
    const { recurrenceId, sequence } = entry;
    const isOld = sequence < main.sequence && recurrenceId !== null && isMiss(placeOf(recurrenceId));
    if (isOld) reportOlder(entry, context.addFinding);
    return !isOld;
  });

  const own = isSeries ? undefined : context.ownOf(main);
  const dates = [
    ...(isRuled ? [] : starts.map((wall) => dateOf({ ...start, wall }, length, own))),
    ...inPeriods.map((period) => dateOf(period.start, period.length)),
    ...further.map((entry) => dateOf(entry.start, entry.length, context.ownOf(entry))),
    ...current.map((entry) => overridden(entry, main, context)),
  ];
  const merged = further.length + overrides.length - (single.length - current.length);
  return { merged, dates, ...(isRuled ? { series } : {}) };
}

/** 3.8.5.2: a date that is given twice counts once. A period takes precedence over a date. */
function byPlace(all: readonly Period[], placeOf: (date: Moment) => number): ReadonlyMap<number, Period> {
  const periods = new Map<number, Period>();
  for (const period of all)
    if (!periods.has(placeOf(period.start))) periods.set(placeOf(period.start), period);
  return periods;
}

function isOverAt({ start, length }: Entry, now: number): boolean {
  return overAt(instantOfMoment(start), endOf(start.zone.offsetAt, start.wall, length)) <= now;
}

/** Dates that are not the series' own: exceptions, dates with an entry of their own, and private ones. */
function takenOut({ main, further, hidden }: Version, overrides: readonly Entry[], said: Recurrence) {
  const except = new Set(said.except.keys());
  for (const { start } of further) except.add(placeIn(main.start, start));
  let hiddenFrom = Number.POSITIVE_INFINITY;
  // Dates without a series cannot be exceptions.
  const all = main.recurrenceId === null ? [...overrides, ...hidden] : [];
  for (const { recurrenceId, isThisAndFuture } of all) {
    if (recurrenceId === null) continue;
    const place = placeIn(main.start, recurrenceId);
    except.add(place);
    if (isThisAndFuture) hiddenFrom = Math.min(hiddenFrom, place);
  }
  return { except, hiddenFrom };
}

/** The date that an override replaces. Without a start of its own it has the series' time. */
function overridden(entry: Entry, { start, length, recurrenceId }: Entry, { ownOf }: DatesContext) {
  const own = ownOf(entry);
  if (recurrenceId !== null || !entry.isStandIn || entry.recurrenceId === null)
    return dateOf(entry.start, entry.length, own);
  return dateOf({ ...start, wall: placeIn(start, entry.recurrenceId) }, length, own);
}

/** RANGE=THISANDFUTURE: the series continues like this entry. */
function changesOf(overrides: readonly Entry[], main: Entry, { ownOf }: DatesContext): FeedSeries['changes'] {
  return overrides
    .flatMap((entry) => {
      if (!entry.isThisAndFuture || entry.recurrenceId === null) return [];
      const from = placeIn(main.start, entry.recurrenceId);
      const shift = entry.isStandIn ? 0 : readingIn(main.start, entry.start) - from;
      const length = entry.isStandIn ? main.length : entry.length;
      const allDay = isAllDay(entry.isStandIn ? main.start : entry.start, length);
      return [{ from, shift, length, allDay, own: ownOf(entry) }];
    })
    .sort((left, right) => left.from - right.from);
}

/** A15, all-day: whether it is given by dates alone. */
function isAllDay({ isDate }: Moment, length: Length | null): boolean {
  return isDate && (length === null || length.seconds === 0);
}

/** A date as a native event lists it (F3, events; F4, dates in records). */
function dateOf(start: Moment, length: Length | null, own: OwnFields = {}): JsonObject {
  const { wall, zone } = start;
  if (isAllDay(start, length)) {
    const first = wall / DAY;
    return { start: formatDay(first), end: formatDay(first + (length?.days ?? 1) - 1), ...own };
  }
  // A start that a clock change moves forward may be after the end.
  const end = Math.max(instantOfMoment(start), endOf(zone.offsetAt, wall, length));
  // Norwegian times as written in the feed, so that `startTime` is as entered; any other as its instant.
  const written = zone.name === OSLO.name ? formatWall(wall) : utcText(instantOfMoment(start));
  return { start: written, ...(length === null ? {} : { end: utcText(end) }), ...own };
}

function utcText(instant: number): string {
  return `${formatWall(instant)}Z`;
}

interface Recurrence {
  readonly rules: readonly Rule[];
  readonly exceptRules: readonly Rule[];
  /** Readings of the series' clock. */
  readonly starts: readonly number[];
  readonly except: ReadonlyMap<number, Property>;
  readonly periods: readonly Period[];
}

interface Period {
  readonly start: Moment;
  /** Null for a start alone. */
  readonly length: Length | null;
}

function recurrenceOf({ start, component }: Entry, context: DatesContext): Recurrence {
  const { addFinding } = context;
  const moments = createMoments(component, context);
  const named = (name: string) => component.properties.filter((property) => property.name === name);
  const rulesOf = (name: string) =>
    named(name).flatMap((property) => ruleOf(property, start, addFinding) ?? []);
  let isNoted = false;
  /** A series consists of days or of times: the other form of its further starts is lost. */
  function noteKind({ isDate }: Moment, property: Property, written: string): void {
    if (property.name !== 'RDATE' || isDate === start.isDate || isNoted) return;
    isNoted = true;
    const expected = isDate
      ? 'times, as in DTSTART (read at its time)'
      : 'dates, as in DTSTART (read as days)';
    addFinding({ ...cite(property), expected, found: excerpt(written) });
  }

  const fromStart = (rule: Rule) => countedFromStart(rule, start, context.allowance.forEvent()) ?? [];

  function periodsOf(property: Property): readonly Period[] {
    return property.value.split(',').flatMap((written): readonly Period[] => {
      const [first = '', second] = written.split('/');
      const moment = moments.value(first, property);
      if (moment !== null && second === undefined) {
        noteKind(moment, property, written);
        return [{ start: moment, length: null }];
      }
      const length =
        moment === null ? null : periodLength(moment, moments.value(second ?? '', property), second ?? '');
      if (moment !== null && length !== null) return [{ start: moment, length }];
      const expected = 'dates or times such as 20260517T193000, with commas between';
      if (written.trim() !== '')
        addFinding({ ...cite(property), action: 'dropped date', expected, found: excerpt(written) });
      return [];
    });
  }

  const dates = named('RDATE').flatMap(periodsOf);
  const placesOf = (periods: readonly Period[]) => periods.map((period) => placeIn(start, period.start));
  return {
    rules: rulesOf('RRULE').flatMap(fromStart),
    exceptRules: rulesOf('EXRULE'),
    except: new Map(
      named('EXDATE').flatMap((property) =>
        placesOf(periodsOf(property)).map((place) => [place, property] as const),
      ),
    ),
    starts: placesOf(dates.filter(({ length }) => length === null)),
    periods: dates.filter(({ length }) => length !== null),
  };
}

function periodLength(start: Moment, end: Moment | null, written: string): Length | null {
  const duration = readDuration(written);
  if (duration !== null) return { ...duration, isElapsed: true };
  if (start.isDate && end?.isDate === true && end.wall > start.wall)
    return { days: (end.wall - start.wall) / DAY, seconds: 0, isElapsed: false };
  const seconds = end === null ? -1 : instantOfMoment(end) - instantOfMoment(start);
  return seconds < 0 ? null : { days: 0, seconds, isElapsed: true };
}

/** 3.8.5.1: an exception without effect, for example at another time of day, is certainly a mistake. */
function reportMisses(
  except: Recurrence['except'],
  isMiss: (wall: number) => boolean,
  addFinding: AddFinding,
): void {
  const [first, ...more] = [...except].filter(([wall]) => isMiss(wall));
  if (first === undefined) return;
  const [wall, property] = first;
  const found = `${formatWall(wall)}${more.length === 0 ? '' : ` and ${more.length} more`}`;
  addFinding({ ...cite(property), expected: 'a date of the series (nothing is taken out)', found });
}

/** Null, after a finding, if it cannot be read. */
function ruleOf(property: Property, start: Moment, addFinding: AddFinding): Rule | null {
  // 3.3.10: for days, the parts with times MUST be ignored.
  const plain = plainRule(property.value, start.isDate ? /^BY(?:HOUR|MINUTE|SECOND)=/i : undefined);
  const { text, slips } = repaired(plain);
  const rule = ofDays(start, readRule(text, { clock: start.zone.offsetAt, isOfFeed: true }));
  if (isFlaw(rule)) {
    const action = property.name === 'RRULE' ? 'dropped series' : 'dropped date';
    const { part, expected, found } = rule;
    const field = `${property.name};${part}`;
    addFinding({ ...cite(property), action, field, expected, found: excerpt(found) });
    return null;
  }
  if (/\\[,;]/.test(property.value)) slips.unshift('backslashes');
  const expected = 'a rule without what is passed over here';
  if (slips.length > 0) addFinding({ ...cite(property), expected, found: excerpt(slips.join(', ')) });
  return rule;
}

/** A rule with a period shorter than a day is not a series of days. */
function ofDays({ isDate }: Moment, rule: ReturnType<typeof readRule>): ReturnType<typeof readRule> {
  if (!isDate || isFlaw(rule) || !/^(?:HOUR|MINUTE|SECOND)LY$/.test(rule.frequency)) return rule;
  const expected = 'a rule of days, because the start is a date alone';
  return { part: 'FREQ', expected, found: rule.frequency };
}

/** A rule without mistakes that leave its meaning certain, and these. */
function repaired(rule: string) {
  const slips: string[] = [];
  const parts = rule.split(';').map((part) => part.replace(/\s+/g, ''));
  if (parts.join(';') !== rule) slips.push('blanks');
  const hasNoOrdinals = parts.some((part) => /^FREQ=(?:DAILY|WEEKLY)$/i.test(part));
  const good = new Set<string>();
  for (const part of parts) {
    const plain = plainPart(part, hasNoOrdinals);
    if (plain === null || good.has(plain) || plain !== part) slips.push(part);
    if (plain !== null) good.add(plain);
  }
  // With one date in each period, the first and the last are that date.
  const alone = [...good].filter((part) => /^BY/i.test(part));
  const [only = ''] = alone;
  if (alone.length === 1 && /^BYSETPOS=[+-]?1$/i.test(only)) {
    slips.push(only);
    good.delete(only);
  }
  const isBoth = ['COUNT=', 'UNTIL='].every((name) =>
    [...good].some((part) => part.toUpperCase().startsWith(name)),
  );
  if (isBoth) slips.push('COUNT with UNTIL: the first of them ends it');
  return { text: [...good].join(';'), slips };
}

/** Null for an empty part. */
function plainPart(part: string, hasNoOrdinals: boolean): string | null {
  const at = part.indexOf('=');
  const name = part.slice(0, at).toUpperCase();
  const value = part.slice(at + 1);
  if (at === -1) return part;
  if (name.startsWith('X-') || value === '') return null;
  if (name === 'UNTIL' && /[-:.]/.test(value)) return `UNTIL=${plainUntil(value) ?? value}`;
  if (!name.startsWith('BY')) return part;
  const list = value.replace(/,{2,}/g, ',').replace(/^,|,$/g, '');
  return `${part.slice(0, at + 1)}${name === 'BYDAY' && hasNoOrdinals ? list.replace(/[+-]?\d+/g, '') : list}`;
}

/** In RFC 3339's form. */
function plainUntil(written: string): string | null {
  const moment = readMoment(written, OSLO);
  if (moment === null) return null;
  const text = formatWall(moment.wall).replace(/[-:]/g, '').replace(' ', 'T');
  if (moment.isDate) return text.slice(0, 8);
  return moment.zone === UTC ? `${text}Z` : text;
}

/** 3.8.5.3: the start counts as the first, whether the rule yields it or not. Null if there are no others. */
function countedFromStart(rule: Rule, { wall }: Moment, allowance: EventAllowance): Rule | null {
  if (rule.count === null) return rule;
  const wanted = { start: wall, from: wall, until: wall, keep: () => true, most: 1 };
  if (expand(rule, wanted, allowance).walls.length > 0) return rule;
  return rule.count === 1 ? null : { ...rule, count: rule.count - 1 };
}

/** A series in which all dates from one on are private ends before that date. */
function endedBefore(end: number, rule: Rule): Rule {
  return end > (rule.until ?? Number.POSITIVE_INFINITY) || end === Number.POSITIVE_INFINITY
    ? rule
    : { ...rule, until: end - 1 };
}
