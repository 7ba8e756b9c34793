/** Writes the entries of a feed as a calendar, a table, or pages with JSON-LD, with the surroundings that such files have. */
import type { Entry, FeedKind, TownFeed } from './region.ts';

export interface Written {
  readonly type: string;
  readonly body: string;
}

/** The paths of a feed on its host, and what they return. The first path is the one to configure. */
export function writeFeed(feed: TownFeed): ReadonlyMap<string, Written> {
  return WRITERS[feed.kind](feed);
}

/** The prefix of the pages that a listing links to. */
export const pagesPath = (id: string): string => `/${id}/arrangement/`;

const WRITERS: Readonly<Record<FeedKind, (feed: TownFeed) => ReadonlyMap<string, Written>>> = {
  ical: ({ id, entries }) => new Map([[`/${id}.ics`, { type: 'text/calendar', body: calendarOf(entries) }]]),
  csv: ({ id, entries }) => new Map([[`/${id}.csv`, { type: 'text/csv', body: tableOf(entries) }]]),
  page: ({ id, entries }) =>
    new Map([
      [
        `/${id}.html`,
        page(
          entries.map(linkedData),
          entries.map(({ title }) => title),
        ),
      ],
    ]),
  listing: (feed) => {
    const paths = feed.entries.map((entry) => `${pagesPath(feed.id)}${entry.id}`);
    const links = feed.entries.map(({ title }, at) => `<a href="${paths[at]}">${title}</a>`);
    return new Map([
      [`/${feed.id}`, page([], links)],
      ...feed.entries.map((entry, at): [string, Written] => [
        paths[at] ?? '',
        page([linkedData(entry)], [entry.title, entry.text]),
      ]),
    ]);
  },
};

function calendarOf(entries: readonly Entry[]): string {
  const head = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//almanakk//benchmark//NO'];
  return [...head, ...entries.flatMap(calendarEntry), 'END:VCALENDAR', ''].map(folded).join('\r\n');
}

function calendarEntry(entry: Entry): readonly string[] {
  const time = (wall: string) => `${wall.replaceAll(/[-:]/g, '')}00`;
  const escaped = (text: string) => text.replaceAll(/[\\,;]/g, '\\$&');
  return [
    'BEGIN:VEVENT',
    `UID:${entry.id}@kalender.example`,
    'DTSTAMP:20261001T080000Z',
    `SUMMARY:${escaped(entry.title)}`,
    `DTSTART;TZID=Europe/Oslo:${time(entry.start)}`,
    `DTEND;TZID=Europe/Oslo:${time(entry.end)}`,
    ...(entry.weeks === null ? [] : [`RRULE:FREQ=WEEKLY;COUNT=${entry.weeks}`]),
    `LOCATION:${escaped(`${entry.venue.name}, ${entry.venue.address}`)}`,
    `DESCRIPTION:${escaped(entry.text)}`,
    `CATEGORIES:${escaped(entry.category)}`,
    'END:VEVENT',
  ];
}

/** RFC 5545, 3.1: lines of at most 75 bytes. A letter may take two. */
function folded(line: string): string {
  return line.replaceAll(/.{37}(?=.)/gsu, '$&\r\n ');
}

const COLUMNS: readonly (readonly [heading: string, cell: (entry: Entry) => string])[] = [
  ['Id', ({ id }) => id],
  ['Tittel', ({ title }) => title],
  ['Start', ({ start }) => start.replace('T', ' ')],
  ['Slutt', ({ end }) => end.replace('T', ' ')],
  ['RRULE', ({ weeks }) => (weeks === null ? '' : `FREQ=WEEKLY;COUNT=${weeks}`)],
  ['Sted', ({ venue }) => venue.name],
  ['Adresse', ({ venue }) => venue.address],
  ['Beskrivelse', ({ text }) => text],
  ['Kategori', ({ category }) => category],
  ['Pris', ({ price }) => (price === null ? 'Gratis' : `${price}`)],
];

function tableOf(entries: readonly Entry[]): string {
  const line = (cells: readonly string[]) => cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',');
  const rows = entries.map((entry) => COLUMNS.map(([, cell]) => cell(entry)));
  return [COLUMNS.map(([heading]) => heading), ...rows].map(line).join('\r\n');
}

function linkedData(entry: Entry): object {
  return {
    '@context': 'https://schema.org',
    '@type': 'Event',
    '@id': entry.id,
    name: entry.title,
    description: entry.text,
    startDate: entry.start,
    endDate: entry.end,
    location: { '@type': 'Place', name: entry.venue.name, address: entry.venue.address },
    keywords: entry.category,
    offers: { '@type': 'Offer', price: entry.price ?? 0, priceCurrency: 'NOK' },
  };
}

/** Scripts and styles of the page's theme, which most bytes of a page are. */
const THEME = `<style>${'.arrangement { display: flex; margin: 0 auto }\n'.repeat(400)}</style>`;

function page(data: readonly object[], parts: readonly string[]): Written {
  const scripts = data.map((one) => `<script type="application/ld+json">${JSON.stringify(one)}</script>`);
  const body = parts.map((part) => `<article class="arrangement"><p>${part}</p></article>`);
  const html = ['<!doctype html><html lang="nb"><head><meta charset="utf-8"><title>Det skjer</title>'];
  return {
    type: 'text/html; charset=utf-8',
    body: [...html, THEME, ...scripts, '</head><body>', ...body, '</body></html>'].join('\n'),
  };
}
