/** `/events.jsonld` as schema.org has it: its types, by a compiler, and what each object says. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../../src/package.ts';
import { assertDefined } from '../../../helpers/assertions.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';

const EVENTS = [
  {
    id: 'fest',
    title_nb: 'Festivalen',
    isSuperEvent: true,
    organizers: ['band', 'club'],
    dates: [{ start: '2026-02-01', end: '2026-02-03' }],
  },
  {
    id: 'paid',
    title_nb: 'Konsert <3',
    title_en: 'Concert',
    superEvent: 'fest',
    venue: 'hall',
    desc_nb: '<p>Blåbær</p>',
    categories: ['JAZZ'],
    organizers: ['band'],
    ticketsInformation: 'ticketsInfo',
    ticketsURL: 'https://billett.example/1',
    images: [{ urlLarge: 'https://bilde.example/1.jpg' }],
    prices: [
      { type: 'REGULAR', price: 250 },
      { type: 'X', price: 'dyrt' },
      { type: 'MINE', price: 99, name_nb: 'Venner' },
    ],
    dates: [
      { start: '2026-02-01 19:00', end: '2026-02-01 21:00', eventSoldOut: true },
      { start: '2026-03-29 02:30', eventCancelled: true, prices: [{ type: 'REGULAR', price: 0 }] },
    ],
  },
  {
    id: 'free',
    title_nb: 'Gratis',
    mode: 'online',
    streamingURL: 'https://nett.example/',
    superEvent: 'soon',
    ticketsInformation: 'free',
    dates: [{ start: '2026-02-04 18:00', duration: 45 }],
  },
  {
    id: 'soon',
    title_nb: 'Hemmelig',
    isSuperEvent: true,
    publishingDate: '2026-02-01T00:00:00Z',
    dates: [{ start: '2026-02-04 18:00' }],
  },
  { id: 'bare', title_nb: 'Bar', dates: [{ start: '2026-02-05' }] },
];

const FILES = {
  'venues.json': [
    { id: 'hall', name: 'Hall', address: 'Gata 1, 7010 Trondheim', latitude: 63.4, longitude: 10.4 },
  ],
  'organizers.json': [
    { id: 'band', name: 'Bandet', website: 'https://band.example' },
    { id: 'club', name: 'Klubben' },
  ],
};

const test = suite<{ running: Running }>('JSON-LD feed');

test.before(async (context) => {
  context.running = await startBuilt(sourceFolder({ 'events.json': EVENTS, ...FILES }), NOW);
});
test.after(async ({ running }) => running.close());

interface SchemaEvent {
  readonly startDate: string;
  readonly endDate: string;
  readonly location?: object;
  readonly offers?: readonly object[];
  readonly eventAttendanceMode?: string;
}

async function graphOf({ send }: Running, search = ''): Promise<readonly SchemaEvent[]> {
  const { '@context': context, '@graph': graph } = JSON.parse((await send(`/events.jsonld${search}`)).text);
  assert.is(context, 'https://schema.org');
  return graph;
}

test('I4: should describe an event by schema.org', async ({ running }) => {
  const event = (await graphOf(running, '?event=paid'))[0];
  const offer = {
    '@type': 'Offer',
    url: 'https://billett.example/1',
    availability: 'https://schema.org/SoldOut',
    priceCurrency: 'NOK',
  };
  assert.equal(event, {
    '@type': 'Event',
    identifier: 'paid@20260201T180000Z',
    startDate: '2026-02-01T19:00:00+01:00',
    endDate: '2026-02-01T21:00:00+01:00',
    eventStatus: 'https://schema.org/EventScheduled',
    location: {
      '@type': 'Place',
      name: 'Hall',
      address: {
        '@type': 'PostalAddress',
        streetAddress: 'Gata 1',
        postalCode: '7010',
        addressLocality: 'Trondheim',
        addressCountry: 'NO',
      },
      geo: { '@type': 'GeoCoordinates', latitude: 63.4, longitude: 10.4 },
    },
    offers: [
      { ...offer, category: 'REGULAR', price: 250 },
      { ...offer, category: 'MINE', name: 'Venner', price: 99 },
    ],
    name: 'Konsert <3',
    inLanguage: 'nb',
    description: 'Blåbær',
    url: 'https://kalender.example/event/konsert-3',
    keywords: ['Jazz'],
    image: 'https://bilde.example/1.jpg',
    eventAttendanceMode: 'https://schema.org/OfflineEventAttendanceMode',
    organizer: [{ '@type': 'Organization', name: 'Bandet', url: 'https://band.example' }],
    superEvent: { '@type': 'Event', name: 'Festivalen', url: 'https://kalender.example/event/festivalen' },
  });
});

interface WholeDays {
  readonly id: string;
  readonly startDate: string;
  readonly endDate: string;
}

const WHOLE_DAYS: readonly WholeDays[] = [
  { id: 'fest', startDate: '2026-02-01', endDate: '2026-02-03' },
  { id: 'bare', startDate: '2026-02-05', endDate: '2026-02-05' },
];

for (const { id, startDate, endDate } of WHOLE_DAYS) {
  test(`A15: should write whole days as dates, with the last day included: ${id}`, async ({ running }) => {
    const [event] = await graphOf(running, `?event=${id}`);
    assert.is(event?.startDate, startDate);
    assert.is(event?.endDate, endDate);
  });
}

test('I4: should place an online event at its stream', async ({ running }) => {
  const [event] = await graphOf(running, '?event=free');
  assert.equal(event?.location, { '@type': 'VirtualLocation', url: 'https://nett.example/' });
  assert.is(event?.eventAttendanceMode, 'https://schema.org/OnlineEventAttendanceMode');
});

test('I4: should offer a free event for nothing', async ({ running }) => {
  const [event] = await graphOf(running, '?event=free');
  assert.equal(event?.offers, [
    {
      '@type': 'Offer',
      url: 'https://kalender.example/event/gratis',
      availability: 'https://schema.org/InStock',
      price: 0,
      priceCurrency: 'NOK',
    },
  ]);
});

test('I4, I12: should offer no ticket for a date that does not take place', async ({ running }) => {
  const [first, cancelled] = await graphOf(running, '?event=paid');
  assert.is(first?.offers?.length, 2);
  assertDefined(cancelled, 'the cancelled date');
  assert.is('offers' in cancelled, false);
});

test('A9: should not name a container that is not published yet', async ({ running }) => {
  const [event] = await graphOf(running, '?event=free');
  assertDefined(event, 'an event');
  assert.is('superEvent' in event, false);
});

test('I4: should contain no <, so that a page can embed it', async ({ running }) => {
  const text = (await running.send('/events.jsonld')).text;
  assert.not.match(text, '<');
});

test('I4: should hold only what schema.org has for an Event, by its published types', async ({ running }) => {
  const file = join(temporaryFolder(), 'events.ts');
  const events = await graphOf(running);
  writeFileSync(
    file,
    `import type { Event } from '${packagePath('node_modules/schema-dts')}';
export const events: readonly Event[] = ${JSON.stringify(events)};
// @ts-expect-error: there is no such property
export const wrong: Event = ${JSON.stringify({ ...events[0], startTimes: 'x' })};
`,
  );
  const options = '--noEmit --ignoreConfig --strict --skipLibCheck --module nodenext --types'.split(' ');
  const compiler = packagePath('node_modules/typescript/bin/tsc');
  const args = [compiler, ...options, '', file];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.equal({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' });
});

test.run();
