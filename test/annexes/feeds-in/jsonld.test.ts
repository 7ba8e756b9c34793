/** Pages with schema.org's events as feeds (L2, L3), in the manners of the programs that write them. */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FeedProblem } from '../../../jobs/annexes/feeds/health.ts';
import { readLinkedData } from '../../../jobs/annexes/feeds/jsonld/events.ts';
import { datesIn, type Reading, readDocuments, rowsOf } from '../../helpers/feed-reading.ts';

type Json = Readonly<Record<string, unknown>>;

const fixture = (name: string) => readDocuments(readLinkedData, readFileSync(`test/fixtures/jsonld/${name}`));
const read = (value: unknown, feed = {}) => readDocuments(readLinkedData, JSON.stringify(value), feed);
/** An event with what is needed, and more. */
const event = (more: Json = {}): Json => ({
  '@type': 'Event',
  name: 'Kor',
  startDate: '2027-02-14T19:00',
  ...more,
});
const only = ({ events }: Reading): Json => {
  assert.is(events.length, 1);
  return events[0] ?? {};
};
const pageOf = (...scripts: readonly string[]) =>
  `<!doctype html><html><body>\n${scripts.map((json) => `<script type="application/ld+json">${json}</script>\n`).join('')}</body></html>`;
const ONE = JSON.stringify(event());

const test = suite('pages with events');

test('L2: should read a page as The Events Calendar writes it', () => {
  const { events, venues, organizers, findings, counts } = fixture('events-calendar.html');
  assert.equal([counts, findings], [{ entries: 3, events: 3, merged: 0, dropped: 0 }, []]);
  assert.equal(events, [
    {
      id: 'f:https://kulturhus.example/arrangement/kaera/',
      title_nb: 'Kæra – en kveld med visesang',
      desc_nb: '<p>Sanger om å bli hjemme. <a href="https://visesang.example/">Les mer</a> […]</p>',
      organizers: [organizers[0]?.id],
      images: [
        {
          urlSmall: 'https://kulturhus.example/wp-content/uploads/2026/01/kaera.jpg',
          urlLarge: 'https://kulturhus.example/wp-content/uploads/2026/01/kaera.jpg',
        },
      ],
      moreInfoURL: 'https://kulturhus.example/arrangement/kaera/',
      ticketsFromDate: '2026-01-05 00:00+00:00',
      venue: venues[0]?.id,
      ticketsInformation: 'ticketsInfo',
      prices: [{ type: 'REGULAR', price: '250' }],
      dates: [{ start: '2026-03-02 19:00+01:00', end: '2026-03-02 21:00+01:00' }],
    },
    {
      id: 'f:https://kulturhus.example/arrangement/verksted/',
      title_nb: 'Vinterferie-verksted',
      moreInfoURL: 'https://kulturhus.example/arrangement/verksted/',
      venue: venues[0]?.id,
      ticketsInformation: 'free',
      prices: [],
      dates: [{ start: '2026-03-03', end: '2026-03-05' }],
    },
    {
      id: 'f:https://kulturhus.example/arrangement/broer/',
      title_nb: 'Foredrag: Byens broer',
      mode: 'online',
      streamingURL: 'https://strom.example/broer',
      moreInfoURL: 'https://kulturhus.example/arrangement/broer/',
      dates: [{ start: '2026-03-06 18:00+01:00', end: '2026-03-06 19:00+01:00', eventCancelled: true }],
    },
  ]);
  assert.equal(venues, [
    { id: venues[0]?.id, name: 'Storsalen', address: 'Kirkegata 4, 7170 Lillevik', postalCode: '7170' },
  ]);
  assert.equal(organizers, [
    { id: organizers[0]?.id, name: 'Lillevik viseklubb', website: 'https://visesang.example/' },
  ]);
});

test('L2: should read a list as Localist writes it, each date an entry of its own', () => {
  const { events, venues, counts } = fixture('localist.html');
  assert.equal(counts, { entries: 3, events: 2, merged: 1, dropped: 0 });
  assert.equal(
    events.map(({ title_nb, dates, ticketsInformation }) => [title_nb, dates, ticketsInformation]),
    [
      [
        'Open rehearsal',
        [
          { start: '2026-03-02 17:30+01:00', end: '2026-03-02 19:00+01:00' },
          { start: '2026-03-09 17:30+01:00', end: '2026-03-09 19:00+01:00' },
        ],
        undefined,
      ],
      ['Exhibition: Charts of the fjord', [{ start: '2026-03-02', end: '2026-03-20' }], 'free'],
    ],
  );
  assert.equal([venues[0]?.latitude, venues[0]?.longitude], [63.8311, 10.0543]);
});

test('L2: should read a series as ticket shops write it, its sub-events as dates', () => {
  const { events, venues, counts } = fixture('eventbrite.html');
  assert.equal(counts, { entries: 5, events: 2, merged: 3, dropped: 0 });
  const [pottery, salsa] = events;
  assert.equal([pottery?.title_nb, pottery?.dates], ['Keramikk-kveld', [{ start: '2026-03-04' }]]);
  assert.equal(
    [salsa?.ticketsURL, salsa?.prices],
    [
      'https://billetter.example/e/salsa-456/checkout',
      [
        { type: 'REGULAR', price: '150.00' },
        { type: 'REGULAR', price: '300.00' },
      ],
    ],
  );
  assert.equal(salsa?.dates, [
    { start: '2026-03-05 18:00+0100', end: '2026-03-05 19:30+0100' },
    { start: '2026-03-12 18:00+0100', end: '2026-03-12 19:30+0100', eventCancelled: true },
    {
      start: '2026-03-19 18:00+0100',
      end: '2026-03-19 19:30+0100',
      venue: venues.find(({ name }) => name === 'Torget')?.id,
      prices: [{ type: 'REGULAR', price: '150' }],
      eventSoldOut: true,
    },
  ]);
});

/** How else the one event may stand in a document. */
const FORMS: Readonly<Record<string, string>> = {
  'a JSON file of one event': ONE,
  'a JSON file of a list, with a byte order mark': `\ufeff [${ONE}]`,
  '@graph': `{"@context":"https://schema.org","@graph":[{"@type":"WebPage"},${ONE}]}`,
  'an item list': `{"@type":"ItemList","itemListElement":[{"@type":"ListItem","position":1,"item":${ONE}}]}`,
  "a venue's events": `{"@type":"MusicVenue","name":"Huset","event":[${ONE}]}`,
  'a page': pageOf(ONE),
  'a page with other scripts, and comments': pageOf('{"@type":"WebSite"}', ONE).replace(
    '<body>',
    `<body><script>var a = "<b>"</script><!-- <script type="application/ld+json">${ONE.replace('Kor', 'Nei')}</script> -->`,
  ),
  'a page in capitals': pageOf(ONE).replace(
    '<script type="application/ld+json">',
    "<SCRIPT\nTYPE='application/LD+JSON; charset=utf-8' async>",
  ),
  'a CDATA section': pageOf(`//<![CDATA[\n${ONE}\n//]]>`),
  'types by their full names': ONE.replace('"Event"', '["https://schema.org/MusicEvent","Thing"]'),
  'texts with types and languages': ONE.replace('"Kor"', '[{"@value":"Kor","@language":"no"}]'),
};

for (const [what, document] of Object.entries(FORMS)) {
  test(`L2: should find an event in ${what}`, () => {
    const { events, findings } = readDocuments(readLinkedData, document);
    assert.equal(
      [events.map(({ title_nb, dates }) => [title_nb, dates]), findings],
      [[['Kor', [{ start: '2027-02-14 19:00' }]]], []],
    );
  });
}

/** What an event says of when it is, and the date that it gives. */
const DATES = rowsOf(`
  {"startDate": "2027-02-14T19:00:00+01:00"} → 2027-02-14 19:00+01:00
  {"startDate": "2027-02-14T18:00:00.000Z"} → 2027-02-14 18:00Z
  {"startDate": "2027-02-14 19:00:00"} → 2027-02-14 19:00
  {"startDate": {"@type": "DateTime", "@value": "2027-02-14T19:00"}} → 2027-02-14 19:00
  {"startDate": "2027-02-14"} → 2027-02-14
  {"startDate": "2027-02-14", "endDate": "2027-02-16"} → 2027-02-14 to 2027-02-16
  {"startDate": "2027-02-14", "endDate": "2027-02-16T00:00:00+01:00"} → 2027-02-14 to 2027-02-15
  {"startDate": "2027-02-14T00:00:00+01:00", "endDate": "2027-02-16T23:59:59+01:00"} → 2027-02-14 to 2027-02-16
  {"startDate": "2027-02-14T19:00", "endDate": "2027-02-16"} → 2027-02-14 19:00 to 2027-02-17 00:00
  {"startDate": "2027-02-14T19:00+01:00", "endDate": "2027-02-14T20:30+01:00"} → 2027-02-14 19:00+01:00 to 2027-02-14 20:30+01:00
  {"startDate": "2027-02-14T19:00", "duration": "PT1H30M"} → 2027-02-14 19:00 for 90 min
  {"startDate": "2027-02-14T19:00", "endDate": "2027-02-14T19:00"} → 2027-02-14 19:00
`);

for (const [says = '', date = ''] of DATES) {
  test(`F4, L2: should read when it is: ${says}`, () => {
    const reading = read(event(JSON.parse(says)));
    assert.equal([datesIn(only(reading)), reading.findings], [[date], []]);
  });
}

const TUESDAYS = { '@type': 'Schedule', repeatFrequency: 'P1W', byDay: 'https://schema.org/Tuesday' };

/** A schedule of an event that begins on 14 February 2027 at 19:00, and the repeat that it gives. */
const SCHEDULES = rowsOf(`
  {"@type": "Schedule", "repeatFrequency": "P1W", "byDay": "https://schema.org/Tuesday"}
    → {"rule": "FREQ=WEEKLY;INTERVAL=1;BYDAY=TU", "start": "2027-02-14 19:00"}
  {"@type": "Schedule", "repeatFrequency": "P1W", "byDay": ["Monday", "WE", "https://schema.org/Friday"], "startDate": "2027-03-01", "endDate": "2027-06-30", "startTime": "18:00:00", "endTime": "19:30:00", "exceptDate": ["2027-03-29", "2027-05-17T18:00:00"], "scheduleTimezone": "Europe/Oslo"}
    → {"rule": "FREQ=WEEKLY;INTERVAL=1;BYDAY=MO,WE,FR;UNTIL=20270630T235959", "start": "2027-03-01 18:00", "end": "2027-03-01 19:30", "except": ["2027-03-29 18:00", "2027-05-17 18:00"]}
  {"repeatFrequency": "Daily", "startDate": "2027-03-01", "startTime": "22:00", "endTime": "01:00", "repeatCount": 10, "endDate": "2027-03-05"}
    → {"rule": "FREQ=DAILY;INTERVAL=1;COUNT=10", "start": "2027-03-01 22:00", "end": "2027-03-02 01:00"}
  {"repeatFrequency": "P1M", "byDay": "https://schema.org/Thursday", "byMonthWeek": [2, -1], "duration": "PT45M"}
    → {"rule": "FREQ=MONTHLY;INTERVAL=1;BYDAY=2TH,-1TH", "start": "2027-02-14 19:00", "duration": 45}
  {"repeatFrequency": "P1Y", "byMonth": 12, "byMonthDay": 24, "startDate": "2027-12-24"}
    → {"rule": "FREQ=YEARLY;INTERVAL=1;BYMONTH=12;BYMONTHDAY=24", "start": "2027-12-24 19:00"}
  {"repeatFrequency": "P2W", "startDate": "2027-02-28T23:00:00Z", "endDate": "2027-06-30T22:30:00Z"}
    → {"rule": "FREQ=WEEKLY;INTERVAL=2;UNTIL=20270701T003000", "start": "2027-03-01 00:00"}
`);

for (const [schedule = '', repeat = ''] of SCHEDULES) {
  test(`L2: should repeat by the schedule ${schedule}`, () => {
    const reading = read(event({ eventSchedule: JSON.parse(schedule) }));
    const { dates, repeats } = only(reading);
    assert.equal([dates, repeats, reading.findings], [[], [JSON.parse(repeat)], []]);
  });
}

test('A15, F4: should repeat whole days by a schedule without times', () => {
  const schedule = { ...TUESDAYS, exceptDate: '2027-03-02' };
  const { repeats } = only(read(event({ startDate: '2027-02-16', eventSchedule: [schedule] })));
  assert.equal(repeats, [
    { rule: 'FREQ=WEEKLY;INTERVAL=1;BYDAY=TU', start: '2027-02-16', except: ['2027-03-02'] },
  ]);
});

test('L2: should make a festival the container of its programme, however the pages say it', () => {
  const festival = { '@type': 'Festival', '@id': 'https://fest.example/#2027', name: 'Vinterfest' };
  const programme = [
    event({ url: 'https://fest.example/1' }),
    event({ name: 'Quiz', url: 'https://fest.example/2' }),
  ];
  const ways: Readonly<Record<string, unknown>> = {
    subEvent: { ...festival, subEvent: programme },
    superEvent: programme.map((item) => ({ ...item, superEvent: festival })),
    'references to what it is part of': [
      festival,
      ...programme.map((item) => ({ ...item, superEvent: { '@id': festival['@id'] } })),
    ],
    'addresses of what it is part of': [
      ...programme.map((item) => ({ ...item, superEvent: festival['@id'] })),
      festival,
    ],
    'references to its parts': [
      { ...festival, subEvent: programme.map(({ url }) => ({ '@id': url })) },
      ...programme.map((item) => ({ ...item, '@id': item.url })),
    ],
  };
  for (const [way, value] of Object.entries(ways)) {
    const { events, findings } = read(value);
    const said = events.map(({ title_nb, isSuperEvent, superEvent }) => ({
      title_nb,
      isSuperEvent,
      superEvent,
    }));
    const container = 'f:https://fest.example/#2027';
    assert.equal(findings, [], way);
    assert.equal(
      [...said].sort((left, right) => (`${left.title_nb}` < `${right.title_nb}` ? -1 : 1)),
      [
        { title_nb: 'Kor', isSuperEvent: undefined, superEvent: container },
        { title_nb: 'Quiz', isSuperEvent: undefined, superEvent: container },
        { title_nb: 'Vinterfest', isSuperEvent: true, superEvent: undefined },
      ],
      way,
    );
  }
});

test('L2: should take events that name a series of the same name for its dates', () => {
  const series = { '@type': 'EventSeries', name: 'Kor', url: 'https://kor.example/' };
  const dates = ['2027-02-14', '2027-02-21'].map((startDate, at) =>
    event({ startDate, url: `https://kor.example/${at}`, superEvent: series }),
  );
  const { id, dates: given } = only(read(dates));
  assert.equal([id, given], ['f:https://kor.example/', [{ start: '2027-02-14' }, { start: '2027-02-21' }]]);
});

test('should tell events of one address apart by their names, and those without by their places', () => {
  const here = { '@type': 'Place', name: 'Her' };
  const { events, counts } = read([
    event({ url: 'https://a.example/' }),
    event({ url: 'https://a.example/', name: 'Quiz' }),
    event({ location: here }),
    event({ location: here, startDate: '2027-02-15T19:00' }),
    event({ location: 'Der' }),
  ]);
  assert.equal(counts, { entries: 5, events: 4, merged: 1, dropped: 0 });
  assert.is(new Set(events.map(({ id }) => id)).size, 4);
  assert.is(events[0]?.id, 'f:https://a.example/');
});

/** What an event says, the fields that it gives, and a finding. */
const FIELDS = rowsOf(`
  {"offers": {"price": "0.00", "priceCurrency": "NOK"}} → {"ticketsInformation": "free", "prices": []}
  {"isAccessibleForFree": true} → {"ticketsInformation": "free", "prices": []}
  {"offers": [{"price": 250, "name": "Voksen"}, {"price": "125,50", "name": "Barn"}, {"price": 90, "name": "Kvote", "category": "STUDENT", "url": "https://b.example/"}]}
    → {"ticketsURL": "https://b.example/", "ticketsInformation": "ticketsInfo", "prices": [{"type": "REGULAR", "price": "250", "name_nb": "Voksen"}, {"type": "CHILD", "price": "125.50", "name_nb": "Barn"}, {"type": "STUDENT", "price": "90", "name_nb": "Kvote"}]}
  {"offers": {"price": 25, "priceCurrency": "EUR"}}
    → {"ticketsInformation": "ticketsInfo", "prices": [{"type": "REGULAR", "price": null, "name_nb": "25 EUR"}]}
    → 1 "f:kor-989df48c" offers.priceCurrency: changed value, expected NOK (the price is kept as words), found "EUR"
  {"keywords": "jazz, fjord", "genre": ["Konsert"], "performer": [{"@type": "Person", "name": "Kari &amp; Co"}, "Organization"]}
    → {"categories": ["MUSIC"], "tags": ["jazz", "fjord", "Kari & Co"]}
  {"@type": "DanceEvent"} → {"categories": ["DANCE"]}
  {"typicalAgeRange": "6-12"} → {"minimumAge": 6, "maximumAge": 12}
  {"typicalAgeRange": "18+"} → {"minimumAge": 18}
  {"name": [{"@value": "Koret", "@language": "nb-NO"}, {"@value": "The choir", "@language": "en"}]}
    → {"title_nb": "Koret", "title_en": "The choir"}
  {"sameAs": ["https://kor.example", "https://www.facebook.com/events/1"]}
    → {"facebookURL": "https://www.facebook.com/events/1"}
  {"image": [{"@type": "ImageObject", "url": "https://i.example/a.jpg", "caption": "Koret"}, "bilde.jpg"]}
    → {"images": [{"urlSmall": "https://i.example/a.jpg", "urlLarge": "https://i.example/a.jpg", "caption": "Koret"}]}
    → 1 "f:kor-989df48c" image: changed value, expected the http or https URL of an image, found "bilde.jpg"
`);

for (const [says = '', gives = '', ...findings] of FIELDS) {
  test(`L2: should read ${says}`, () => {
    const reading = read(event(JSON.parse(says)), { map: { konsert: 'MUSIC', DanceEvent: 'DANCE' } });
    const { id: _, dates: __, ...fields } = only(reading);
    assert.equal([fields, reading.findings], [{ title_nb: 'Kor', ...JSON.parse(gives) }, findings]);
  });
}

/** A location, and the venue that it gives. */
const PLACES = rowsOf(`
  "Kulturbrygga" → {"name": "Kulturbrygga"}
  {"@type": "Place", "name": "Brygga", "address": "Havnegata 2, 7170 Lillevik"}
    → {"name": "Brygga", "address": "Havnegata 2, 7170 Lillevik"}
  {"@type": "Place", "name": "Brygga", "address": {"streetAddress": "Havnegata 2", "postalCode": 7170, "addressLocality": "Lillevik", "addressCountry": {"@type": "Country", "name": "NO"}}}
    → {"name": "Brygga", "address": "Havnegata 2, 7170 Lillevik", "postalCode": "7170"}
  {"@type": "Place", "address": {"streetAddress": "Storgatan 1", "addressLocality": "Östersund", "addressCountry": "SE"}}
    → {"name": "Storgatan 1", "address": "Storgatan 1, Östersund, SE"}
  {"@type": "Place", "name": "Brygga", "geo": {"latitude": 63.8, "longitude": "10.05"}}
    → {"name": "Brygga", "latitude": 63.8, "longitude": 10.05}
  [{"@type": "VirtualLocation", "url": "https://s.example"}, {"@type": "Place", "name": "Brygga"}]
    → {"name": "Brygga"}
  {"@id": "#place"} → {"name": "Referert"}
  {"@type": "VirtualLocation", "url": "https://s.example"} → null
`);

for (const [location = '', venue = ''] of PLACES) {
  test(`L2: should find the place in ${location}`, () => {
    const named = { '@type': 'Place', '@id': '#place', name: 'Referert' };
    const { venues } = read([named, event({ location: JSON.parse(location) })]);
    const found = venues.map(({ id: _, ...fields }) => fields);
    assert.equal(found[0] ?? null, JSON.parse(venue));
  });
}

test('L3: should refuse pages without linked data, and data without end', () => {
  const refusalOf = (document: string) => {
    try {
      readDocuments(readLinkedData, document);
      return null;
    } catch (thrown) {
      assert.ok(thrown instanceof FeedProblem);
      return thrown.reason;
    }
  };
  assert.is(refusalOf('<!doctype html><p>Logg inn</p>'), 'unreadable answer');
  assert.is(refusalOf(pageOf(`${'['.repeat(100)}${']'.repeat(100)}`)), 'unreadable answer');
  const daily = { repeatFrequency: 'P1D' };
  const flood = Array.from({ length: 2_000 }, (_, at) =>
    event({ name: `Kor ${at}`, startDate: '2026-01-01', eventSchedule: daily }),
  );
  assert.is(refusalOf(JSON.stringify(flood)), 'size limit');
});

test('should come to an end with any number of references', () => {
  const chain = Array.from({ length: 10_000 }, (_, at) =>
    event({ '@id': `#${at}`, name: `Kor ${at}`, subEvent: { '@id': `#${(at + 1) % 10_000}` } }),
  );
  assert.is(read(chain).counts.events, 10_000);
});

test('L2: should put several pages together, and say of each finding which page it is about', () => {
  const pages = [
    {
      origin: 'https://a.example',
      bytes: Buffer.from(pageOf(JSON.stringify(event({ url: '/kor', image: '//i.example/a.jpg' })))),
    },
    { origin: 'https://a.example', bytes: null },
    { origin: 'https://a.example', bytes: Buffer.from('<p>tomt</p>') },
    {
      origin: 'https://a.example',
      bytes: Buffer.from(
        pageOf(JSON.stringify(event({ url: '/kor', endDate: 'sent', startDate: '2027-02-15' }))),
      ),
    },
  ];
  const reading = readDocuments(readLinkedData, pages);
  const { moreInfoURL, images, dates } = only(reading);
  assert.equal(
    [moreInfoURL, dates],
    ['https://a.example/kor', [{ start: '2027-02-14 19:00' }, { start: '2027-02-15' }]],
  );
  assert.equal(images, [{ urlSmall: 'https://i.example/a.jpg', urlLarge: 'https://i.example/a.jpg' }]);
  const expected = 'JSON, or a page with a script of the type application/ld+json, or with microdata';
  assert.equal(reading.findings, [
    `pages[1]: dropped reference, expected ${expected}, found a page that is there no more`,
    `pages[2]: dropped reference, expected ${expected}, found a page without it`,
    '"f:/kor" pages[3].endDate: changed value, expected a date or time such as 2027-02-14 or 2027-02-14T19:00:00+01:00, found "sent"',
  ]);
});

test.run();
