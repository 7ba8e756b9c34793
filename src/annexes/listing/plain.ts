/**
 * The plain page (I10): events under their days, one entry each, for frames and printers; with the same events as JSON-LD.
 */

import { FEATURES } from '../common/accessibility.ts';
import { type Entry, marksOf, timeOf, writeDays } from '../events/days.ts';
import { jsonLdScript } from '../events/jsonld.ts';
import { writeLater } from '../events/later-dates.ts';
import { describe, nameOf, writeNone } from '../events/name.ts';
import type { Feed } from '../events/read.ts';
import { linkOf } from '../events/values.ts';
import { writePlace, writePrices } from '../events/words.ts';
import { assetOf, STYLESHEET } from '../page/assets.ts';
import { writeMoment } from '../page/dates.ts';
import { type Content, type Html, html, joined } from '../page/html.ts';
import { LISTS, queryText } from '../page/links.ts';
import { documentHead } from '../page/page.ts';
import { langOf } from '../page/parts.ts';
import { capitalized, inEach } from '../page/reader.ts';

export const PLAIN_STYLESHEET = assetOf('src/annexes/listing/assets/listing.css');

/** `hasFeeds`: whether there are feeds to link to. */
export function* writePlain(feed: Feed, hasFeeds: boolean): Generator<string> {
  const { language } = feed;
  yield html`${headOf(feed, hasFeeds)}<body class="listing">
<main>
<h1>${headingOf(feed)}</h1>
`.html;
  yield* writeDays(feed, entryOf);
  if (isBeyondLast(feed)) yield beyondLast(feed).html;
  else if (feed.events.length === 0) yield html`<p>${writeNone(language)}</p>\n`.html;
  yield html`</main>
${pageLinks(feed)}${foot(feed, hasFeeds)}`.html;
  yield* jsonLdScript(feed);
  yield '</body>\n</html>\n';
}

function headOf(feed: Feed, hasFeeds: boolean): Html {
  const stylesheets = [STYLESHEET, PLAIN_STYLESHEET].map(
    ({ file }) => html`<link rel="stylesheet" href="${file}">\n`,
  );
  return documentHead({
    language: feed.language,
    title: headingOf(feed),
    description: describe(feed),
    more: html`<meta name="robots" content="noindex">
<base target="_top">
${stylesheets}${alternates(feed, hasFeeds)}`,
    theme: themeOf(feed),
  });
}

/** Feeds of the same events: I1 and I6. */
const ALTERNATES = [LISTS.ics, LISTS.rss, LISTS.json, LISTS.jsonld, LISTS.csv];

/** Links to other formats of the same events, for programs. */
export function alternates(feed: Feed, hasFeeds: boolean): Html {
  const name = headingOf(feed);
  const feeds = hasFeeds ? ALTERNATES : [];
  const query = searchWith(feed, FEED_HAS_NOT);
  const linkTo = ({ file, type, kind }: (typeof ALTERNATES)[number]) =>
    html`<link rel="alternate" type="${type}" title="${name} (${kind})" href="${file}${query}">\n`;
  return html`${feeds.map(linkTo)}${oembedLink(feed)}`;
}

function oembedLink(feed: Feed): Html | null {
  if (feed.address === null) return null;
  const page = new URL(`events.html${feed.search}`, feed.address);
  const query = new URLSearchParams({ url: page.href });
  const href = `oembed?${query}`;
  return html`<link rel="alternate" type="application/json+oembed" title="${headingOf(feed)}" href="${href}">\n`;
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
export function searchWith({ parameters }: Pick<Feed, 'parameters'>, changes: Changes): string {
  const query = new URLSearchParams([...parameters]);
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
  const prices = writePrices(event, occurrence, language);
  const features = occurrence.accessibility.map((word) => FEATURES[word][language].toLowerCase());
  const facts = [
    writePlace(event, occurrence, language),
    event.labels.join(', '),
    prices && html`<span class="price">${prices}</span>`,
    capitalized(features.join(', ')),
  ].filter((fact) => fact !== '');
  const link = html`<a href="${linkOf(event, occurrence)}"${langOf(event.title, language)}>${event.title.text}</a>`;
  return html`<li><span class="time">${timeOf(occurrence, feed)}</span>
<div class="what"><h3>${link}${marksOf(occurrence, language)}</h3>
<p class="where">${joined(facts, ' · ')}</p>
${summaryOf(entry)}${laterOf(entry)}</div></li>
`;
}

function summaryOf({ event: { summary }, feed: { language } }: Entry): Html | null {
  return summary && html`<p class="about"${langOf(summary, language)}>${summary.text}</p>\n`;
}

function laterOf(entry: Entry): Html | null {
  const later = writeLater(entry);
  return later === '' ? null : html`<p class="later">${later}</p>\n`;
}

/** The calendar's name, the date of its data, and its licence; the licence URL is spelled out for printouts. */
export function imprint({ language, licence, builtAt }: Feed): Html {
  const { attribution, dataLicence, siteUrl } = licence;
  const { name = null, url = null } = dataLicence ?? {};
  const permitted = url === null ? name : html`<a rel="license" href="${url}">${name ?? url}</a>`;
  const credit = attribution === licence.name ? null : attribution;
  const built = `${TEXTS[language].built} ${writeMoment(builtAt, language)}`;
  const facts = [
    html`<a href="${siteUrl}">${licence.name}</a>`,
    built,
    joined(withoutBlanks([credit, permitted]), ' – '),
  ];
  return html`<p>${joined(withoutBlanks(facts), ' · ')}</p>
`;
}

const withoutBlanks = (facts: readonly Content[]): readonly Content[] =>
  facts.filter((fact) => html`${fact}`.html !== '');

function foot(feed: Feed, hasFeeds: boolean): Html {
  return html`<footer class="colophon">
${imprint(feed)}<p class="feeds">${hasFeeds && feedLinks(feed)}</p>
</footer>
`;
}

function feedLinks(feed: Feed): Content {
  const { language, address } = feed;
  const query = searchWith(feed, FEED_HAS_NOT);
  const webcal = address && new URL(`events.ics${query}`, address).href.replace(/^https?:/, 'webcal:');
  const feedLink = ({ file, kind }: typeof LISTS.ics | typeof LISTS.rss) =>
    html`<a href="${file}${query}">${kind}</a>`;
  const links = [
    webcal && html`<a href="${webcal}">${TEXTS[language].subscribe}</a>`,
    feedLink(LISTS.ics),
    feedLink(LISTS.rss),
  ];
  return joined(links.filter(Boolean), ' · ');
}

/** Whether the address names a page after the last one. */
export const isBeyondLast = ({ page, total, pageSize }: Feed): boolean =>
  total > 0 && page >= Math.ceil(total / pageSize);

/** In place of events on a page after the last one: the way to that one. */
export function beyondLast(feed: Feed): Html {
  const { noPage, lastPage } = TEXTS[feed.language];
  const pages = Math.ceil(feed.total / feed.pageSize);
  const query = searchWith(feed, { page: pages === 1 ? null : `${pages - 1}` });
  return html`<h2>${noPage}</h2>
<p><a target="_self" href="events.html${query}">${lastPage(pages)}</a></p>
`;
}

/** Empty if all events are on this page, or if there is no such page. */
export function pageLinks(feed: Feed): Html {
  const { page, pageSize, total, language } = feed;
  const texts = TEXTS[language];
  const pages = Math.ceil(total / pageSize);
  if (pages <= 1 || page >= pages) return html``;
  const linkTo = (to: number, rel: string, text: string) => {
    const query = searchWith(feed, { page: `${to}` });
    return html`<li><a rel="${rel}" target="_self" href="events.html${query}">${text}</a></li>\n`;
  };
  const previous = page > 0 && linkTo(page - 1, 'prev', texts.previous);
  const next = page + 1 < pages && linkTo(page + 1, 'next', texts.next);
  return html`<nav class="pages" aria-label="${texts.pages}"><ul>
${previous}<li>${texts.pageOf(page + 1, pages)}</li>
${next}</ul></nav>
`;
}

const TEXTS = inEach({
  pages: ['Bla i listen', 'Pages of the list'],
  pageOf: [
    (page: number, pages: number) => `Side ${page} av ${pages}`,
    (page: number, pages: number) => `Page ${page} of ${pages}`,
  ],
  noPage: ['Siden finnes ikke', 'Page not found'],
  lastPage: [(page: number) => `Gå til side ${page}`, (page: number) => `Go to page ${page}`],
  previous: ['Forrige side', 'Previous page'],
  next: ['Neste side', 'Next page'],
  built: ['oppdatert', 'updated'],
  subscribe: ['Abonner', 'Subscribe'],
});
