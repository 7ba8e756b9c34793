/** `/events.ics`, read by ical.js, agrees with the endpoint on each occurrence. Built on 1 January 2026, noon UTC. */
import ICAL from 'ical.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { osloOffset } from '../../../../src/calendar/time.ts';
import { packagePath } from '../../../../src/package.ts';
import { assertAbove, assertDefined } from '../../../helpers/assertions.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { eachIn } from '../../../helpers/html.ts';
import { LICENCE, sourceFolder } from '../../../helpers/native-source.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';
import { type Node, nodesOf, type Occurrence, occurrencesIn, titleOf } from './asked.ts';

const LONG = 'Blåbærsyltetøy på ærlig vis 🫐🎺👩‍👩‍👧‍👦, '.repeat(12);
const FILES = {
  'licence.json': {
    ...LICENCE,
    name: 'Trøndelag; nå, "alt"',
    attribution: 'Foreningen',
    dataLicence: { name: 'CC BY 4.0', url: 'https://lisens.example' },
  },
  'venues.json': [
    {
      id: 'hall',
      name: 'Ærlige Hall; øvre sal',
      address: 'Storgata 1\\2, 7010 Trondheim',
      latitude: 63.43,
      longitude: 10.39,
    },
    { id: 'park', name: 'Parken' },
  ],
  'organizers.json': [
    { id: 'band', name: 'Bandet "Blå": 2^2, ; og venner', website: 'https://band.example/?a=1,2;3' },
    { id: 'club', name: 'Klubben' },
    { id: 'choir', name: 'Korforbundet', email: 'post@kor.example' },
    { id: 'office', name: 'Kontoret', email: 'ring oss' },
  ],
};
const STREAM = 'https://nett.example/?a=1,2;b';

const EVENTS = [
  {
    id: 'both',
    title_nb: 'Over begge tider',
    venue: 'hall',
    organizers: ['band'],
    categories: ['JAZZ', 'ART'],
    created_at: '2025-11-01T10:00:00Z',
    updated_at: '2025-12-01T10:00:00Z',
    repeats: [{ rule: 'FREQ=DAILY;COUNT=400', start: '2026-01-02 01:30', duration: 90 }],
  },
  {
    id: 'letters',
    title_nb: LONG.trim(),
    organizers: ['club'],
    ticketsInformation: 'free',
    desc_nb: `<p>Første, linje; ja \\n</p><ul><li>Én</li><li>${LONG}</li></ul><p>END:VEVENT<br>BEGIN:VALARM</p>`,
    images: [{ urlLarge: 'https://bilde.example/stor.jpg', urlSmall: 'https://bilde.example/liten.jpg' }],
    dates: [{ start: '2026-02-01 19:00', end: '2026-02-01 21:00' }],
  },
  {
    id: 'open',
    title_nb: 'Uten slutt',
    title_en: 'Without an end',
    desc_en: 'Only in English',
    dates: [{ start: '2026-02-02 19:00' }],
  },
  {
    id: 'days',
    title_en: 'Whole days',
    venue: 'park',
    dates: [
      { start: '2026-03-28', end: '2026-03-29' },
      { start: '2026-10-25' },
      { start: '2026-05-17', eventCancelled: true },
    ],
  },
  {
    id: 'twice',
    title_nb: 'To ganger halv tre',
    dates: [
      { start: '2026-10-25T02:30:00+02:00', duration: 30 },
      { start: '2026-10-25T02:30:00+01:00', duration: 60 },
      { start: '2026-03-29 02:30', duration: 15 },
    ],
  },
  { id: 'mail', title_nb: 'Korstevne', organizers: ['choir'], dates: [{ start: '2026-02-02 20:00' }] },
  { id: 'old', title_nb: 'Siden 1985', dates: [{ start: '1985-07-01 10:00', end: '2027-07-01 10:00' }] },
  {
    id: 'net',
    title_nb: 'På nett',
    mode: 'online',
    streamingURL: STREAM,
    organizers: ['office'],
    dates: [{ start: '2026-02-03 18:00', duration: 60, eventSoldOut: true }],
  },
  { id: 'long-'.repeat(30), title_nb: 'Lang id', dates: [{ start: '2026-02-04 18:00' }] },
];

interface Context {
  made: Running;
  sample: Running;
}

const test = suite<Context>('iCalendar feed');

test.before(async (context) => {
  context.made = await startBuilt(sourceFolder({ ...FILES, 'events.json': EVENTS }), NOW);
  context.sample = await startBuilt(packagePath('data/sample'), NOW);
});

test.after(async ({ made, sample }) => {
  await made.close();
  await sample.close();
});

async function textOf(address: string): Promise<string> {
  const response = await fetch(address);
  assert.is(response.status, 200);
  return response.text();
}

const calendarOf = (text: string) => new ICAL.Component(ICAL.parse(text));

/** Each entry of a feed, as ical.js reads it with the feed's own time zone. */
async function entriesOf(address: string): Promise<readonly ICAL.Component[]> {
  const calendar = calendarOf(await textOf(address));
  for (const zone of calendar.getAllSubcomponents('vtimezone')) ICAL.TimezoneService.register(zone);
  return calendar.getAllSubcomponents('vevent');
}

const text = (entry: ICAL.Component, name: string) => {
  const value = entry.getFirstPropertyValue(name);
  return value === null ? null : `${value}`;
};

/** A day as it is, a time as the instant that it is in the feed's time zone. */
function momentOf(entry: ICAL.Component, name: string): string | null {
  const time = entry.getFirstPropertyValue(name);
  if (!(time instanceof ICAL.Time)) return null;
  return time.isDate ? time.toString() : new Date(time.toUnixTime() * 1_000).toISOString();
}

function read(entry: ICAL.Component, licence: string) {
  const uid = text(entry, 'uid') ?? '';
  assert.ok(uid.endsWith(`@${licence}`), uid);
  return {
    id: uid.slice(0, -licence.length - 1),
    start: momentOf(entry, 'dtstart') ?? '',
    end: momentOf(entry, 'dtend'),
    title: text(entry, 'summary') ?? '',
    status: text(entry, 'status') ?? '',
    location: text(entry, 'location'),
    geo: entry.getFirstPropertyValue('geo')?.toString() ?? null,
  };
}

function expectedOf({ node, venue, ...one }: Occurrence & { readonly node: Node }) {
  const moment = (date: string) =>
    one.allDay ? date.slice(0, 10) : new Date(date.replace(' ', 'T')).toISOString();
  return {
    id: one.id,
    start: moment(one.startDate),
    end: one.endDate === one.startDate ? null : moment(one.endDate),
    title: titleOf(node),
    status: one.eventCancelled ? 'CANCELLED' : 'CONFIRMED',
    location: venue
      ? [venue.name, venue.address].filter((part) => part !== null).join(', ')
      : node.mode === 'online'
        ? node.streamingURL
        : null,
    geo: venue?.location ? `${venue.location.latitude},${venue.location.longitude}` : null,
  };
}

for (const { name, licence } of [
  { name: 'made', licence: 'trondheim' },
  { name: 'sample', licence: 'trondelag' },
] as const) {
  test(`I2: should have each occurrence as the endpoint has it, in the ${name} calendar`, async (context) => {
    const { url } = context[name];
    const expected = occurrencesIn(await nodesOf(url)).map(expectedOf);
    const found = (await entriesOf(`${url}/events.ics?repetitions=all`)).map((entry) => read(entry, licence));
    assertAbove(found.length, 400, 'occurrences');
    assert.equal(found, expected);
  });
}

interface PropertyCase {
  readonly title: string;
  readonly id: string;
  readonly expected: Readonly<Record<string, string | null>>;
}

/** Properties of an entry, by their names and those of their parameters. */
const PROPERTIES: readonly PropertyCase[] = [
  {
    title: 'categories, contact, link and times of an event',
    id: 'both',
    expected: {
      categories: 'Jazz,Kunst',
      organizer: null,
      contact: 'Bandet "Blå": 2^2, ; og venner',
      'contact;altrep': 'https://band.example/?a=1,2;3',
      transp: 'TRANSPARENT',
      url: 'https://kalender.example/event/over-begge-tider',
      dtstamp: '2025-12-01T10:00:00Z',
      created: '2025-11-01T10:00:00Z',
      'last-modified': '2025-12-01T10:00:00Z',
    },
  },
  {
    title: 'an organizer with an email address as organizer, and others as contacts',
    id: 'mail',
    expected: { 'organizer;cn': 'Korforbundet', organizer: 'mailto:post@kor.example', contact: null },
  },
  {
    title: 'that an exhibition of months takes no time in a calendar',
    id: 'old',
    expected: { transp: 'TRANSPARENT', dtend: '2027-07-01T08:00:00Z' },
  },
  {
    title: 'a description as plain text, also if it looks like iCalendar',
    id: 'letters',
    expected: {
      description: `Første, linje; ja \\n\n\n– Én\n– ${LONG.trim()}\n\nEND:VEVENT\nBEGIN:VALARM`,
      image: 'https://bilde.example/stor.jpg',
    },
  },
  {
    title: 'a text in the other language if there is none in the language of the feed',
    id: 'open',
    expected: {
      summary: 'Uten slutt',
      'summary;language': null,
      description: 'Only in English',
      'description;language': 'en',
    },
  },
  {
    title: 'no language of a text in the language of the feed',
    id: 'open&lang=en',
    expected: { summary: 'Without an end', 'summary;language': null },
  },
  {
    title: 'the stream and the contact of an online event',
    id: 'net',
    expected: { location: STREAM, conference: STREAM, contact: 'Kontoret', organizer: null },
  },
];

for (const { title, id, expected } of PROPERTIES) {
  test(`I2: should say ${title}`, async ({ made }) => {
    const [entry] = await entriesOf(`${made.url}/events.ics?event=${id}`);
    assertDefined(entry, 'an entry');
    const found = Object.keys(expected).map((key) => {
      const [name = '', parameter] = key.split(';');
      const property = entry.getFirstProperty(name);
      const value =
        parameter === undefined ? property?.getValues().join(',') : property?.getParameter(parameter);
      return [key, value ?? null];
    });
    assert.equal(Object.fromEntries(found), expected);
    assert.is(entry.getAllSubcomponents().length, 0);
  });
}

interface TimeCase {
  readonly title: string;
  readonly id: string;
  readonly lines: readonly string[];
}

const TIMES: readonly TimeCase[] = [
  {
    title: 'I2: should write a time in UTC if local time is ambiguous',
    id: 'twice',
    lines: [
      'DTSTART;TZID=Europe/Oslo:20260329T033000',
      'DTEND;TZID=Europe/Oslo:20260329T034500',
      'DTSTART:20261025T003000Z',
      'DTEND:20261025T010000Z',
      'DTSTART:20261025T013000Z',
      'DTEND:20261025T023000Z',
    ],
  },
  {
    title: 'I2: should write a time in UTC that is before the rules of the time zone',
    id: 'old',
    lines: ['DTSTART:19850701T080000Z', 'DTEND:20270701T080000Z'],
  },
  {
    title: 'A15: should write whole days as dates, the day after the last as their end',
    id: 'days',
    lines: [
      'DTSTART;VALUE=DATE:20260328',
      'DTEND;VALUE=DATE:20260330',
      'DTSTART;VALUE=DATE:20260517',
      'DTEND;VALUE=DATE:20260518',
      'DTSTART;VALUE=DATE:20261025',
      'DTEND;VALUE=DATE:20261026',
    ],
  },
];

for (const { title, id, lines } of TIMES) {
  test(title, async ({ made }) => {
    const text = await textOf(`${made.url}/events.ics?event=${id}`);
    const [, ...entries] = text.split('BEGIN:VEVENT');
    assert.equal(eachIn(entries.join(''), /^(DT(?:START|END)[;:].*)\r$/gm), lines);
  });
}

test('I2: should name the calendar and its filter, and say how often to ask for it', async ({ made }) => {
  const calendar = calendarOf(await textOf(`${made.url}/events.ics?categories=JAZZ&key=abc`));
  const expected = {
    version: '2.0',
    name: 'Trøndelag; nå, "alt": Jazz',
    'x-wr-calname': 'Trøndelag; nå, "alt": Jazz',
    'refresh-interval': 'PT1H',
    'x-published-ttl': 'PT1H',
    url: 'https://kalender.example',
    source: `${made.url}/events.ics?categories=JAZZ`,
    description: 'Foreningen – CC BY 4.0, https://lisens.example',
  };
  // ical.js leaves texts of properties as they are that it does not know.
  const found = Object.keys(expected).map((name) => [name, text(calendar, name)?.replace(/\\([,;])/g, '$1')]);
  assert.equal(Object.fromEntries(found), expected);
});

test('I2: should define Norwegian time with each clock change from 1997 to 2060', async ({ made }) => {
  const text = await textOf(`${made.url}/events.ics?pageSize=1`);
  const [component] = calendarOf(text).getAllSubcomponents('vtimezone');
  if (component === undefined) throw new Error('expected a time zone, found none');
  const zone = new ICAL.Timezone(component);
  const isRight = (instant: number) => {
    const wall = new Date((instant + osloOffset(instant)) * 1_000).toISOString().slice(0, 19);
    const local = ICAL.Time.fromString(wall, component.getFirstProperty('tzid') ?? undefined);
    local.zone = zone;
    return local.toUnixTime() === instant;
  };
  for (let year = 1997; year <= 2060; year++) {
    // Local time is ambiguous in the hour that comes twice.
    for (const { month, hours } of [
      { month: 2, hours: [-26, -2, -1, 0, 1, 2, 26] },
      { month: 9, hours: [-26, -2, 1, 2, 26] },
    ] as const) {
      const lastSunday = 31 - new Date(Date.UTC(year, month, 31)).getUTCDay();
      const change = Date.UTC(year, month, lastSunday, 1) / 1_000;
      for (const hour of hours) assert.ok(isRight(change + hour * 3_600), `${year}-${month + 1}, ${hour} h`);
    }
  }
});

for (const name of ['made', 'sample'] as const) {
  test(`I2: should fold lines at 75 octets and never within a letter, in the ${name} calendar`, async (context) => {
    const bytes = Buffer.from(await (await fetch(`${context[name].url}/events.ics`)).arrayBuffer());
    const lines = bytes.toString('latin1').split('\r\n');
    assert.is(lines.pop(), '');
    const lengths = lines.map((line) => line.length);
    assertAbove(Math.min(...lengths), 0, 'octets in the shortest line');
    assert.is(Math.max(...lengths), 75);
    assert.equal(
      lines.filter((line) => /[\r\n]/.test(line)),
      [],
    );
    for (const line of lines) assert.not.match(Buffer.from(line, 'latin1').toString(), '\ufffd');
  });
}

/** Characters at which Python's `splitlines`, like other readers of Unicode, begins a new line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for them.
const UNICODE_LINE = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;

test.run();

interface Hostile {
  running: Running;
  ics: string;
  rss: string;
}

const hostile = suite<Hostile>('texts that end lines');

/** Each character that ends a line somewhere, before a line that would end the event. */
const ENDING = ['\u2028', '\u2029', '\x85', '\v', '\f', '\x1d', '\r']
  .map((end) => `${end}END:VEVENT`)
  .join('');

hostile.before(async (context) => {
  const source = sourceFolder({
    'venues.json': [{ id: 'hall', name: `Hall${ENDING}`, address: `Gata 1${ENDING}` }],
    'organizers.json': [{ id: 'band', name: `Band${ENDING}` }],
    'events.json': [
      {
        id: 'event',
        title_nb: `Kveld${ENDING}`,
        desc_nb: `<p>Ord${ENDING}&#8232;END:VEVENT</p>`,
        venue: 'hall',
        organizers: ['band'],
        tags: [`merke${ENDING}`],
        dates: [{ start: '2026-02-03 18:00' }],
      },
    ],
  });
  context.running = await startBuilt(source, NOW);
  context.ics = await textOf(`${context.running.url}/events.ics`);
  context.rss = await textOf(`${context.running.url}/events.rss`);
});
hostile.after(({ running }) => running.close());

hostile('I9: should end no line of iCalendar within a text', ({ ics }) => {
  const lines = ics.split(UNICODE_LINE);
  assert.is(lines.filter((line) => line.trim() === 'END:VEVENT').length, 1);
  assert.equal(lines, ics.split('\r\n'));
});

hostile('I9: should keep the text of a place, with its lines escaped', async ({ running }) => {
  const [entry] = await entriesOf(`${running.url}/events.ics`);
  assertDefined(entry, 'an entry');
  assert.match(text(entry, 'location') ?? '', 'Gata 1\nEND:VEVENT');
});

hostile('I9: should end no line of RSS within a text', ({ rss }) => {
  assert.equal(rss.split(UNICODE_LINE), rss.split('\n'));
});

hostile.run();
