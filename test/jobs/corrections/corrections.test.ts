/** F13: corrections, through whole builds. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createReport } from '../../../jobs/report/report.ts';
import { built, events, sourceOfEvents } from '../../helpers/build.ts';
import { type ShownDate, shownAfter } from '../../helpers/corrections.ts';
import { rejects } from '../../helpers/errors.ts';
import { always, startFeedServer } from '../../helpers/feed-server.ts';
import { builtWithFeeds } from '../../helpers/feeds.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { type Files, LICENCE, sourceFolder } from '../../helpers/native-source.ts';
import { editionRows } from '../../helpers/snapshot-rows.ts';

const test = suite('F13: corrections');

const VENUES = [
  { id: 'hall', name: 'Storsalen', address: 'Torget 1, 7170 Lillevik' },
  { id: 'church', name: 'Lillevik kirke', address: 'Kirkegata 9, 7170 Lillevik' },
];
const WEEKLY = {
  id: 'kor',
  title_nb: 'Korøvelse',
  venue: 'hall',
  repeats: [{ start: '2026-02-03 18:00', duration: 90, rule: 'FREQ=WEEKLY;COUNT=4' }],
};
const CONCERT = {
  id: 'konsert',
  title_nb: 'Konsert med Åse',
  title_en: 'Concert',
  tags: ['Vår'],
  venue: 'church',
  dates: [
    { start: '2026-02-10 19:00', end: '2026-02-10 21:00' },
    { start: '2026-02-11 19:00' },
    { start: '2026-02-12' },
  ],
};
const FEED = [
  'Id,Tittel,Start,Slutt,Sted,Adresse',
  'x,Busy,2026-02-05 10:00,,,',
  'y,busy!,2026-02-06 10:00,,,',
  'z,Konsert,2026-02-10 19:00,,Lillevik kirke,"Kirkegata 9, 7170 Lillevik"',
  '',
].join('\n');
const FEEDS = [{ id: 'f', kind: 'csv', file: 'f.csv', language: 'nb' }];

const NATIVE: Files = { 'venues.json': VENUES, 'events.json': [WEEKLY, CONCERT] };
const BOTH: Files = { ...NATIVE, 'f.csv': FEED, 'sources.json': FEEDS };
const KINO: Files = { 'sources.json': [{ ...FEEDS[0], id: 'kinoen' }] };
const MERGING: Files = { ...BOTH, 'licence.json': { ...LICENCE, duplicates: 'merge' } };

const after = (corrections: readonly unknown[], files: Files = NATIVE) =>
  shownAfter({ ...files, 'corrections.json': corrections });

test('F13: should match events by id, feed, title, place and tag, if all conditions hold', async () => {
  const conditions: readonly (readonly [where: object, ids: readonly string[]])[] = [
    [{ id: 'kor' }, ['kor']],
    [{ feed: 'f' }, ['f:x', 'f:y', 'f:z']],
    [{ title: 'BUSY' }, ['f:x', 'f:y']],
    [{ title: 'Åse, konsert' }, ['konsert']],
    [{ title: 'ase' }, ['konsert']],
    [{ title: 'konser' }, []],
    [{ title: 'konsert concert' }, []],
    [{ place: 'kirke lillevik' }, ['f:z', 'konsert']],
    [{ place: 'Torget 1' }, ['kor']],
    [{ tag: 'vår' }, ['konsert']],
    [{ title: 'konsert', feed: 'f' }, ['f:z']],
    [{ id: 'konsert', title: 'busy' }, []],
  ];
  const tagOf = (nth: number) => `condition ${nth}`;
  const { report, ids, event } = await after(
    conditions.map(([where], nth) => ({ where, add: { tags: [tagOf(nth)] } })),
    BOTH,
  );
  for (const [nth, [where, expected]] of conditions.entries()) {
    const matched = ids.filter((id) => event(id).tags.includes(tagOf(nth)));
    assert.equal(matched, expected, JSON.stringify(where));
    assert.is(report.corrections[nth]?.events, expected.length, JSON.stringify(where));
  }
});

test('F13: should match events with a date on the day, or at the time, and at the place', async () => {
  const conditions: readonly DateCondition[] = [
    {
      where: { date: '2026-02-10' },
      set: { status: 'CANCELLED' },
      ids: ['f:z', 'konsert', 'kor'],
    },
    {
      where: { date: '2026-02-10 18:00' },
      set: { eventSoldOut: true },
      ids: ['kor'],
    },
    {
      where: { date: '2026-02-10', place: 'kirke' },
      set: { ticketsURL: 'https://billett.example/kirke' },
      ids: ['f:z', 'konsert'],
    },
    {
      where: { date: '2026-02-12 00:00' },
      set: { ticketsURL: 'https://billett.example/midnatt' },
      ids: [],
    },
  ];
  const { report, ids, event } = await after(
    conditions.map(({ where, set }) => ({ where, set })),
    BOTH,
  );
  for (const [nth, { where, set, ids: expected }] of conditions.entries()) {
    const hasValues = (date: ShownDate) =>
      Object.entries(set).every(([field, value]) => date[field] === value);
    const matched = ids.filter((id) => [event(id), ...event(id).repetitions].some(hasValues));
    assert.equal(matched, expected, JSON.stringify(where));
    assert.is(report.corrections[nth]?.events, expected.length, JSON.stringify(where));
  }
});

interface DateCondition {
  readonly where: object;
  /** Values that no date has unless this condition matches it. */
  readonly set: object;
  readonly ids: readonly string[];
}

/** The places of the calendar, one of them without a postal code, and an event without a place. */
const TOWNS: Files = {
  'postal-codes.tsv': '7013\tTRONDHEIM\t5001\tTRONDHEIM\tG\n7170\tLILLEVIK\t5058\tÅFJORD\tG',
  'venues.json': [...VENUES, { id: 'barn', name: 'Låven' }, { id: 'square', name: 'Torget' }],
  'events.json': [
    WEEKLY,
    CONCERT,
    {
      id: 'dans',
      title_nb: 'Dans',
      venue: 'barn',
      dates: [{ start: '2026-02-20 19:00' }, { start: '2026-02-21 19:00', venue: 'church' }],
    },
    { id: 'leik', title_nb: 'Leik', venue: 'barn', dates: [{ start: '2026-02-22 19:00' }] },
    { id: 'nett', title_nb: 'Foredrag', mode: 'online', dates: [{ start: '2026-02-23 19:00' }] },
  ],
};

test('F13: should set the municipality of the places of events, for all events there', async () => {
  const corrections = [
    { where: { id: 'kor' }, set: { municipality: '5001' } },
    { where: { id: 'kor' }, set: { municipality: 'Malvik' } },
    { where: { title: 'konsert' }, set: { municipality: 'Trondheim' } },
    { where: { id: 'konsert' }, set: { municipality: null } },
    { where: { id: 'dans', date: '2026-02-20' }, set: { municipality: 'TRONDHEIM' } },
    { where: { id: 'dans', date: '2026-02-24' }, set: { municipality: 'Åfjord' } },
    { where: { id: 'leik' }, set: { venue: 'square', municipality: 'Åfjord' } },
    { where: { id: 'nett' }, set: { municipality: 'Trondheim' } },
  ];
  const { target, lines, all } = await after(corrections, TOWNS);
  const places = "select id || ' ' || coalesce(municipality, '-') as text from venue order by id";
  assert.equal(await editionRows(target, places), [
    'barn Trondheim',
    'church -',
    'hall Trondheim',
    'square Åfjord',
  ]);
  assert.equal(
    lines.map((line) => line.replace('corrections.json:1 ', '')),
    [
      'set.municipality: dropped value, expected the name or number of a municipality that postal-codes.tsv lists, found "Malvik"',
      'set.municipality: dropped value, expected an event with a place, found none',
      'where: left out, expected an event of this build with id "dans" and that date, found none',
    ],
  );
  assert.is(all.proposals?.withoutMunicipality.events, 1, 'the concert alone');
});

test('F13: should hide the events that match, and count none of them as dropped', async () => {
  const broken = {
    ...CONCERT,
    id: 'x',
    title_nb: 'Busy',
    colour: 1,
    dates: [{ start: '2026-02-10 19:00' }, { start: 'soon' }],
  };
  const files = { ...BOTH, 'events.json': [WEEKLY, CONCERT, broken] };
  const { ids, report } = await after(
    [{ where: { title: 'busy' }, hide: true, note: 'ikke for alle' }],
    files,
  );
  assert.equal(ids, ['f:z', 'konsert', 'kor']);
  assert.is(report.hidden, 3);
  assert.is(report.lists.events.dropped, 0);
  assert.is(report.actions['dropped date'], 0);
  assert.equal(report.corrections, [
    { at: 'corrections.json:1', does: 'hide', note: 'ikke for alle', events: 3, dates: null },
  ]);
});

test('F13: should hide a merged event by an id, and only the matching records by other conditions', async () => {
  const all = ['f:x', 'f:y', 'konsert', 'kor'];
  assert.equal((await after([], MERGING)).ids, all);
  for (const id of ['konsert', 'f:z'])
    assert.equal((await after([{ where: { id }, hide: true }], MERGING)).ids, ['f:x', 'f:y', 'kor'], id);
  const { ids } = await after([{ where: { feed: 'f' }, hide: true }], MERGING);
  assert.equal(ids, ['konsert', 'kor']);
  const left = await after([{ where: { title: 'åse' }, hide: true }], MERGING);
  assert.equal(left.ids, ['f:x', 'f:y', 'f:z', 'kor'], 'the other source has it still');
});

/** Titles of events that a native record and a row of the feed have, and the fields of the native one. */
const JOINED: Readonly<Record<string, object>> = {
  quiz: { prices: [{ type: 'REGULAR', price: 100 }] },
  revy: { images: [{ urlLarge: 'https://a.example/1.jpg' }] },
  film: {},
  dans: { ticketsURL: 'https://a.example/tickets' },
  tog: { images: [{ urlLarge: 'https://a.example/2.jpg' }] },
  mote: {},
};
const NEW_PICTURE = { urlLarge: 'https://desk.example/new.jpg' };

test('F13, G9: should leave fields of a merged event empty that a correction by an id empties, unless a later one sets them', async () => {
  const place = { id: 'kro', name: 'Kroa', address: 'Torget 5, 7170 Lillevik' };
  const native = Object.entries(JOINED).map(([id, fields], at) => ({
    id,
    title_nb: id,
    venue: 'kro',
    dates: [{ start: `2026-02-0${at + 1} 19:00` }],
    ...fields,
  }));
  const rows = Object.keys(JOINED).map(
    (id, at) =>
      `${id},${id},2026-02-0${at + 1} 19:00,Kroa,"Torget 5, 7170 Lillevik",250,https://b.example/tickets,https://b.example/1.jpg`,
  );
  const { event, ids } = await after(
    [
      { where: { id: 'quiz' }, set: { prices: null } },
      { where: { id: 'f:revy' }, set: { images: null } },
      { where: { id: 'f:film' }, set: { images: null } },
      { where: { feed: 'f', title: 'film' }, set: { images: [NEW_PICTURE] } },
      { where: { id: 'f:dans' }, set: { ticketsURL: null } },
      { where: { id: 'f:tog' }, set: { images: null } },
      { where: { id: 'tog' }, set: { images: [NEW_PICTURE] } },
      { where: { title: 'mote' }, set: { images: null } },
      { where: { feed: 'f', title: 'mote' }, set: { images: [NEW_PICTURE] } },
    ],
    {
      'venues.json': [place],
      'events.json': native,
      'f.csv': ['Id,Tittel,Start,Sted,Adresse,Pris,Billetter,Bilde', ...rows].join('\n'),
      'sources.json': FEEDS,
      'licence.json': { ...LICENCE, duplicates: 'merge' },
    },
  );
  assert.equal(ids, Object.keys(JOINED).sort());
  const { prices, ticketsInformation, ticketsURL } = event('quiz');
  assert.equal(
    { prices, ticketsInformation, ticketsURL },
    { prices: [], ticketsInformation: 'noTicketsInfo', ticketsURL: 'https://b.example/tickets' },
  );
  assert.equal(event('revy').images, [], 'by the id of the other record');
  assert.equal(event('film').images, [NEW_PICTURE], 'a later one of the same record');
  assert.is(event('dans').ticketsURL, null);
  assert.equal(event('dans').prices, [{ type: 'REGULAR', price: 250 }]);
  assert.equal(event('tog').images, [NEW_PICTURE], 'a later one of the other record');
  assert.equal(event('mote').images, [NEW_PICTURE], 'without an id');
});

test('F13, G9: should hide a date of a merged event by an id, whichever of its sources lists it', async () => {
  const days = ['03', '10', '17', '24'];
  const rows = days.map((day) => `k,Korøvelse,2026-02-${day} 18:00,Storsalen,"Torget 1, 7170 Lillevik"`);
  const films = ['01', '02'].map((day) => `b,Film,2026-02-${day} 18:00,Storsalen,"Torget 1, 7170 Lillevik"`);
  const film = { id: 'film', title_nb: 'Film', venue: 'hall' };
  const { dates, ids, report } = await after(
    [
      { where: { id: 'kor', date: '2026-02-10' }, hide: true },
      { where: { id: 'f:k', date: '2026-02-17 18:00' }, hide: true },
      { where: { feed: 'f', title: 'korøvelse', date: '2026-02-24' }, hide: true },
      { where: { id: 'f:b', date: '2026-02-01' }, hide: true },
      { where: { id: 'f:b', date: '2026-02-02' }, hide: true },
    ],
    {
      ...NATIVE,
      'events.json': [
        WEEKLY,
        { ...film, dates: [{ start: '2026-02-01 18:00' }, { start: '2026-02-02 18:00' }] },
      ],
      'f.csv': ['Id,Tittel,Start,Sted,Adresse', ...rows, ...films].join('\n'),
      'sources.json': FEEDS,
      'licence.json': { ...LICENCE, duplicates: 'merge' },
    },
  );
  assert.equal(
    dates('kor').map((line) => line.slice(0, 5)),
    ['02-03', '02-24'],
  );
  assert.equal(ids, ['kor']);
  assert.is(report.hidden, 1);
});

test('F13: should hide listed dates and dates of series, and the event with its last date', async () => {
  const { dates, ids, report } = await after([
    { where: { id: 'konsert', date: '2026-02-11' }, hide: true },
    { where: { title: 'korøvelse', date: '2026-02-17 18:00' }, hide: true },
  ]);
  assert.equal(dates('konsert'), ['02-10 19:00–21:00 Lillevik kirke', '02-12 1 d Lillevik kirke']);
  assert.equal(
    dates('kor').map((line) => line.slice(0, 5)),
    ['02-03', '02-10', '02-24'],
  );
  assert.equal(ids, ['konsert', 'kor']);
  assert.equal(
    report.corrections.map(({ events, dates }) => [events, dates]),
    [
      [1, 1],
      [1, 1],
    ],
  );
  const days = ['10', '11', '12'].map((day) => ({
    where: { id: 'konsert', date: `2026-02-${day}` },
    hide: true,
  }));
  const without = await after(days);
  assert.equal(without.ids, ['kor']);
  assert.is(without.report.hidden, 1);
});

test('F13: should set the values of events, the later correction winning, and keep ids and slugs', async () => {
  const target = temporaryFolder();
  const before = await shownAfter(NATIVE, { target });
  const set = {
    title_nb: ' Vår<b>konsert</b> ',
    desc_nb: '<p>Åse synger.</p>',
    norwegian: 'nn',
    categories: ['MUSIC'],
    tags: ['kor'],
    organizers: ['o'],
    mode: 'online',
    prices: [{ type: 'REGULAR', price: 100 }],
    ticketsInformation: 'ticketsInfo',
    minimumAge: 12,
    isFeaturedEvent: true,
  };
  const corrections = [
    { where: { id: 'konsert' }, set: { ...set, venue: 'hall' } },
    { where: { id: 'konsert' }, set: { title_en: null, minimumAge: 16 } },
    { where: { id: 'konsert' }, add: { categories: ['JAZZ', 'MUSIC'], tags: ['Åse'] } },
  ];
  const files = { ...NATIVE, 'organizers.json': [{ id: 'o', name: 'Åse' }], 'corrections.json': corrections };
  const { event, dates, lines } = await shownAfter(files, { target });
  const { repetitions: _, venue: __, ...shown } = event('konsert');
  const { repetitions: ___, venue: ____, ...shownBefore } = before.event('konsert');
  assert.equal(shown, {
    ...shownBefore,
    ...set,
    title_nb: 'Vårkonsert',
    title_en: null,
    minimumAge: 16,
    categories: ['MUSIC', 'JAZZ'],
    tags: ['kor', 'Åse'],
    organizers: [{ name: 'Åse' }],
  });
  assert.equal(dates('konsert'), [
    '02-10 19:00–21:00 Storsalen',
    '02-11 19:00 Storsalen',
    '02-12 1 d Storsalen',
  ]);
  assert.ok(
    lines.some((line) => line.startsWith('corrections.json:1 set.title_nb: made safe')),
    lines.join('\n'),
  );
});

test('F13: should match the values of the sources, not those of earlier corrections', async () => {
  const { event } = await after([
    { where: { title: 'konsert' }, set: { title_nb: 'Allsang', tags: ['ny'] } },
    { where: { title: 'allsang' }, set: { isFeaturedEvent: true } },
    { where: { tag: 'ny' }, set: { isFeaturedEvent: true } },
    { where: { title: 'konsert' }, add: { tags: ['to'] } },
  ]);
  const { title_nb, tags, isFeaturedEvent } = event('konsert');
  assert.equal(
    { title_nb, tags, isFeaturedEvent },
    { title_nb: 'Allsang', tags: ['ny', 'to'], isFeaturedEvent: false },
  );
});

test('F13: should set the times and place of all dates, also of a series', async () => {
  const whole = await after([
    { where: { id: 'kor' }, set: { start: '19:30', venue: 'church' } },
    { where: { id: 'konsert' }, set: { end: '22:00' } },
  ]);
  assert.equal(whole.dates('kor'), [
    '02-03 19:30–21:00 Lillevik kirke',
    '02-10 19:30–21:00 Lillevik kirke',
    '02-17 19:30–21:00 Lillevik kirke',
    '02-24 19:30–21:00 Lillevik kirke',
  ]);
  assert.equal(whole.dates('konsert'), [
    '02-10 19:00–22:00 Lillevik kirke',
    '02-11 19:00–22:00 Lillevik kirke',
    '02-12 1 d Lillevik kirke',
  ]);
});

test('F13: should set the times, place and status of a single date', async () => {
  const one = await after([
    { where: { id: 'kor', date: '2026-02-10' }, set: { start: '2026-02-11 20:00', venue: 'church' } },
    { where: { id: 'kor', date: '2026-02-17' }, set: { status: 'cancelled' } },
    { where: { id: 'konsert', date: '2026-02-12' }, set: { start: '23:00', end: '01:30' } },
  ]);
  assert.equal(one.dates('kor'), [
    '02-03 18:00–19:30 Storsalen',
    '02-11 20:00–21:30 Lillevik kirke',
    '02-17 18:00–19:30 Storsalen CANCELLED',
    '02-24 18:00–19:30 Storsalen',
  ]);
  assert.equal(one.dates('konsert').slice(2), ['02-12 23:00–02-13 01:30 Lillevik kirke']);
});

test('F13: should mark dates as sold out, or as available again', async () => {
  const soldOut = { ...CONCERT, id: 'utsolgt', eventSoldOut: true };
  const { event } = await after(
    [
      { where: { id: 'konsert', date: '2026-02-11' }, set: { eventSoldOut: true } },
      { where: { id: 'kor' }, set: { eventSoldOut: true } },
      { where: { id: 'utsolgt' }, set: { eventSoldOut: null } },
    ],
    { ...NATIVE, 'events.json': [WEEKLY, CONCERT, soldOut] },
  );
  const flags = (id: string) => [event(id), ...event(id).repetitions].map((date) => date.eventSoldOut);
  assert.equal(flags('konsert'), [false, true, false]);
  assert.equal(flags('kor'), [true, true, true, true]);
  assert.equal(flags('utsolgt'), [false, false, false]);
});

test('F13: should report fields that a date does not have, datetimes of several dates, and bad values', async () => {
  const two = { ...CONCERT, dates: [{ start: '2026-02-10 12:00' }, { start: '2026-02-10 19:00' }] };
  const { lines, dates, event } = await after(
    [
      { where: { id: 'konsert', date: '2026-02-10' }, set: { title_nb: 'x', start: '2026-02-11 19:00' } },
      {
        where: { id: 'konsert' },
        set: { start: '2026-02-11 19:00', venue: 'hal', categories: ['MUSICC'], colour: 1 },
      },
      { where: { id: 'konsert', date: '2026-02-10' }, add: { tags: ['x'] } },
      { where: { id: 'konsert' }, set: { mode: 'hybrid', title_nb: '', title_en: null } },
    ],
    { ...NATIVE, 'events.json': [two] },
  );
  const corrections = lines.filter((line) => line.startsWith('corrections'));
  const expected = [
    /^corrections\.json:1 set\.title_nb: dropped value, expected one of venue, status, ticketsURL, eventSoldOut, start, end, municipality, because/,
    /^corrections\.json:1 set\.start: dropped value, expected a time of day .* found a datetime$/,
    /^corrections\.json:1 set\.venue: dropped reference, expected the id of a venue; the nearest is "hall", found "hal"$/,
    /^corrections\.json:1 set\.categories\[0\]: dropped reference/,
    /^corrections\.json:1 add\.tags: dropped value/,
    /^corrections\.json:1 set\.mode: dropped value/,
    /^corrections\.json:1 "konsert" set\.start: dropped value, .* found a datetime for 2 dates$/,
  ];
  for (const pattern of expected)
    assert.ok(
      corrections.some((line) => pattern.test(line)),
      `${pattern} in\n${corrections.join('\n')}`,
    );
  assert.is(corrections.length, expected.length, corrections.join('\n'));
  assert.equal(dates('konsert'), ['02-10 12:00 Lillevik kirke', '02-10 19:00 Lillevik kirke']);
  assert.is(event('konsert').title_nb, 'Konsert med Åse');
  assert.equal(event('konsert').tags, ['Vår']);
});

test('F13: should refuse a malformed correction, even with --force', async () => {
  const bad: readonly (readonly [entry: unknown, message: RegExp])[] = [
    [
      { hide: true },
      /^corrections\.json:1: expected "where" with one or more of id, feed, title, place, tag, date, found nothing/,
    ],
    [{ where: {}, hide: true }, /found {}/],
    [{ where: { id: null }, hide: true }, /found {"id":null}/],
    [{ where: { titel: 'x' }, hide: true }, /the nearest is "title", found "titel"/],
    [{ where: { title: '!' }, hide: true }, /where\.title: one word or more, found "!"/],
    [{ where: { date: '10.02.2026' }, hide: true }, /where\.date: a datetime/],
    [{ where: { id: 7 }, hide: true }, /where\.id: /],
    [
      { where: { id: 'kor' } },
      /expected "hide": true, or "set" or "add" with values, or "approve", found none of them/,
    ],
    [{ where: { id: 'kor' }, hide: false }, /found {"hide":false}/],
    [{ where: { id: 'kor' }, hide: true, set: {} }, /expected "hide"/],
    [{ where: { id: 'kor' }, set: 'x' }, /expected "hide"/],
    ['kor', /expected an object with "where", found "kor"/],
  ];
  for (const [entry, message] of bad)
    await rejects(
      shownAfter({ ...NATIVE, 'corrections.json': [entry] }, { force: true }),
      'INVALID_SOURCE',
      message,
    );
  for (const text of ['{', '{}', '[{"where"'])
    await rejects(
      shownAfter({ ...NATIVE, 'corrections.json': text }, { force: true }),
      'INVALID_SOURCE',
      /^corrections\.json/,
    );
});

test('F13: should report a correction without a match, with the nearest id, unless its event is over', async () => {
  const target = temporaryFolder();
  await shownAfter({ ...NATIVE, 'events.json': [WEEKLY, CONCERT, { ...CONCERT, id: 'borte' }] }, { target });
  const none = [
    { id: 'konsrt' },
    { feed: 'kinoe' },
    { title: 'revy', place: 'hus' },
    { id: 'kor', date: '2026-03-01' },
  ];
  const over = [{ id: 'borte' }, { title: 'revy', date: '2025-12-31' }];
  const corrections = [...none, ...over].map((where) => ({ where, set: { isFeaturedEvent: true } }));
  for (const correction of corrections)
    if ('date' in correction.where) correction.set = Object({ status: 'CANCELLED' });
  const { lines, report } = await shownAfter(
    { ...BOTH, ...KINO, 'corrections.json': corrections },
    { target },
  );
  assert.equal(
    lines.filter((line) => line.includes('left out')),
    [
      'corrections.json:1 where.id: left out, expected the id of an event of this build; the nearest is "konsert", found "konsrt"',
      'corrections.json:1 where.feed: left out, expected the id of a source in sources.json; the nearest is "kinoen", found "kinoe"',
      'corrections.json:1 where: left out, expected an event of this build with title "revy" and place "hus", found none',
      'corrections.json:1 where: left out, expected an event of this build with id "kor" and that date, found none',
    ],
  );
  assert.is(report.lists.events.dropped, 0);
});

test('F13, G3: should not count hidden events in guards, and not publish an empty calendar', async () => {
  const target = temporaryFolder();
  await built(sourceOfEvents(40), target);
  const hideMost = events(40)
    .slice(0, 30)
    .map(({ id }) => ({ where: { id }, hide: true }));
  const { counts } = await built(sourceOfEvents(40, { 'corrections.json': hideMost }), target);
  assert.is(counts.events, 10);
  const hideAll = [{ where: { title: 'hendelse' }, hide: true }];
  await rejects(
    built(sourceOfEvents(40, { 'corrections.json': hideAll }), target),
    'BUILD_REFUSED',
    /at least one valid event/,
  );
});

test('F13: should remove a hidden container from its programme and the licence, without a finding', async () => {
  const files = {
    ...NATIVE,
    'licence.json': { ...LICENCE, specialEvent: 'fest' },
    'events.json': [
      { id: 'fest', title_nb: 'Vinterfest', isSuperEvent: true },
      { ...CONCERT, superEvent: 'fest', isFeaturedInSpecialEvent: true },
    ],
  };
  assert.is((await after([], files)).event('konsert').super_event, 'fest');
  const { event, lines } = await after([{ where: { id: 'fest' }, hide: true }], files);
  assert.is(event('konsert').super_event, null);
  assert.equal(
    lines.filter((line) => !line.includes('no category')),
    [],
  );
});

test('F13, G7: should build again when only corrections change, without a request to feeds', async () => {
  const server = await startFeedServer(always(200, FEED));
  const feed = { id: 'f', kind: 'csv', url: `${server.url}/f.csv`, language: 'nb' };
  const source = sourceFolder({ ...NATIVE, 'sources.json': [feed], 'corrections.json': [] });
  const target = temporaryFolder();
  await builtWithFeeds(source, target);
  await server.close();
  const hideBusy = [{ where: { title: 'busy' }, hide: true }];
  writeFileSync(join(source, 'corrections.json'), JSON.stringify(hideBusy));
  const { result } = await builtWithFeeds(source, target, { isLocal: true });
  assert.is(result.outcome, 'published');
  assert.is(result.counts.events, 3);
  const again = await builtWithFeeds(source, target, { isLocal: true });
  assert.is(again.result.outcome, 'unchanged');
});

test('F13: should count the matches of each correction in the report', async () => {
  const report = createReport();
  await built(
    sourceOfEvents(3, { 'corrections.json': [{ where: { id: 'e1' }, hide: true, note: 'feil' }] }),
    temporaryFolder(),
    {
      report,
    },
  );
  const { reportText } = await import('../../../jobs/report/text.ts');
  assert.match(reportText(report), /\n {2}corrections\.json:1 hides 1 event: feil\n/);
  assert.match(reportText(report), /1 hidden/);
});

test.run();
