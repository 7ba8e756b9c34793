/** The events of a page under their days, with their times. Events already under way come first. */
import { DAY, formatDay, osloDay, timeOfDay, wallOf } from '../../calendar/time.ts';
import type { EventNode } from '../../serve/query/select.ts';
import { writeDay } from '../page/dates.ts';
import { type Content, type Html, html } from '../page/html.ts';
import { inEach, writeNumber } from '../page/reader.ts';
import { eventsIn, type Feed, occurrencesOf } from './read.ts';
import type { FeedEvent, FeedOccurrence } from './values.ts';
import { capitalized, langOf, linkOf, marksOf, writeDayNear, writePlace } from './words.ts';

export interface Entry {
  readonly node: EventNode;
  readonly event: FeedEvent;
  readonly occurrence: FeedOccurrence;
  readonly feed: Feed;
}

interface DaysOptions {
  /** The level of the headings. */
  readonly level?: number;
  /** Content next to each day heading, except 'On now'. */
  readonly beside?: (day: number) => Content;
}

/** Yields a section for each day, one entry at a time. */
export function* writeDays(
  feed: Feed,
  write: (entry: Entry) => Html,
  { level = 2, beside = () => '' }: DaysOptions = {},
): Generator<string> {
  const { language } = feed;
  // A window may begin later than today: no heading is of a day before it.
  const first = osloDay(feed.from);
  let day: number | typeof ONGOING | null = null;
  for (const { node, event, shown } of eventsIn(feed)) {
    const occurrence = shown();
    const startDay = osloDay(occurrence.start);
    const begins = startDay < first ? ONGOING : startDay;
    if (begins !== day) {
      if (day !== null) yield CLOSE_DAY;
      const name =
        begins === ONGOING
          ? TEXTS[language].ongoing
          : html`<time datetime="${formatDay(begins)}">${capitalized(writeDayNear(begins, feed))}</time>${beside(begins)}`;
      yield html`<section class="day">
<h${level}>${name}</h${level}>
<ul class="programme">
`.html;
    }
    day = begins;
    yield write({ node, event, occurrence, feed }).html;
  }
  if (day !== null) yield CLOSE_DAY;
}

/** In place of a day: the section of events that began before the window. */
const ONGOING = 'ongoing';

const CLOSE_DAY = '</ul>\n</section>\n';

/** A compact form for a section of a larger page. */
export function writeDaysBriefly(feed: Feed): Html {
  const { language } = feed;
  const entryOf = ({
    event,
    occurrence,
  }: Entry) => html`<li><span class="time">${timeOf(occurrence, feed)}</span>
<span class="what"><a href="${linkOf(event, occurrence)}"${langOf(event.title, language)}>${event.title.text}</a>${marksOf(occurrence, language)}
<span class="where">${writePlace(event, occurrence, language)}</span></span></li>
`;
  return html`<div class="days-ahead">
${{ html: [...writeDays(feed, entryOf, { level: 3 })].join('') }}</div>`;
}

/** `19:30–22:00`, and the last day if it is another one. */
export function timeOf(occurrence: FeedOccurrence, feed: Feed): Content {
  const last = lastDayOf(occurrence);
  // A start time means nothing without its day.
  const isClockShown = last === null || osloDay(occurrence.start) >= osloDay(feed.from);
  const clock = occurrence.isAllDay || isClockShown ? clockOf(occurrence, feed) : '';
  if (last === null) return clock;
  const until = writeUntil(last, feed);
  return [clock, html` <span class="until">${clock === '' ? capitalized(until) : until}</span>`];
}

/** Null if it ends on the day of its start, or within the night after it. */
function lastDayOf({ start, end, isAllDay }: FeedOccurrence): number | null {
  const [from, to] = [wallOf(start), wallOf(isAllDay ? end - 1 : end)];
  const last = Math.floor(to / DAY);
  const isLonger = end > start && last > Math.floor(from / DAY);
  return isLonger && to - from > DAY / 2 ? last : null;
}

/** `19:30–22:00`, or only the start if the end is on a later day. */
function clockOf(occurrence: FeedOccurrence, { language }: Feed): string {
  const { start, end, isAllDay } = occurrence;
  const isLonger = lastDayOf(occurrence) !== null;
  if (isAllDay) return isLonger ? '' : TEXTS[language].allDay;
  const ends = end > start && !isLonger ? `–${timeOfDay(wallOf(end))}` : '';
  return `${timeOfDay(wallOf(start))}${ends}`;
}

function writeUntil(day: number, { language, now }: Feed): string {
  return TEXTS[language].until(writeDay(day, isThisYear(day, now) ? 'brief' : 'briefDated', language));
}

const isThisYear = (day: number, now: number): boolean =>
  formatDay(day).slice(0, 4) === formatDay(osloDay(now)).slice(0, 4);

/** Days that are named. */
const MOST_LATER = 3;

/** `15:00 og 17:00`. */
const LISTS = { nb: new Intl.ListFormat('nb-NO'), en: new Intl.ListFormat('en-GB') };

/** `Også 15:00, 3. og 10. desember og 12 til`; empty if the shown date is the last. */
export function writeLater({ node, feed }: Pick<Entry, 'node' | 'feed'>): string {
  const { language, reach } = feed;
  const texts = TEXTS[language];
  const later = occurrencesOf(node, reach).slice(1);
  if (later.length === 0) return '';
  const { day, start } = node.view.columns;
  const dayIn = ({ row }: { readonly row: number }) => day[row] ?? 0;
  const sameDay = later.filter((one) => dayIn(one) === dayIn(node));
  const others = [...new Set(later.map(dayIn))].filter((one) => one !== dayIn(node));
  const times = sameDay.slice(0, MOST_LATER).map(({ row }) => timeOfDay(wallOf(start[row] ?? 0)));
  const days = others.slice(0, MOST_LATER - times.length);
  const more = sameDay.length - times.length + (others.length - days.length);
  const parts = [...times, ...writeMonths(days, feed)];
  if (more > 0) parts.push(texts.more(writeNumber(more, language)));
  return `${texts.later} ${LISTS[language].format(parts)}`;
}

/** `27. november`, `3. og 10. desember`: the days of each month. The last day of a year names it, unless it is today's. */
function writeMonths(days: readonly number[], { language, now }: Pick<Feed, 'language' | 'now'>): string[] {
  const yearOf = (day: number | undefined) => (day === undefined ? '' : formatDay(day).slice(0, 4));
  const monthOf = (day: number) => formatDay(day).slice(0, 7);
  const write = (day: number) => {
    const isYearSaid = isThisYear(day, now) || yearOf(days[days.indexOf(day) + 1]) === yearOf(day);
    return writeDay(day, isYearSaid ? 'dayAndMonth' : 'dayMonthYear', language);
  };
  return [...new Set(days.map(monthOf))].map((month) => {
    const ofMonth = days.filter((day) => monthOf(day) === month);
    const dates = ofMonth.map((day) => TEXTS[language].dayOfMonth(Number(formatDay(day).slice(8))));
    return LISTS[language].format([...dates.slice(0, -1), ...ofMonth.slice(-1).map(write)]);
  });
}

const TEXTS = inEach({
  ongoing: ['Pågår', 'On now'],
  allDay: ['Hele dagen', 'All day'],
  until: [(day: string) => `til og med ${day}`, (day: string) => `until ${day}`],
  later: ['Også', 'Also'],
  more: [(count: string) => `${count} til`, (count: string) => `${count} more`],
  dayOfMonth: [(date: number) => `${date}.`, (date: number) => `${date}`],
});
