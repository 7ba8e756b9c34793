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
  const startTime = timeOfDay(wall);
  if (!isDay && !times.allDay)
    return { ...sameLength(times, instant), start: instant, startTime, allDay: false };
  const days = isDay && times.allDay ? daysOf(times) : 1;
  const ending = isDay ? lasting(instant, startOfDay(osloDay(instant) + days)) : openEnd(instant);
  return { ...ending, start: instant, startTime, allDay: isDay };
}

type Ending = Pick<Times, 'end' | 'duration'>;

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
  const { start, allDay } = times;
  if (end === null) {
    const ending = allDay ? lasting(start, startOfDay(osloDay(start) + 1)) : openEnd(start);
    return { ...times, ...ending };
  }
  if ('minute' in end)
    return allDay ? times : { ...times, ...lasting(start, endAt(end.minute, start, before)) };
  const last = end.isDay ? startOfDay(osloDay(end.instant) + 1) : end.instant;
  return end.isDay !== allDay || last < start ? times : { ...times, ...lasting(start, last) };
}

/** The first such time from the start on; of a date of more than a day, on the day on which it ended. */
function endAt(minute: number, start: number, before: Times): number {
  const on = (day: number) => instantOf(day * DAY + minute * 60);
  const isLong = before.allDay ? daysOf(before) > 1 : before.end - before.start > DAY;
  const last = on(osloDay(before.allDay ? before.end - 1 : before.end));
  if (isLong && last >= start) return last;
  const first = on(osloDay(start));
  return first >= start ? first : on(osloDay(start) + 1);
}
