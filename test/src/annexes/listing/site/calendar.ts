/** The calendar that the tests of the calendar's own site (I11) read, and its pages. It is built on 1 January 2026, noon UTC. */
import type { Test } from 'uvu';
import { NOW } from '../../../../helpers/calendar.ts';
import { eachIn } from '../../../../helpers/html.ts';
import { LICENCE, sourceFolder } from '../../../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../../../helpers/running.ts';

export interface Site {
  readonly running: Running;
  /** Seconds since 1970. Each test begins at the build. */
  readonly clock: { now: number };
}

/** Gives the tests of a suite one server of the calendar. */
export function withSite(test: Test<Site>): Test<Site> {
  test.before(async (context) => {
    const clock = { now: NOW };
    const running = await startBuilt(sourceFolder(SOURCE), NOW, { clock: () => clock.now * 1_000 });
    Object.assign(context, { running, clock });
  });
  test.before.each(({ clock }) => {
    clock.now = NOW;
  });
  test.after(({ running }) => running.close());
  return test;
}

/** A page as a browser in this language gets it. */
export async function open({ send }: Running, path: string, language = 'nb') {
  const { text, ...got } = await send(path, {
    headers: { accept: 'text/html', 'accept-language': language },
  });
  return { ...got, html: text };
}

/** The slugs of the listed events. */
export const slugsIn = (html: string) => eachIn(html, /<h3>.*?<a href="events\/([^"]*)\.html/g);

const PICTURE = {
  urlSmall: 'https://bilde.example/liten.jpg',
  urlLarge: 'https://bilde.example/stor.jpg',
  alt: 'Et "band" på scenen',
};
const many = Array.from({ length: 30 }, (_, at) => ({
  id: `m${String(at).padStart(2, '0')}`,
  title_nb: `Nummer ${at}`,
  tags: ['mange'],
  dates: [{ start: '2026-03-01 19:00' }],
}));
const EVENTS = [
  {
    id: 'a',
    title_nb: 'Fem < seks',
    title_en: 'Five',
    categories: ['JAZZ'],
    venue: 'hall',
    organizers: ['band'],
    images: [PICTURE],
    accessibility: ['WHEELCHAIR'],
    desc_nb: '<p>Blåbær &amp; <b>fløte</b></p>',
    ticketsInformation: 'ticketsInfo',
    ticketsURL: 'https://billett.example/1',
    prices: [
      { type: 'REGULAR', price: 250, name_nb: 'Ordinær' },
      { type: 'CHILD', price: 100, name_nb: 'Barn' },
    ],
    dates: [
      { start: '2026-02-01 19:00', end: '2026-02-01 21:00', prices: [{ type: 'REGULAR', price: 50 }] },
      { start: '2026-02-08 19:00', eventCancelled: true },
    ],
  },
  {
    id: 'days',
    title_nb: 'Hele dager',
    ticketsInformation: 'free',
    dates: [{ start: '2026-02-02', end: '2026-02-03' }],
  },
  { id: 'old', title_nb: 'Snart over', dates: [{ start: '2026-01-01 13:00', end: '2026-01-01 14:00' }] },
  {
    id: 'show',
    title_nb: 'Utstilling',
    tags: ['lang'],
    dates: [{ start: '2026-01-05 10:00', end: '2026-03-01 12:00' }],
  },
  {
    id: 'later',
    title_nb: 'Ikke kunngjort',
    publishingDate: '2026-11-01 12:00',
    dates: [{ start: '2026-12-24 19:00' }],
  },
  ...many,
];

const SOURCE = {
  'licence.json': { ...LICENCE, dataLicence: { name: 'CC BY 4.0', url: 'https://licence.example/by' } },
  'venues.json': [
    { id: 'hall', name: 'Høyt & Lavt', address: 'Gata 1, 7010 Trondheim', latitude: 63.4, longitude: 10.4 },
  ],
  'organizers.json': [{ id: 'band', name: 'Bandet', website: 'https://band.example/' }],
  'events.json': EVENTS,
};
