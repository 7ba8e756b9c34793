/** The days to click on: one line of five weeks, which scrolls on its own. */
import { formatDay, osloDay, weekdayOf } from '../../../calendar/time.ts';
import type { Feed } from '../../events/read.ts';
import { writeDayNear } from '../../events/words.ts';
import { assetOf } from '../../page/assets.ts';
import { SUNDAY, writeDay } from '../../page/dates.ts';
import { type Content, html } from '../../page/html.ts';
import { inEach, writeNumber } from '../../page/reader.ts';
import { searchWith } from '../plain.ts';
import type { SiteCounts } from './counts.ts';
import { chosenDay, WINDOW } from './window.ts';

const STRIP = assetOf('src/annexes/listing/assets/strip.js');
export const STRIP_ROUTES = STRIP.routes;
export const STRIP_SCRIPT = html`<script src="${STRIP.file}" defer></script>\n`;

/** Five weeks. */
const MOST_DAYS = 35;

/** From today on, or from the chosen day if it is later than that; nothing without a day to click on. */
export function strip(feed: Feed, { days: hits }: SiteCounts): Content {
  const { language, now, search } = feed;
  const texts = TEXTS[language];
  const today = osloDay(now);
  const chosen = chosenDay(search);
  const first = chosen === null || chosen < today + MOST_DAYS ? today : chosen;
  const all = Array.from({ length: MOST_DAYS }, (_, at) => first + at);
  if (!all.some((day) => hits.has(formatDay(day)) || day === chosen)) return '';
  return html`<nav class="strip" aria-label="${texts.days}"><ol>
${all.map((day) => {
  const date = formatDay(day);
  const count = hits.get(date) ?? 0;
  const isNew = day === first || date.endsWith('-01');
  const month =
    isNew && html`<li class="month" aria-hidden="true">${writeDay(day, 'shortMonth', language)}</li>\n`;
  const seen = html`<span class="weekday" aria-hidden="true">${writeDay(day, 'shortWeekday', language)}</span> <span class="number" aria-hidden="true">${Number(date.slice(8))}</span> <span class="hits" aria-hidden="true">${count > 0 && writeNumber(count, language)}</span>`;
  const cell =
    count === 0 && day !== chosen
      ? html`<span class="cell">${seen}</span>`
      : html`<a class="cell" href="events.html${linkOf(day, feed)}"${day === chosen && html` aria-current="date"`}>${seen}<span class="unseen">${writeDayNear(day, feed)}: ${writeNumber(count, language)} ${count === 1 ? texts.event : texts.events}</span></a>`;
  return html`${month}<li${weekdayOf(day) === SUNDAY && html` class="sunday"`}>${cell}</li>\n`;
})}</ol></nav>
`;
}

/** A click on the chosen day shows all days again. */
function linkOf(day: number, feed: Feed): string {
  const cleared = Object.fromEntries([...WINDOW, 'page'].map((name) => [name, null]));
  if (day === chosenDay(feed.search)) return searchWith(feed, cleared);
  return searchWith(feed, { ...cleared, fromStartDate: formatDay(day), untilDate: formatDay(day + 1) });
}

const TEXTS = inEach({
  days: ['Dager', 'Days'],
  event: ['arrangement', 'event'],
  events: ['arrangementer', 'events'],
});
