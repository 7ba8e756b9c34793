/** The page: events under their days, one entry each, with the same events as JSON-LD. */

import { DAY, formatDay, osloDay, timeOfDay, wallOf, weekdayOf } from '../../calendar/time.ts';
import type { EventNode } from '../../serve/query/node.ts';
import { FEATURES } from '../common/accessibility.ts';
import { plainLines } from '../common/plain-lines.ts';
import { writeJsonLd } from '../events/jsonld.ts';
import { nameOf } from '../events/name.ts';
import { eventsIn, type Feed, type FeedEvent, type FeedOccurrence, occurrencesOf } from '../events/read.ts';
import { writePlace, writePrices } from '../events/words.ts';
import { type Content, type Html, html } from '../page/html.ts';
import { LISTS } from '../page/page.ts';
import {
  inEach,
  type Language,
  type LocalText,
  SUNDAY,
  writeDay,
  writeMoment,
  writeNumber,
} from '../page/reader.ts';

/** `stylesheets`: relative to the page. `hasFeeds`: whether there are feeds to link to. */
export const createWriteHtml = (stylesheets: readonly string[], hasFeeds: () => boolean) =>
  function* writeHtml(feed: Feed): Generator<string> {
    const { language } = feed;
    const feeds = hasFeeds() ? ALTERNATES : [];
    yield head(feed, stylesheets, feeds).html;
    const today = osloDay(feed.now);
    let day: number | null = null;
    for (const { node, event, shown } of eventsIn(feed)) {
      const occurrence = shown();
      // Events that began before today stand under one heading.
      const begins = Math.max(osloDay(occurrence.start), today - 1);
      if (begins !== day) yield `${day === null ? '' : CLOSE_DAY}${openDay(begins, today, language).html}`;
      day = begins;
      yield entryOf({ node, event, occurrence, feed }).html;
    }
    yield day === null ? html`<p>${TEXTS[language].none}</p>\n`.html : CLOSE_DAY;
    yield foot(feed, feeds).html;
    yield '<script type="application/ld+json">';
    yield* writeJsonLd(feed);
    yield '</script>\n</body>\n</html>\n';
  };

const CLOSE_DAY = '</ul>\n</section>\n';

/** Feeds of the same events: I1 and I6. */
const ALTERNATES = [LISTS.ics, LISTS.rss, LISTS.json, LISTS.jsonld, LISTS.csv];

type Alternates = typeof ALTERNATES;

function head(feed: Feed, stylesheets: readonly string[], feeds: Alternates): Html {
  const { language, licence, address } = feed;
  const name = headingOf(feed);
  const query = searchWith(feed, FEED_HAS_NOT);
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${TEXTS[language].description(licence.name)}">
<title>${name}</title>
<base target="_top">
<link rel="icon" href="data:,">
${stylesheets.map((file) => html`<link rel="stylesheet" href="${file}">\n`)}${feeds.map(({ file, type, kind }) => html`<link rel="alternate" type="${type}" title="${name} (${kind})" href="${file}${query}">\n`)}${address !== null && html`<link rel="alternate" type="application/json+oembed" title="${name}" href="oembed?${new URLSearchParams({ url: address }).toString()}">\n`}</head>
<body class="listing">
<main>
<h1>${name}</h1>
`;
}

/** Parameters that a feed of the same events does not accept, or ignores. */
const FEED_HAS_NOT: Changes = { heading: null, page: null, pageSize: null };

type Changes = Readonly<Record<string, string | null>>;

/** The page's query with changed values; null removes one. */
function searchWith({ search }: Feed, changes: Changes): string {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  return query.size === 0 ? '' : `?${query}`;
}

function headingOf(feed: Feed): string {
  const { heading } = feed.own;
  return typeof heading === 'string' ? heading : nameOf(feed);
}

function openDay(day: number, today: number, language: Language): Html {
  const name = html`<time datetime="${formatDay(day)}">${writeDay(day, 'full', language)}</time>`;
  return html`<section class="day">
<h2${day >= today && weekdayOf(day) === SUNDAY && html` class="sunday"`}>${day < today ? TEXTS[language].ongoing : name}</h2>
<ul class="programme">
`;
}

interface Entry {
  readonly node: EventNode;
  readonly event: FeedEvent;
  readonly occurrence: FeedOccurrence;
  readonly feed: Feed;
}

function entryOf(entry: Entry): Html {
  const { event, occurrence, feed } = entry;
  const { language } = feed;
  const texts = TEXTS[language];
  const { isCancelled, isSoldOut } = occurrence;
  const about = event.description && aboutOf(event.description);
  const access = occurrence.accessibility.map((word) => FEATURES[word][language].toLowerCase());
  const facts = [
    writePlace(event, occurrence, language),
    event.labels.join(', '),
    writePrices(event, occurrence, language),
    access.join(', '),
  ].filter((fact) => fact !== '');
  return html`<li><span class="time">${timeOf(occurrence, feed)}</span>
<div class="what"><h3><a href="${event.link}"${langOf(event.title, language)}>${event.title.text}</a>${isCancelled && html` <em class="mark">${texts.cancelled}</em>`}${isSoldOut && html` <em class="mark">${texts.soldOut}</em>`}</h3>
<p class="where">${facts.join(' · ')}</p>
${about && html`<p class="about"${langOf(about, language)}>${about.text}</p>\n`}${laterDates(entry)}</div></li>
`;
}

const langOf = (text: LocalText, language: Language): Content =>
  text.language !== language && html` lang="${text.language}"`;

/** `19:30–22:00`, and the last day if it is another one. */
function timeOf({ start, end, isAllDay }: FeedOccurrence, { now, language }: Feed): Content {
  const { allDay, until } = TEXTS[language];
  const [from, to] = [wallOf(start), wallOf(isAllDay ? end - 1 : end)];
  const last = Math.floor(to / DAY);
  const isLonger = end > start && last > Math.floor(from / DAY);
  const ends =
    isLonger && to - from > DAY / 2
      ? html` <span class="until">${until(writeDay(last, 'brief', language))}</span>`
      : '';
  if (isAllDay) return [isLonger ? '' : allDay, ends];
  // The clock of a day that is not named says nothing.
  if (ends !== '' && osloDay(start) < osloDay(now)) return ends;
  return [timeOfDay(from), end > start && ends === '' && `–${timeOfDay(to)}`, ends];
}

/** UTF-16 units: enough to decide whether to read on. */
const LONGEST_ABOUT = 200;

function aboutOf({ text, language }: LocalText): LocalText {
  const plain = plainLines(text).replace(/\s+/g, ' ').trim();
  if (plain.length <= LONGEST_ABOUT) return { text: plain, language };
  return { text: `${plain.slice(0, LONGEST_ABOUT).replace(/\s\S*$|[\ud800-\udbff]$/, '')} …`, language };
}

const MOST_LATER = 3;

function laterDates({ node, feed }: Entry): Content {
  const { language, reach } = feed;
  const texts = TEXTS[language];
  const later = occurrencesOf(node, reach).slice(1);
  if (later.length === 0) return '';
  const days = later.slice(0, MOST_LATER).map((one) => writeLater(one.row, node, language));
  const more = later.length - days.length;
  return html`<p class="later">${texts.later} ${days.join(', ')}${more > 0 && ` ${texts.more(writeNumber(more, language))}`}</p>\n`;
}

/** The difference to the shown date: its time, its day, or also the year. */
function writeLater(later: number, { row, view }: EventNode, language: Language): string {
  const { day, start } = view.columns;
  const [shown = 0, own = 0] = [day[row], day[later]];
  if (own === shown) return timeOfDay(wallOf(start[later] ?? 0));
  const isOfYear = formatDay(own).slice(0, 4) === formatDay(shown).slice(0, 4);
  return writeDay(own, isOfYear ? 'brief' : 'dated', language);
}

/** The address stands in full, for paper. */
function termsIn({ attribution, dataLicence }: Feed['licence']): Html {
  const { name = null, url = null } = dataLicence ?? {};
  const terms = [attribution, name].filter(Boolean).join(' – ');
  return html`${terms !== '' && ` · ${terms}`}${url !== null && html`, <a rel="license" href="${url}">${url}</a>`}`;
}

function foot(feed: Feed, feeds: Alternates): Html {
  const { language, licence, address, builtAt, total, page, pageSize } = feed;
  const texts = TEXTS[language];
  const query = searchWith(feed, FEED_HAS_NOT);
  const webcal =
    address === null || feeds.length === 0
      ? null
      : new URL(`events.ics${query}`, address).href.replace(/^https?:/, 'webcal:');
  const pages = [
    page > 0 &&
      html`<li><a rel="prev" target="_self" href="events.html${searchWith(feed, { page: String(page - 1) })}">${texts.previous}</a></li>\n`,
    (page + 1) * pageSize < total &&
      html`<li><a rel="next" target="_self" href="events.html${searchWith(feed, { page: String(page + 1) })}">${texts.next}</a></li>\n`,
  ].filter((link) => link !== false);
  return html`</main>
${pages.length > 0 && html`<nav class="pages" aria-label="${texts.pages}"><ul>\n${pages}</ul></nav>\n`}<footer class="colophon">
<p><a href="${licence.siteUrl}">${licence.name}</a> · ${texts.built} ${writeMoment(builtAt, language)}${termsIn(licence)}</p>
<p class="feeds">${webcal !== null && html`<a href="${webcal}">${texts.subscribe}</a> · `}${feeds.slice(0, 2).map(({ file, kind }, place) => html`${place > 0 && ' · '}<a href="${file}${query}">${kind}</a>`)}</p>
</footer>
`;
}

const TEXTS = inEach({
  description: [
    (name: string) => `Kommende arrangementer fra ${name}.`,
    (name: string) => `Upcoming events of ${name}.`,
  ],
  ongoing: ['Pågår', 'On now'],
  none: ['Ingen kommende arrangementer.', 'No upcoming events.'],
  cancelled: ['Avlyst', 'Cancelled'],
  soldOut: ['Utsolgt', 'Sold out'],
  allDay: ['hele dagen', 'all day'],
  until: [(day: string) => `til ${day}`, (day: string) => `until ${day}`],
  later: ['Også', 'Also'],
  more: [(count: string) => `og ${count} til`, (count: string) => `and ${count} more`],
  pages: ['Sider', 'Pages'],
  previous: ['Forrige side', 'Previous page'],
  next: ['Neste side', 'Next page'],
  built: ['oppdatert', 'updated'],
  subscribe: ['Abonner', 'Subscribe'],
});
