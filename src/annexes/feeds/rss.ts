/** RSS 2.0: an item a node. */

import { DAY, timeOfDay, wallOf } from '../../calendar/time.ts';
import { nameOf } from '../events/name.ts';
import { eventsIn, type Feed, type FeedEvent, type FeedOccurrence, termsOf } from '../events/read.ts';
import { type Html, html as xml } from '../page/html.ts';
import { AT, inEach, type Language, writeDay } from '../page/reader.ts';
import { LINE_ENDS } from './icalendar.ts';

export function* writeRss(feed: Feed): Generator<string> {
  const { licence, language, address } = feed;
  const terms = termsOf(licence);
  yield xml`<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
<title>${legible(nameOf(feed))}</title>
<link>${licence.siteUrl}</link>
<description>${TEXTS[language].description(licence.name)}</description>
<language>${language}</language>
${terms !== null && xml`<copyright>${legible(terms)}</copyright>\n`}<ttl>${TTL}</ttl>
${address !== null && xml`<atom:link rel="self" type="application/rss+xml" href="${address}"/>\n`}`.html;
  for (const { event, shown } of eventsIn(feed)) yield itemOf(event, shown(), feed).html;
  yield '</channel>\n</rss>\n';
}

/** Minutes. */
const TTL = 60;

function itemOf(event: FeedEvent, occurrence: FeedOccurrence, { language, builtAt, now }: Feed): Html {
  const { title, link, labels, description } = event;
  const published = event.published ?? event.created ?? builtAt;
  // A later date is not its event's next one yet.
  const becameNext = event.nextSince ?? 0;
  const dated = becameNext > now ? published : Math.max(published, becameNext);
  return xml`<item>
<title>${legible(title.text)}</title>
<link>${link}</link>
<guid isPermaLink="false">${occurrence.id}</guid>
<pubDate>${new Date(dated * 1_000).toUTCString()}</pubDate>
${labels.map((label) => xml`<category>${legible(label)}</category>\n`)}<description>${legible(factsOf(occurrence, language).html + (description?.text ?? ''))}</description>
</item>
`;
}

/** When and where, as HTML: RSS has no elements for these. */
function factsOf(occurrence: FeedOccurrence, language: Language): Html {
  const texts = TEXTS[language];
  const { venue, isCancelled, isSoldOut } = occurrence;
  const facts = [
    isCancelled && texts.cancelled,
    isSoldOut && texts.soldOut,
    whenOf(occurrence, language),
    venue?.name,
  ].filter((fact) => typeof fact === 'string');
  return xml`<p>${facts.join(' · ')}</p>\n`;
}

/** `lørdag 14. februar kl. 19:30–22:00`; names the last day if it is another one. */
function whenOf({ start, end, isAllDay }: FeedOccurrence, language: Language): string {
  const [from, to] = [wallOf(start), wallOf(isAllDay ? end - 1 : end)];
  const [first, last] = [from, to].map((wall) => writeDay(Math.floor(wall / DAY), 'long', language));
  if (isAllDay) return first === last ? `${first}` : `${first} – ${last}`;
  const at = AT[language];
  const begins = `${first}${at}${timeOfDay(from)}`;
  if (end <= start) return begins;
  return first === last ? `${begins}–${timeOfDay(to)}` : `${begins} – ${last}${at}${timeOfDay(to)}`;
}

/** Without characters that XML 1.0 cannot express. */
function legible(text: string): string {
  return text.replace(LINE_ENDS, '\n').replace(ILLEGIBLE, '');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const ILLEGIBLE = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]|\p{Surrogate}/gu;

const TEXTS = inEach({
  description: [
    (name: string) => `Kommende arrangementer fra ${name}.`,
    (name: string) => `Upcoming events of ${name}.`,
  ],
  cancelled: ['Avlyst', 'Cancelled'],
  soldOut: ['Utsolgt', 'Sold out'],
});
