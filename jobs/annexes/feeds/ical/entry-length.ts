/** The length of an entry: by DTEND or by DURATION (RFC 5545, 3.6.1). */
import { DAY, HOUR } from '../../../../src/calendar/time.ts';
import type { Length } from '../../../recurrence/series.ts';
import type { AddFinding } from '../last-good.ts';
import { cite } from './citations.ts';
import { type EventComponent, first } from './content.ts';
import { A_MOMENT, type Moments } from './entry-moments.ts';
import type { Property } from './properties.ts';
import { type Moment, readDuration, readingIn } from './values.ts';

interface LengthContext {
  readonly moments: Moments;
  readonly addFinding: AddFinding;
}

const ONE_DAY: Length = { days: 1, seconds: 0, isElapsed: false };

/** Null for a time without an end. Days without an end are one day. */
export function lengthOf(start: Moment, component: EventComponent, context: LengthContext): Length | null {
  const end = first(component, 'DTEND');
  if (end !== null) return lengthByEnd(start, end, context);
  const duration = first(component, 'DURATION');
  return duration === null ? lengthWithoutEnd(start) : lengthByDuration(start, duration, context);
}

function lengthWithoutEnd(start: Moment): Length | null {
  return start.isDate ? ONE_DAY : null;
}

/** Reports an end that cannot be used. Returns the length without it. */
function reportEnd(
  start: Moment,
  property: Property,
  { expected, addFinding }: { readonly expected: string; readonly addFinding: AddFinding },
): Length | null {
  const about = cite(property);
  const consequence = start.isDate ? 'it is one day' : 'it has no end';
  addFinding({ ...about, expected, found: `${about.found}; ${consequence}` });
  return lengthWithoutEnd(start);
}

function lengthByDuration(start: Moment, property: Property, { addFinding }: LengthContext): Length | null {
  const duration = readDuration(property.value);
  if (duration === null)
    return reportEnd(start, property, { expected: 'a duration such as PT1H30M', addFinding });
  const { days, seconds } = duration;
  if (start.isDate && days + seconds === 0) return ONE_DAY;
  // For days, durations should be whole days; the meaning is certain.
  if (start.isDate && seconds % DAY === 0)
    return { days: days + seconds / DAY, seconds: 0, isElapsed: false };
  return { days, seconds, isElapsed: seconds > 0 };
}

/**
 * An end has one of five outcomes: it cannot be read, it makes one whole day, it means the next day, it is too early, or it gives the length.
 */
function lengthByEnd(
  start: Moment,
  property: Property,
  { moments, addFinding }: LengthContext,
): Length | null {
  const end = moments.readValue(property.value, property);
  if (end === null) return reportEnd(start, property, { expected: A_MOMENT, addFinding });
  const seconds = (end.isDate ? end.wall : readingIn(start, end)) - start.wall;
  // DTEND is exclusive, but some programs write the day itself.
  if (start.isDate && end.isDate && seconds === 0) return ONE_DAY;
  if (isPastMidnight(start, seconds)) {
    const about = cite(property);
    const found = `${about.found}; it is that time of the next day`;
    addFinding({ ...about, expected: AN_END, found });
    return { days: 0, seconds: seconds + DAY, isElapsed: false };
  }
  const isTooEarly = seconds < 0 || (start.isDate && seconds === 0);
  if (isTooEarly) return reportEnd(start, property, { expected: AN_END, addFinding });
  return { days: Math.floor(seconds / DAY), seconds: seconds % DAY, isElapsed: false };
}

const AN_END = 'an end after the start';

/** L4: `20:00–00:00` with one date. Hours that are too many for an evening are another mistake. */
const MOST_PAST_MIDNIGHT = 12 * HOUR;

/** Whether an end, given in seconds after the start, has the date of the start and means the next one. */
function isPastMidnight({ wall, isDate }: Moment, seconds: number): boolean {
  const isOfSameDate = Math.floor((wall + seconds) / DAY) === Math.floor(wall / DAY);
  return !isDate && seconds < 0 && isOfSameDate && seconds + DAY < MOST_PAST_MIDNIGHT;
}
