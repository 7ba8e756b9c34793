/**
 * One event's page (I11, the calendar's own site): its picture, its dates, its place, and what it costs; and the page for an address that
 * has none: what there is in its place (A17, a published slug stays with its id).
 */
import { formatDay, HOUR, osloDay } from '../../../calendar/time.ts';
import { refuse } from '../../../serve/graphql/refusal.ts';
import { FEATURES } from '../../common/accessibility.ts';
import type { Format } from '../../events/endpoint.ts';
import { eventsIn, type Feed, reachAt } from '../../events/read.ts';
import type { ExplainRefusal } from '../../events/refusal-page.ts';
import type { FeedEvent, FeedOccurrence } from '../../events/values.ts';
import { langOf, marksOf, pricesOf, writePlace, writePrices, writeWhen } from '../../events/words.ts';
import { type Content, type Html, html, joined } from '../../page/html.ts';
import { LISTS, type PageName, pairs } from '../../page/page.ts';
import { inEach, languageQuery, writeNumber } from '../../page/reader.ts';
import { aboutOf } from '../plain.ts';
import { SITE_STYLESHEET, sitePage } from './frame.ts';
import { jsonLd, type Offered } from './list.ts';

/** Dates that a page shows at once. */
const MOST_DATES = 12;

export function writeEvent(feed: Feed, offered: Offered): Iterable<string> {
  const { language, licence } = feed;
  const texts = TEXTS[language];
  const [{ event, dates } = notHere()] = eventsIn(feed);
  const all = [...dates()];
  const [shown = notHere()] = all;
  const { title, description, image } = event;
  const when = writeWhen(shown, feed);
  const content = html`<article class="event">
<p class="back"><a href="../events.html${languageQuery(feed)}">← ${texts.all}</a></p>
<h1${langOf(title, language)}>${title.text}${marksOf(shown, language)}</h1>
${image !== null && html`<figure class="cover"><img src="${image.large}" alt="${image.alt}">${image.credits && html`<figcaption>${image.credits}</figcaption>`}</figure>\n`}<div class="columns">
<div class="facts">
${factsOf({ event, shown, feed })}${offered.hasFeeds && calendars({ event, shown, feed })}</div>
<div class="about">
${description !== null && html`<div${langOf(description, language)}>${{ html: description.text }}</div>\n`}${datesOf(all, { event, shown, feed })}</div>
</div>
${jsonLd({ ...feed, reach: reachAt(feed.now) })}</article>`;
  const facts = [when, writePlace(event, shown, language), description && aboutOf(description).text];
  return [
    sitePage(feed, {
      title: `${title.text} – ${licence.name}`,
      description: facts.filter(Boolean).join(' · '),
      canonical: event.link,
      image,
      root: '../',
      menu: offered.menu,
      content,
      head: html`<link rel="alternate" type="application/json" href="../${LISTS.json.file}?event=${encodeURIComponent(event.id)}">\n`,
    }).html,
  ];
}

function notHere(): never {
  throw new RangeError('expected a feed with one event, found none');
}

interface Shown {
  readonly event: FeedEvent;
  readonly shown: FeedOccurrence;
  readonly feed: Feed;
}

/** Omits what is not known. */
function factsOf({ event, shown, feed }: Shown): Html {
  const { language } = feed;
  const texts = TEXTS[language];
  const { venue, ticketsURL, accessibility } = shown;
  const tickets = ticketsURL !== null && html`<a href="${ticketsURL}">${texts.tickets}</a>`;
  const prices = pricesIn({ event, shown, feed });
  const at = venue?.location && `${venue.location.latitude}/${venue.location.longitude}`;
  const link = (address: string, text: string) => html`<a href="${address}">${text}</a>`;
  const map =
    at && link(`https://www.openstreetmap.org/?mlat=${at.replace('/', '&mlon=')}#map=17/${at}`, texts.map);
  const stream = event.isOnline && event.streamingURL !== null && link(event.streamingURL, texts.stream);
  const isSomewhere = venue !== null || event.isOnline;
  const place = joined([writePlace(event, shown, language), map, stream].filter(Boolean), ' ');
  return pairs([
    [texts.when, writeWhen(shown, feed)],
    [texts.where, isSomewhere && place],
    [texts.price, joined([prices, tickets].filter(Boolean), ' · ')],
    [texts.accessibility, accessibility.map((word) => FEATURES[word][language]).join(', ')],
    [
      texts.organizer,
      joined(
        event.organizers.map(({ name, website }) => (website === null ? name : link(website, name))),
        ', ',
      ),
    ],
    [
      texts.category,
      joined(
        event.categories.map(({ id, label }) =>
          link(`../events.html?categories=${encodeURIComponent(id)}`, label),
        ),
        ', ',
      ),
    ],
    [texts.more, event.moreInfoURL !== null && link(event.moreInfoURL, hostOf(event.moreInfoURL))],
  ]);
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

/** `gratis`, or each ticket with its price. */
function pricesIn({ event, shown, feed: { language } }: Shown): Content {
  const named = pricesOf(event, shown).filter(({ price, name }) => price !== null && name !== null);
  if (event.isFree || named.length < 2) return writePrices(event, shown, language);
  const each = named.map(
    ({ name, price }) => html`${name} <span class="price">${writeNumber(price ?? 0, language)} kr</span>`,
  );
  return joined(each, ', ');
}

/** All dates, when there are several. */
function datesOf(all: readonly FeedOccurrence[], { event, shown, feed }: Shown): Content {
  if (all.length < 2) return '';
  const { language } = feed;
  const texts = TEXTS[language];
  const itemOf = (date: FeedOccurrence) => {
    const place = date.venue?.id === shown.venue?.id ? '' : writePlace(event, date, language);
    const prices = date.prices === null ? '' : writePrices(event, date, language);
    const more = [place, prices].filter((text) => text !== '');
    return html`<li>${writeWhen(date, feed)}${marksOf(date, language)}${more.map((text) => [' · ', text])}</li>\n`;
  };
  const rest = all.slice(MOST_DATES);
  return html`<h2>${texts.dates}</h2>
<ul class="dates">
${all.slice(0, MOST_DATES).map(itemOf)}</ul>
${rest.length > 0 && html`<details><summary>${texts.moreDates(writeNumber(rest.length, language))}</summary><ul class="dates">\n${rest.map(itemOf)}</ul></details>\n`}`;
}

/** Links that put the shown date into a reader's own calendar. */
function calendars({ event, shown, feed }: Shown): Html {
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
    details: event.link,
    location: place,
  });
  const outlook = new URLSearchParams({
    path: '/calendar/action/compose',
    rru: 'addevent',
    subject: event.title.text,
    startdt: iso(start),
    enddt: iso(until),
    ...(isAllDay && { allday: 'true' }),
    body: event.link,
    location: place,
  });
  return html`<div class="calendars"><h2>${texts.add}</h2>
<ul>
<li><a href="../${LISTS.ics.file}?event=${encodeURIComponent(event.id)}">${texts.file}</a></li>
<li><a href="https://calendar.google.com/calendar/render?${google.toString()}">Google</a></li>
<li><a href="https://outlook.live.com/calendar/0/deeplink/compose?${outlook.toString()}">Outlook</a></li>
</ul></div>
`;
}

/** A17: slugs, of at most 80 characters. */
const PATH = /^\/events\/([a-z0-9-]{1,80})\.html$/;

export const isEventPage: Format['isFor'] = ({ path }) => PATH.test(path);

/** The event that has the slug, or had it; else whether any had. */
export const eventOf: NonNullable<Format['eventOf']> = async (
  path,
  { eventNames, ordinalBySlug, isGoneSlug },
) => {
  const slug = PATH.exec(path)?.[1] ?? '';
  const ordinal = ordinalBySlug(slug);
  const [event] = ordinal === null ? [] : await eventNames([ordinal]);
  if (event !== undefined) return event.id;
  return isGoneSlug(slug)
    ? refuse('GONE', 'This event is over, or was taken out of the calendar.')
    : refuse('NOT_FOUND', 'There is no event at this address.');
};

/** `menu`: of the calendar's own site. */
export const explainGone =
  (menu: () => readonly PageName[]): ExplainRefusal =>
  ({ code }, { path, language, inAddress }) => {
    const texts = TEXTS[language];
    const own = inAddress ? { lang: language } : {};
    const words = (PATH.exec(path)?.[1] ?? '').replace(/-\d+$/, '').replaceAll('-', ' ');
    const like = new URLSearchParams({ searchTerm: words, ...own });
    return {
      ...texts[code === 'GONE' ? 'gone' : 'unknown'],
      ending: '',
      menu: menu(),
      root: '../',
      script: html`<link rel="stylesheet" href="../${SITE_STYLESHEET.file}">\n<meta name="robots" content="noindex">\n`,
      more: html`<ul>
<li><a href="../events.html?${like.toString()}">${texts.like(words)}</a></li>
<li><a href="../events.html?${new URLSearchParams(own).toString()}">${texts.all}</a></li>
</ul>
`,
    };
  };

const TEXTS = inEach({
  gone: [
    {
      title: 'Arrangementet er over',
      text: 'Det er holdt, eller tatt ut av kalenderen. Her er det som skjer nå:',
    },
    {
      title: 'This event is over',
      text: 'It has taken place, or was taken out of the calendar. This is what is on now:',
    },
  ],
  unknown: [
    {
      title: 'Dette arrangementet finnes ikke',
      text: 'Adressen er skrevet feil, eller arrangementet er ikke i kalenderen. Her er det som skjer:',
    },
    {
      title: 'This event does not exist',
      text: 'The address is misspelt, or the event is not in the calendar. This is what is on:',
    },
  ],
  like: [(words: string) => `Søk etter «${words}»`, (words: string) => `Search for “${words}”`],
  all: ['Alle arrangementer', 'All events'],
  when: ['Når', 'When'],
  where: ['Hvor', 'Where'],
  map: ['Kart', 'Map'],
  stream: ['Se på nett', 'Watch online'],
  price: ['Pris', 'Price'],
  tickets: ['Billetter', 'Tickets'],
  accessibility: ['Tilgjengelighet', 'Accessibility'],
  organizer: ['Arrangør', 'Organizer'],
  category: ['Kategori', 'Category'],
  more: ['Mer', 'More'],
  dates: ['Alle datoer', 'All dates'],
  moreDates: [(count: string) => `${count} datoer til`, (count: string) => `${count} more dates`],
  add: ['Legg i kalenderen', 'Add to a calendar'],
  file: ['Apple og andre (.ics)', 'Apple and others (.ics)'],
});
