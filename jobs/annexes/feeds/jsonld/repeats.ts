/** schema.org's Schedules as native repeats. */

import { isObject, type JsonObject } from '../../../../src/calendar/json.ts';
import { DAY, formatWall, instantOf, osloOffset, zoneNamed } from '../../../../src/calendar/time.ts';
import { hasNorwaysClock } from '../../../recurrence/clocks.ts';
import { isFlaw, readRule } from '../../../recurrence/rule.ts';
import {
  daysLater,
  instantAt,
  timedDate,
  type WrittenDate,
  type WrittenRepeat,
  wholeDays,
  writtenAt,
} from '../native-dates.ts';
import { A_DATE, type DayMoment, durationOf, lengthOf, momentOf, type Note, readIso } from './dates.ts';
import { listOf, namesOf, textOf } from './linked-data.ts';

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
  const rule = ruleOf(schedule, note);
  if (rule === null) return null;
  const start = inNorway(momentOf(event.startDate, 'startDate', null));
  const time = clockOf('startTime', schedule, note) ?? first.time ?? start?.time ?? null;
  const until = untilOf(schedule, note);
  const except = exceptionsOf(schedule, time, note);
  const daysBetween = rule.interval * (DAYS[rule.frequency] ?? 1);
  return {
    rule: until === null ? rule.text : `${rule.text};UNTIL=${until}`,
    ...spanOf({ day: first.day, time }, { schedule, event, daysBetween }, note),
    ...(except.length === 0 ? {} : { except }),
  };
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

/**
 * The time of the event's own end, and its distance from the event's start in days; 0 days if the end is that of the whole series. Null if the
 * event's own times do not describe its first date.
 */
function endOfFirstDate(event: JsonObject, daysBetween: number) {
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

const DAYS: Readonly<Record<string, number>> = { DAILY: 1, WEEKLY: 7, MONTHLY: 28, YEARLY: 365 };
const FREQUENCIES: Readonly<Record<string, string>> = { D: 'DAILY', W: 'WEEKLY', M: 'MONTHLY', Y: 'YEARLY' };
const WORDS: Readonly<Record<string, string>> = {
  daily: 'P1D',
  weekly: 'P1W',
  monthly: 'P1M',
  yearly: 'P1Y',
  annually: 'P1Y',
};
const WEEKDAY = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day$/i;

/** Null, after a finding, for a schedule that is no rule. */
function ruleOf(schedule: JsonObject, note: Note) {
  const days = listOf(schedule.byDay).flatMap(namesOf).map(dayOf);
  const written = namesOf(schedule.repeatFrequency)[0] ?? (days.length > 0 ? 'P1W' : '');
  const [, interval = '', unit = ''] = PERIOD.exec(WORDS[written.toLowerCase()] ?? written) ?? [];
  const frequency = FREQUENCIES[unit.toUpperCase()] ?? '';
  const parts = partsOf(schedule, { frequency, interval, days });
  const used = parts.filter(({ values }) => values.length > 0);
  const text = used.map(({ part, values }) => `${part}=${[...new Set(values)].join(',')}`).join(';');
  const rule = frequency === '' ? null : readRule(text);
  if (rule !== null && !isFlaw(rule)) return { text, frequency, interval: Number(interval) };
  const wrong = parts.find(({ part }) => part === rule?.part);
  const field = wrong?.field ?? 'repeatFrequency';
  note('dropped series', field, rule?.expected ?? 'a duration such as P1W', schedule[field]);
  return null;
}

/** `P2W`: an interval, and its unit. */
const PERIOD = /^P(\d{1,4})([DWMY])$/i;

interface RulePart {
  /** As in iCalendar. */
  readonly part: string;
  /** The field of the Schedule that it is read from. */
  readonly field: string;
  readonly values: readonly string[];
}

interface Frequency {
  readonly frequency: string;
  readonly interval: string;
  /** Weekdays as in iCalendar. */
  readonly days: readonly string[];
}

function partsOf(schedule: JsonObject, { frequency, interval, days }: Frequency): readonly RulePart[] {
  const textsOf = (field: string) => listOf(schedule[field]).map((item) => textOf(item) ?? '');
  const isByMonth = frequency === 'MONTHLY' || frequency === 'YEARLY';
  const weekdays = isByMonth ? days : days.map((day) => day.replace(NUMBER_BEFORE, ''));
  const weeks = isByMonth ? textsOf('byMonthWeek') : [];
  const daysInWeeks = weeks.flatMap((week) => weekdays.map((day) => week + day));
  const monthDays = frequency === 'WEEKLY' ? [] : textsOf('byMonthDay');
  return [
    { part: 'FREQ', field: 'repeatFrequency', values: [frequency] },
    { part: 'INTERVAL', field: 'repeatFrequency', values: [String(Number(interval))] },
    { part: 'BYMONTH', field: 'byMonth', values: textsOf('byMonth') },
    { part: 'BYMONTHDAY', field: 'byMonthDay', values: monthDays },
    { part: 'BYDAY', field: 'byDay', values: weeks.length === 0 ? weekdays : daysInWeeks },
    { part: 'COUNT', field: 'repeatCount', values: textsOf('repeatCount').slice(0, 1) },
  ];
}

/** The position of a weekday in its month, which weekly rules do not have. */
const NUMBER_BEFORE = /^[+-]?\d/;

/** `MO`, or with a number before it as in iCalendar. */
function dayOf(name: string): string {
  return (WEEKDAY.test(name) ? name.slice(0, 2) : name).toUpperCase();
}

/** The last moment at which it may begin, on the wall clock. COUNT and UNTIL exclude each other: the count suffices. */
function untilOf(schedule: JsonObject, note: Note): string | null {
  if (listOf(schedule.repeatCount).length > 0) return null;
  const last = inNorway(momentOf(schedule.endDate, 'endDate', note));
  if (last === null) return null;
  const wall = last.time === null ? `${last.day} 23:59:59` : `${writtenAt({ ...last, time: last.time })}:00`;
  return wall.replace(/[-:]/g, '').replace(' ', 'T');
}

/** Rules are expanded on Norway's clock: in another zone's time they could fall on another day. */
function inNorway(moment: DayMoment | null): DayMoment | null {
  if (moment === null || moment.time === null || moment.offset === '') return moment;
  const instant = instantAt(writtenAt({ ...moment, time: moment.time }));
  const [day = '', time = ''] = formatWall(instant + osloOffset(instant)).split(' ');
  return { day, time: time.slice(0, 5), offset: '', until: null, untilOffset: '', lastDay: null };
}
