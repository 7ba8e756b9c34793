/** Events of a page under their days, and their times: what runs already stands before all days. */
import { DAY, formatDay, osloDay, timeOfDay, wallOf, weekdayOf } from '../../calendar/time.ts';
import type { EventNode } from '../../serve/query/select.ts';
import { type Content, type Html, html } from '../page/html.ts';
import { inEach, type Language, SUNDAY, writeDay, writeNumber } from '../page/reader.ts';
import { eventsIn, type Feed, occurrencesOf } from './read.ts';
import type { FeedEvent, FeedOccurrence } from './values.ts';
import { langOf, linkOf, marksOf, writePlace } from './words.ts';

export interface Entry {
  readonly node: EventNode;
  readonly event: FeedEvent;
  readonly occurrence: FeedOccurrence;
  readonly feed: Feed;
}

/** Each day with its entries as sections, in pieces of one entry. `level`: of its heading. */
export function* writeDays(feed: Feed, write: (entry: Entry) => Html, level = 2): Generator<string> {
  const { language } = feed;
  // A window may begin later than today: no heading is of a day before it.
  const first = osloDay(feed.from);
  let day: number | null = null;
  for (const { node, event, shown } of eventsIn(feed)) {
    const occurrence = shown();
    const begins = Math.max(osloDay(occurrence.start), first - 1);
    if (begins !== day) {
      if (day !== null) yield CLOSE_DAY;
      const isSunday = begins >= first && weekdayOf(begins) === SUNDAY;
      const name =
        begins < first
          ? TEXTS[language].ongoing
          : html`<time datetime="${formatDay(begins)}">${writeDay(begins, 'full', language)}</time>`;
      yield html`<section class="day">
<h${level}${isSunday && html` class="sunday"`}>${name}</h${level}>
<ul class="programme">
`.html;
    }
    day = begins;
    yield write({ node, event, occurrence, feed }).html;
  }
  if (day !== null) yield CLOSE_DAY;
}

const CLOSE_DAY = '</ul>\n</section>\n';

/** The same in brief, within a section of a page that is about more. */
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
${{ html: [...writeDays(feed, entryOf, 3)].join('') }}</div>`;
}

/** `19:30–22:00`, and the last day if it is another one. */
export function timeOf({ start, end, isAllDay }: FeedOccurrence, { from: begin, language }: Feed): Content {
  const { allDay, until } = TEXTS[language];
  const [from, to] = [wallOf(start), wallOf(isAllDay ? end - 1 : end)];
  const last = Math.floor(to / DAY);
  const isLonger = end > start && last > Math.floor(from / DAY);
  const ends =
    isLonger && to - from > DAY / 2
      ? html` <span class="until">${until(writeDay(last, 'brief', language))}</span>`
      : '';
  if (isAllDay) return [isLonger ? '' : allDay, ends];
  // The clock of a day that is not named says nothing.
  if (ends !== '' && osloDay(start) < osloDay(begin)) return ends;
  return [timeOfDay(from), end > start && ends === '' && `–${timeOfDay(to)}`, ends];
}

const MOST_LATER = 3;

/** `15:00 og 17:00`. */
const LISTS = { nb: new Intl.ListFormat('nb-NO'), en: new Intl.ListFormat('en-GB') };

/** `også 15:00, 28. nov. og 4 til`; empty if the shown date is the last. */
export function writeLater({ node, feed }: Pick<Entry, 'node' | 'feed'>): string {
  const { language, reach } = feed;
  const texts = TEXTS[language];
  const later = occurrencesOf(node, reach).slice(1);
  if (later.length === 0) return '';
  const days = later.slice(0, MOST_LATER).map((one) => differenceOf(one.row, node, language));
  const more = later.length - days.length;
  if (more === 0) return `${texts.later} ${LISTS[language].format(days)}`;
  return `${texts.later} ${days.join(', ')} ${texts.more(writeNumber(more, language))}`;
}

/** The difference to the shown date: its time, its day, or also the year. */
function differenceOf(later: number, { row, view }: EventNode, language: Language): string {
  const { day, start } = view.columns;
  const [shown = 0, own = 0] = [day[row], day[later]];
  if (own === shown) return timeOfDay(wallOf(start[later] ?? 0));
  const isOfYear = formatDay(own).slice(0, 4) === formatDay(shown).slice(0, 4);
  return writeDay(own, isOfYear ? 'brief' : 'dated', language);
}

const TEXTS = inEach({
  ongoing: ['Pågår', 'On now'],
  allDay: ['hele dagen', 'all day'],
  until: [(day: string) => `til ${day}`, (day: string) => `until ${day}`],
  later: ['Også', 'Also'],
  more: [(count: string) => `og ${count} til`, (count: string) => `and ${count} more`],
});
