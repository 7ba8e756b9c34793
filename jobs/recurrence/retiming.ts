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
    const newStart = instantOf(osloDay(times.start) * DAY + start.minute * 60);
    const ending = times.allDay ? sameLastDay(times, newStart) : sameLength(times, newStart);
    return { ...ending, start: newStart, startTime: formatMinute(start.minute), allDay: false };
  }
  const { instant, wall, isDay } = start;
  const ending = isDay ? sameNumberOfDays(times, instant) : sameLengthFromMoment(times, instant);
  return { ...ending, start: instant, startTime: timeOfDay(wall), allDay: isDay };
}

/** The part of a date's times that its new start or its new end decides. */
type Ending = Pick<Times, 'end' | 'duration'>;

function endingAt(end: number, start: number): Ending {
  return { end, duration: Math.round((end - start) / 60) };
}

/** The ending of a date of which only the start is known. */
function withoutEnd(start: number): Ending {
  return { end: start, duration: null };
}

/** The ending of a date that is moved to begin with this day: as many days as before, or one if it had a time of day. */
function sameNumberOfDays(times: Times, newStart: number): Ending {
  const days = times.allDay ? daysOf(times) : 1;
  return endingAt(startOfDay(osloDay(newStart) + days), newStart);
}

/** The ending of a date that is moved to this moment: none if it was of whole days, which have no time of day. */
function sameLengthFromMoment(times: Times, newStart: number): Ending {
  return times.allDay ? withoutEnd(newStart) : sameLength(times, newStart);
}

function sameLength({ start, end, duration }: Times, newStart: number): Ending {
  return duration === null ? withoutEnd(newStart) : { end: newStart + (end - start), duration };
}

/** The ending of an all-day date that gets a time of day: the end of its last day, or none if it had one day. */
function sameLastDay(times: Times, newStart: number): Ending {
  return daysOf(times) === 1 ? withoutEnd(newStart) : endingAt(times.end, newStart);
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
  if (end === null) return allDay ? endingAt(startOfDay(osloDay(start) + 1), start) : withoutEnd(start);
  if ('minute' in end) return allDay ? null : endingAt(endAtTimeOfDay(end.minute, start, before), start);
  if (end.isDay !== allDay) return null;
  const newEnd = end.isDay ? startOfDay(osloDay(end.instant) + 1) : end.instant;
  return newEnd < start ? null : endingAt(newEnd, start);
}

/** The first such time from the start on; of a date of more than a day, on the day on which it ended. */
function endAtTimeOfDay(minute: number, start: number, before: Times): number {
  const onDay = (day: number) => instantOf(day * DAY + minute * 60);
  const isLong = before.allDay ? daysOf(before) > 1 : before.end - before.start > DAY;
  const lastDay = osloDay(before.allDay ? before.end - 1 : before.end);
  if (isLong && onDay(lastDay) >= start) return onDay(lastDay);
  const firstDay = osloDay(start);
  return onDay(firstDay) >= start ? onDay(firstDay) : onDay(firstDay + 1);
}
