/** RDATE and EXDATE: further dates of a series, and exceptions, as readings of the series' clock. */
import { DAY } from '../../../../src/calendar/time.ts';
import { excerpt } from '../../../findings.ts';
import type { Length } from '../../../recurrence/series.ts';
import { cite } from './citations.ts';
import type { CalendarContext, CalendarEntry } from './entries.ts';
import { createMoments } from './entry-moments.ts';
import type { Property } from './properties.ts';
import { type Duration, type Moment, readDuration, readingIn, seriesReading } from './values.ts';

/** A further date, or an exception. */
interface ListedDate {
  /** Reading of the series' clock. */
  readonly wall: number;
  /** The length of a period; null for a date that is as long as the others. */
  readonly length: Length | null;
}

/** Creates the function that reads such a property of an entry. Findings name the values that cannot be read. */
export function createFurtherReader(
  { start, component }: CalendarEntry,
  context: CalendarContext,
): (property: Property) => readonly ListedDate[] {
  const { addFinding } = context;
  const moments = createMoments(component, context);

  /** From the start of a period to its end, or for its duration. Null for an end that is none, or not after the start. */
  function lengthTo(end: string, startOfPeriod: Moment, property: Property): Length | null {
    if (/^\s*[+-]?P/i.test(end)) return lengthOf(readDuration(end));
    const until = moments.readValue(end, property);
    if (until === null || until.isDate) return null;
    const seconds = readingIn(start, until) - seriesReading(start, startOfPeriod);
    return seconds > 0 ? { days: Math.floor(seconds / DAY), seconds: seconds % DAY, isElapsed: false } : null;
  }

  function readValue(written: string, property: Property): ReadValue {
    const [startOfPeriod = '', end] = written.split('/');
    const moment = moments.readValue(startOfPeriod, property);
    if (moment === null) return { date: null, slip: null };
    const hasEnd = end !== undefined && !start.isDate;
    const length = hasEnd ? lengthTo(end, moment, property) : null;
    const isUnreadablePeriod = end !== undefined && length === null;
    return {
      date: { wall: seriesReading(start, moment), length },
      slip: isUnreadablePeriod ? A_PERIOD : otherForm(moment, start),
    };
  }

  return (property) => {
    const isFurther = property.name === 'RDATE';
    let hasReportedSlip = false;
    return property.value.split(',').flatMap((written) => {
      const { date, slip } = readValue(written, property);
      const about = { ...cite(property), found: excerpt(written) };
      if (date === null) {
        if (written.trim() !== '') addFinding({ ...about, action: 'dropped date', expected: MOMENTS });
        return [];
      }
      // One finding for each property; the form of an exception does not matter.
      if (isFurther && slip !== null && !hasReportedSlip) {
        hasReportedSlip = true;
        addFinding({ ...about, expected: slip });
      }
      return [isFurther ? date : { ...date, length: null }];
    });
  };
}

interface ReadValue {
  /** Null if it cannot be read. */
  readonly date: ListedDate | null;
  /** The `expected` of a finding about a form that is read anyway. */
  readonly slip: string | null;
}

const MOMENTS = 'dates or times such as 20260517T193000, with commas between';
const A_PERIOD = 'a period with an end after its start, or a start alone (it is as long as the other dates)';

/** Null for a period without a length: RFC 5545, 3.3.9 requires one. */
function lengthOf(duration: Duration | null): Length | null {
  if (duration === null || duration.days + duration.seconds === 0) return null;
  return { ...duration, isElapsed: duration.seconds > 0 };
}

/** The `expected` of a finding about a time in a series of days, or a day in a series of times; else null. */
function otherForm({ isDate }: Moment, start: Moment): string | null {
  if (isDate === start.isDate) return null;
  return isDate ? 'times, as in DTSTART (read at its time)' : 'dates, as in DTSTART (read as days)';
}
