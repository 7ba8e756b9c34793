/** The dates of an event: listed ones, and series (RFC 5545, 3.8.5) by rules as programs write them. */
import type { JsonObject } from '../../../../src/calendar/json.ts';
import { DAY, formatDay, formatWall, instantIn, overAt } from '../../../../src/calendar/time.ts';
import { excerpt } from '../../../records.ts';
import type { EventAllowance } from '../../../recurrence/allowance.ts';
import { endOf } from '../../../recurrence/dates.ts';
import { expand } from '../../../recurrence/expand.ts';
import { isFlaw, type Rule, readRule } from '../../../recurrence/rule.ts';
import type { FeedSeries, Length } from '../../../recurrence/series.ts';
import type { AddFinding } from '../last-good.ts';
import { cite, first as firstOf, type Property } from './content.ts';
import { type CalendarContext, createMoments, type Entry } from './entries.ts';
import {
  instantOfMoment,
  type Moment,
  OSLO,
  plainRule,
  readDuration,
  readingIn,
  seriesReading,
} from './values.ts';
import { reportOlder, type Version } from './versions.ts';

interface DatesContext extends CalendarContext {
  /** Values of an entry's own dates that differ from the event's. */
  readonly ownOf: (entry: Entry) => OwnFields;
}

type OwnFields = FeedSeries['changes'][number]['own'];

/** The dates and the series of an event, and the number of entries that became dates of it, besides the main one. */
export function datesOfVersion(version: Version, context: DatesContext) {
  const { main, overrides } = version;
  const { start, length } = main;
  const isSeries = main.recurrenceId === null;
  const recurrence = recurrenceOf(main, context);
  const changes = isSeries ? changesOf(overrides, main, context) : [];
  const single = overrides.filter(({ isThisAndFuture }) => !isSeries || !isThisAndFuture);
  const { except, hiddenFrom } = takenOut(version, single, recurrence);
  const rules = recurrence.rules.map((rule) => endedBefore(hiddenFrom, rule));

  const isLeft = (wall: number) => wall < hiddenFrom && !except.has(wall);
  // A series that ends before it begins has only its listed dates; what is left of one that was split is over (G2).
  const isEnded = rules.length > 0 && rules.every(({ until }) => (until ?? start.wall) < start.wall);
  const isOver = isEnded && isLeft(start.wall) && isOverAt(main, context.now);
  const first = isEnded && !isOver ? [] : [start.wall];
  const starts = [...new Set([...first, ...recurrence.starts])].filter(
    (wall) => isLeft(wall) && !recurrence.periods.has(wall),
  );
  // 3.8.5.2: a period has an end of its own, so it is no date of the series, whose dates have one length.
  const periods = [...recurrence.periods].filter(([wall]) => isLeft(wall));
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
    except: [...except, ...recurrence.periods.keys()],
    changes,
  };
  const misses = isRuled ? context.dates.addSet({ ...series, clock: start.zone.offsetAt }) : null;
  const given = new Set([start.wall, ...recurrence.starts, ...recurrence.periods.keys()]);
  const isMiss = (wall: number) =>
    !given.has(wall) && (misses === null || misses.has(instantIn(start.zone.offsetAt, wall)));
  reportMisses(recurrence.except, isMiss, context.addFinding);
  const current = single.filter((entry) => {
    const { recurrenceId, sequence } = entry;
    const isOld =
      sequence < main.sequence && recurrenceId !== null && isMiss(seriesReading(start, recurrenceId));
    if (isOld) reportOlder(entry, context.addFinding);
    return !isOld;
  });

  const own = isSeries ? undefined : context.ownOf(main);
  const dates = [
    ...(isRuled ? [] : starts.map((wall) => dateOf({ ...start, wall }, length, own))),
    ...periods.map(([wall, ofPeriod]) => dateOf({ ...start, wall }, ofPeriod, own)),
    ...current.map((entry) => withPreviousStart(overridden(entry, main, context), { entry, main, isMiss })),
  ];
  const merged = overrides.length - (single.length - current.length);
  return { merged, dates, ...(isRuled ? { series } : {}) };
}

function isOverAt({ start, length }: Entry, now: number): boolean {
  return overAt(instantOfMoment(start), endOf(start.zone.offsetAt, start.wall, length)) <= now;
}

/** Dates that are not the series' own: exceptions, dates with an entry or an event of their own, and private ones. */
function takenOut({ main, apart, hidden }: Version, overrides: readonly Entry[], recurrence: Recurrence) {
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
function overridden(entry: Entry, { start, length, recurrenceId }: Entry, { ownOf }: DatesContext) {
  const own = ownOf(entry);
  if (recurrenceId !== null || !entry.isStandIn || entry.recurrenceId === null)
    return dateOf(entry.start, entry.length, own);
  return dateOf({ ...start, wall: seriesReading(start, entry.recurrenceId) }, length, own);
}

/** E12: a date that an override moves to another time; one whose RECURRENCE-ID the series lacks was never at another. */
function withPreviousStart(
  date: JsonObject,
  { entry, main, isMiss }: { entry: Entry; main: Entry; isMiss: (wall: number) => boolean },
): JsonObject {
  const { recurrenceId, isStandIn } = entry;
  const isOff = date.eventCancelled === true || date.status === 'POSTPONED';
  if (recurrenceId === null || isStandIn || isOff) return date;
  const isSeries = main.recurrenceId === null;
  const wall = seriesReading(main.start, recurrenceId);
  if (isSeries && isMiss(wall)) return date;
  const before = isSeries ? { ...main.start, wall: wall } : recurrenceId;
  if (instantOfMoment(before) === instantOfMoment(entry.start)) return date;
  return {
    ...date,
    status: 'RESCHEDULED',
    previousStart: startText(before, isAllDay(entry.start, entry.length)),
  };
}

/** RANGE=THISANDFUTURE: the series continues like this entry. */
function changesOf(overrides: readonly Entry[], main: Entry, { ownOf }: DatesContext): FeedSeries['changes'] {
  return overrides
    .flatMap((entry) => {
      if (!entry.isThisAndFuture || entry.recurrenceId === null) return [];
      const from = seriesReading(main.start, entry.recurrenceId);
      const shift = entry.isStandIn ? 0 : readingIn(main.start, entry.start) - from;
      const length = entry.isStandIn ? main.length : entry.length;
      const allDay = isAllDay(entry.isStandIn ? main.start : entry.start, length);
      return [{ from, shift, length, allDay, own: ownOf(entry) }];
    })
    .sort((left, right) => left.from - right.from);
}

/** A15: whether it is given by dates alone. */
function isAllDay({ isDate }: Moment, length: Length | null): boolean {
  return isDate && (length === null || length.seconds === 0);
}

/** A date as a native event lists it (F3, F4). */
function dateOf(start: Moment, length: Length | null, own: OwnFields = {}): JsonObject {
  const { wall, zone } = start;
  if (isAllDay(start, length)) {
    const first = wall / DAY;
    return { start: formatDay(first), end: formatDay(first + (length?.days ?? 1) - 1), ...own };
  }
  // A start that a clock change moves forward may be after the end.
  const end = Math.max(instantOfMoment(start), endOf(zone.offsetAt, wall, length));
  return { start: startText(start, false), ...(length === null ? {} : { end: utcText(end) }), ...own };
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

/** A further date, or an exception, as a reading of the series' clock. */
interface Further {
  readonly wall: number;
  /** The length of a period; null for a date that is as long as the others. */
  readonly length: Length | null;
}

const A_PERIOD = 'a period with an end after its start, or a start alone (it is as long as the other dates)';

/** Dates as readings of the series' clock. */
function recurrenceOf({ start, component }: Entry, context: DatesContext) {
  const { addFinding } = context;
  const moments = createMoments(component, context);
  const named = (name: string) => component.properties.filter((property) => property.name === name);
  const rulesOf = (name: string) =>
    named(name).flatMap((property) => ruleOf(property, start, addFinding) ?? []);
  const fromStart = (rule: Rule) => countedFromStart(rule, start, context.allowance.forEvent()) ?? [];

  /** A series consists of days or of times: the other form of its further starts is lost. */
  function wallsOf(property: Property): readonly Further[] {
    let isNoted = property.name !== 'RDATE';
    return property.value.split(',').flatMap((written) => {
      const [first = '', end] = written.split('/');
      const moment = moments.value(first, property);
      const about = { ...cite(property), found: excerpt(written) };
      if (moment === null) {
        const expected = 'dates or times such as 20260517T193000, with commas between';
        if (written.trim() !== '') addFinding({ ...about, action: 'dropped date', expected });
        return [];
      }
      const length = end === undefined || start.isDate ? null : lengthTo(end, moment, property);
      const isBadPeriod = end !== undefined && length === null;
      const expected = isBadPeriod ? A_PERIOD : kindOf(moment);
      if (expected !== null && !isNoted) addFinding({ ...about, expected });
      isNoted ||= expected !== null;
      return [{ wall: seriesReading(start, moment), length: property.name === 'RDATE' ? length : null }];
    });
  }

  /** From the start of a period to its end, or for its duration. Null for an end that is none, or not after the start. */
  function lengthTo(end: string, moment: Moment, property: Property): Length | null {
    if (/^\s*[+-]?P/i.test(end)) {
      const read = readDuration(end);
      return read === null ? null : { ...read, isElapsed: read.seconds > 0 };
    }
    const until = moments.value(end, property);
    const seconds =
      until === null || until.isDate ? -1 : readingIn(start, until) - seriesReading(start, moment);
    return seconds < 0 ? null : { days: Math.floor(seconds / DAY), seconds: seconds % DAY, isElapsed: false };
  }

  function kindOf({ isDate }: Moment): string | null {
    if (isDate === start.isDate) return null;
    return isDate ? 'times, as in DTSTART (read at its time)' : 'dates, as in DTSTART (read as days)';
  }

  const exceptOf = (property: Property) => wallsOf(property).map(({ wall }) => [wall, property] as const);
  const further = named('RDATE').flatMap(wallsOf);
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
function reportMisses(
  except: Recurrence['except'],
  isMiss: (wall: number) => boolean,
  addFinding: AddFinding,
): void {
  const [first, ...more] = [...except].filter(([wall]) => isMiss(wall));
  if (first === undefined) return;
  const [wall, property] = first;
  const found = `${formatWall(wall)}${more.length === 0 ? '' : ` and ${more.length} more`}`;
  const expected = 'a date of the series (nothing is excluded)';
  addFinding({ ...cite(property), action: 'tidied', expected, found });
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
  const expected = 'a rule of days, because the start has no time';
  return { part: 'FREQ', expected, found: rule.frequency };
}

/** A rule without mistakes that leave its meaning certain, and these. */
function repaired(rule: string) {
  const hasNoOrdinals = /FREQ=(?:DAILY|WEEKLY)(?:;|$)/i.test(rule);
  const slips: string[] = [];
  const good = new Set<string>();
  for (const part of rule.split(';')) {
    const plain = plainPart(part, hasNoOrdinals);
    if (plain !== part || good.has(plain)) slips.push(part);
    if (plain !== '') good.add(plain);
  }
  // With one date in each period, the first and the last are that date.
  const [only = '', another] = [...good].filter((part) => /^BY/i.test(part));
  if (another === undefined && /^BYSETPOS=[+-]?1$/i.test(only)) {
    slips.push(only);
    good.delete(only);
  }
  const text = [...good].join(';');
  if (/(?:^|;)COUNT=/i.test(text) && /(?:^|;)UNTIL=/i.test(text))
    slips.push('COUNT with UNTIL: the first of them ends it');
  return { text, slips };
}

/** Empty for a part that says nothing. */
function plainPart(written: string, hasNoOrdinals: boolean): string {
  const part = written.replace(/\s+/g, '');
  const at = part.indexOf('=');
  const name = part.slice(0, at).toUpperCase();
  const value = part.slice(at + 1);
  if (at === -1) return part;
  if (name.startsWith('X-') || value === '') return '';
  // In RFC 3339's form; an offset is passed over, and the reading is that of the event's clock.
  if (name === 'UNTIL') return part.replace(/[+-]\d\d:?\d\d$|[-:]|\.\d+/g, '');
  if (!name.startsWith('BY')) return part;
  const list = value.replace(/,{2,}/g, ',').replace(/^,|,$/g, '');
  return `${part.slice(0, at + 1)}${name === 'BYDAY' && hasNoOrdinals ? list.replace(/[+-]?\d+/g, '') : list}`;
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
