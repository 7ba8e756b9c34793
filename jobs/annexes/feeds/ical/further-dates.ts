/** RDATE and EXDATE: further dates of a series, and exceptions, as readings of the series' clock. */
import { DAY } from '../../../../src/calendar/time.ts';
import { excerpt } from '../../../records.ts';
import type { Length } from '../../../recurrence/series.ts';
import { cite } from './citations.ts';
import type { Property } from './content.ts';
import { type CalendarContext, createMoments, type Entry, type Moments } from './entries.ts';
import { type Moment, readDuration, readingIn, seriesReading } from './values.ts';

/** A further date, or an exception. */
interface FurtherDate {
  /** Reading of the series' clock. */
  readonly wall: number;
  /** The length of a period; null for a date that is as long as the others. */
  readonly length: Length | null;
}

/** Creates the function that reads such a property of an entry. Findings name the values that cannot be read. */
export function createFurtherReader(
  { start, component }: Entry,
  context: CalendarContext,
): (property: Property) => readonly FurtherDate[] {
  const { addFinding } = context;
  const moments = createMoments(component, context);

  return (property) => {
    const isFurther = property.name === 'RDATE';
    let isNoted = !isFurther;
    return property.value.split(',').flatMap((written) => {
      const [first = '', end] = written.split('/');
      const moment = moments.value(first, property);
      const about = { ...cite(property), found: excerpt(written) };
      if (moment === null) {
        if (written.trim() !== '') addFinding({ ...about, action: 'dropped date', expected: MOMENTS });
        return [];
      }
      const isPeriod = end !== undefined && !start.isDate;
      const length = isPeriod ? lengthTo(end, { start, moment, property, moments }) : null;
      const expected = end !== undefined && length === null ? A_PERIOD : otherForm(moment, start);
      if (expected !== null && !isNoted) addFinding({ ...about, expected });
      isNoted ||= expected !== null;
      return [{ wall: seriesReading(start, moment), length: isFurther ? length : null }];
    });
  };
}

const MOMENTS = 'dates or times such as 20260517T193000, with commas between';
const A_PERIOD = 'a period with an end after its start, or a start alone (it is as long as the other dates)';

interface Period {
  /** The start of the series. */
  readonly start: Moment;
  /** The start of the period. */
  readonly moment: Moment;
  readonly property: Property;
  readonly moments: Moments;
}

/** From the start of a period to its end, or for its duration. Null for an end that is none, or not after the start. */
function lengthTo(end: string, { start, moment, property, moments }: Period): Length | null {
  if (/^\s*[+-]?P/i.test(end)) {
    const duration = readDuration(end);
    return duration === null ? null : { ...duration, isElapsed: duration.seconds > 0 };
  }
  const until = moments.value(end, property);
  if (until === null || until.isDate) return null;
  const seconds = readingIn(start, until) - seriesReading(start, moment);
  return seconds < 0 ? null : { days: Math.floor(seconds / DAY), seconds: seconds % DAY, isElapsed: false };
}

/** A series consists of days or of times: the other form of its further starts is lost. */
function otherForm({ isDate }: Moment, start: Moment): string | null {
  if (isDate === start.isDate) return null;
  return isDate ? 'times, as in DTSTART (read at its time)' : 'dates, as in DTSTART (read as days)';
}
