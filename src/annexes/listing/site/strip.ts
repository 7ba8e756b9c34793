/** The days to click on: one line of five weeks, which scrolls on its own. */
import { formatDay, osloDay, weekdayOf } from '../../../calendar/time.ts';
import type { EventList } from '../../events/event-list.ts';
import { writeDayNear } from '../../events/words.ts';
import { assetOf } from '../../page/assets.ts';
import { SUNDAY, writeDay } from '../../page/dates.ts';
import { type Content, type Html, html } from '../../page/html.ts';
import { inEach, type Language, writeNumber } from '../../page/reader.ts';
import { searchWith } from '../list-links.ts';
import type { SiteCounts } from './counts.ts';
import { chosenDay, WINDOW } from './window.ts';

const STRIP = assetOf('src/annexes/listing/assets/strip.js');
export const STRIP_ROUTES = STRIP.routes;
export const STRIP_SCRIPT = html`<script src="${STRIP.file}" defer></script>\n`;

/** Five weeks. */
const MOST_DAYS = 35;

/** From today on, or from the chosen day if it is later than that; null without a day to click on. */
export function strip(list: EventList, counts: SiteCounts): Html | null {
  const { language } = list;
  const days = daysShown(list, counts);
  if (!days.some(isLink)) return null;
  const items = days.map((shown, at) => {
    const isNewMonth = at === 0 || shown.date.endsWith('-01');
    return html`${isNewMonth ? monthOf(shown, language) : null}${itemOf(shown, list)}`;
  });
  return html`<nav class="strip" aria-label="${TEXTS[language].days}"><ol>
${items}</ol></nav>
`;
}

interface ShownDay {
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly date: string;
  /** Events that start on it. */
  readonly hits: number;
  readonly isChosen: boolean;
}

function daysShown({ now, parameters }: EventList, { days: hits }: SiteCounts): readonly ShownDay[] {
  const today = osloDay(now);
  const chosen = chosenDay(parameters);
  const first = chosen === null || chosen < today + MOST_DAYS ? today : chosen;
  return Array.from({ length: MOST_DAYS }, (_, at) => {
    const day = first + at;
    const date = formatDay(day);
    return { day, date, hits: hits.get(date) ?? 0, isChosen: day === chosen };
  });
}

const isLink = ({ hits, isChosen }: ShownDay): boolean => hits > 0 || isChosen;

function monthOf({ day }: ShownDay, language: Language): Html {
  return html`<li class="month" aria-hidden="true">${writeDay(day, 'shortMonth', language)}</li>\n`;
}

function itemOf(shown: ShownDay, list: EventList): Html {
  const sunday = weekdayOf(shown.day) === SUNDAY ? html` class="sunday"` : null;
  const face = faceOf(shown, list.language);
  const cell = isLink(shown) ? linkTo(shown, face, list) : html`<span class="cell">${face}</span>`;
  return html`<li${sunday}>${cell}</li>\n`;
}

/** The visible part of a day; the text of its link is for screen readers. */
function faceOf({ day, date, hits }: ShownDay, language: Language): Html {
  const sightOnly = (name: string, content: Content) =>
    html`<span class="${name}" aria-hidden="true">${content}</span>`;
  const weekday = sightOnly('weekday', writeDay(day, 'shortWeekday', language));
  const number = sightOnly('number', Number(date.slice(8)));
  return html`${weekday} ${number} ${sightOnly('hits', hits > 0 ? writeNumber(hits, language) : null)}`;
}

function linkTo({ day, hits, isChosen }: ShownDay, face: Html, list: EventList): Html {
  const texts = TEXTS[list.language];
  const current = isChosen ? html` aria-current="date"` : null;
  const events = `${writeNumber(hits, list.language)} ${hits === 1 ? texts.event : texts.events}`;
  const label = html`<span class="unseen">${writeDayNear(day, list)}: ${events}</span>`;
  return html`<a class="cell" href="events.html${searchOfDay(day, list)}"${current}>${face}${label}</a>`;
}

/** A click on the chosen day shows all days again. */
function searchOfDay(day: number, list: EventList): string {
  const cleared = Object.fromEntries([...WINDOW, 'page'].map((name) => [name, null]));
  if (day === chosenDay(list.parameters)) return searchWith(list, cleared);
  return searchWith(list, { ...cleared, fromStartDate: formatDay(day), untilDate: formatDay(day + 1) });
}

const TEXTS = inEach({
  days: ['Dager', 'Days', 'Dagar'],
  event: ['arrangement', 'event', 'arrangement'],
  events: ['arrangementer', 'events', 'arrangement'],
});
