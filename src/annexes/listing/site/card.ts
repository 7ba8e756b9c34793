/** The card of an event's page: time, place and price of the shown date, and buttons for it. */
import type { Venue } from '../../../calendar/model.ts';
import { formatDay, HOUR, isoSecond, osloDay, wallOf } from '../../../calendar/time.ts';
import type { EventList } from '../../events/event-list.ts';
import {
  isOnline,
  type ListedEvent,
  type ListedOccurrence,
  pricesOf,
  shopOf,
  takesPlace,
} from '../../events/listed.ts';
import { lastDayOf, writeDayNear, writePlace, writePrices, writeWhen } from '../../events/words.ts';
import { assetOf } from '../../page/assets.ts';
import { writeClock } from '../../page/dates.ts';
import { type Html, html } from '../../page/html.ts';
import { LIST_FILES } from '../../page/links.ts';
import { capitalized, inEach, writeNumber } from '../../page/reader.ts';

const SHARE = assetOf('src/annexes/listing/assets/share.js');
export const SHARE_ROUTES = SHARE.routes;
export const SHARE_SCRIPT = html`<script src="../${SHARE.file}" defer></script>\n`;

export interface Subject {
  readonly event: ListedEvent;
  readonly shownDate: ListedOccurrence;
  readonly list: EventList;
  /** I12: the address of the shown date, in full. */
  readonly address: string;
}

/** Omits unknown values. A date that does not take place has no tickets and no calendar file. */
export function cardOf(subject: Subject, hasFeeds: boolean): Html {
  const { shownDate, list } = subject;
  const ofDateThatIsOn = takesPlace(shownDate) ? [actionsOf(subject), calendars(subject, hasFeeds)] : null;
  return html`<aside class="card" aria-label="${TEXTS[list.language].facts}">
<p class="when">${whenOf(shownDate, list)}</p>
${placeParagraph(subject)}${pricesIn(subject)}${ofDateThatIsOn}${shareButton(subject)}</aside>
`;
}

function actionsOf({ event: { streamingURL }, shownDate, list }: Subject): Html | null {
  const texts = TEXTS[list.language];
  const ticketsURL = shopOf(shownDate);
  const tickets = ticketsURL !== null ? html`${button(ticketsURL, texts.tickets, 'main')}\n` : null;
  const streamRank = tickets === null ? 'main' : 'other';
  const stream = streamingURL !== null ? html`${button(streamingURL, texts.stream, streamRank)}\n` : null;
  const hasActions = tickets !== null || stream !== null;
  return hasActions ? html`<p class="actions">${tickets}${stream}</p>\n` : null;
}

/** `share.js` shows it, where the browser can share or copy. */
function shareButton({ event, list, address }: Subject): Html {
  const { share, copied } = TEXTS[list.language];
  const data = html`data-title="${event.title.text}" data-url="${address}" data-copied="${copied}"`;
  return html`<p class="share" hidden><button type="button" ${data}>${share}</button> <span role="status"></span></p>\n`;
}

/** The day in bold, and the time below it. */
function whenOf(shownDate: ListedOccurrence, list: EventList): Html {
  if (lastDayOf(shownDate) !== null) return html`<strong>${capitalized(writeWhen(shownDate, list))}</strong>`;
  const day = osloDay(shownDate.start);
  const name = capitalized(writeDayNear(day, list));
  const time = shownDate.isAllDay ? TEXTS[list.language].allDay : clockOf(shownDate, list);
  return html`<strong><time datetime="${formatDay(day)}">${name}</time></strong> <span>${time}</span>`;
}

/** `kl. 19.30–22.00`. */
function clockOf({ start, end }: ListedOccurrence, { language }: EventList): string {
  const ends = end > start ? `–${writeClock(wallOf(end), language)}` : '';
  return `${TEXTS[language].at}${writeClock(wallOf(start), language)}${ends}`;
}

function placeParagraph({ event, shownDate: { venue }, list: { language } }: Subject): Html | null {
  const texts = TEXTS[language];
  const happensOnline = isOnline(event);
  if (venue === null)
    return happensOnline ? html`<p class="place"><strong>${texts.online}</strong></p>\n` : null;
  const map = mapOf(venue);
  const address = venue.address !== null ? html` <span>${venue.address}</span>` : null;
  const alsoOnline = happensOnline ? html` <span>${texts.alsoOnline}</span>` : null;
  const mapLink = map !== null ? html` <a href="${map}">${texts.map}</a>` : null;
  return html`<p class="place"><strong>${venue.name}</strong>${address}${alsoOnline}${mapLink}</p>\n`;
}

/** By its position, else by its address. */
function mapOf({ location, address }: Venue): string | null {
  const map = 'https://www.openstreetmap.org/';
  if (location !== null) {
    const { latitude, longitude } = location;
    return `${map}?mlat=${latitude}&mlon=${longitude}#map=17/${latitude}/${longitude}`;
  }
  return address === null ? null : `${map}search?${new URLSearchParams({ query: address })}`;
}

/** `Gratis`, or each ticket with its price. */
function pricesIn({ event, shownDate, list: { language } }: Subject): Html | null {
  const named = pricesOf(event, shownDate).filter(({ price, name }) => price !== null && name !== null);
  if (event.isFree || named.length < 2) {
    const prices = writePrices(event, shownDate, language);
    return prices !== '' ? html`<p class="cost">${capitalized(prices)}</p>\n` : null;
  }
  const items = named.map(({ name, price }) => {
    const amount = `${writeNumber(price ?? 0, language)}\u00a0kr`;
    return html`<li><span>${name}</span> <span class="price">${amount}</span></li>\n`;
  });
  return html`<ul class="cost">
${items}</ul>
`;
}

/** Links that put the shown date into a reader's own calendar. */
function calendars(subject: Subject, hasFeeds: boolean): Html {
  const texts = TEXTS[subject.list.language];
  const file = new URLSearchParams({ occurrence: subject.shownDate.id });
  const links = [
    hasFeeds ? button(`../${LIST_FILES.ics.file}?${file}`, texts.file) : null,
    button(`https://calendar.google.com/calendar/render?${googleEvent(subject)}`, 'Google'),
    button(`https://outlook.live.com/calendar/0/deeplink/compose?${outlookEvent(subject)}`, 'Outlook'),
  ];
  const items = links.map((link) => (link === null ? null : html`<li>${link}</li>\n`));
  return html`<div class="calendars"><h2>${texts.add}</h2>
<ul>
${items}</ul></div>
`;
}

const button = (address: string, text: string, rank: 'main' | 'other' = 'other'): Html =>
  html`<a class="${rank === 'main' ? 'button main' : 'button'}" href="${address}">${text}</a>`;

/** Google's form of a new event. */
function googleEvent({ event, shownDate, list, address }: Subject): URLSearchParams {
  const { start, end } = timesOf(shownDate);
  const compact = (iso: string) => iso.replaceAll(/[-:]/g, '');
  return new URLSearchParams({
    action: 'TEMPLATE',
    text: event.title.text,
    dates: `${compact(start)}/${compact(end)}`,
    details: address,
    location: writePlace(event, shownDate, list.language),
  });
}

/** Outlook's form of a new event. */
function outlookEvent({ event, shownDate, list, address }: Subject): URLSearchParams {
  const { start, end } = timesOf(shownDate);
  const query = new URLSearchParams({
    path: '/calendar/action/compose',
    rru: 'addevent',
    subject: event.title.text,
    startdt: start,
    enddt: end,
    body: address,
    location: writePlace(event, shownDate, list.language),
  });
  if (shownDate.isAllDay) query.set('allday', 'true');
  return query;
}

/** ISO 8601. A date without an end gets an hour. */
function timesOf({ start, end, isAllDay }: ListedOccurrence): Readonly<Record<'start' | 'end', string>> {
  const write = (instant: number) => (isAllDay ? formatDay(osloDay(instant)) : isoSecond(instant));
  return { start: write(start), end: write(end > start ? end : start + HOUR) };
}

const TEXTS = inEach({
  facts: ['Tid og sted', 'Time and place', 'Tid og stad'],
  at: ['kl. ', '', 'kl. '],
  allDay: ['Hele dagen', 'All day', 'Heile dagen'],
  online: ['På nett', 'Online', 'På nett'],
  alsoOnline: ['Også på nett', 'Also online', 'Også på nett'],
  map: ['Vis i kart', 'Show on a map', 'Vis i kart'],
  stream: ['Åpne sendingen', 'Watch online', 'Opne sendinga'],
  tickets: ['Kjøp billett', 'Buy tickets', 'Kjøp billett'],
  add: ['Legg til i kalenderen', 'Add to calendar', 'Legg til i kalenderen'],
  file: ['Apple og andre', 'Apple and others', 'Apple og andre'],
  share: ['Del', 'Share', 'Del'],
  copied: ['Lenken er kopiert', 'Link copied', 'Lenkja er kopiert'],
});
