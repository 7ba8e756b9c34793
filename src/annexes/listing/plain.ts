/** The plain page (I10): events under their days, one line each, for frames and printers; with the same events as JSON-LD. */
import { FEATURES } from '../common/accessibility.ts';
import { type ListedLine, marksOf, summaryOf, timeOf, writeDays } from '../events/days.ts';
import type { EventList } from '../events/event-list.ts';
import { jsonLdScript } from '../events/jsonld.ts';
import { writeLater } from '../events/later-dates.ts';
import { linkOf } from '../events/listed.ts';
import { describe, writeNone } from '../events/name.ts';
import { writePlace, writePrices } from '../events/words.ts';
import { assetOf, STYLESHEET } from '../page/assets.ts';
import { type Content, type Html, html, joined } from '../page/html.ts';
import { LIST_FILES } from '../page/links.ts';
import { privacyLink } from '../page/menu.ts';
import { documentHead } from '../page/page.ts';
import { langOf } from '../page/parts.ts';
import { capitalized, inEach } from '../page/reader.ts';
import { alternates } from './alternates.ts';
import { imprint } from './imprint.ts';
import { feedSearch, headingOf } from './list-links.ts';
import { beyondLast, isBeyondLast, pageLinks } from './list-pages.ts';

export const PLAIN_STYLESHEET = assetOf('src/annexes/listing/assets/listing.css');

/** `hasFeeds`: whether there are feeds to link to. The parts are yielded as they are written, because a page can have many events. */
export function* writePlain(list: EventList, hasFeeds: boolean): Generator<string> {
  yield html`${headOf(list, hasFeeds)}<body class="listing">
<main>
<h1>${headingOf(list)}</h1>
`.html;
  yield* writeDays(list, lineOf);
  yield html`${inPlaceOfEvents(list)}</main>
${pageLinks(list)}${foot(list, hasFeeds)}`.html;
  yield* jsonLdScript(list);
  yield '</body>\n</html>\n';
}

function headOf(list: EventList, hasFeeds: boolean): Html {
  const stylesheets = [STYLESHEET, PLAIN_STYLESHEET].map(
    ({ file }) => html`<link rel="stylesheet" href="${file}">\n`,
  );
  // In a frame, links open in the whole window.
  return documentHead({
    language: list.language,
    title: headingOf(list),
    description: describe(list),
    more: html`<meta name="robots" content="noindex">
<base target="_top">
${stylesheets}${alternates(list, hasFeeds)}`,
    theme: themeOf(list),
  });
}

/** The colours that the address asks for; undefined for those of the reader's system. */
function themeOf({ values: { theme } }: EventList): string | undefined {
  const isChosen = typeof theme === 'string' && theme !== 'auto';
  return isChosen ? theme : undefined;
}

/** The reason why this page has no events; null if it has some. */
function inPlaceOfEvents(list: EventList): Html | null {
  if (isBeyondLast(list)) return beyondLast(list);
  return list.events.length === 0 ? html`<p>${writeNone(list.language)}</p>\n` : null;
}

function lineOf(line: ListedLine): Html {
  const { event, occurrence, list } = line;
  const { language } = list;
  const title = html`<a href="${linkOf(event, occurrence)}"${langOf(event.title, language)}>${event.title.text}</a>`;
  return html`<li><span class="time">${timeOf(occurrence, list)}</span>
<div class="what"><h3>${title}${marksOf(occurrence, language)}</h3>
<p class="where">${joined(factsOf(line), ' · ')}</p>
${summaryOf(line, 'about')}${laterOf(line)}</div></li>
`;
}

/** Place, labels, price and accessibility: those that are known. */
function factsOf({ event, occurrence, list: { language } }: ListedLine): readonly Content[] {
  const prices = writePrices(event, occurrence, language);
  const features = occurrence.accessibility.map((word) => FEATURES[word][language].toLowerCase());
  const facts = [
    writePlace(event, occurrence, language),
    event.labels.join(', '),
    prices === '' ? '' : html`<span class="price">${prices}</span>`,
    capitalized(features.join(', ')),
  ];
  return facts.filter((fact) => fact !== '');
}

function laterOf(line: ListedLine): Html | null {
  const later = writeLater(line);
  return later === '' ? null : html`<p class="later">${later}</p>\n`;
}

function foot(list: EventList, hasFeeds: boolean): Html {
  return html`<footer class="colophon">
${imprint(list)}<p class="feeds">${linksBelow(list, hasFeeds)}</p>
</footer>
`;
}

function linksBelow(list: EventList, hasFeeds: boolean): Content {
  const privacy = privacyLink(list.licence.privacyUrl, list.language);
  const links = [...(hasFeeds ? feedLinks(list) : []), privacy];
  return joined(
    links.filter((link) => link !== null),
    ' · ',
  );
}

/** Links for readers; programs find more formats in the head. */
function feedLinks(list: EventList): readonly Content[] {
  const search = feedSearch(list);
  const feedLink = ({ file, kind }: typeof LIST_FILES.ics | typeof LIST_FILES.rss) =>
    html`<a href="${file}${search}">${kind}</a>`;
  const links = [subscribeLink(list, search), feedLink(LIST_FILES.ics), feedLink(LIST_FILES.rss)];
  return links.filter((link) => link !== null);
}

/** Opens the reader's calendar program. Its scheme needs a full address: null if the server does not know its own. */
function subscribeLink({ language, address }: EventList, search: string): Html | null {
  if (address === null) return null;
  const webcal = new URL(`${LIST_FILES.ics.file}${search}`, address).href.replace(/^https?:/, 'webcal:');
  return html`<a href="${webcal}">${TEXTS[language].subscribe}</a>`;
}

const TEXTS = inEach({
  subscribe: ['Abonner', 'Subscribe', 'Abonner'],
});
