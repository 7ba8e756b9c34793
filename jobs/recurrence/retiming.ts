/** F13: moves a date to other times, whether it is listed or one of a series. */
import type { Occurrence } from '../../src/calendar/model.ts';
import { DAY, formatMinute, instantOf, osloDay, startOfDay, timeOfDay } from '../../src/calendar/time.ts';

/** A time of day in Norway, in minutes, or a moment; `wall` is its reading as written. */
export type NewTime =
  | { readonly minute: number }
  | { readonly instant: number; readonly wall: number; readonly isDay: boolean };

export interface Retiming {
  readonly start?: NewTime | undefined;
  /** Null takes the end away. */
  readonly end?: NewTime | null | undefined;
}

export type Times = Pick<Occurrence, 'start' | 'end' | 'duration' | 'startTime' | 'allDay'>;

/**
 * A new start moves the date, which lasts as long as before; without an end of its own, a date of whole days that gets a time of day ends as
 * before, if it has several. An end that cannot be, such as one before the start, changes nothing.
 */
export function retimed(times: Times, { start, end }: Retiming): Times {
  const moved = start === undefined ? times : withStart(times, start);
  return end === undefined ? moved : withEnd(moved, end, times);
}

function withStart(times: Times, start: NewTime): Times {
  if ('minute' in start) {
    const begin = instantOf(osloDay(times.start) * DAY + start.minute * 60);
    const ending = times.allDay ? endOfDays(times, begin) : sameLength(times, begin);
    return { ...ending, start: begin, startTime: formatMinute(start.minute), allDay: false };
  }
  const { instant, wall, isDay } = start;
  const ending = isDay ? wholeDays(times, instant) : onClock(times, instant);
  return { ...ending, start: instant, startTime: timeOfDay(wall), allDay: isDay };
}

type Ending = Pick<Times, 'end' | 'duration'>;

/** Of a date that begins with this day: as many days as before, or one if it had a time of day. */
function wholeDays(times: Times, begin: number): Ending {
  const days = times.allDay ? daysOf(times) : 1;
  return lasting(begin, startOfDay(osloDay(begin) + days));
}

/** Of a date that begins at this moment: none if it was of whole days, which have no time of day. */
function onClock(times: Times, begin: number): Ending {
  return times.allDay ? openEnd(begin) : sameLength(times, begin);
}

function lasting(start: number, end: number): Ending {
  return { end, duration: Math.round((end - start) / 60) };
}

function openEnd(start: number): Ending {
  return { end: start, duration: null };
}

function sameLength({ start, end, duration }: Times, begin: number): Ending {
  return duration === null ? openEnd(begin) : { end: begin + (end - start), duration };
}

function endOfDays(times: Times, begin: number): Ending {
  return daysOf(times) === 1 ? openEnd(begin) : lasting(begin, times.end);
}

/** The number of days of an all-day date. */
function daysOf({ start, end }: Times): number {
  return Math.max(1, osloDay(end) - osloDay(start));
}

/** `before`: the date without its new start. */
function withEnd(times: Times, end: NewTime | null, before: Times): Times {
  return { ...times, ...newEnding(times, end, before) };
}

/** Null for an end that cannot be. */
function newEnding({ start, allDay }: Times, end: NewTime | null, before: Times): Ending | null {
  if (end === null) return allDay ? lasting(start, startOfDay(osloDay(start) + 1)) : openEnd(start);
  if ('minute' in end) return allDay ? null : lasting(start, endAt(end.minute, start, before));
  if (end.isDay !== allDay) return null;
  const last = end.isDay ? startOfDay(osloDay(end.instant) + 1) : end.instant;
  return last < start ? null : lasting(start, last);
}

/** The first such time from the start on; of a date of more than a day, on the day on which it ended. */
function endAt(minute: number, start: number, before: Times): number {
  const on = (day: number) => instantOf(day * DAY + minute * 60);
  const isLong = before.allDay ? daysOf(before) > 1 : before.end - before.start > DAY;
  const lastDay = osloDay(before.allDay ? before.end - 1 : before.end);
  if (isLong && on(lastDay) >= start) return on(lastDay);
  const firstDay = osloDay(start);
  return on(firstDay) >= start ? on(firstDay) : on(firstDay + 1);
}
