/**
 * The list of the calendar's own site (I11, the calendar's own site): a form, the days to click on, and events with pictures under their
 * days.
 */
import { NEAR_SCRIPT } from '../../events/choices.ts';
import { type Entry, timeOf, writeDays, writeLater } from '../../events/days.ts';
import { jsonLdScript } from '../../events/jsonld.ts';
import { conditionsOf } from '../../events/name.ts';
import type { Feed } from '../../events/read.ts';
import type { FeedImage } from '../../events/values.ts';
import {
  capitalized,
  describe,
  langOf,
  marksOf,
  writeNone,
  writePlace,
  writePrices,
} from '../../events/words.ts';
import { type Content, type Html, html, joined } from '../../page/html.ts';
import { LISTS, type PageName } from '../../page/page.ts';
import { inEach, writeNumber } from '../../page/reader.ts';
import { alternates, FEED_HAS_NOT, headingOf, pageLinks, searchWith } from '../plain.ts';
import { searchOfDate } from './event-date.ts';
import { chips, countsFor, days, form, type SiteCounts } from './form.ts';
import { sitePage } from './frame.ts';

export interface Offered {
  readonly menu: readonly PageName[];
  readonly hasFeeds: boolean;
}

export async function writeList(feed: Feed, offered: Offered): Promise<Iterable<string>> {
  const { language, server, total } = feed;
  const texts = TEXTS[language];
  const counts = await countsFor(feed);
  const heading = headingOf(feed);
  const words = conditionsOf(feed).map((condition) => condition.words);
  const given = typeof feed.values.heading === 'string' ? heading : capitalized(words.join(' · '));
  let image: FeedImage | null = null;
  const write = (entry: Entry): Html => {
    image ??= entry.event.image;
    return entryOf(entry);
  };
  const listed = { html: [...writeDays(feed, write)].join('') };
  const content = html`<h1>${given || texts.title}</h1>
${form(feed, counts)}${days(feed, counts)}${chips(feed)}<p class="found">${texts.found(total, writeNumber(total, language))}</p>
${total === 0 ? nothing(feed, counts) : listed}${pageLinks(feed)}${jsonLd(feed)}`;
  const canonical = searchWith(feed, { lang: null, heading: null });
  return [
    sitePage(feed, {
      title: heading,
      description: describe(feed),
      canonical: `${server}/events.html${canonical}`,
      image,
      root: '',
      menu: offered.menu,
      content,
      head: html`${offered.hasFeeds && alternates(feed, true)}${NEAR_SCRIPT}`,
      foot: links(feed, offered),
    }).html,
  ];
}

const jsonLd = (feed: Feed): Html => ({ html: [...jsonLdScript(feed)].join('') });

function entryOf(entry: Entry): Html {
  const { event, occurrence, feed } = entry;
  const { language } = feed;
  const { image, title, labels } = event;
  const prices = writePrices(event, occurrence, language);
  const later = writeLater(entry);
  const facts = [labels.join(', '), prices && html`<span class="price">${prices}</span>`].filter(Boolean);
  return html`<li${image !== null && html` class="pictured"`}><div class="what"><h3><a href="events/${event.slug}.html${searchOfDate(occurrence, feed)}"${langOf(title, language)}>${title.text}</a>${marksOf(occurrence, language)}</h3>
<p class="time">${timeOf(occurrence, feed)}</p>
<p class="where">${writePlace(event, occurrence, language)}</p>
<p class="facts">${joined(facts, ' · ')}</p>
${later && html`<p class="later">${later}</p>\n`}</div>
${image !== null && html`<img src="${image.small}" alt="${image.alt}" loading="lazy">\n`}</li>
`;
}

/** What can be taken away to find something. */
function nothing(feed: Feed, { without }: SiteCounts): Html {
  const { language } = feed;
  const texts = TEXTS[language];
  const helpful = without.filter(({ hits }) => hits > 0);
  if (without.length === 0) return html`<p>${writeNone(language)}</p>\n`;
  return html`<div class="state"><h2>${texts.nothing}</h2>
${helpful.length > 0 && html`<p>${texts.takeAway}</p>\n`}<ul>
${helpful.map(({ name, words, hits }) => html`<li><a href="events.html${searchWith(feed, { [name]: null, page: null })}">${texts.without(words)}</a>: ${texts.found(hits, writeNumber(hits, language))}</li>\n`)}<li><a href="events.html">${texts.everything}</a></li>
</ul></div>
`;
}

function links(feed: Feed, { menu, hasFeeds }: Offered): Content {
  const texts = TEXTS[feed.language];
  const query = searchWith(feed, FEED_HAS_NOT);
  const all = [
    menu.includes('subscribe') && html`<a href="subscribe${query}">${texts.subscribe}</a>`,
    hasFeeds && html`<a href="${LISTS.rss.file}${query}">RSS</a>`,
    html`<a href="events.html${searchWith(feed, { view: 'plain' })}">${texts.plain}</a>`,
  ].filter((link) => link !== false);
  return html`<p class="feeds">${joined(all, ' · ')}</p>\n`;
}

const TEXTS = inEach({
  title: ['Hva skjer', 'What’s on'],
  found: [
    (count: number, written: string) => (count === 1 ? '1 arrangement' : `${written} arrangementer`),
    (count: number, written: string) => (count === 1 ? '1 event' : `${written} events`),
  ],
  nothing: ['Ingen arrangementer passer', 'No events match'],
  takeAway: ['Du finner flere hvis du tar bort noe:', 'You find more if you take something away:'],
  without: [(words: string) => `uten ${words}`, (words: string) => `without ${words}`],
  everything: ['Vis alt', 'Show everything'],
  subscribe: ['Abonner på dette utvalget', 'Subscribe to this selection'],
  plain: ['Til utskrift', 'For printing'],
});
