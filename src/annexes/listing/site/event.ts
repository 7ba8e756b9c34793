/** One event's page (I11, I12): what happened to its date, its picture, its card and its dates. */

import { osloDay } from '../../../calendar/time.ts';
import { parsedUrl } from '../../../calendar/urls.ts';
import { FEATURES } from '../../common/accessibility.ts';
import { marksOf } from '../../events/days.ts';
import { eventsIn } from '../../events/entries.ts';
import { jsonLdScript } from '../../events/jsonld.ts';
import { type Feed, reachAt } from '../../events/read.ts';
import type { FeedEvent, FeedOccurrence } from '../../events/values.ts';
import {
  statesOf,
  warningsOf,
  writeDayNear,
  writePlace,
  writePrices,
  writeWhen,
} from '../../events/words.ts';
import { type Content, type Html, html, joined, trustedHtml } from '../../page/html.ts';
import { LISTS, languageQuery } from '../../page/links.ts';
import { langOf, pairs } from '../../page/parts.ts';
import { capitalized, inEach, writeNumber } from '../../page/reader.ts';
import { cardOf, SHARE_SCRIPT, type Shown } from './card.ts';
import { noticeOf, type PageDate, pageDateOf, searchOfDate, searchOfList } from './event-date.ts';
import { sitePage } from './frame.ts';
import type { Offered } from './list.ts';

/** Dates that a page shows at once. */
const MOST_DATES = 6;

export function writeEvent(feed: Feed, offered: Offered): Iterable<string> {
  const { language, server } = feed;
  const texts = TEXTS[language];
  const pageDate = pageDateOf(feed);
  const { shown, all, isInAddress, alone } = pageDate;
  const [{ event } = notHere()] = eventsIn(feed);
  const addressHere = `${server}/events/${event.slug}.html?date=${shown.date}`;
  const about = { event, shown, feed, address: shown.link ?? addressHere };
  const content = html`<article class="event">
<p class="back"><a href="../events.html${searchOfList(feed)}">← ${texts.all}</a></p>
${noticeOf(pageDate, feed)}${bandOf(pageDate, about)}<h1${langOf(event.title, language)}>${event.title.text}</h1>
<div class="columns">
${coverOf(event)}${cardOf(about, offered.hasFeeds)}<div class="about">
${descriptionOf(about)}${datesOf(all, about)}${moreOf(about)}</div>
</div>
${jsonLdOf(feed, isInAddress ? alone : null)}</article>`;
  const facts = [writeWhen(shown, feed), writePlace(event, shown, language), event.summary?.text];
  return [
    sitePage(feed, {
      title: titleOf(pageDate, about),
      description: capitalized(facts.filter(Boolean).join(' · ')),
      canonical: event.link,
      isHere: shown.link !== null,
      address: about.address,
      image: event.image,
      root: '../',
      menu: offered.menu,
      content,
      head: headOf(pageDate, event),
    }).html,
  ];
}

function coverOf({ image }: FeedEvent): Html | null {
  if (image === null) return null;
  const credits = image.credits && html`<figcaption>${image.credits}</figcaption>`;
  return html`<figure class="cover"><img src="${image.large}" alt="${image.alt}">${credits}</figure>\n`;
}

function descriptionOf({ event: { description }, feed: { language } }: Shown): Html | null {
  if (description === null) return null;
  return html`<div class="description"${langOf(description, language)}>${trustedHtml(description.text)}</div>\n`;
}

/** `Avlyst: Vårkonsert – lørdag 14. februar – Kultur i Lillevik`. */
function titleOf({ all, isInAddress, shown }: PageDate, { event, feed }: Shown): string {
  const { language, licence } = feed;
  const troubles = warningsOf(shown, language).map((state) => `${state}: `);
  const day = isInAddress && all.length > 1 ? ` – ${writeDayNear(osloDay(shown.start), feed)}` : '';
  return `${troubles.join('')}${event.title.text}${day} – ${licence.name}`;
}

function headOf({ missed }: PageDate, { id }: FeedEvent): Html {
  const noIndex = missed !== null && html`<meta name="robots" content="noindex">\n`;
  const json = `../${LISTS.json.file}?event=${encodeURIComponent(id)}`;
  return html`${noIndex}<link rel="alternate" type="application/json" href="${json}">
${SHARE_SCRIPT}`;
}

function notHere(): never {
  throw new RangeError('expected a feed with one event, found none');
}

/** For search engines: the date that the address names, else the next ones. */
function jsonLdOf(feed: Feed, alone: PageDate['alone'] | null): Html {
  const events = alone === null ? feed.events : [alone];
  return trustedHtml([...jsonLdScript({ ...feed, events, reach: reachAt(feed.now) })].join(''));
}

/** The status banner of the shown date, with the next date that takes place. */
function bandOf({ all, shown }: PageDate, { feed }: Shown): Content {
  const { language } = feed;
  const states = statesOf(shown, language);
  if (states.length === 0) return '';
  const isOff = warningsOf(shown, language).length > 0;
  const isLaterAndOn = (date: FeedOccurrence) =>
    date.start > shown.start && warningsOf(date, language).length === 0;
  const next = isOff ? all.find(isLaterAndOn) : undefined;
  const when = html`<span>${capitalized(writeWhen(shown, feed))}</span>`;
  const instead = next && nextDate(next, feed);
  return html`<p class="${isOff ? 'band' : 'band moved'}"><strong>${states.join(' · ')}</strong> ${when}${instead}</p>\n`;
}

function nextDate(date: FeedOccurrence, feed: Feed): Html {
  const link = html`<a href="${searchOfDate(date, feed)}">${writeWhen(date, feed)}</a>`;
  return html` <span>${TEXTS[feed.language].next} ${link}</span>`;
}

/** All dates, when there are several; each is a link to its own page. */
function datesOf(all: readonly FeedOccurrence[], about: Shown): Content {
  if (all.length < 2) return '';
  const { shown, feed } = about;
  const texts = TEXTS[feed.language];
  const shownAt = all.findIndex(({ id }) => id === shown.id);
  const first = Math.max(0, Math.min(shownAt - 1, all.length - MOST_DATES));
  const near = all.slice(first, first + MOST_DATES);
  const rest = all.filter((date) => !near.includes(date));
  const itemOf = (date: FeedOccurrence) => dateItem(date, about);
  const summary = texts.moreDates(rest.length, writeNumber(rest.length, feed.language));
  const moreDates = html`<details><summary>${summary}</summary><ul class="dates">
${rest.map(itemOf)}</ul></details>
`;
  return html`<h2>${texts.dates}</h2>
<ul class="dates">
${near.map(itemOf)}</ul>
${rest.length > 0 && moreDates}`;
}

/** A date, with its place and prices where they are not those of the shown date. */
function dateItem(date: FeedOccurrence, { event, shown, feed }: Shown): Html {
  const { language } = feed;
  const place = date.venue?.id === shown.venue?.id ? '' : writePlace(event, date, language);
  const prices = writePrices(event, date, language);
  const differingPrices = prices === writePrices(event, shown, language) ? '' : prices;
  const more = [place, differingPrices].filter((text) => text !== '');
  const differing = more.length > 0 && html`<span class="differing">${more.join(' · ')}</span>`;
  const current = date.id === shown.id && html` aria-current="date"`;
  const link = html`<a href="${searchOfDate(date, feed)}"${current}>${capitalized(writeWhen(date, feed))}</a>`;
  return html`<li>${link}${marksOf(date, language)}${differing}</li>\n`;
}

/** Omits unknown values. */
function moreOf({ event, shown, feed }: Shown): Html {
  const { language } = feed;
  const texts = TEXTS[language];
  const { source, moreInfoURL } = event;
  const organizers = event.organizers.map(({ name, website }) => linked(website, name));
  const categories = event.categories.map(({ id, label }) =>
    linked(`../events.html${languageQuery(feed, { categories: id })}`, label),
  );
  return pairs([
    [texts.accessibility, shown.accessibility.map((word) => FEATURES[word][language]).join(', ')],
    [texts.organizer, joined(organizers, ', ')],
    [texts.category, joined(categories, ', ')],
    [texts.source, source && linked(source.url, source.name)],
    [texts.more, moreInfoURL && linked(moreInfoURL, null)],
  ]);
}

/** A link named by its text or, without one, by its host; the text alone without an address. */
function linked(address: string | null, text: string | null): Content {
  if (address === null) return text;
  return html`<a href="${address}">${text ?? hostOf(address)}</a>`;
}

const hostOf = (url: string): string => parsedUrl(url)?.host ?? url;

const TEXTS = inEach({
  all: ['Alle arrangementer', 'All events'],
  next: ['Neste:', 'Next:'],
  accessibility: ['Tilgjengelighet', 'Accessibility'],
  organizer: ['Arrangør', 'Organizer'],
  category: ['Kategori', 'Category'],
  more: ['Mer informasjon', 'More information'],
  source: ['Kilde', 'Source'],
  dates: ['Alle datoer', 'All dates'],
  moreDates: [
    (count: number, written: string) => (count === 1 ? '1 dato til' : `${written} datoer til`),
    (count: number, written: string) => (count === 1 ? '1 more date' : `${written} more dates`),
  ],
});
