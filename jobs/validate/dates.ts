/** Turns the dates and rules of a record into those of the calendar. */
import type * as z from 'zod';
import { OLDER_DATE_FIELDS } from '../../src/calendar/older-fields.ts';
import { type EventStatus, isOff } from '../../src/calendar/status.ts';
import { DAY, timeOfDay } from '../../src/calendar/time.ts';
import type { DateRecord, EventRecord } from '../records.ts';
import { isFlaw, type Rule, type RuleFlaw, readRule } from '../recurrence/rule.ts';
import { feedSeriesSchema, type Length, type OwnValues, type Series } from '../recurrence/series.ts';
import { LOST, readValue } from './entry.ts';
import { addFinding, type Subject } from './entry-findings.ts';
import { datetime, moment } from './moments.ts';
import { olderFields } from './older-values.ts';
import { pricesOf } from './prices.ts';
import type { Path } from './salvage.ts';
import { dateSchema, type RawDate, type RawRepeat, repeatSchema } from './schemas.ts';
import { spanOf, wallSpanOf } from './spans.ts';
import { webUrl } from './texts.ts';

/** The values that the dates of an event inherit, and the event itself. */
export interface DatedEvent {
  readonly subject: Subject;
  readonly event: Pick<EventRecord, 'venue' | 'ticketsURL' | 'status' | 'eventSoldOut'>;
  /** The id of an existing venue; null, after a finding, for any other. */
  readonly venueOf: (id: string | null | undefined, at: Path, subject: Subject) => string | null;
}

/** F4, F5: the listed dates with the event's values filled in. G2: an invalid one is dropped and reported. */
export function datesOf(raw: readonly unknown[], dated: DatedEvent): readonly DateRecord[] {
  return readEach(raw, { name: 'dates', schema: dateSchema, subject: dated.subject }, (date, at) => {
    const { start, end, minutes } = spanOf(date);
    const allDay = date.start.isDay;
    reportTimesOfDay(date, at, dated.subject);
    const startTime = givenStartTime(date) ?? timeOfDay(date.start.wall);
    // The copied values come last: Node 20 is slow to add fields to a copy.
    return { start, end, duration: minutes, startTime, allDay, ...ownValues(date, at, dated) };
  });
}

/** F4: the rules with the values that all of their dates share. An unreadable one is dropped and reported. */
export function repeatsOf(raw: readonly unknown[], dated: DatedEvent): readonly Series[] {
  const { subject } = dated;
  const list = { name: 'repeats', schema: repeatSchema, subject } as const;
  return readEach(raw, list, (repeat, at) => {
    reportTimesOfDay(repeat, at, subject);
    const except = exceptionsOf(repeat, at, subject);
    const own = ownValues(repeat, at, dated);
    const rule = readRepeatRule(repeat);
    if (!isFlaw(rule)) return seriesOf(repeat, at, { rule, except, own });
    const { expected, found } = rule;
    addFinding(subject, LOST.repeats, { at: [...at, 'rule'], expected, foundText: found });
    return null;
  });
}

interface RepeatParts {
  readonly rule: Rule;
  readonly except: readonly number[];
  readonly own: OwnValues;
}

function seriesOf(repeat: RawRepeat, [list, index]: ItemPath, { rule, except, own }: RepeatParts): Series {
  const { start } = repeat;
  const phase = {
    from: start.wall,
    shift: 0,
    length: lengthOf(repeat),
    allDay: start.isDay,
    startTime: givenStartTime(repeat),
    own,
  };
  return {
    zone: 'Europe/Oslo',
    start: start.wall,
    rules: [rule],
    exceptRules: [],
    starts: [],
    except,
    phases: [phase],
    rule: repeat.rule,
    fields: { rule: `${list}[${index}].rule`, end: `${list}[${index}].end` },
    isReplaceable: true,
  };
}

/** A rule, or its fault: in one of its parts, or together with its start. */
function readRepeatRule({ start, rule: text }: RawRepeat): Rule | RuleFlaw {
  const rule = readRule(text);
  if (isFlaw(rule) || !start.isDay || !tellsTime(rule)) return rule;
  const expected = 'a rule of days, because the start has no time';
  return { parts: 'rule', expected, found: text };
}

/** Whether a rule sets times of day. */
function tellsTime({ frequency, by }: Rule): boolean {
  const isOfDays = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY'].includes(frequency);
  return !isOfDays || (by.BYHOUR ?? by.BYMINUTE ?? by.BYSECOND) !== undefined;
}

/** F4: with `end`, every date lasts equally long on the wall clock; with `duration`, in elapsed time. */
function lengthOf(repeat: RawRepeat): Length | null {
  const span = wallSpanOf(repeat);
  if (span !== null) return { days: Math.floor(span / DAY), seconds: span % DAY, isElapsed: false };
  return repeat.duration == null ? null : { days: 0, seconds: repeat.duration * 60, isElapsed: true };
}

/** The series of a feed's event; none, after a finding, if it is invalid. */
export function feedSeriesOf(raw: unknown, dated: DatedEvent): readonly Series[] {
  const at = ['series'];
  const { subject } = dated;
  const read = readValue(raw, { schema: feedSeriesSchema, at, subject, lost: 'dropped series' });
  if (read === null) return [];
  const { length, allDay, changes, ...set } = read;
  const phases = [{ from: set.start, shift: 0, length, allDay, own: {} }, ...changes];
  const series = {
    ...set,
    phases: phases.map((phase) => ({
      ...phase,
      allDay: phase.allDay === true,
      startTime: null,
      own: ownValues(phase.own, at, dated),
    })),
    fields: { rule: 'repeat (RRULE)', end: 'end (DTEND)' },
    isReplaceable: false,
  };
  return [series];
}

interface DatedList<Schema> {
  readonly name: 'dates' | 'repeats';
  readonly schema: Schema;
  readonly subject: Subject;
}

type ItemPath = readonly [list: string, index: number];

/** The valid items of a list that `make` accepts; the others are reported. */
function readEach<Schema extends z.ZodType, Result>(
  raw: readonly unknown[],
  { name, schema, subject }: DatedList<Schema>,
  make: (item: z.output<Schema>, at: ItemPath) => Result | null,
): readonly Result[] {
  return raw.flatMap((value, index) => {
    const at: ItemPath = [name, index];
    const item = readValue(value, { schema, at, subject, lost: LOST[name] });
    const made = item === null ? null : make(item, at);
    return made === null ? [] : [made];
  });
}

/** A15: the `startTime` of a date that has a time; null if it has none. */
function givenStartTime({ start, startTime }: RawDate | RawRepeat): string | null {
  return start.isDay ? null : (startTime ?? null);
}

/** A15: reports a time of day or a duration of a date that is a day. Both are dropped. */
function reportTimesOfDay(raw: RawDate | RawRepeat, at: Path, subject: Subject): void {
  if (!raw.start.isDay) return;
  const expected = 'nothing, because the start has no time';
  for (const field of ['startTime', 'duration'] as const) {
    const found = raw[field] ?? null;
    if (found !== null) addFinding(subject, 'changed value', { at: [...at, field], expected, found });
  }
}

/** An exception that is invalid, or has a time although the rule has none, is dropped alone: the rest of the rule remains (G2). */
function exceptionsOf({ start, except }: RawRepeat, at: Path, subject: Subject): readonly number[] {
  const schema = start.isDay ? moment : datetime;
  return (except ?? []).flatMap((value, index) => {
    const place = [...at, 'except', index];
    const read = readValue(value, { schema, at: place, subject, lost: 'dropped date' });
    if (read === null) return [];
    const isDayOrMidnight = read.wall % DAY === 0;
    if (!start.isDay || isDayOrMidnight) return [read.wall];
    // No date of the rule has that start, so the exception would silently remove nothing.
    const expected = 'a day, because the start has no time';
    addFinding(subject, 'dropped date', { at: place, expected, found: value });
    return [];
  });
}

type RawOwnValues = Partial<Omit<RawDate, 'start' | 'end' | 'duration' | 'startTime'>>;

/** The values of a date, with those of its event where it has none (F5). */
function ownValues(raw: RawOwnValues, at: Path, { event, subject, venueOf }: DatedEvent): OwnValues {
  return {
    venue: venueOf(raw.venue, [...at, 'venue'], subject) ?? event.venue,
    ticketsURL:
      raw.ticketsURL == null ? event.ticketsURL : webUrl(raw.ticketsURL, [...at, 'ticketsURL'], subject),
    ...stateOf(raw, at, { event, subject }),
    eventSoldOut: raw.eventSoldOut ?? event.eventSoldOut,
    prices: raw.prices ? pricesOf(raw.prices, [...at, 'prices'], subject) : null,
    ...olderFields(raw, OLDER_DATE_FIELDS, { at, subject }),
  };
}

/** E12: a date's own state comes before its event's; a previous start alone means that the date was moved. */
function stateOf(
  raw: RawOwnValues,
  at: Path,
  { event, subject }: Pick<DatedEvent, 'event' | 'subject'>,
): Pick<OwnValues, 'status' | 'previousStart'> {
  const before = raw.previousStart?.instant ?? null;
  const stated = statusIn(raw, at, subject);
  const hasState = raw.status != null || raw.eventCancelled === true;
  const isMoved = before !== null && !hasState;
  const status = isMoved ? 'RESCHEDULED' : (stated ?? event.status);
  return { status, previousStart: status === 'RESCHEDULED' ? before : null };
}

type RawState = Pick<RawDate, 'status' | 'eventCancelled'>;

/** E12: `status` comes before `eventCancelled`, and a contradiction is reported. Null if neither is given. */
export function statusIn(
  { status, eventCancelled }: RawState,
  at: Path,
  subject: Subject,
): EventStatus | null {
  if (status == null && eventCancelled == null) return null;
  if (status == null) return eventCancelled ? 'CANCELLED' : 'SCHEDULED';
  if (eventCancelled != null && eventCancelled !== isOff(status)) {
    const expected = `${isOff(status)}, because the status is ${status}`;
    addFinding(subject, 'changed value', { at: [...at, 'eventCancelled'], expected, found: eventCancelled });
  }
  return status;
}
