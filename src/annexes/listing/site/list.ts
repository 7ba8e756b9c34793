/** The list of the calendar's own site (I11): a form, the days to click on, and events under their days. */

import { formatDay, wallOf } from '../../../calendar/time.ts';
import { NEAR_SCRIPT } from '../../events/choices.ts';
import { type Entry, writeDays } from '../../events/days.ts';
import { jsonLdScript } from '../../events/jsonld.ts';
import { municipalityNamed, municipalityValue } from '../../events/municipalities.ts';
import { conditionsOf, describe, writeNone } from '../../events/name.ts';
import type { Feed } from '../../events/read.ts';
import type { FeedImage } from '../../events/values.ts';
import { writeClock } from '../../page/dates.ts';
import { type Content, type Html, html, joined, trustedHtml } from '../../page/html.ts';
import { LISTS, languageQuery } from '../../page/links.ts';
import type { Menu } from '../../page/menu.ts';
import { inEach, type Language, writeNumber } from '../../page/reader.ts';
import { alternates, beyondLast, FEED_HAS_NOT, isBeyondLast, pageLinks, searchWith } from '../plain.ts';
import { chips, pageWithout, writeRemoval } from './chips.ts';
import { countsFor, type RemovableCondition, type SiteCounts } from './counts.ts';
import { form } from './form.ts';
import { NOINDEX, sitePage } from './frame.ts';
import { siteHeading } from './heading.ts';
import { rowOf } from './row.ts';
import { STRIP_SCRIPT } from './strip.ts';
import { beginsWithin, isBounded } from './window.ts';

export interface Offered {
  readonly menu: Menu;
  readonly hasFeeds: boolean;
}

export async function writeList(feed: Feed, offered: Offered): Promise<Iterable<string>> {
  const { server, licence } = feed;
  const counts = await countsFor(feed);
  const heading = siteHeading(feed);
  const beside = (day: number) => besideDay(day, feed, counts);
  let image: FeedImage | null = null;
  // Events are parsed one by one while they are written, so their first image is known only after the list.
  const write = (entry: Entry): Html => {
    image ??= entry.event.image;
    return rowOf(entry);
  };
  const listed = trustedHtml([...writeDays(feed, write, { beside })].join(''));
  const chosen = feed.total > 0 && chips(feed);
  const content = html`<h1>${heading}</h1>
${form(feed, counts)}<div id="results" tabindex="-1">
${foundIn(feed, counts)}${chosen}${listed}${pageLinks(feed)}</div>
${jsonLdOf(feed)}`;
  return [
    sitePage(feed, {
      title: `${heading} – ${licence.name}`,
      description: isNarrowed(feed) ? `${heading}. ${describe(feed)}` : describe(feed),
      canonical: `${server}/events.html${canonicalSearch(feed)}`,
      image,
      root: '',
      menu: offered.menu,
      content,
      skipTo: '#results',
      head: html`${offered.hasFeeds && alternates(feed, true)}${isEmptyChoice(feed) && NOINDEX}${NEAR_SCRIPT}${STRIP_SCRIPT}`,
      foot: links(feed, offered),
    }).html,
  ];
}

/** Each municipality has one canonical address, whichever way it is spelled. */
function canonicalSearch(feed: Feed): string {
  const given = feed.parameters.get('municipality') ?? '';
  const municipality = municipalityNamed(given, feed.view);
  const value =
    municipality === undefined ? {} : { municipality: municipalityValue(municipality, feed.view) };
  const page = feed.page === 0 ? { page: null } : {};
  return searchWith(feed, { lang: null, heading: null, ...page, ...value });
}

const isNarrowed = (feed: Feed): boolean => conditionsOf(feed).length > 0;

/** Search engines leave out a list without events, unless it is that of the whole calendar. */
function isEmptyChoice(feed: Feed): boolean {
  return feed.events.length === 0 && (isNarrowed(feed) || feed.page > 0);
}

const jsonLdOf = (feed: Feed): Html => trustedHtml([...jsonLdScript(feed)].join(''));

/** If the window has an end, the number of dates that start on the day, as in the line of days. */
function besideDay(day: number, feed: Feed, { listed }: SiteCounts): Content {
  if (!isBounded(feed.query.plan.conditions)) return '';
  const texts = TEXTS[feed.language];
  const from = beginsWithin(feed, day) && ` ${texts.from(writeClock(wallOf(feed.from), feed.language))}`;
  const count = writeFound(listed.get(formatDay(day)) ?? 0, feed.language);
  return html`${from} <span class="hits">${count}</span>`;
}

/** The number of hits, or the reason why there are none on this page. */
function foundIn(feed: Feed, counts: SiteCounts): Html {
  const { language, total } = feed;
  if (isBeyondLast(feed)) return html`<div class="state">${beyondLast(feed)}</div>\n`;
  if (total === 0) return nothingFound(feed, counts);
  const { ongoing } = counts;
  const running = ongoing > 0 && `, ${TEXTS[language].ongoing(writeNumber(ongoing, language))}`;
  return html`<p class="found">${writeFound(total - ongoing, language)}${running}</p>\n`;
}

function writeFound(count: number, language: Language): string {
  return TEXTS[language].found(count, writeNumber(count, language));
}

/** The filters that can be removed to find something. */
function nothingFound(feed: Feed, { without }: SiteCounts): Html {
  const { language } = feed;
  const texts = TEXTS[language];
  if (without.length === 0) return html`<p>${writeNone(language)}</p>\n`;
  const helpful = without.filter(({ hits }) => hits > 0);
  const removalOf = ({ names, words, hits }: RemovableCondition) => {
    const link = html`<a href="${pageWithout(names, feed)}">${writeRemoval(words, language)}</a>`;
    return html`<li>${link} (${writeFound(hits, language)})</li>\n`;
  };
  return html`<div class="state"><h2>${texts.nothing}</h2>
<p>${texts.tryWithout}</p>
<ul>
${helpful.map(removalOf)}<li><a href="events.html${languageQuery(feed)}">${texts.everything}</a></li>
</ul></div>
`;
}

function links(feed: Feed, { menu, hasFeeds }: Offered): Content {
  const texts = TEXTS[feed.language];
  const query = searchWith(feed, FEED_HAS_NOT);
  const all = [
    menu.pages.includes('subscribe') && html`<a href="subscribe${query}">${texts.subscribe}</a>`,
    hasFeeds && html`<a href="${LISTS.rss.file}${query}">RSS</a>`,
    html`<a href="events.html${searchWith(feed, { view: 'plain' })}">${texts.plain}</a>`,
  ].filter((link) => link !== false);
  return html`<p class="feeds">${joined(all, ' · ')}</p>\n`;
}

const TEXTS = inEach({
  found: [
    (count: number, written: string) => (count === 1 ? '1 arrangement' : `${written} arrangementer`),
    (count: number, written: string) => (count === 1 ? '1 event' : `${written} events`),
  ],
  ongoing: [(count: string) => `${count} pågår`, (count: string) => `${count} on now`],
  from: [(time: string) => `fra kl. ${time}`, (time: string) => `from ${time}`],
  nothing: ['Ingen treff', 'No events match'],
  tryWithout: ['Prøv å fjerne et filter:', 'Try removing a filter:'],
  everything: ['Vis alle arrangementer', 'Show all events'],
  subscribe: ['Abonner på dette utvalget', 'Subscribe to this selection'],
  plain: ['Til utskrift', 'For printing'],
});
