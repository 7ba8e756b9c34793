/** The events of a page under their days, with their times. Events already under way come first. */
import { formatDay, osloDay, wallOf } from '../../calendar/time.ts';
import type { EventNode } from '../../serve/query/nodes.ts';
import { isThisYear, writeClock, writeDay } from '../page/dates.ts';
import { type Content, type Html, html, trustedHtml } from '../page/html.ts';
import { langOf } from '../page/parts.ts';
import { capitalized, inEach, type Language } from '../page/reader.ts';
import { eventsIn } from './entries.ts';
import type { EventList } from './event-list.ts';
import { type ListedEvent, type ListedOccurrence, linkOf } from './listed.ts';
import { lastDayOf, statesOf, writeDayNear, writePlace } from './words.ts';

/** What a page shows on one line: an event on the shown date. */
export interface ListedLine {
  readonly node: EventNode;
  readonly event: ListedEvent;
  readonly occurrence: ListedOccurrence;
  readonly list: EventList;
}

interface DaysOptions {
  /** The level of the headings. */
  readonly level?: number;
  /** Content next to each day heading, except 'On now'. */
  readonly beside?: (day: number) => Content;
}

/** Yields a section for each day, one line at a time. */
export function* writeDays(
  list: EventList,
  write: (line: ListedLine) => Html,
  { level = 2, beside = () => '' }: DaysOptions = {},
): Generator<string> {
  const { language } = list;
  // A window may begin later than today: no heading is of a day before it.
  const first = osloDay(list.from);
  let day: number | typeof ONGOING | null = null;
  for (const { node, event, shownDate } of eventsIn(list)) {
    const occurrence = shownDate();
    const startDay = osloDay(occurrence.start);
    const begins = startDay < first ? ONGOING : startDay;
    if (begins !== day) {
      if (day !== null) yield CLOSE_DAY;
      const name = begins === ONGOING ? TEXTS[language].ongoing : headingOf(begins, list, beside(begins));
      yield html`<section class="day">
<h${level}>${name}</h${level}>
<ul class="programme">
`.html;
    }
    day = begins;
    yield write({ node, event, occurrence, list }).html;
  }
  if (day !== null) yield CLOSE_DAY;
}

function headingOf(day: number, list: EventList, beside: Content): Html {
  const name = capitalized(writeDayNear(day, list));
  return html`<time datetime="${formatDay(day)}">${name}</time>${beside}`;
}

/** The states of a date, beside its title. */
export const marksOf = (occurrence: ListedOccurrence, language: Language): Content =>
  statesOf(occurrence, language).map((state) => html` <strong class="mark">${state}</strong> `);

/** A paragraph of this CSS class; null if the event has no summary. */
export function summaryOf({ event: { summary }, list }: ListedLine, className: string): Html | null {
  return summary && html`<p class="${className}"${langOf(summary, list.language)}>${summary.text}</p>\n`;
}

/** In place of a day: the section of events that began before the window. */
const ONGOING = 'ongoing';

const CLOSE_DAY = '</ul>\n</section>\n';

/** A compact list for a section of a larger page. */
export function writeDaysBriefly(list: EventList): Html {
  const days = [...writeDays(list, briefLine, { level: 3 })];
  return html`<div class="days-ahead">
${trustedHtml(days.join(''))}</div>`;
}

function briefLine({ event, occurrence, list }: ListedLine): Html {
  const { language } = list;
  const link = html`<a href="${linkOf(event, occurrence)}"${langOf(event.title, language)}>${event.title.text}</a>`;
  return html`<li><span class="time">${timeOf(occurrence, list)}</span>
<span class="what">${link}${marksOf(occurrence, language)}
<span class="where">${writePlace(event, occurrence, language)}</span></span></li>
`;
}

/** `19.30–22.00`, and the last day if it is another one. */
export function timeOf(occurrence: ListedOccurrence, list: EventList): Content {
  const last = lastDayOf(occurrence);
  // A start time means nothing without its day.
  const isDayShown = last === null || osloDay(occurrence.start) >= osloDay(list.from);
  const isClockShown = occurrence.isAllDay || isDayShown;
  const clock = isClockShown ? clockOf(occurrence, list) : '';
  if (last === null) return clock;
  const until = writeUntil(last, list);
  return [clock, html` <span class="until">${clock === '' ? capitalized(until) : until}</span>`];
}

/** `19.30–22.00`, or only the start if the end is on a later day. */
function clockOf(occurrence: ListedOccurrence, { language }: EventList): string {
  const { start, end, isAllDay } = occurrence;
  const isLonger = lastDayOf(occurrence) !== null;
  if (isAllDay) return isLonger ? '' : TEXTS[language].allDay;
  const ends = end > start && !isLonger ? `–${writeClock(wallOf(end), language)}` : '';
  return `${writeClock(wallOf(start), language)}${ends}`;
}

function writeUntil(day: number, { language, now }: EventList): string {
  return TEXTS[language].until(writeDay(day, isThisYear(day, now) ? 'brief' : 'briefDated', language));
}

const TEXTS = inEach({
  ongoing: ['Pågår', 'On now', 'Pågår'],
  allDay: ['Hele dagen', 'All day', 'Heile dagen'],
  until: [
    (day: string) => `til og med ${day}`,
    (day: string) => `until ${day}`,
    (day: string) => `til og med ${day}`,
  ],
});
