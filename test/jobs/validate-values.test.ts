/** F3–F9: single values of records: those that are accepted, changed and reported. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { excerpt, findingLine } from '../../jobs/findings.ts';
import { EVENT, ORGANIZER, VENUE } from '../../src/calendar/fields.ts';
import { instantOf } from '../../src/calendar/time.ts';
import { wallAt } from '../helpers/moments.ts';
import { LICENCE, validated, validatedEvents } from '../helpers/native-source.ts';
import { LIFTED } from '../helpers/records.ts';

const test = suite('validation: what records become');

const ORIGIN = { file: 'events.json', line: 1 };

const oslo = (text: string) => instantOf(wallAt(text));

/** Plain fields, each null, as most are in a record without them. */
const nullsOf = (fields: object) => Object.fromEntries(Object.keys(fields).map((name) => [name, null]));

/** Fields with rules of their own that are null in a record without them, and those that are an empty list or false. */
const NULL = 'slug eventLink title_nb desc_nb desc_en super_event venue ticketsURL';
const EMPTY = 'categories tags organizers images prices accessibility series';
const FALSE = 'registrationEnabled isSuperEvent isFeaturedEvent isFeaturedInSpecialEvent eventSoldOut';

test('F3: should fill in what a record leaves out', async () => {
  const { events, findings } = await validatedEvents([
    { id: 'e', title_en: 'Concert', dates: [{ start: '2026-12-01 19:30' }] },
  ]);
  const each = (names: string, value: unknown) =>
    Object.fromEntries(names.split(' ').map((name) => [name, value]));
  const start = oslo('2026-12-01T19:30');
  const date = { start, end: start, duration: null, startTime: '19:30', allDay: false, ...LIFTED };
  const given = { origin: ORIGIN, feed: null, rooms: undefined, id: 'e', title_en: 'Concert', dates: [date] };
  const others = {
    mode: 'offline',
    status: 'SCHEDULED',
    ticketsInformation: 'noTicketsInfo',
    norwegian: 'nb',
  };
  assert.equal(findings, []);
  assert.equal(events, [
    {
      ...nullsOf(EVENT),
      ...each(NULL, null),
      ...each(EMPTY, []),
      ...each(FALSE, false),
      ...others,
      ...given,
    },
  ]);
});

const PLAIN = {
  id: 'e',
  slug: 'eget',
  eventLink: 'https://x.example/e/eget',
  title_nb: 'Konsert',
  title_en: 'Concert',
  desc_nb: '<p>Ærlig</p>',
  desc_en: '',
  tags: ['jazz', 'jazz', ''],
  mode: 'online',
  ticketsInformation: 'free',
  minimumAge: 18,
  maximumAge: -1,
  cancellationPeriod: 0,
  views: 2_147_483_647,
  isSuperEvent: true,
  isFeaturedEvent: true,
  isFeaturedInSpecialEvent: true,
  moreInfoURL: 'https://x.example/mer',
  streamingURL: 'https://x.example/se',
  facebookURL: 'https://facebook.example/1',
  venueNote: 'Bakgården',
  ageRestriction: '18 år',
  ticketsURL: '',
  eventCancelled: true,
  eventSoldOut: true,
};

test('F3: should keep each value of a record', async () => {
  const texts = { urlSmall: 'https://x.example/s.jpg', urlLarge: 'https://x.example/l.jpg', alt: 'a' };
  const images = [{ ...texts, caption: 'c', credits: 'k', focusX: 0, focusY: 1, width: 0, height: 9 }, {}];
  const { events, findings } = await validatedEvents([{ ...PLAIN, images }]);
  const [event] = events;
  assert.equal(findings, []);
  const { eventCancelled: _, ...others } = PLAIN;
  assert.equal(event, { ...event, ...others, status: 'CANCELLED', ticketsURL: null });
  const none = { urlSmall: null, urlLarge: null, alt: null, caption: null, credits: null };
  assert.equal(event?.images, [
    images[0],
    { ...none, focusX: null, focusY: null, width: null, height: null },
  ]);
});

test('F3: should read null as left out, and a blank title, slug or link as none', async () => {
  const keys = [...Object.keys(PLAIN), 'images', 'prices', 'repeats', 'categories', 'organizers', 'venue'];
  const nulls = Object.fromEntries(keys.map((key) => [key, null]));
  const rest = { id: 'e', title_en: 'Concert', dates: [{ start: '2026-12-01 19:30' }] };
  const empty = await validatedEvents([rest]);
  const nulled = await validatedEvents([{ ...nulls, ...rest }]);
  assert.equal(nulled.findings, []);
  assert.equal(nulled.events, empty.events);
  const blank = await validatedEvents([{ ...rest, title_nb: ' ', slug: '', eventLink: ' ' }]);
  assert.equal(blank.events, empty.events);
});

const EVENING = { start: '2026-12-01 19:30' };
const FALL = '2026-10-25 02:30';

interface DateCase {
  readonly date: object;
  readonly span: string;
  readonly duration: number | null;
  readonly startTime?: string;
}

/** A date as written, and its start and end in UTC, its duration and startTime. */
const DATES: readonly DateCase[] = [
  { date: EVENING, span: '2026-12-01T18:30Z', duration: null },
  { date: { start: '2026-07-01T19:30:30' }, span: '2026-07-01T17:30:30Z', duration: null },
  { date: { start: '2026-07-01 17:30Z' }, span: '2026-07-01T17:30Z', duration: null },
  { date: { start: '2026-07-01 21:30+04' }, span: '2026-07-01T17:30Z', duration: null },
  { date: { ...EVENING, duration: 90 }, span: '2026-12-01T18:30Z 2026-12-01T20:00Z', duration: 90 },
  { date: { ...EVENING, duration: 0 }, span: '2026-12-01T18:30Z', duration: 0 },
  { date: { ...EVENING, end: '2026-12-01 19:30' }, span: '2026-12-01T18:30Z', duration: 0 },
  {
    date: { ...EVENING, end: '2026-12-01 21:00:31', duration: 5 },
    span: '2026-12-01T18:30Z 2026-12-01T20:00:31Z',
    duration: 91,
  },
  { date: { ...EVENING, startTime: '19:00' }, span: '2026-12-01T18:30Z', duration: null, startTime: '19:00' },
  // A12: 02:30 does not exist on 29 March; of 25 October's two the first is meant.
  { date: { start: '2026-03-29 02:30' }, span: '2026-03-29T01:30Z', duration: null, startTime: '02:30' },
  {
    date: { start: FALL, duration: 60 },
    span: '2026-10-25T00:30Z 2026-10-25T01:30Z',
    duration: 60,
    startTime: '02:30',
  },
  {
    date: { start: FALL, end: '2026-10-25 03:30' },
    span: '2026-10-25T00:30Z 2026-10-25T02:30Z',
    duration: 120,
    startTime: '02:30',
  },
  { date: { start: `${FALL}+01:00` }, span: '2026-10-25T01:30Z', duration: null, startTime: '02:30' },
];

interface WholeDayCase {
  readonly start: string;
  readonly end: string | undefined;
  readonly span: string;
  readonly minutes: number;
}

/** Dates alone: the first day and, where there is one, the last; start, end and elapsed minutes. */
const DAYS: readonly WholeDayCase[] = [
  { start: '2027-02-14', end: undefined, span: '2027-02-13T23:00Z 2027-02-14T23:00Z', minutes: 1440 },
  { start: '2027-02-14', end: '2027-02-14', span: '2027-02-13T23:00Z 2027-02-14T23:00Z', minutes: 1440 },
  { start: '2027-02-14', end: '2027-02-16', span: '2027-02-13T23:00Z 2027-02-16T23:00Z', minutes: 3 * 1440 },
  { start: '2027-03-28', end: undefined, span: '2027-03-27T23:00Z 2027-03-28T22:00Z', minutes: 1380 },
  { start: '2026-10-25', end: undefined, span: '2026-10-24T22:00Z 2026-10-25T23:00Z', minutes: 1500 },
  { start: '2027-12-31', end: '2028-01-01', span: '2027-12-30T23:00Z 2028-01-01T23:00Z', minutes: 2 * 1440 },
];

/** An event's only date as it is read, and its first series. */
async function readDate(date: object, repeats: readonly object[] = []) {
  const { events, findings } = await validatedEvents([{ id: 'e', title_nb: 'E', dates: [date], repeats }]);
  const [read] = events[0]?.dates ?? [];
  const [phase] = events[0]?.series[0]?.phases ?? [];
  const reports = findings.map(({ action, field, found }) => [action, field, found]);
  return { ...read, phase, reports };
}

/** Two instants in seconds; of one text it is both. */
function spanOf(text: string): readonly number[] {
  const [start = '', end = start] = text.split(' ');
  return [start, end].map((one) => Date.parse(one) / 1000);
}

test('A15, F4: should read dates alone as whole days, the last one included', async () => {
  for (const { start, end, span, minutes } of DAYS) {
    const date = { start, end };
    const read = await readDate(date, [{ rule: 'FREQ=YEARLY', ...date }]);
    assert.equal(
      [read.start, read.end, read.duration, read.startTime, read.allDay, read.reports],
      [...spanOf(span), minutes, '00:00', true, []],
      span,
    );
    const length = { days: Math.round(minutes / 1440), seconds: 0, isElapsed: false };
    assert.equal([read.phase?.allDay, read.phase?.length], [true, length], span);
  }
});

test('A15: should leave out the time of day of a whole day, and report it', async () => {
  const read = await readDate({ start: '2027-02-14', startTime: '19:00', duration: 90 });
  assert.equal([read.startTime, read.duration, read.allDay], ['00:00', 1440, true]);
  assert.equal(read.reports, [
    ['changed value', 'dates[0].startTime', '"19:00"'],
    ['changed value', 'dates[0].duration', '90'],
  ]);
});

test('F4: should read wall clock readings and instants, with end before duration', async () => {
  for (const { date, span, duration, startTime = '19:30' } of DATES) {
    const read = await readDate(date);
    assert.equal(
      [read.start, read.end, read.duration, read.startTime, read.reports],
      [...spanOf(span), duration, startTime, []],
      JSON.stringify(date),
    );
  }
});

/** The event's own moments, as written and in UTC. */
const MOMENTS = {
  publishingDate: ['2026-07-01 12:00', '2026-07-01T10:00Z'],
  ticketsFromDate: ['2026-07-01T12:00:00+0000', '2026-07-01T12:00Z'],
  created_at: ['2026-01-01 12:00:05', '2026-01-01T11:00:05Z'],
  updated_at: ['2026-01-01 12:00Z', '2026-01-01T12:00Z'],
};

test('F4: should read the event’s own moments as instants', async () => {
  for (const [field, [text, utc = '']] of Object.entries(MOMENTS)) {
    const { events } = await validatedEvents([{ ...PLAIN, [field]: text }]);
    assert.equal(events[0], { ...events[0], [field]: Date.parse(utc) / 1000 });
  }
});

test('F4: should read repeats as series on the wall clock', async () => {
  const except = ['2026-12-02 19:30', '2026-12-03T18:30Z'];
  const repeats = [
    { rule: 'FREQ=DAILY', start: '2026-12-01 19:30', end: '2026-12-02 01:00', duration: 5, except },
    { rule: 'FREQ=WEEKLY', start: '2026-03-29 02:30', duration: 90, startTime: '02:00' },
    { rule: 'FREQ=DAILY;BYHOUR=19', start: '2026-07-01 17:30Z' },
  ];
  const { events, findings } = await validatedEvents([{ id: 'e', title_nb: 'E', repeats }]);
  assert.equal(findings, []);
  const length = (hours: number, isElapsed: boolean) => ({ days: 0, seconds: hours * 3600, isElapsed });
  const expected = [
    {
      start: '2026-12-01T19:30',
      length: length(5.5, false),
      startTime: null,
      except: ['2026-12-02T19:30', '2026-12-03T19:30'],
    },
    { start: '2026-03-29T02:30', length: length(1.5, true), startTime: '02:00', except: [] },
    { start: '2026-07-01T19:30', length: null, startTime: null, except: [] },
  ];
  for (const [at, { start, startTime, ...one }] of expected.entries()) {
    const series = events[0]?.series[at];
    const from = wallAt(start);
    assert.equal([series?.zone, series?.start], ['Europe/Oslo', from], start);
    assert.equal(series?.except, one.except.map(wallAt), start);
    const phase = { from, shift: 0, length: one.length, allDay: false, startTime, own: LIFTED };
    assert.equal(series?.phases, [phase], start);
  }
});

test('F5: should give dates and repeats the values of the event unless they have their own, except prices', async () => {
  const own = {
    venue: 'v2',
    ticketsURL: 'javascript:alert(1)',
    eventCancelled: false,
    eventSoldOut: false,
    prices: [{ type: 'CHILD', price: 50 }],
  };
  const start = '2026-12-01 19:30';
  const event = {
    id: 'e',
    title_nb: 'E',
    venue: 'v1',
    ticketsURL: 'https://x.example',
    eventCancelled: true,
    eventSoldOut: true,
    prices: [{ type: 'REGULAR', price: 100 }],
    dates: [{ start }, { start, ...own }, { start, prices: [] }, { start, venue: 'gone' }],
    repeats: [
      { start, rule: 'FREQ=DAILY' },
      { start, rule: 'FREQ=DAILY', ...own },
    ],
  };
  const venues = ['v1', 'v2'].map((id) => ({ id, name: id }));
  const { events } = await validatedEvents([event], { 'venues.json': venues });
  const ofSeries = events[0]?.series.flatMap(({ phases }) => phases.map(({ own }) => own)) ?? [];
  const values = [...(events[0]?.dates ?? []), ...ofSeries].map(
    ({ venue, ticketsURL, status, eventSoldOut, prices }) => [
      venue,
      ticketsURL,
      status === 'CANCELLED',
      eventSoldOut,
      prices,
    ],
  );
  const inherited = ['v1', 'https://x.example', true, true];
  const price = { type: 'CHILD', price: 50, name_nb: null, name_en: null };
  const kept = ['v2', null, false, false, [price]];
  const likeEvent = [...inherited, null];
  assert.equal(values, [likeEvent, kept, [...inherited, []], likeEvent, likeEvent, kept]);
});

/** Prices as stored, and what they become. */
const PRICES: readonly (readonly [price: unknown, whole: number | null])[] = [
  ...[100, 0, 2_147_483_647].flatMap((price) => [[price, price] as const, [`${price}`, price] as const]),
  [-0, 0],
  [149.5, 150],
  [149.49, 149],
  [2_147_483_647.4, 2_147_483_647],
  ['149.5', 150],
  ['149.49999999999999999999', 149],
  ['0.5', 1],
  ['00250.00', 250],
  ['0.500', 1],
  ['1200.500', 1201],
  ['12.5000', 13],
  ...[null, undefined, '', ' '].map((price) => [price, null] as const),
];

/** Prices that become null and are reported. */
const NO_PRICES: readonly unknown[] = [
  '1 200',
  '1.200',
  '12.500',
  '150.000',
  '1.200.000',
  '149,50',
  '100 kr',
  ' 100',
  '100\n',
  '5.',
  '.5',
  '1e3',
  '-5',
  '+5',
  '٢٥٠',
  '2147483647.5',
  '9'.repeat(400),
  -1,
  -0.4,
  2_147_483_647.5,
  true,
  { amount: 5 },
];

const PRICE =
  'a number, or digits with an optional "." fraction (but not thousands such as "1.200"), from 0 to 2147483647 (without one: null)';

test('F7: should read a price as a whole number, or report it', async () => {
  const unread = NO_PRICES.map((price) => [price, null] as const);
  for (const [place, [price, whole]] of [...PRICES, ...unread].entries()) {
    const event = { id: 'e', title_nb: 'E', isSuperEvent: true, prices: [{ type: 'X', price }] };
    const { events, findings } = await validatedEvents([event]);
    assert.is(events[0]?.prices[0]?.price, whole, JSON.stringify(price));
    const line = `events.json:1 "e" prices[0].price: changed value, expected ${PRICE}, found ${excerpt(price)}`;
    const expected = place < PRICES.length ? [] : [line];
    assert.equal(findings.map(findingLine), expected, JSON.stringify(price));
  }
});

test('F2: should read directories, with a location only if both numbers are known', async () => {
  const { records, findings } = await validated({
    'venues.ndjson': [
      { id: 'a', name: 'A', slug: 'egen', address: 'Gata 1', latitude: 63.4, longitude: -10.4 },
      { id: 'b', name: 'B', latitude: 63.4, longitude: null },
    ],
    'organizers.ndjson': [
      { id: 'o', name: 'O', website: 'https://o.example' },
      { id: 'p', name: 'P', slug: '' },
    ],
  });
  assert.equal(findings, []);
  const none = { ...nullsOf(VENUE), municipalityNumber: null, accessibility: [], location: null };
  const at = (list: string, line: number) => ({ origin: { file: `${list}.ndjson`, line } });
  const location = { latitude: 63.4, longitude: -10.4 };
  assert.equal(records.venues, [
    { ...none, ...at('venues', 1), id: 'a', name: 'A', slug: 'egen', address: 'Gata 1', location },
    { ...none, ...at('venues', 2), id: 'b', name: 'B', slug: null },
  ]);
  const website = 'https://o.example';
  assert.equal(records.organizers, [
    { ...nullsOf(ORGANIZER), ...at('organizers', 1), id: 'o', name: 'O', slug: null, website },
    { ...nullsOf(ORGANIZER), ...at('organizers', 2), id: 'p', name: 'P', slug: null },
  ]);
});

const CAPACITY = {
  registrationEnabled: true,
  availableTickets: 5,
  activeTickets: 2,
  maxBookingDate: '2026-12-01',
  maxBookingTime: '12:00',
  paymentMethod: 'card',
};
const NO_CAPACITY = {
  ...Object.fromEntries(Object.keys(CAPACITY).map((field) => [field, null])),
  registrationEnabled: false,
};

test('F9: should read capacity fields only if the licence has registration', async () => {
  const wrong = { ...CAPACITY, availableTickets: 'many' };
  const list = [CAPACITY, {}, wrong].map((own, at) => ({ ...PLAIN, ...own, id: `e${at}` }));
  const without = await validatedEvents(list);
  assert.is(without.events.length, list.length);
  for (const event of without.events) assert.equal(event, { ...event, ...NO_CAPACITY }, event.id);
  assert.equal([without.findings, without.summary.ignored], [[], []]);
  const { events, findings } = await validatedEvents(list, {
    'licence.json': { ...LICENCE, registration: true },
  });
  for (const [at, own] of [CAPACITY, NO_CAPACITY, { ...CAPACITY, availableTickets: null }].entries())
    assert.equal(events[at], { ...events[at], ...own }, `event ${at}`);
  assert.equal(findings.map(findingLine), [
    'events.json:1 "e2" availableTickets: dropped value, expected a whole number of 32 bits, found "many"',
  ]);
});

test('F1: should read the data licence, the attribution and the contact, each optional', async () => {
  const full = {
    dataLicence: { name: 'NLOD 2.0', url: 'https://data.example/nlod' },
    attribution: 'Kåres kalender',
    contact: { name: null, email: 'post@kalender.example', url: null },
  };
  const none = { dataLicence: null, attribution: null, contact: null };
  for (const [given, expected] of [
    [full, full],
    [{ dataLicence: null, attribution: ' ', contact: {} }, none],
  ] as const) {
    const { licence } = (await validated({ 'licence.json': { ...LICENCE, ...given } })).records;
    const { dataLicence, attribution, contact } = licence;
    assert.equal({ dataLicence, attribution, contact }, expected);
  }
});

test('E5: should keep fields of older clients as text, whatever their type', async () => {
  const loose = { type: 3, author_id: '17', editableBy: ['me'], contact_from: '<i>us</i>' };
  const record = {
    ...PLAIN,
    ...loose,
    videosURL: 'javascript:alert(1)',
    contact_custom: { email: 'a@b.example', phone: 12 },
    images: [{ alt: 'x', urlOriginal: 'https://x.example/o.jpg', smallSize: 640 }],
    dates: [{ start: '2026-12-01 19:30', mode: 'online', streamingURL: 'https://x.example/live' }],
  };
  const { events, findings } = await validatedEvents([record]);
  const [event] = events;
  const read = { type: '3', author_id: '17', editableBy: null, contact_from: 'us', videosURL: null };
  assert.equal(event?.older, { ...read, email: 'a@b.example', phone: '12' });
  const sizes = { originalSize: null, largeSize: null, smallSize: '640' };
  assert.equal(event?.images[0]?.older, { urlOriginal: 'https://x.example/o.jpg', ...sizes });
  assert.equal(event?.dates[0]?.older, { mode: 'online', streamingURL: 'https://x.example/live' });
  assert.equal(
    findings.map(({ action, field }) => [action, field]),
    [
      ['changed value', 'editableBy'],
      ['made safe', 'contact_from'],
      ['made safe', 'videosURL'],
    ],
  );
});

const PICTURES = [
  ['choir.svg', 'choir.svg'],
  ['poster (1).png', 'poster%20(1).png'],
  ['sjø.svg', 'sj%C3%B8.svg'],
  ['min%20plakat.svg', 'min%20plakat.svg'],
  ['100%.webp', '100%25.webp'],
  ['a?b#c.svg', 'a%3Fb%23c.svg'],
] as const;

test('F3: should link to a picture whatever the name of its file', async () => {
  const { events } = await validatedEvents(
    PICTURES.map(([name], nth) => ({
      id: `e-${nth}`,
      title_nb: 'Kor',
      dates: [{ start: '2026-12-01 18:00' }],
      images: [{ urlSmall: `pictures/${name}`, urlLarge: `pictures/${name}` }],
    })),
  );
  const links = events.map(({ images }) => images[0]?.urlSmall);
  const expected = PICTURES.map(([, path]) => `${LICENCE.siteUrl}/pictures/${path}`);
  assert.equal(links, expected);
});

test.run();
