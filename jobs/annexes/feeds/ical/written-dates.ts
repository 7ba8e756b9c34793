/** Dates of entries as a native event lists them (F3, F4). */
import type { JsonObject } from '../../../../src/calendar/json.ts';
import { DAY, formatDay, formatWall } from '../../../../src/calendar/time.ts';
import { endOf } from '../../../recurrence/occurrences.ts';
import type { FeedSeries, Length } from '../../../recurrence/series.ts';
import { instantOfMoment, type Moment, OSLO } from './values.ts';

/** Values of a date that differ from the event's. */
export type DateFields = FeedSeries['changes'][number]['own'];

/** `length` is null for a date without an end. */
export function writtenDate(start: Moment, length: Length | null, dateFields: DateFields = {}): JsonObject {
  const { wall, zone } = start;
  if (isAllDay(start, length)) {
    const first = wall / DAY;
    return { start: formatDay(first), end: formatDay(first + (length?.days ?? 1) - 1), ...dateFields };
  }
  // A start that a clock change moves forward may be after the end.
  const end = Math.max(instantOfMoment(start), endOf(zone.offsetAt, wall, length));
  const startText = writtenTime(start);
  if (length === null) return { start: startText, ...dateFields };
  return { start: startText, end: utcText(end), ...dateFields };
}

/** The start of a date that is given by days alone, or with a time. */
export function writtenStart(start: Moment, allDay: boolean): string {
  return allDay ? formatDay(Math.floor(start.wall / DAY)) : writtenTime(start);
}

/** Norwegian times as written in the feed, so that `startTime` is as entered; any other as its instant. */
function writtenTime(moment: Moment): string {
  return moment.zone.name === OSLO.name ? formatWall(moment.wall) : utcText(instantOfMoment(moment));
}

/** A15: whether the date is given by days alone. */
export function isAllDay({ isDate }: Moment, length: Length | null): boolean {
  return isDate && (length === null || length.seconds === 0);
}

function utcText(instant: number): string {
  return `${formatWall(instant)}Z`;
}
