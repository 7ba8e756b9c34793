import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ask, closeAsked, each, event, found, LICENCE, pick } from './cases.ts';
import type { EventRecord, PriceRecord, VenueRecord } from './records.ts';

const test = suite('oracle: source');

/** The one event of a calendar built on an evening in June. */
function shown(rest: Partial<EventRecord>) {
  return ask({ events: [event('e', rest)] }, '2026-06-01 10:00').eventByID('e');
}

test('F5: should take the event’s values unless the date has its own, and leave its prices null', async () => {
  const venues = [
    { id: 'v1', name: 'Olavshallen' },
    { id: 'v2', name: 'Dokkhuset' },
  ];
  const dates = [
    { start: '2026-06-10 20:00', eventCancelled: false, venue: 'v2', ticketsURL: 'https://x.example/1' },
    {
      start: '2026-06-11 20:00',
      eventSoldOut: true,
      venue: 'nowhere',
      prices: [{ type: 'REGULAR', price: 100 }],
    },
  ];
  const own = {
    venue: 'v1',
    eventCancelled: true,
    ticketsURL: 'https://x.example/0',
    prices: [{ type: 'CHILD', price: 5 }],
  };
  const answer = await ask({ venues, events: [event('e', { ...own, dates })] }, '2026-06-01 10:00').eventByID(
    'e',
  );
  assert.equal([pick(answer, 'venue', 'id'), pick(answer, 'eventCancelled')], ['v2', false]);
  assert.equal(
    [pick(answer, 'ticketsURL'), pick(answer, 'prices', 0, 'type')],
    ['https://x.example/1', 'CHILD'],
  );
  const later = pick(answer, 'repetitions', 0);
  assert.equal(
    [pick(later, 'venue', 'id'), pick(later, 'eventCancelled'), pick(later, 'eventSoldOut')],
    ['v1', true, true],
  );
  assert.equal([pick(later, 'ticketsURL'), pick(later, 'prices', 0, 'price')], ['https://x.example/0', 100]);
});

test('F6: should make slugs of titles, unique in source order, also among events that are over', async () => {
  const dates = [{ start: '2026-06-10 20:00' }];
  const events = [
    event('a', { title_nb: 'Blåbær & Ære!', dates: [{ start: '2020-01-01 20:00' }] }),
    event('b', { title_nb: 'Blåbær, ære', dates }),
    event('c', { slug: 'blabaer-aere', dates }),
    event('d', { eventLink: 'https://other.example/e/egen-lenke', dates }),
    event('Nr 5', { title_nb: '???', title_en: 'Not asked', dates }),
  ];
  const page = await ask({ events }, '2026-06-01 10:00').events();
  assert.equal(each(page, 'id'), ['Nr 5', 'b', 'c', 'd']);
  assert.equal(each(page, 'event_slug'), ['nr-5', 'blabaer-aere-2', 'blabaer-aere-3', 'egen-lenke']);
  assert.is(pick(page, 'data', 1, 'eventLink'), 'https://kalender.example/event/blabaer-aere-2');
  assert.is(pick(page, 'data', 3, 'eventLink'), 'https://other.example/e/egen-lenke');
});

const AMOUNTS: readonly (readonly [PriceRecord['price'] & {}, number | null])[] = [
  [100, 100],
  [149.5, 150],
  [149.4, 149],
  [-1, null],
  ['250', 250],
  ['0.5', 1],
  ['0.49999999999999999999', 0],
  ['007', 7],
  ['', null],
  ['1 200', null],
  ['149,50', null],
  ['100 kr', null],
  ['-5', null],
  ['5.', null],
  ['2147483647', 2147483647],
  ['2147483647.5', null],
  [4e9, null],
];

test('F7: should round what is a number as a whole and make null of the rest', async () => {
  const dates = [{ start: '2026-06-10 20:00' }];
  const events = AMOUNTS.map(([price], at) =>
    event(`e${at}`, { prices: [{ type: 'REGULAR', price }], dates }),
  );
  const { eventByID } = ask({ events }, '2026-06-01 10:00');
  for (const [at, [price, expected]] of AMOUNTS.entries()) {
    assert.is(pick(await eventByID(`e${at}`), 'prices', 0, 'price'), expected, JSON.stringify(price));
  }
});

const REGISTER = [
  { code: '7013', place: 'TRONDHEIM', number: '5001', municipality: 'Trondheim' },
  { code: '7550', place: 'HOMMELVIK', number: '5031', municipality: 'Malvik' },
  { code: '2050', place: 'JESSHEIM', number: '3205', municipality: 'Herøy' },
  { code: '6070', place: 'TJØRVÅG', number: '1515', municipality: 'Herøy' },
];

const PLACES: readonly (readonly [Partial<VenueRecord>, string | null, string | null, string | null])[] = [
  [{ address: 'Kongens gate 1, 7013 Trondheim' }, '7013', 'Trondheim', '5001'],
  [{ address: 'Boks 1234, 7550 Hommelvik, Norge 0150' }, '7550', 'Malvik', '5031'],
  [{ address: 'Storgata 12345 Nord' }, null, null, null],
  [{ address: 'Kongens gate 1, 7013 Trondheim', postalCode: '7550' }, '7550', 'Malvik', '5031'],
  [{ municipality: 'MALVIK' }, null, 'MALVIK', '5031'],
  [{ municipality: 'herøy' }, null, 'herøy', null],
  [{ municipality: 'Herøy', postalCode: '6070' }, '6070', 'Herøy', '1515'],
  [{ municipality: '5001' }, null, 'Trondheim', '5001'],
];

test('F8: should find postal code and municipality in fields, address and register', async () => {
  const dates = [{ start: '2026-06-10 20:00' }];
  const venues = PLACES.map(([rest], at) => ({ id: `v${at}`, name: `Hus ${at}`, ...rest }));
  const events = venues.map(({ id }) => event(`e-${id}`, { venue: id, dates }));
  const asked = ask({ venues, events, postalCodes: REGISTER }, '2026-06-01 10:00');
  for (const [at, [rest, postalCode, municipality, number]] of PLACES.entries()) {
    const venue = pick(await asked.venues(), at);
    assert.equal(
      [pick(venue, 'postalCode'), pick(venue, 'municipality')],
      [postalCode, municipality],
      JSON.stringify(rest),
    );
    for (const wanted of ['5001', '5031', '1515', '3205']) {
      const found = each(await asked.events({ municipality: wanted }), 'id').includes(`e-v${at}`);
      assert.is(found, wanted === number, `${JSON.stringify(rest)} in ${wanted}`);
    }
  }
});

test('F9: should hide the capacity fields where the licence has no registration', async () => {
  const capacity = { registrationEnabled: true, availableTickets: 5, paymentMethod: 'card' };
  const events = [event('e', { ...capacity, dates: [{ start: '2026-06-10 20:00' }] })];
  const without = await ask({ events }, '2026-06-01 10:00').eventByID('e');
  assert.equal([pick(without, 'registrationEnabled'), pick(without, 'availableTickets')], [false, null]);
  const licence = { ...LICENCE, registration: true };
  const withIt = await ask({ events, licence }, '2026-06-01 10:00').eventByID('e');
  assert.equal([pick(withIt, 'registrationEnabled'), pick(withIt, 'availableTickets')], [true, 5]);
});

test('G2: should leave out bad records and later duplicates, and only the bad value, date or reference of others', async () => {
  const dates = [{ start: '2026-06-10 20:00' }];
  const events = [
    event('good', { venue: 'gone', organizers: ['o', 'gone', 'o'], dates: [{ start: 'soon' }, ...dates] }),
    { ...event('good', { dates }), title_nb: 'Second' },
    { ...event('number', { dates }), title_nb: 5 },
    { ...event('mode', { dates }), mode: 'hybrid' },
    { ...event('age', { dates }), minimumAge: 1.5 },
    event('blank', { title_nb: '  ', dates }),
    event('published', { publishingDate: 'i morgen', dates }),
    event('dateless', {}),
    event('badRule', { repeats: [{ rule: 'FREQ=SOMETIMES', start: '2026-06-10 20:00' }] }),
    'not a record',
    null,
  ];
  const page = await ask({ events, organizers: [{ id: 'o', name: 'Laget' }] }, '2026-06-01 10:00').events();
  assert.equal(each(page, 'id'), ['age', 'good', 'mode']);
  assert.equal([pick(page, 'data', 0, 'minimumAge'), pick(page, 'data', 2, 'mode')], [null, 'offline']);
  assert.equal([pick(page, 'data', 1, 'title_nb'), pick(page, 'data', 1, 'venue')], ['Tittel good', null]);
  assert.equal(each(pick(page, 'data', 1, 'organizers'), 'id'), ['o']);
});

test('G4: should migrate retired categories and drop those that nobody defines', async () => {
  const categories = ['GIGS', 'JAZZ', 'UNKNOWN', 'SHOWS'];
  const answer = await shown({ categories, dates: [{ start: '2026-06-10 20:00' }] });
  assert.equal(pick(answer, 'categories'), ['MUSIC', 'JAZZ', 'ART']);
});

test('E1: should answer every field of a bare event', async () => {
  const images = [{ urlSmall: 'https://x.example/s', urlLarge: 'https://x.example/l', focusX: 0.5 }];
  assert.equal(found(await shown({ images, dates: [{ start: '2026-06-10 20:00' }] })), {
    id: 'e',
    event_slug: 'tittel-e',
    eventLink: 'https://kalender.example/event/tittel-e',
    title_nb: 'Tittel e',
    ...nulls(
      'title_en desc_nb desc_en duration venue occurrencePrices ticketsURL minimumAge maximumAge cancellationPeriod views',
    ),
    ...nulls('publishingDate ticketsFromDate created_at updated_at super_event moreInfoURL streamingURL'),
    ...nulls('facebookURL venueNote ageRestriction availableTickets activeTickets maxBookingDate'),
    ...nulls('maxBookingTime paymentMethod priceOption regularPrice reducedPrice type author_id editableBy'),
    ...nulls('contact_from contact_custom videosURL'),
    startDate: '2026-06-10 20:00:00+02:00',
    endDate: '2026-06-10 20:00:00+02:00',
    startTime: '20:00',
    occurrenceID: 'e@20260610T180000Z',
    allDay: false,
    eventCancelled: false,
    eventSoldOut: false,
    isSuperEvent: false,
    isFeaturedEvent: false,
    registrationEnabled: false,
    mode: 'offline',
    ticketsInformation: 'noTicketsInfo',
    repetitions: [],
    categories: [],
    tags: [],
    organizers: [],
    prices: [],
    accessibility: [],
    images: [
      {
        urlSmall: 'https://x.example/s',
        urlLarge: 'https://x.example/l',
        focusX: 0.5,
        ...nulls('alt focusY width height caption credits urlOriginal originalSize largeSize smallSize'),
      },
    ],
  });
});

function nulls(names: string) {
  return Object.fromEntries(names.split(' ').map((name) => [name, null]));
}

test.after(closeAsked);

test.run();
