/** F1–F9: single values of records: those that are accepted, changed and reported. `dates.test.ts` has those of dates. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { excerpt, findingLine } from '../../../jobs/findings.ts';
import { EVENT, ORGANIZER, VENUE } from '../../../src/calendar/fields.ts';
import { instantOf } from '../../../src/calendar/time.ts';
import { wallAt } from '../../helpers/moments.ts';
import { LICENCE, validated, validatedEvents } from '../../helpers/native-source.ts';
import { LIFTED } from '../../helpers/records.ts';

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
