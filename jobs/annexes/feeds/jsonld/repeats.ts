/** schema.org's Schedules as native repeats. */
import { isObject, type JsonObject } from '../../../../src/calendar/json.ts';
import { DAY, instantOf, osloOffset, zoneNamed } from '../../../../src/calendar/time.ts';
import { hasNorwaysClock } from '../../../recurrence/clocks.ts';
import {
  daysLater,
  timedDate,
  type WrittenDate,
  type WrittenRepeat,
  wholeDays,
  writtenAt,
} from '../native-dates.ts';
import {
  A_DATE,
  type DayMoment,
  durationOf,
  inNorway,
  lengthOf,
  momentOf,
  type Note,
  readIso,
} from './dates.ts';
import { listOf, textOf } from './linked-data.ts';
import { ruleOfSchedule, untilOf } from './schedule-rule.ts';

/** A Schedule without a start takes the event's own. */
export function repeatsOf(event: JsonObject, note: Note): readonly WrittenRepeat[] {
  return listOf(event.eventSchedule).flatMap((schedule, index) => {
    const field = `eventSchedule[${index}]`;
    const named: Note = (action, name, expected, found) => note(action, `${field}.${name}`, expected, found);
    if (isObject(schedule)) return repeatOf(schedule, event, named) ?? [];
    note('dropped series', field, 'a Schedule', schedule);
    return [];
  });
}

/** Null, after a finding, if it contains no repetition. */
function repeatOf(schedule: JsonObject, event: JsonObject, note: Note): WrittenRepeat | null {
  const first = inNorway(
    momentOf(schedule.startDate, 'startDate', note) ?? momentOf(event.startDate, 'startDate', null),
  );
  if (first === null) {
    note('dropped series', 'startDate', A_DATE, schedule.startDate);
    return null;
  }
  const zone = textOf(schedule.scheduleTimezone);
  const clock = zone === null ? osloOffset : zoneNamed(zone);
  if (clock === null || !hasNorwaysClock(clock, instantOf(Date.parse(`${first.day}T00:00:00Z`) / 1000))) {
    note('dropped series', 'scheduleTimezone', 'a time zone that matches Norway’s', zone);
    return null;
  }
  const rule = ruleOfSchedule(schedule, note);
  if (rule === null) return null;
  const start = inNorway(momentOf(event.startDate, 'startDate', null));
  const time = clockOf('startTime', schedule, note) ?? first.time ?? start?.time ?? null;
  const until = untilOf(schedule, note);
  const except = exceptionsOf(schedule, time, note);
  const repeat = {
    rule: until === null ? rule.text : `${rule.text};UNTIL=${until}`,
    ...spanOf({ day: first.day, time }, { schedule, event, daysBetween: rule.daysBetween }, note),
  };
  return except.length === 0 ? repeat : { ...repeat, except };
}

/** `time`: that of the schedule, for exceptions without a time of their own; null for whole days. */
function exceptionsOf(schedule: JsonObject, time: string | null, note: Note): readonly string[] {
  return listOf(schedule.exceptDate).flatMap((written) => {
    const moment = momentOf(written, 'exceptDate', note);
    if (moment === null) return [];
    if (time === null) return [moment.day];
    if (moment.time === null) return [writtenAt({ day: moment.day, time, offset: '' })];
    return [writtenAt({ ...moment, time: moment.time })];
  });
}

interface Repeating {
  readonly schedule: JsonObject;
  readonly event: JsonObject;
  /** Days from one date to the next: a later end is that of the whole series. */
  readonly daysBetween: number;
}

/** The length of each date: by the schedule, else the event's own. */
function spanOf(
  { day, time }: Pick<DayMoment, 'day' | 'time'>,
  { schedule, event, daysBetween }: Repeating,
  note: Note,
): WrittenDate {
  const endTime = time === null ? null : clockOf('endTime', schedule, note);
  const hasLength = textOf(schedule.duration) !== null;
  const end = endTime !== null || hasLength ? null : endOfFirstDate(event, daysBetween);
  if (time === null) {
    const days = (durationOf(schedule.duration, note)?.days ?? 1) - 1;
    return wholeDays(day, daysLater(day, Math.max(days, end?.days ?? 0)), () => undefined);
  }
  const start = writtenAt({ day, time, offset: '' });
  const last = endTime ?? end?.time ?? null;
  if (last === null) {
    const duration = hasLength ? schedule.duration : event.duration;
    return { start, ...lengthOf(duration, note) };
  }
  // An end before the start is on the next day.
  const days = end?.days || Number(last < time);
  return timedDate(start, { day: daysLater(day, days), time: last, offset: '' }, () => undefined);
}

interface EndOfDate {
  readonly days: number;
  readonly time: string | null;
}

/**
 * The time of the event's own end, and its distance from the event's start in days; 0 days if the end is that of the whole series. Null if the
 * event's own times do not describe its first date.
 */
function endOfFirstDate(event: JsonObject, daysBetween: number): EndOfDate | null {
  const start = inNorway(momentOf(event.startDate, 'startDate', null));
  const end = inNorway(momentOf(event.endDate, 'endDate', null));
  if (start === null || end === null || (start.time === null) !== (end.time === null)) return null;
  const days = (Date.parse(end.day) - Date.parse(start.day)) / (DAY * 1000);
  return days < 0 ? null : { days: days < daysBetween ? days : 0, time: end.time };
}

/** `HH:mm` on the wall clock; an offset after it adds nothing. */
function clockOf(field: 'startTime' | 'endTime', schedule: JsonObject, note: Note): string | null {
  const text = textOf(schedule[field]);
  if (text === null) return null;
  const moment = readIso(text.replace(/^.*T(?=\d{2}:)/i, ''));
  if (moment !== null && moment.time !== null) return moment.time;
  note('changed value', field, 'a time such as 19:00:00', text);
  return null;
}
