/** The card of an event's page: time, place and price of the shown date, and buttons for it. */

import type { Venue } from '../../../calendar/model.ts';
import { DAY, formatDay, HOUR, osloDay, timeOfDay, wallOf } from '../../../calendar/time.ts';
import type { Feed } from '../../events/read.ts';
import type { FeedEvent, FeedOccurrence } from '../../events/values.ts';
import {
  capitalized,
  pricesOf,
  takesPlace,
  writeDayNear,
  writePlace,
  writePrices,
  writeWhen,
} from '../../events/words.ts';
import { assetOf } from '../../page/assets.ts';
import { type Content, type Html, html } from '../../page/html.ts';
import { LISTS } from '../../page/page.ts';
import { inEach, writeNumber } from '../../page/reader.ts';

const SHARE = assetOf('src/annexes/listing/assets/share.js');
export const SHARE_ROUTES = SHARE.routes;
export const SHARE_SCRIPT = html`<script src="../${SHARE.file}" defer></script>\n`;

export interface Shown {
  readonly event: FeedEvent;
  readonly shown: FeedOccurrence;
  readonly feed: Feed;
  /** I12: the address of the shown date, in full. */
  readonly address: string;
}

/** Omits unknown values. A date that does not take place has no tickets and no calendar file. */
export function cardOf(about: Shown, hasFeeds: boolean): Html {
  const { event, shown, feed } = about;
  const texts = TEXTS[feed.language];
  const isOn = takesPlace(shown);
  const tickets =
    isOn && !shown.isSoldOut && shown.ticketsURL !== null
      ? html`<a class="button main" href="${shown.ticketsURL}">${texts.tickets}</a>\n`
      : '';
  const stream =
    isOn && event.streamingURL !== null
      ? html`<a class="${tickets === '' ? 'button main' : 'button'}" href="${event.streamingURL}">${texts.stream}</a>\n`
      : '';
  const hasActions = tickets !== '' || stream !== '';
  const actions = hasActions && html`<p class="actions">${tickets}${stream}</p>\n`;
  return html`<aside class="card" aria-label="${texts.facts}">
<p class="when">${whenOf(shown, feed)}</p>
${placeOf(about)}${pricesIn(about)}${actions}${isOn && calendars(about, hasFeeds)}<p class="share" hidden><button type="button" data-title="${event.title.text}" data-url="${about.address}" data-copied="${texts.copied}">${texts.share}</button> <span role="status"></span></p>
</aside>
`;
}

/** The day in bold, and the time below it. */
function whenOf(shown: FeedOccurrence, feed: Feed): Html {
  const { start, end, isAllDay } = shown;
  const [from, to] = [wallOf(start), wallOf(isAllDay ? end - 1 : end)];
  const day = capitalized(writeDayNear(Math.floor(from / DAY), feed));
  const texts = TEXTS[feed.language];
  const isLonger = end > start && Math.floor(to / DAY) > Math.floor(from / DAY);
  if (isLonger && (isAllDay || to - from > DAY / 2))
    return html`<strong>${capitalized(writeWhen(shown, feed))}</strong>`;
  const time = isAllDay
    ? texts.allDay
    : `${texts.at}${timeOfDay(from)}${end > start ? `–${timeOfDay(to)}` : ''}`;
  return html`<strong><time datetime="${formatDay(osloDay(start))}">${day}</time></strong> <span>${time}</span>`;
}

function placeOf({ event, shown: { venue }, feed: { language } }: Shown): Content {
  const texts = TEXTS[language];
  const isOnline = event.isOnline || event.streamingURL !== null;
  if (venue === null) return isOnline ? html`<p class="place"><strong>${texts.online}</strong></p>\n` : '';
  const map = mapOf(venue);
  const address = venue.address !== null && html` <span>${venue.address}</span>`;
  const alsoOnline = isOnline && html` <span>${texts.alsoOnline}</span>`;
  const mapLink = map !== null && html` <a href="${map}">${texts.map}</a>`;
  return html`<p class="place"><strong>${venue.name}</strong>${address}${alsoOnline}${mapLink}</p>\n`;
}

/** By its position, else by its address. */
function mapOf({ location, address }: Venue): string | null {
  const map = 'https://www.openstreetmap.org/';
  if (location === null)
    return address === null ? null : `${map}search?${new URLSearchParams({ query: address })}`;
  const { latitude, longitude } = location;
  return `${map}?mlat=${latitude}&mlon=${longitude}#map=17/${latitude}/${longitude}`;
}

/** `Gratis`, or each ticket with its price. */
function pricesIn({ event, shown, feed: { language } }: Shown): Content {
  const named = pricesOf(event, shown).filter(({ price, name }) => price !== null && name !== null);
  if (event.isFree || named.length < 2) {
    const prices = writePrices(event, shown, language);
    return prices !== '' && html`<p class="cost">${capitalized(prices)}</p>\n`;
  }
  return html`<ul class="cost">
${named.map(({ name, price }) => html`<li><span>${name}</span> <span class="price">${writeNumber(price ?? 0, language)}\u00a0kr</span></li>\n`)}</ul>
`;
}

/** Links that put the shown date into a reader's own calendar. */
function calendars({ event, shown, feed, address }: Shown, hasFeeds: boolean): Html {
  const { language } = feed;
  const texts = TEXTS[language];
  const { start, end, isAllDay } = shown;
  const until = end > start ? end : start + HOUR;
  const place = writePlace(event, shown, language);
  const iso = (instant: number) =>
    isAllDay ? formatDay(osloDay(instant)) : new Date(instant * 1_000).toISOString().replace('.000', '');
  const google = new URLSearchParams({
    action: 'TEMPLATE',
    text: event.title.text,
    dates: [start, until].map((instant) => iso(instant).replaceAll(/[-:]/g, '')).join('/'),
    details: address,
    location: place,
  });
  const outlook = new URLSearchParams({
    path: '/calendar/action/compose',
    rru: 'addevent',
    subject: event.title.text,
    startdt: iso(start),
    enddt: iso(until),
    ...(isAllDay && { allday: 'true' }),
    body: address,
    location: place,
  });
  return html`<div class="calendars"><h2>${texts.add}</h2>
<ul>
${hasFeeds && html`<li><a class="button" href="../${LISTS.ics.file}?${new URLSearchParams({ occurrence: shown.id }).toString()}">${texts.file}</a></li>\n`}<li><a class="button" href="https://calendar.google.com/calendar/render?${google.toString()}">Google</a></li>
<li><a class="button" href="https://outlook.live.com/calendar/0/deeplink/compose?${outlook.toString()}">Outlook</a></li>
</ul></div>
`;
}

const TEXTS = inEach({
  facts: ['Tid og sted', 'Time and place'],
  at: ['kl. ', ''],
  allDay: ['Hele dagen', 'All day'],
  online: ['På nett', 'Online'],
  alsoOnline: ['Også på nett', 'Also online'],
  map: ['Vis i kart', 'Show on a map'],
  stream: ['Åpne sendingen', 'Watch online'],
  tickets: ['Kjøp billett', 'Buy tickets'],
  add: ['Legg til i kalenderen', 'Add to calendar'],
  file: ['Apple og andre', 'Apple and others'],
  share: ['Del', 'Share'],
  copied: ['Lenken er kopiert', 'Link copied'],
});
