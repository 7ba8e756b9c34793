/**
 * Event pages of a newspaper, rendered on its own server, so that search engines see the event.
 * `CALENDAR=http://localhost:4000 node event-page.mjs` shows them at http://localhost:3000/arrangement/SLUG.
 * Titles in the embed lead here with link="https://avisen.example/arrangement/{slug}?dato={date}".
 * `event-page.php` shows the same pages in PHP.
 */
import { createServer } from 'node:http';

const { CALENDAR = 'http://localhost:4000', SITE = 'http://localhost:3000', PORT = '3000' } = process.env;
const DATE =
  'startDate startTime allDay status previousStartDate eventSoldOut ticketsURL venue { name address }';
const QUERY = `query EventPage($slug: String!) {
  eventBySlug(eventSlug: $slug) {
    id event_slug title_nb title_en summary_nb desc_nb desc_en norwegian mode organizers { name } images { urlLarge alt credits }
    ticketsInformation prices { price } occurrencePrices { price }
    ${DATE} repetitions(first: 20) { ${DATE} occurrencePrices: prices { price } }
  }
}`;

export const server = createServer(async (request, response) => {
  const { status, headers, body } = await answerTo(request.url).catch(unavailable);
  // The newspaper's own cache may keep a page for a minute.
  const common = { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'public, max-age=60' };
  response.writeHead(status, { ...common, ...headers }).end(request.method === 'HEAD' ? undefined : body);
}).listen(Number(PORT));

/** The answer for an address of this site, such as `/arrangement/korkveld?dato=2026-11-20`. */
async function answerTo(url) {
  const [path, search = ''] = url.split('?');
  const [, slug] = /^\/arrangement\/([\w-]+)$/.exec(path) ?? [];
  const event = slug === undefined ? null : await fetchEvent(slug);
  if (event === null) return missing(await statusWithout(slug));
  const address = `${SITE}/arrangement/${encodeURIComponent(event.event_slug)}`;
  // Nothing else of the request gets into the answer.
  const [, day] = /(?:^|&)dato=(\d{4}-\d\d-\d\d)(?:&|$)/.exec(search) ?? [];
  // The event has been renamed, or the link is an old one.
  if (event.event_slug !== slug)
    return { status: 301, headers: { Location: address + (day ? `?dato=${day}` : '') }, body: '' };
  const jsonLd = await fetchJsonLd(event.id, address);
  return { status: 200, body: pageOf(event, { address, day, jsonLd }) };
}

/** Null if no upcoming event has or had this slug. */
async function fetchEvent(slug) {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ query: QUERY, variables: { slug } });
  const { data, errors } = await (await ask('/graphQL', { method: 'POST', headers, body })).json();
  if (errors)
    throw new Error(errors.flatMap(({ message, extensions }) => extensions.reasons ?? message).join('\n'));
  return data.eventBySlug;
}

/** 410 if the event is over or was removed; 404 if there never was one. */
async function statusWithout(slug) {
  if (slug === undefined) return 404;
  const { status } = await ask(`/events/${slug}.html`, { method: 'HEAD' });
  if (status !== 404 && status !== 410) throw new Error(`expected 404 or 410 for ${slug}, found ${status}`);
  return status;
}

/** Each date as schema.org describes it, with the address of this page. Texts cannot close the script element that it is put into. */
async function fetchJsonLd(id, url) {
  const list = await (await ask(`/events.jsonld?lang=nb&event=${encodeURIComponent(id)}`)).json();
  const events = list['@graph'].map((event) => ({ ...event, url }));
  return JSON.stringify({ ...list, '@graph': events }).replaceAll('<', '\\u003c');
}

const ask = (path, options) => fetch(CALENDAR + path, { ...options, signal: AbortSignal.timeout(5_000) });

function pageOf(event, { address, day, jsonLd }) {
  const title = htmlOf(event.title_nb ?? event.title_en);
  const picture = event.images[0]?.urlLarge;
  const dates = [event, ...event.repetitions].map((date) => dateOf(date, event, day));
  const organizers = event.organizers.map(({ name }) => htmlOf(name)).join(', ');
  const head = `<link rel="canonical" href="${htmlOf(address)}">
<meta name="description" content="${htmlOf(event.summary_nb ?? event.title_nb ?? event.title_en)}">
<meta property="og:title" content="${title}">
<meta property="og:url" content="${htmlOf(address)}">
${picture ? `<meta property="og:image" content="${htmlOf(picture)}">` : ''}
<script type="application/ld+json">${jsonLd}</script>`;
  // Descriptions are sanitised HTML; everything else is text.
  const content = `<h1>${title}</h1>
${picture ? pictureOf(event.images[0]) : ''}
<div lang="${event.desc_nb ? event.norwegian : 'en'}">${event.desc_nb ?? event.desc_en ?? ''}</div>
<h2>Tid og sted</h2>
<ul>${dates.join('')}</ul>
${organizers && `<h2>Arrangør</h2><p>${organizers}</p>`}`;
  return frame(title, head, content);
}

function pictureOf({ urlLarge, alt, credits }) {
  const caption = credits ? `<figcaption>${htmlOf(credits)}</figcaption>` : '';
  return `<figure><img src="${htmlOf(urlLarge)}" alt="${htmlOf(alt)}" referrerpolicy="no-referrer">${caption}</figure>`;
}

/** One date in Norwegian time, wherever this server is. `day`: that of the link which led here. */
function dateOf(date, event, day) {
  const { startDate, startTime, allDay, ticketsURL, venue } = date;
  const when = whenOf(startDate, allDay ? '' : startTime);
  const current = startDate.slice(0, 10) === day ? ' aria-current="date"' : '';
  const warning = warningOf(date);
  const states = [warning, movedOf(date)].filter(Boolean).map((state) => `<strong>${htmlOf(state)}</strong>`);
  const tickets = ticketsURL && !warning ? [`<a href="${htmlOf(ticketsURL)}">Billetter</a>`] : [];
  const place =
    [venue?.name, venue?.address].filter(Boolean).join(', ') || (event.mode === 'online' ? 'Digitalt' : '');
  const facts = [place, pricesOf(date, event)].filter(Boolean).join(' · ');
  return `<li${current}><time datetime="${htmlOf(startDate.replace(' ', 'T'))}">${htmlOf(when)}</time>
${[...states, ...tickets].join(' ')}
<br><small>${htmlOf(facts)}</small></li>`;
}

/** `fredag 20. november 2026 kl. 19.00`, of `2026-11-20 19:00:00+01:00` and `19:00`; without a time if `time` is empty. */
function whenOf(datetime, time) {
  return WEEKDAY.format(new Date(datetime.replace(' ', 'T'))) + (time && ` kl. ${time.replace(':', '.')}`);
}

const WEEKDAY = new Intl.DateTimeFormat('nb', { timeZone: 'Europe/Oslo', dateStyle: 'full' });

/** Why a visitor cannot come. Such a date gets no link to tickets. */
function warningOf({ status, eventSoldOut }) {
  return { CANCELLED: 'Avlyst', POSTPONED: 'Utsatt' }[status] ?? (eventSoldOut ? 'Utsolgt' : '');
}

/** A date that was moved takes place. Its old start may be unknown. */
function movedOf({ status, previousStartDate, allDay }) {
  if (status !== 'RESCHEDULED') return '';
  if (previousStartDate === null) return 'Flyttet';
  return `Flyttet fra ${whenOf(previousStartDate, allDay ? '' : previousStartDate.slice(11, 16))}`;
}

/** `Gratis`, or prices from the lowest to the highest, such as `150–250 kr`; empty if nothing is known. */
function pricesOf({ occurrencePrices }, { ticketsInformation, prices }) {
  if (ticketsInformation === 'free') return 'Gratis';
  if (ticketsInformation !== 'ticketsInfo') return '';
  // An unknown price is null. Free tickets are for companions or small children.
  const paid = (occurrencePrices ?? prices).flatMap(({ price }) => price || []);
  if (paid.length === 0) return '';
  const ends = new Set([Math.min(...paid), Math.max(...paid)]);
  return `${[...ends].map((price) => NUMBER.format(price)).join('–')}\u00a0kr`;
}

const NUMBER = new Intl.NumberFormat('nb');

function missing(status) {
  const text = status === 410 ? 'Arrangementet er over eller fjernet.' : 'Vi fant ikke arrangementet.';
  return { status, body: frame(text, '', `<h1>${text}</h1><p><a href="/">Til forsiden</a></p>`) };
}

function unavailable(error) {
  console.error(error);
  const text = 'Arrangementet kan ikke vises nå. Prøv igjen om litt.';
  const headers = { 'Retry-After': '60', 'Cache-Control': 'no-store' };
  return { status: 503, headers, body: frame(text, '', `<h1>${text}</h1>`) };
}

/** The newspaper's own page, with its masthead and its stylesheet. */
function frame(title, head, content) {
  return `<!doctype html>
<html lang="nb">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Lillevik avis</title>
${head}
<style>
body { margin: 0 auto; max-width: 42rem; padding: 1.5rem 1rem; font: 1.0625rem/1.6 Georgia, serif; overflow-wrap: anywhere; }
img { display: block; width: 100%; height: auto; }
figure { margin: 0; }
[aria-current] { font-weight: bold; }
</style>
</head>
<body><main>${content}</main></body>
</html>
`;
}

function htmlOf(text) {
  return String(text ?? '').replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
