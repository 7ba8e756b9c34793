/** What the line of an event says about its date, if anything (E12): the same as the site's lists and the plugin for WordPress. */
import { wordsIn } from './texts.js';
import { clockText, longDay } from './times.js';

/** Whether a visitor can come, and whether the date was moved. */
export function statesOf(event, language) {
  return [attendanceOf(event, wordsIn(language)), movedOf(event, language)].filter((text) => text !== null);
}

/** A date that does not take place is not sold out as well. */
function attendanceOf({ status, eventSoldOut }, words) {
  if (status === 'CANCELLED') return words.cancelled;
  if (status === 'POSTPONED') return words.postponed;
  return eventSoldOut ? words.soldOut : null;
}

/** From which day the date was moved or, within a day, from what time; the old start may be unknown. Null if it was not moved. */
function movedOf({ status, startDate, previousStartDate }, language) {
  if (status !== 'RESCHEDULED') return null;
  const words = wordsIn(language);
  if (previousStartDate === null) return words.moved;
  const isSameDay = startDate.slice(0, 10) === previousStartDate.slice(0, 10);
  const clock = words.clock + clockText(previousStartDate, language);
  return `${words.movedFrom} ${isSameDay ? clock : longDay(previousStartDate, startDate, language)}`;
}
