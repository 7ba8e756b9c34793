/**
 * The plain page (I10): events under their days, one entry each, for frames and printers; with the same events as JSON-LD.
 */
import { FEATURES } from '../common/accessibility.ts';
import { type Entry, timeOf, writeDays, writeLater } from '../events/days.ts';
import { jsonLdScript } from '../events/jsonld.ts';
import { nameOf } from '../events/name.ts';
import type { Feed } from '../events/read.ts';
import { describe, langOf, linkOf, marksOf, writeNone, writePlace, writePrices } from '../events/words.ts';
import { assetOf, STYLESHEET } from '../page/assets.ts';
import { writeMoment } from '../page/dates.ts';
import { type Html, html, joined } from '../page/html.ts';
import { documentHead, LISTS } from '../page/page.ts';
import { queryText } from '../page/queries.ts';
import { inEach } from '../page/reader.ts';

export const PLAIN_STYLESHEET = assetOf('src/annexes/listing/assets/listing.css');

/** `hasFeeds`: whether there are feeds to link to. */
export function* writePlain(feed: Feed, hasFeeds: boolean): Generator<string> {
  const { language } = feed;
  const title = headingOf(feed);
  const more = html`<meta name="robots" content="noindex">
<base target="_top">
${[STYLESHEET, PLAIN_STYLESHEET].map(({ file }) => html`<link rel="stylesheet" href="${file}">\n`)}${alternates(feed, hasFeeds)}`;
  yield html`${documentHead({ language, title, description: describe(feed), more, theme: themeOf(feed) })}<body class="listing">
<main>
<h1>${title}</h1>
`.html;
  yield* writeDays(feed, entryOf);
  if (feed.events.length === 0) yield html`<p>${writeNone(language)}</p>\n`.html;
  yield foot(feed, hasFeeds).html;
  yield* jsonLdScript(feed);
  yield '</body>\n</html>\n';
}

/** Feeds of the same events: I1 and I6. */
const ALTERNATES = [LISTS.ics, LISTS.rss, LISTS.json, LISTS.jsonld, LISTS.csv];

/** Links to other forms of the same events, for programs. */
export function alternates(feed: Feed, hasFeeds: boolean): Html {
  const name = headingOf(feed);
  const feeds = hasFeeds ? ALTERNATES : [];
  const query = searchWith(feed, FEED_HAS_NOT);
  return html`${feeds.map(({ file, type, kind }) => html`<link rel="alternate" type="${type}" title="${name} (${kind})" href="${file}${query}">\n`)}${feed.address !== null && html`<link rel="alternate" type="application/json+oembed" title="${name}" href="oembed?${new URLSearchParams({ url: new URL(`events.html${feed.search}`, feed.address).href }).toString()}">\n`}`;
}

/** Parameters that a feed of the same events does not accept, or ignores. */
export const FEED_HAS_NOT: Changes = {
  heading: null,
  view: null,
  theme: null,
  page: null,
  pageSize: null,
};

type Changes = Readonly<Record<string, string | null>>;

/** The page's query with changed values; null removes one. */
export function searchWith({ search }: Pick<Feed, 'search'>, changes: Changes): string {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  return queryText(query);
}

const themeOf = ({ values }: Feed): string | undefined =>
  typeof values.theme === 'string' && values.theme !== 'auto' ? values.theme : undefined;

function headingOf(feed: Feed): string {
  const { heading } = feed.values;
  return typeof heading === 'string' ? heading : nameOf(feed);
}

function entryOf(entry: Entry): Html {
  const { event, occurrence, feed } = entry;
  const { language } = feed;
  const about = event.summary;
  const later = writeLater(entry);
  const prices = writePrices(event, occurrence, language);
  const facts = [
    writePlace(event, occurrence, language),
    event.labels.join(', '),
    prices && html`<span class="price">${prices}</span>`,
    occurrence.accessibility.map((word) => FEATURES[word][language].toLowerCase()).join(', '),
  ].filter((fact) => fact !== '');
  return html`<li><span class="time">${timeOf(occurrence, feed)}</span>
<div class="what"><h3><a href="${linkOf(event, occurrence)}"${langOf(event.title, language)}>${event.title.text}</a>${marksOf(occurrence, language)}</h3>
<p class="where">${joined(facts, ' · ')}</p>
${about && html`<p class="about"${langOf(about, language)}>${about.text}</p>\n`}${later && html`<p class="later">${later}</p>\n`}</div></li>
`;
}

/** Whose calendar it is, of when, and its terms, whose address stands in full for paper. */
export function imprint({ language, licence, builtAt }: Feed): Html {
  const { attribution, dataLicence, siteUrl } = licence;
  const { name = null, url = null } = dataLicence ?? {};
  const terms = [attribution, name].filter(Boolean).join(' – ');
  return html`<p><a href="${siteUrl}">${licence.name}</a> · ${TEXTS[language].built} ${writeMoment(builtAt, language)}${terms !== '' && ` · ${terms}`}${url !== null && html`, <a rel="license" href="${url}">${url}</a>`}</p>
`;
}

function foot(feed: Feed, hasFeeds: boolean): Html {
  const { language, address } = feed;
  const query = searchWith(feed, FEED_HAS_NOT);
  const webcal = address && new URL(`events.ics${query}`, address).href.replace(/^https?:/, 'webcal:');
  const links = [
    webcal && html`<a href="${webcal}">${TEXTS[language].subscribe}</a>`,
    ...[LISTS.ics, LISTS.rss].map(({ file, kind }) => html`<a href="${file}${query}">${kind}</a>`),
  ].filter(Boolean);
  return html`</main>
${pageLinks(feed)}<footer class="colophon">
${imprint(feed)}<p class="feeds">${hasFeeds && joined(links, ' · ')}</p>
</footer>
`;
}

/** Empty if all events are on this page. */
export function pageLinks(feed: Feed): Html {
  const { page, pageSize, total, language } = feed;
  const texts = TEXTS[language];
  const pages = Math.ceil(total / pageSize);
  const linkTo = (to: number, rel: string, text: string) =>
    html`<li><a rel="${rel}" target="_self" href="events.html${searchWith(feed, { page: `${to}` })}">${text}</a></li>\n`;
  if (pages <= 1 && page === 0) return html``;
  return html`<nav class="pages" aria-label="${texts.pages}"><ul>
${page > 0 && linkTo(Math.min(page, pages) - 1, 'prev', texts.previous)}<li>${texts.pageOf(page + 1, pages)}</li>
${page + 1 < pages && linkTo(page + 1, 'next', texts.next)}</ul></nav>
`;
}

const TEXTS = inEach({
  pages: ['Bla i listen', 'Pages of the list'],
  pageOf: [
    (page: number, pages: number) => `Side ${page} av ${pages}`,
    (page: number, pages: number) => `Page ${page} of ${pages}`,
  ],
  previous: ['Forrige side', 'Previous page'],
  next: ['Neste side', 'Next page'],
  built: ['oppdatert', 'updated'],
  subscribe: ['Abonner', 'Subscribe'],
});
