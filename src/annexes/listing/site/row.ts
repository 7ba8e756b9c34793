/** A row of the site's list: an event and, where the window has an end, a day. */
import { wallOf } from '../../../calendar/time.ts';
import { repetitionsOf } from '../../../serve/query/nodes.ts';
import { type ListedLine, marksOf, summaryOf, timeOf } from '../../events/days.ts';
import { writeLater } from '../../events/later-dates.ts';
import { isOnline, type ListedOccurrence } from '../../events/listed.ts';
import { namesMunicipality } from '../../events/municipalities.ts';
import { listedOccurrenceOf } from '../../events/values.ts';
import { writePrices } from '../../events/words.ts';
import { writeClock } from '../../page/dates.ts';
import { type Html, html, joined } from '../../page/html.ts';
import { langOf } from '../../page/parts.ts';
import { capitalized, inEach } from '../../page/reader.ts';
import { searchOfDate } from './event-date.ts';
import { iconOf } from './icon.ts';
import { thumbnailOf } from './picture.ts';

/** Labels that a row shows; more would crowd it. */
const MOST_LABELS = 2;

export function rowOf(line: ListedLine): Html {
  const { event, occurrence, list, node } = line;
  const { language } = list;
  const place = placeText(line);
  const where = place !== '' ? html` <span class="place">${place}</span>` : null;
  const picture = thumbnailOf(event.image, list);
  return html`<li><div class="what"><h3>${marksOf(occurrence, language)}${titleOf(line)}</h3>
<p class="where"><span class="time">${timeOf(occurrence, list)}</span>${where}</p>
${summaryOf(line, 'summary')}${factsOf(line)}${laterOf(line)}</div>
${picture ?? iconOf(event, node)}</li>
`;
}

function titleOf({ event, occurrence, list }: ListedLine): Html {
  const { title, slug } = event;
  const page = `events/${slug}.html${searchOfDate(occurrence, list)}`;
  return html`<a href="${page}"${langOf(title, list.language)}>${title.text}</a>`;
}

/** The labels and the price; null without both. */
function factsOf({ event, occurrence, list: { language } }: ListedLine): Html | null {
  const labels = event.labels.slice(0, MOST_LABELS).join(', ');
  const prices = writePrices(event, occurrence, language);
  const facts = [
    labels === '' ? null : labels,
    prices === '' ? null : html`<span class="price">${capitalized(prices)}</span>`,
  ].filter((fact) => fact !== null);
  return facts.length === 0 ? null : html`<p class="facts">${joined(facts, ' · ')}</p>\n`;
}

/** The venue's name, and its municipality where the list can have several (I5), unless the name has it. Empty if the place is unknown. */
function placeText({ event, occurrence: { venue }, list }: ListedLine): string {
  const texts = TEXTS[list.language];
  if (venue === null) return isOnline(event) ? texts.online : '';
  const { name, municipality } = venue;
  const isKnown = municipality === null || name.includes(municipality);
  const place = namesMunicipality(list) && !isKnown ? `${name}, ${municipality}` : name;
  return isOnline(event) ? `${place} · ${texts.alsoOnline}` : place;
}

/** In a list of days, a link to each further time of the day; in a list of events, one line with the further dates. */
function laterOf(line: ListedLine): Html | null {
  const { node, list, event } = line;
  if (!node.byDay) {
    const later = writeLater(line);
    return later !== '' ? html`<p class="later">${later}</p>\n` : null;
  }
  const others = repetitionsOf(node).map((one) => listedOccurrenceOf(one, list.language));
  if (others.length === 0) return null;
  const link = (date: ListedOccurrence) => {
    const page = `events/${event.slug}.html${searchOfDate(date, list)}`;
    return html`<a href="${page}">${writeClock(wallOf(date.start), list.language)}</a>${marksOf(date, list.language)}`;
  };
  return html`<p class="later">${TEXTS[list.language].also} ${joined(others.map(link), ' ')}</p>\n`;
}

const TEXTS = inEach({
  also: ['Også', 'Also', 'Også'],
  online: ['På nett', 'Online', 'På nett'],
  alsoOnline: ['også på nett', 'also online', 'også på nett'],
});
