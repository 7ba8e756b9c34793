/** RSS 2.0: an item a node, with its summary, and the whole description for readers that show it. */
import { legibleXml } from '../common/legible-xml.ts';
import { eventsIn } from '../events/entries.ts';
import { type EventList, termsOf } from '../events/event-list.ts';
import { type ListedEvent, type ListedImage, type ListedOccurrence, linkOf } from '../events/listed.ts';
import { describe, nameOf } from '../events/name.ts';
import { pictureAt } from '../events/pictures.ts';
import { statesOf, writePrices, writeWhen } from '../events/words.ts';
import { type Html, html as xml } from '../page/html.ts';

export function* writeRss(list: EventList): Generator<string> {
  const { licence, language, address } = list;
  const terms = termsOf(licence);
  const copyright = terms !== null ? xml`<copyright>${terms}</copyright>\n` : null;
  const self =
    address !== null ? xml`<atom:link rel="self" type="application/rss+xml" href="${address}"/>\n` : null;
  const head = xml`<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel>
<title>${nameOf(list)}</title>
<link>${licence.siteUrl}</link>
<description>${describe(list)}</description>
<language>${language}</language>
${copyright}<ttl>${TTL}</ttl>
${self}`;
  yield legibleXml(head.html);
  for (const { event, shownDate } of eventsIn(list)) {
    yield legibleXml(itemOf(event, shownDate(), list).html);
  }
  yield '</channel>\n</rss>\n';
}

/** Minutes. */
const TTL = 60;

function itemOf(event: ListedEvent, occurrence: ListedOccurrence, list: EventList): Html {
  const { title, labels, summary, description, image } = event;
  const facts = factsOf(event, occurrence, list).html;
  const brief = summary === null ? '' : xml`<p>${summary.text}</p>`.html;
  const categories = labels.map((label) => xml`<category>${label}</category>\n`);
  const whole =
    description !== null ? xml`<content:encoded>${facts + description.text}</content:encoded>\n` : null;
  return xml`<item>
<title>${title.text}</title>
<link>${linkOf(event, occurrence)}</link>
<guid isPermaLink="false">${occurrence.id}</guid>
<pubDate>${pubDateOf(event, list)}</pubDate>
${categories}<description>${facts + brief}</description>
${whole}${image && enclosureOf(image, list)}</item>
`;
}

/** When the event was published or, if that was later, when this date became its next one. */
function pubDateOf({ published, created, nextSince }: ListedEvent, { builtAt, now }: EventList): string {
  const first = published ?? created ?? builtAt;
  const becameNext = nextSince ?? 0;
  // A later date is not its event's next one yet.
  const instant = becameNext > now ? first : Math.max(first, becameNext);
  return new Date(instant * 1_000).toUTCString();
}

/** RSS demands a type and a length, which readers do not depend on; 0 means unknown. */
function enclosureOf({ large }: ListedImage, list: EventList): Html | null {
  const address = pictureAt(large, 1280, list);
  return address === null
    ? null
    : xml`<enclosure url="${address}" length="0" type="${pictureTypeOf(large)}"/>\n`;
}

function pictureTypeOf(url: string): string {
  const ending = /\.(png|gif|webp|avif|svg)$/i.exec(url.split(/[?#]/, 1)[0] ?? '')?.[1]?.toLowerCase();
  return `image/${ending === 'svg' ? 'svg+xml' : (ending ?? 'jpeg')}`;
}

/** When, where and for how much, as HTML: RSS has no elements for these. */
function factsOf(event: ListedEvent, occurrence: ListedOccurrence, list: EventList): Html {
  const { language } = list;
  const facts = [
    ...statesOf(occurrence, language),
    writeWhen(occurrence, list),
    occurrence.venue?.name,
    writePrices(event, occurrence, language),
  ].filter(Boolean);
  return xml`<p>${facts.join(' · ')}</p>\n`;
}
