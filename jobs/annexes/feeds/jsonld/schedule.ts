/** The dates of a linked-data event, with its schedules as native repeats. */

import { isObject, type JsonObject } from '../../../../src/calendar/json.ts';
import { DAY, formatWall, instantOf, osloOffset, zoneNamed } from '../../../../src/calendar/time.ts';
import { hasNorwaysClock } from '../../../recurrence/clocks.ts';
import { isFlaw, readRule } from '../../../recurrence/rule.ts';
import { readDuration } from '../ical/values.ts';
import { momentReader, type WrittenMoment } from '../moments.ts';
import {
  A_LATER_END,
  daysLater,
  instantAt,
  timedDate,
  type WrittenDate,
  type WrittenRepeat,
  wholeDays,
  writtenAt,
} from '../native-dates.ts';
import { listOf, namesOf, textOf } from './linked-data.ts';

export type Note = (
  action: 'dropped record' | 'dropped date' | 'dropped series' | 'changed value',
  field: string,
  expected: string,
  found: unknown,
) => void;

const readIso = momentReader('YYYY-MM-DD');
const A_DATE = 'a date or time such as 2027-02-14 or 2027-02-14T19:00:00+01:00';

interface DayMoment extends WrittenMoment {
  readonly day: string;
}

/** Null for a missing value; a finding for an unreadable one. */
export function momentOf(value: unknown, field: string, note: Note | null): DayMoment | null {
  const text = textOf(value);
  if (text === null) return null;
  // Some write the offset's hour with one digit, which is no valid time zone.
  const moment = readIso(text.replace(/(?<=:\d\d)([+-])(?=\d:\d\d$)/, '$10'));
  if (moment?.day != null && moment.until === null && moment.lastDay === null)
    return { ...moment, day: moment.day };
  note?.('changed value', field, A_DATE, value);
  return null;
}

/** Rules are expanded on Norway's clock: in another zone's time they could fall on another day. */
function inNorway(moment: DayMoment | null): DayMoment | null {
  if (moment === null || moment.time === null || moment.offset === '') return moment;
  const instant = instantAt(writtenAt({ ...moment, time: moment.time }));
  const [day = '', time = ''] = formatWall(instant + osloOffset(instant)).split(' ');
  return { day, time: time.slice(0, 5), offset: '', until: null, lastDay: null };
}

/** Null, after a finding, for an event without a readable start. */
export function dateOf({ startDate, endDate, duration }: JsonObject, note: Note): WrittenDate | null {
  const start = momentOf(startDate, 'startDate', null);
  if (start === null) {
    note('dropped date', 'startDate', A_DATE, startDate);
    return null;
  }
  const end = momentOf(endDate, 'endDate', note);
  const { day, time, offset } = start;
  const refuse = (last: string) => note('changed value', 'endDate', A_LATER_END, last);
  if (time === null) return wholeDays(day, lastDayOf(end), refuse);
  // Programs without all-day events write all hours of the day.
  if (time === '00:00' && end?.time === '23:59') return wholeDays(day, end.day, refuse);
  const at = writtenAt({ day, time, offset });
  if (end === null) return { start: at, ...lengthOf(duration, note) };
  return timedDate(at, end, () => note('changed value', 'endDate', A_LATER_END, endDate));
}

/** L2: a date is the last day itself; the midnight after a day belongs to the day. */
function lastDayOf(end: DayMoment | null): string | null {
  if (end === null || end.time !== '00:00') return end?.day ?? null;
  return daysLater(end.day, -1);
}

function lengthOf(written: unknown, note: Note): { readonly duration?: number } {
  const read = durationOf(written, note);
  return read === null ? {} : { duration: Math.round((read.days * DAY + read.seconds) / 60) };
}

/** Null for a missing value; a finding for an unreadable one. */
function durationOf(written: unknown, note: Note): ReturnType<typeof readDuration> {
  const text = textOf(written);
  const read = text === null ? null : readDuration(text);
  if (text !== null && read === null)
    note('changed value', 'duration', 'a duration such as PT1H30M', written);
  return read;
}

/** schema.org's Schedules, completed with the event's own start. */
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
    note('dropped series', 'scheduleTimezone', 'a time zone with the clock of Norway', zone);
    return null;
  }
  const rule = ruleOf(schedule, note);
  if (rule === null) return null;
  const own = inNorway(momentOf(event.startDate, 'startDate', null));
  const time = clockOf('startTime', schedule, note) ?? first.time ?? own?.time ?? null;
  const until = untilOf(schedule, note);
  const except = listOf(schedule.exceptDate).flatMap((written) => {
    const moment = momentOf(written, 'exceptDate', note);
    if (moment === null) return [];
    if (time === null) return [moment.day];
    return [
      writtenAt(
        moment.time === null ? { day: moment.day, time, offset: '' } : { ...moment, time: moment.time },
      ),
    ];
  });
  const most = rule.interval * (DAYS[rule.frequency] ?? 1);
  return {
    rule: until === null ? rule.text : `${rule.text};UNTIL=${until}`,
    ...spanOf({ day: first.day, time }, { schedule, event, most }, note),
    ...(except.length === 0 ? {} : { except }),
  };
}

interface Repeating {
  readonly schedule: JsonObject;
  readonly event: JsonObject;
  /** Days from one date to the next: a later end is that of the whole series. */
  readonly most: number;
}

/** The length of each date: by the schedule, else the event's own. */
function spanOf(
  { day, time }: Pick<DayMoment, 'day' | 'time'>,
  { schedule, event, most }: Repeating,
  note: Note,
): WrittenDate {
  const endTime = time === null ? null : clockOf('endTime', schedule, note);
  const hasLength = textOf(schedule.duration) !== null;
  const own = endTime !== null || hasLength ? null : ownEnd(event, most);
  if (time === null) {
    const days = (durationOf(schedule.duration, note)?.days ?? 1) - 1;
    return wholeDays(day, daysLater(day, Math.max(days, own?.days ?? 0)), () => undefined);
  }
  const start = writtenAt({ day, time, offset: '' });
  const last = endTime ?? own?.time ?? null;
  if (last === null) return { start, ...lengthOf(hasLength ? schedule.duration : event.duration, note) };
  const days = own?.days || Number(last < time);
  return timedDate(start, { day: daysLater(day, days), time: last, offset: '' }, () => undefined);
}

/** If the event's own start and end are those of its first date: the time of the end, and its distance in days. */
function ownEnd(event: JsonObject, most: number) {
  const start = inNorway(momentOf(event.startDate, 'startDate', null));
  const end = inNorway(momentOf(event.endDate, 'endDate', null));
  if (start === null || end === null || (start.time === null) !== (end.time === null)) return null;
  const days = (Date.parse(end.day) - Date.parse(start.day)) / (DAY * 1000);
  return days < 0 ? null : { days: days < most ? days : 0, time: end.time };
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
  const textsOf = (field: string) => listOf(schedule[field]).map((item) => textOf(item) ?? '');
  const days = listOf(schedule.byDay).flatMap(namesOf).map(dayOf);
  const written = namesOf(schedule.repeatFrequency)[0] ?? (days.length > 0 ? 'P1W' : '');
  const [, interval = '', unit = ''] =
    /^P(\d{1,4})([DWMY])$/i.exec(WORDS[written.toLowerCase()] ?? written) ?? [];
  const frequency = FREQUENCIES[unit.toUpperCase()] ?? '';
  const isByMonth = frequency === 'MONTHLY' || frequency === 'YEARLY';
  const weekdays = isByMonth ? days : days.map((day) => day.replace(/^[+-]?\d/, ''));
  const weeks = isByMonth ? textsOf('byMonthWeek') : [];
  const parts: readonly (readonly [part: string, field: string, values: readonly string[]])[] = [
    ['FREQ', 'repeatFrequency', [frequency]],
    ['INTERVAL', 'repeatFrequency', [String(Number(interval))]],
    ['BYMONTH', 'byMonth', textsOf('byMonth')],
    ['BYMONTHDAY', 'byMonthDay', frequency === 'WEEKLY' ? [] : textsOf('byMonthDay')],
    [
      'BYDAY',
      'byDay',
      weeks.length === 0 ? weekdays : weeks.flatMap((week) => weekdays.map((day) => week + day)),
    ],
    ['COUNT', 'repeatCount', textsOf('repeatCount').slice(0, 1)],
  ];
  const used = parts.filter(([, , values]) => values.length > 0);
  const text = used.map(([part, , values]) => `${part}=${[...new Set(values)].join(',')}`).join(';');
  const rule = frequency === '' ? null : readRule(text);
  if (rule !== null && !isFlaw(rule)) return { text, frequency, interval: Number(interval) };
  const [, field = 'repeatFrequency'] = parts.find(([part]) => part === rule?.part) ?? [];
  note('dropped series', field, rule?.expected ?? 'a duration such as P1W', schedule[field]);
  return null;
}

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
