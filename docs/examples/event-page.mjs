/**
 * A newspaper's own pages for events, rendered on its own server, so that search engines see them:
 * - /arrangementer lists events by municipality and category
 * - /arrangement/SLUG shows one event
 * - /sitemap-arrangementer.xml has the addresses of both for search engines
 * `CALENDAR=http://localhost:4000 node event-page.mjs` shows them at http://localhost:3000/arrangementer. `TOWNS=Lillevik,Storvik` limits the list
 * to the newspaper's own municipalities. Set "eventPages": "https://avisen.example/arrangement/{slug}" in the calendar's licence.json: then these
 * pages are the canonical ones, and all links lead here. If the calendar does not respond, pages that were shown before stay for a day. `HIDDEN`, or
 * a line in the file that `HIDDEN_FILE` names, takes an event down at once, even then. `event-page.php` shows the same pages in PHP.
 */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const {
  CALENDAR = 'http://localhost:4000',
  SITE = 'http://localhost:3000',
  PORT = '3000',
  NEWSPAPER = 'Lillevik avis',
  TOWNS = '',
  // Events to hide: their addresses, slugs or ids, with commas or blanks between them.
  HIDDEN = '',
  // A file with more events to hide, one on each line. It is read for each page view, so you need not restart the program.
  HIDDEN_FILE = '',
  // The address of such a file for all sites of a group. It must not be on the calendar's machine.
  ALMANAKK_HIDDEN_URL: HIDDEN_URL = '',
  // `nn` for pages in Nynorsk.
  WRITTEN_NORWEGIAN: LANGUAGE = 'nb',
} = process.env;
const listIn = (text) => text.split(',').flatMap((part) => part.trim() || []);
const OWN_TOWNS = listIn(TOWNS);
/** Milliseconds for which an answer is used again, normally and if the calendar does not respond. `PAUSE`: before it is asked again then. */
const FRESH = 60_000;
const SITEMAP_FRESH = 3_600_000;
const KEPT = 86_400_000;
const PAUSE = 30_000;
/** Milliseconds to wait for the list at `HIDDEN_URL`, at most once a minute, and its maximum number of characters. */
const HIDDEN_TIMEOUT = 2_000;
const HIDDEN_MOST = 65_536;
/** The first line of the list. Without it, an empty file, or an error page that a server sends with status 200, would show all events again. */
const HIDDEN_MARK = '# almanakk hidden events';
/** Answers in memory. The answer for a list of 20 events takes about 10 kB. */
const MOST_ANSWERS = 2_000;
/** Events of a list, and dates of an event. */
const PER_PAGE = 20;

const TEXTS = {
  nb: {
    events: 'arrangementer',
    allEvents: 'Alle arrangementer',
    dates: 'Tid og sted',
    previous: 'Forrige',
    tickets: 'Billetter',
    postponed: 'Utsatt',
    soldOut: 'Utsolgt',
    moved: 'Flyttet',
    movedFrom: 'Flyttet fra',
    gone: 'Arrangementet er over eller fjernet.',
    missing: 'Vi fant ikke siden.',
    unavailable: 'Arrangementene kan ikke vises nå. Prøv igjen om litt.',
  },
  nn: {
    events: 'arrangement',
    allEvents: 'Alle arrangement',
    dates: 'Tid og stad',
    previous: 'Førre',
    tickets: 'Billettar',
    postponed: 'Utsett',
    soldOut: 'Utselt',
    moved: 'Flytta',
    movedFrom: 'Flytta frå',
    gone: 'Arrangementet er over eller fjerna.',
    missing: 'Vi fann ikkje sida.',
    unavailable: 'Arrangementa kan ikkje visast no. Prøv igjen om litt.',
  },
}[LANGUAGE];

const DATE =
  'startDate endDate startTime allDay status previousStartDate eventSoldOut ticketsURL venue { name address }';
const IMAGE = 'urlLarge copies { url width } alt credits width height';
const EVENT = `id event_slug eventLink title_nb title_en mode ticketsInformation prices { price } occurrencePrices { price } ${DATE}`;
const EVENT_QUERY = `query EventPage($slug: String!) {
  eventBySlug(eventSlug: $slug) {
    ${EVENT} summary_nb desc_nb desc_en norwegian organizers { name } images { ${IMAGE} }
    repetitions { ${DATE} occurrencePrices: prices { price } }
  }
}`;
const LIST_QUERY = `query EventList($filter: Filter, $own: Filter, $page: Int) {
  events(filter: $filter, page: $page, pageSize: ${PER_PAGE}) { totalCount pageInfo { totalPages } data { ${EVENT} } }
  all: events(filter: $own, pageSize: 1) { municipalities { name } }
  categories { id name_nb name_nn visible }
}`;
const SITEMAP_QUERY = `query Sitemap($own: Filter, $page: Int) {
  events(filter: $own, page: $page, pageSize: 1000) { hasMore municipalities { name } data { id eventLink updated_at } }
}`;

/**
 * The list for all sites of a group: when it was last requested, since when it could not be read, or 0, and its last good copy, until this program
 * ends.
 */
const shared = { asked: 0, since: 0, lines: [] };
// Before the first page.
await sharedLines();

export const server = createServer(async (request, response) => {
  const { status, headers, body } = await answerTo(request.url).catch(unavailable);
  // The newspaper's own cache may keep a page for a minute.
  const common = { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'public, max-age=60' };
  response.writeHead(status, { ...common, ...headers }).end(request.method === 'HEAD' ? undefined : body);
}).listen(Number(PORT));

/** The answer for an address of this site, such as `/arrangement/korkveld?dato=2026-11-20`. */
async function answerTo(url) {
  hidden = await readHidden();
  const [path, search = ''] = url.split('?');
  const query = new URLSearchParams(search);
  if (query.get('almanakk_hidden') === 'copy') return answerWithState();
  const [, slug] = /^\/arrangement\/([\w-]+)$/.exec(path) ?? [];
  if (slug !== undefined) return answerWithEvent(slug, query);
  if (path === '/arrangementer') return answerWithList(query);
  if (path === '/sitemap-arrangementer.xml') return answerWithSitemap();
  return missing(404);
}

/** The number of a page, from 1; 1 for anything else. */
const pageIn = (query) => (/^[1-9]\d{0,4}$/.test(query.get('side') ?? '') ? Number(query.get('side')) : 1);

async function answerWithEvent(slug, query) {
  if (isHidden(slug)) return missing(410);
  const found = await cached(`event ${slug}`, async () => {
    const { eventBySlug: event } = await fetchData(EVENT_QUERY, { slug });
    return event === null ? null : { event, jsonLd: await fetchJsonLd(event.id) };
  });
  if (found === null) return missing(await statusWithout(slug));
  const { event, jsonLd } = found;
  if (isHidden(event.event_slug, event.id)) return missing(410);
  // Nothing else of the request gets into the answer.
  const [day] = /^\d{4}-\d\d-\d\d$/.exec(query.get('dato') ?? '') ?? [];
  // The event has been renamed, or the link is an old one.
  if (event.event_slug !== slug)
    return {
      status: 301,
      headers: { Location: SITE + addressOf(event) + (day ? `?dato=${day}` : '') },
      body: '',
    };
  const page = query.has('side') ? pageIn(query) : null;
  return { status: 200, body: eventPage(event, { day, jsonLd, page }) };
}

let hidden = new Set();
/** Of `HIDDEN_FILE`, as they were read last. */
let linesRead = [];

/** `names`: the slug and the id of an event, as far as they are known. */
const isHidden = (...names) => names.some((name) => hidden.has(name));

async function readHidden() {
  const lines = [...HIDDEN.split(/[\s,]+/), ...(await linesOfFile()), ...(await sharedLines())];
  return new Set(lines.flatMap(namesIn));
}

/**
 * The slugs and ids that a line names: by its addresses or, without one, by its first word. The rest is a remark, and so is a line that begins with
 * `#`. But some ids have blanks: the whole line may be one, too. Some contain an address, as in `avis:https://scene.example/korkveld`: that is none.
 */
function namesIn(line) {
  if (line.startsWith('#')) return [];
  const addresses = line.match(/(?<![^\s(<"'])https?:\/\/[^\s()<>"']+/gi);
  const named = addresses?.map(nameInAddress) ?? [line.split(/\s/)[0]];
  return [line, ...named].filter(Boolean);
}

/** The slug or the id in the address of an event's page, on any site; empty if there is none. */
function nameInAddress(address) {
  // The address may be the end of a sentence.
  const [path, search = ''] = address
    .replace(/[.,;:!]+$/, '')
    .split('#')[0]
    .split('?');
  const named = new URLSearchParams(search).get('arrangement');
  // After the scheme and the host.
  const [, , , ...parts] = path.replace(/\/+$/, '').split('/');
  return named ?? decoded((parts.at(-1) ?? '').replace(/\.html$/, ''));
}

/** Unchanged if it contains a percent sign that encodes nothing. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** If the file cannot be read, the lines that were read last apply, and the log has the reason. */
async function linesOfFile() {
  if (HIDDEN_FILE === '') return [];
  try {
    linesRead = linesIn(await readFile(HIDDEN_FILE, 'utf8'));
  } catch (error) {
    console.error(`HIDDEN_FILE: ${error.message}`);
  }
  return linesRead;
}

async function sharedLines() {
  if (HIDDEN_URL === '' || Date.now() - shared.asked < FRESH) return shared.lines;
  // While this page view waits for the list, others use the older one.
  shared.asked = Date.now();
  try {
    shared.lines = await fetchSharedLines();
    shared.since = 0;
  } catch (error) {
    shared.since ||= Date.now();
    // Who knows the address can read what was taken down.
    console.error(`ALMANAKK_HIDDEN_URL: ${error.message.replaceAll(HIDDEN_URL, 'the list')}`);
  }
  return shared.lines;
}

/** For checks from outside: for how long the list of the group could not be read, or 0 if it was read within the last minute. */
function answerWithState() {
  const list = HIDDEN_URL === '' ? 'none' : 'copy';
  const failingSeconds =
    shared.since === 0 ? 0 : Math.max(1, Math.round((Date.now() - shared.since) / 1_000));
  return {
    status: 200,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    body: JSON.stringify({ list, failingSeconds }),
  };
}

async function fetchSharedLines() {
  if (!/^(https:\/\/|http:\/\/(localhost|127\.0\.0\.1)[:/])/.test(HIDDEN_URL))
    throw new Error('expected an address that begins with https://, found another one');
  const { status, body } = await fetch(HIDDEN_URL, { signal: AbortSignal.timeout(HIDDEN_TIMEOUT) });
  if (status !== 200) throw new Error(`expected status 200 of ${HIDDEN_URL}, found ${status}`);
  let text = '';
  for await (const part of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += part;
    if (text.length > HIDDEN_MOST)
      throw new Error(`expected at most ${HIDDEN_MOST} characters of ${HIDDEN_URL}, found more`);
  }
  const lines = linesIn(text);
  if (lines[0] !== HIDDEN_MARK)
    throw new Error(
      `expected the first line ${HIDDEN_MARK} of ${HIDDEN_URL}, found ${lines[0].slice(0, 60)}`,
    );
  return lines;
}

function linesIn(text) {
  return text.split(/\r\n?|\n/).map((line) => line.trim());
}

/** Each date as schema.org describes it. No text in it can close the script element that it is put into. */
async function fetchJsonLd(id) {
  const { status, body } = await ask(`/events.jsonld?lang=${LANGUAGE}&event=${encodeURIComponent(id)}`);
  if (status !== 200) throw new Error(`expected the dates of ${id}, found status ${status}`);
  return body;
}

/** An event's address on this site. */
const addressOf = ({ event_slug }) => `/arrangement/${encodeURIComponent(event_slug)}`;

/** A category's name on these pages. */
const nameIn = ({ name_nb, name_nn }) => (LANGUAGE === 'nn' ? (name_nn ?? name_nb) : name_nb);

async function answerWithList(query) {
  const [town, category] = [query.get('kommune') || null, query.get('kategori') || null];
  const page = pageIn(query);
  const name = `list ${JSON.stringify([town, category, page])}`;
  const list = await cached(name, () => fetchList(town, category, page));
  if (list === null) return missing(404);
  const { events, ...others } = list;
  const data = events.data.filter(({ event_slug, id }) => !isHidden(event_slug, id));
  return { status: 200, body: listPage({ ...events, data }, { town, page, ...others }) };
}

/** The events of a list, the chosen category, and what a reader can choose. Null if there is no such list. */
async function fetchList(town, category, page) {
  const own = { municipalities: OWN_TOWNS };
  const filter = { municipalities: town ? [town] : OWN_TOWNS, categories: category ? [category] : [] };
  const { events, all, categories } = await fetchData(LIST_QUERY, { filter, own, page: page - 1 });
  const towns = OWN_TOWNS.length > 0 ? OWN_TOWNS : all.municipalities.map(({ name }) => name);
  const choices = categories
    .filter(({ visible }) => visible)
    .map(({ id, ...names }) => ({ id, name: nameIn(names) }));
  const chosen = choices.find(({ id }) => id === category);
  const pages = Math.max(1, events.pageInfo.totalPages);
  // Search engines would otherwise find any number of addresses.
  if ((town && !towns.includes(town)) || (category && !chosen) || page > pages) return null;
  return { events, chosen, pages, towns, choices };
}

/** A list's address on this site. */
function listAddress({ town, chosen, page = 1 }) {
  const given = { kommune: town, kategori: chosen?.id, side: page > 1 ? page : null };
  const query = new URLSearchParams(Object.entries(given).filter(([, value]) => value));
  return `/arrangementer${query.size > 0 ? `?${query}` : ''}`;
}

/** The lists, and the events whose canonical pages are here: other newspapers of the calendar have their own. */
async function answerWithSitemap() {
  const addresses = await cached('sitemap', fetchAddresses, SITEMAP_FRESH);
  const shown = addresses.filter(({ address, id }) => !isHidden(address.split('/').at(-1), id));
  const entries = shown.map(({ address, changed }) => {
    const lastmod = changed ? `<lastmod>${changed.replace(' ', 'T')}</lastmod>` : '';
    return `<url><loc>${htmlOf(address)}</loc>${lastmod}</url>\n`;
  });
  const body = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${entries.join('')}</urlset>
`;
  return { status: 200, headers: { 'Content-Type': 'application/xml; charset=utf-8' }, body };
}

/** The addresses of the sitemap. Each has the moment of its last change, or null. */
async function fetchAddresses() {
  const addresses = [];
  let towns = OWN_TOWNS;
  // A sitemap has at most 50,000 addresses.
  for (let page = 0, hasMore = true; hasMore && page < 50; page++) {
    const { events } = await fetchData(SITEMAP_QUERY, { own: { municipalities: OWN_TOWNS }, page });
    if (towns.length === 0) towns = events.municipalities.map(({ name }) => name);
    const here = events.data.filter(({ eventLink }) => eventLink.startsWith(`${SITE}/arrangement/`));
    addresses.push(
      ...here.map(({ id, eventLink, updated_at }) => ({ id, address: eventLink, changed: updated_at })),
    );
    hasMore = events.hasMore;
  }
  const lists = [null, ...towns].map((town) => ({ address: SITE + listAddress({ town }), changed: null }));
  return [...lists, ...addresses].slice(0, 50_000);
}

const answers = new Map();
let pausedUntil = 0;

/**
 * What `fetchAnew` returns, from memory or else from the calendar. If that does not respond, older data is used. Null, as for an event that the
 * calendar does not have, is not kept: addresses can be made up without end.
 */
async function cached(name, fetchAnew, fresh = FRESH) {
  const now = Date.now();
  const known = answers.get(name);
  const older = known && now - known.answered < KEPT ? known.data : null;
  const isPaused = now < pausedUntil;
  if (older && (isPaused || now - known.asked < fresh)) return older;
  if (isPaused) throw new Error(`expected an answer from ${CALENDAR}, which did not respond a moment ago`);
  // While this page view waits for the calendar, others use the older data.
  if (older) known.asked = now;
  try {
    const data = await fetchAnew();
    answers.delete(name);
    if (data !== null) answers.set(name, { asked: now, answered: now, data });
    if (answers.size > MOST_ANSWERS) answers.delete(answers.keys().next().value);
    return data;
  } catch (error) {
    if (!older) throw error;
    console.error(error);
    return older;
  }
}

async function fetchData(query, variables) {
  const headers = { 'Content-Type': 'application/json' };
  const sent = JSON.stringify({ query, variables });
  const { body } = await ask('/graphQL', { method: 'POST', headers, body: sent });
  const { data, errors } = JSON.parse(body);
  if (errors)
    throw new Error(errors.flatMap(({ message, extensions }) => extensions.reasons ?? message).join('\n'));
  return data;
}

/** 410 if the event is over or was removed; 404 if there never was one. */
async function statusWithout(slug) {
  const { status } = await ask(`/events/${slug}.html`, { method: 'HEAD' });
  if (status !== 404 && status !== 410) throw new Error(`expected 404 or 410 for ${slug}, found ${status}`);
  return status;
}

/** The calendar's answer, all of it within five seconds. */
async function ask(path, options) {
  try {
    const response = await fetch(CALENDAR + path, { ...options, signal: AbortSignal.timeout(5_000) });
    const { status } = response;
    if (status >= 500) pausedUntil = Date.now() + PAUSE;
    return { status, body: await response.text() };
  } catch (error) {
    pausedUntil = Date.now() + PAUSE;
    throw error;
  }
}

/** The events of a list, with a form for other lists. */
function listPage({ totalCount, data }, { town, chosen, page, pages, towns, choices }) {
  const heading = htmlOf([`Det skjer${town ? ` i ${town}` : ''}`, chosen?.name].filter(Boolean).join(': '));
  const head = `<link rel="canonical" href="${htmlOf(SITE + listAddress({ town, chosen, page }))}">`;
  const options = (all, value) =>
    all.map(
      ([id, name]) =>
        `<option value="${htmlOf(id)}"${id === value ? ' selected' : ''}>${htmlOf(name)}</option>`,
    );
  const townOptions = options([['', 'Alle'], ...towns.map((name) => [name, name])], town ?? '');
  const categoryOptions = options(
    [['', 'Alle'], ...choices.map(({ id, name }) => [id, name])],
    chosen?.id ?? '',
  );
  const items = data.map(
    (event) => `<li><a href="${addressOf(event)}">${titleOf(event)}</a><br>${dateOf(event, event)}</li>`,
  );
  const content = `<h1>${heading}</h1>
<form>
<label>Kommune <select name="kommune">${townOptions.join('')}</select></label>
<label>Kategori <select name="kategori">${categoryOptions.join('')}</select></label>
<button>Vis</button>
</form>
<p>${totalCount === 1 ? '1 arrangement' : `${NUMBER.format(totalCount)} ${TEXTS.events}`}</p>
<ul>${items.join('')}</ul>
${pageLinks(page, pages, (other) => listAddress({ town, chosen, page: other }))}`;
  return frame(heading, head, content);
}

const titleOf = ({ title_nb, title_en }) => htmlOf(title_nb ?? title_en);

/** `day`: that of the link which led here. `page`: of the dates; null for the one with this day. */
function eventPage(event, { day, jsonLd, page }) {
  const title = titleOf(event);
  const address = htmlOf(event.eventLink);
  const [image] = event.images;
  const preview = image && (image.copies?.at(-1)?.url ?? image.urlLarge);
  const dates = [event, ...event.repetitions];
  const pages = Math.ceil(dates.length / PER_PAGE);
  const isLinked = ({ startDate }) => startDate.slice(0, 10) === day;
  const pageOfDay = Math.floor(Math.max(0, dates.findIndex(isLinked)) / PER_PAGE) + 1;
  const shownPage = Math.min(page ?? pageOfDay, pages);
  const items = dates
    .slice((shownPage - 1) * PER_PAGE, shownPage * PER_PAGE)
    .map((date) => `<li${isLinked(date) ? ' aria-current="date"' : ''}>${dateOf(date, event)}</li>`);
  const organizers = event.organizers.map(({ name }) => htmlOf(name)).join(', ');
  const head = `<link rel="canonical" href="${address}">
<meta name="description" content="${htmlOf(event.summary_nb ?? event.title_nb ?? event.title_en)}">
<meta property="og:title" content="${title}">
<meta property="og:url" content="${address}">
${preview ? `<meta property="og:image" content="${htmlOf(preview)}">` : ''}
<script type="application/ld+json">${jsonLd}</script>`;
  // Descriptions are sanitised HTML; everything else is text.
  const content = `<h1>${title}</h1>
${image ? pictureOf(image) : ''}
<div lang="${event.desc_nb ? event.norwegian : 'en'}">${event.desc_nb ?? event.desc_en ?? ''}</div>
<h2 id="datoer">${TEXTS.dates}</h2>
<ul>${items.join('')}</ul>
${pageLinks(shownPage, pages, (other) => `?side=${other}#datoer`)}
${organizers && `<h2>Arrangør</h2><p>${organizers}</p>`}
<p><a href="/arrangementer">${TEXTS.allEvents}</a></p>`;
  return frame(title, head, content);
}

/** `addressAt`: the address of a page by its number. */
function pageLinks(page, pages, addressAt) {
  if (pages < 2) return '';
  const link = (other, text) => `<a href="${htmlOf(addressAt(other))}">${text}</a>`;
  const before = page > 1 ? `${link(page - 1, TEXTS.previous)} ` : '';
  const after = page < pages ? ` ${link(page + 1, 'Neste')}` : '';
  return `<nav aria-label="Sider">${before}Side ${page} av ${pages}${after}</nav>`;
}

/** Empty if only the organizer's server has it. */
function pictureOf(image) {
  const { alt, credits, width, height } = image;
  const sources = sourcesOf(image);
  if (sources === '') return '';
  const measures = width && height ? ` width="${width}" height="${height}"` : '';
  const caption = credits ? `<figcaption>${htmlOf(credits)}</figcaption>` : '';
  const picture = `<img ${sources} alt="${htmlOf(alt)}"${measures} referrerpolicy="no-referrer">`;
  return `<figure>${picture}${caption}</figure>`;
}

/** The copies on the calendar's server, from which browsers choose one, or else the original on the organizer's server. */
function sourcesOf({ urlLarge, copies }) {
  const address = copies === null ? urlLarge : copies[0]?.url;
  if (!address) return '';
  const source = `src="${htmlOf(address)}"`;
  if (copies === null) return source;
  const candidates = copies.map(({ url, width }) => `${htmlOf(url)} ${width}w`).join(', ');
  return `${source} srcset="${candidates}" sizes="(max-width: 40rem) 100vw, 40rem"`;
}

/** One date in Norwegian time, wherever this server is. */
function dateOf(date, event) {
  const { startDate, ticketsURL, venue } = date;
  const when = spanOf(date);
  const warning = warningOf(date);
  const states = [warning, movedOf(date)].filter(Boolean).map((state) => `<strong>${htmlOf(state)}</strong>`);
  const tickets = ticketsURL && !warning ? [`<a href="${htmlOf(ticketsURL)}">${TEXTS.tickets}</a>`] : [];
  const place =
    [venue?.name, venue?.address].filter(Boolean).join(', ') || (event.mode === 'online' ? 'På nett' : '');
  const facts = [place, pricesOf(date, event)].filter(Boolean).join(' · ');
  return `<time datetime="${htmlOf(startDate.replace(' ', 'T'))}">${htmlOf(when)}</time>
${[...states, ...tickets].join(' ')}
<br><small>${htmlOf(facts)}</small>`;
}

/** The start, and the end if there is one: `… kl. 19.00–21.00` of an evening, or else `… – søndag 22. november 2026 kl. 16.00`. */
function spanOf({ startDate, endDate, startTime, allDay }) {
  const [start, end] = [startDate, endDate].map((datetime) => Date.parse(datetime.replace(' ', 'T')));
  const from = whenOf(startDate, allDay ? '' : startTime);
  if (end === start) return from;
  const endTime = endDate.slice(11, 16);
  if (!allDay && end - start <= HALF_A_DAY) return `${from}–${endTime.replace(':', '.')}`;
  // Midnight is the end of the day before it.
  const isAtMidnight = endTime === '00:00';
  const lastDay = isAtMidnight ? new Date(end - 1).toISOString() : endDate;
  const until = whenOf(lastDay, allDay ? '' : isAtMidnight ? '24:00' : endTime);
  return until === from ? from : `${from} – ${until}`;
}

/** An event that ends in the small hours is one evening. */
const HALF_A_DAY = 12 * 3_600_000;

/** `fredag 20. november 2026 kl. 19.00`, of `2026-11-20 19:00:00+01:00` and `19:00`; without a time if `time` is empty. */
function whenOf(datetime, time) {
  return WEEKDAY.format(new Date(datetime.replace(' ', 'T'))) + (time && ` kl. ${time.replace(':', '.')}`);
}

const WEEKDAY = new Intl.DateTimeFormat(LANGUAGE, { timeZone: 'Europe/Oslo', dateStyle: 'full' });

/** Why a visitor cannot come. Such a date gets no link to tickets. */
function warningOf({ status, eventSoldOut }) {
  return { CANCELLED: 'Avlyst', POSTPONED: TEXTS.postponed }[status] ?? (eventSoldOut ? TEXTS.soldOut : '');
}

/** A date that was moved takes place. Its old start may be unknown. */
function movedOf({ status, previousStartDate, allDay }) {
  if (status !== 'RESCHEDULED') return '';
  if (previousStartDate === null) return TEXTS.moved;
  return `${TEXTS.movedFrom} ${whenOf(previousStartDate, allDay ? '' : previousStartDate.slice(11, 16))}`;
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

const NUMBER = new Intl.NumberFormat(LANGUAGE);

function missing(status) {
  const text = status === 410 ? TEXTS.gone : TEXTS.missing;
  return {
    status,
    body: frame(text, '', `<h1>${text}</h1><p><a href="/arrangementer">${TEXTS.allEvents}</a></p>`),
  };
}

function unavailable(error) {
  console.error(error);
  const headers = { 'Retry-After': '60', 'Cache-Control': 'no-store' };
  return { status: 503, headers, body: frame(TEXTS.unavailable, '', `<h1>${TEXTS.unavailable}</h1>`) };
}

/** The newspaper's own page, with its masthead and its stylesheet. */
function frame(title, head, content) {
  return `<!doctype html>
<html lang="${LANGUAGE}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – ${htmlOf(NEWSPAPER)}</title>
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
