import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Files, LICENCE, validated, validatedEvents } from '../helpers/native-source.ts';

const test = suite('validation: what is left out');

const START = { start: '2026-12-01 19:30' };
const GOOD = { id: 'e', title_nb: 'Konsert', dates: [START] };
const ORIGIN = { file: 'events.json', line: 1 };
const LONG = 'x'.repeat(200);

/** What a record has in place of what a good one has, or all of it; what is said: the field, what was expected and found, the id. */
type Row = readonly [own: unknown, field: string | null, expected: string, found: string, id?: string | null];

const NOT_BLANK = 'a string that is not blank';
const TITLE = 'a title in Norwegian or English';
const DATETIME = 'a datetime such as "2026-05-17 19:30"';
const WHOLE = 'a whole number of 32 bits';

/** A record that is left out, and all that is said about it. */
const DROPPED: readonly Row[] = [
  [5, null, 'an object', '5', null],
  [null, null, 'an object', 'null', null],
  [[], null, 'an object', '[]', null],
  [{ id: undefined }, 'id', NOT_BLANK, 'nothing', null],
  [{ id: null }, 'id', NOT_BLANK, 'null', null],
  [{ id: 7 }, 'id', NOT_BLANK, '7', null],
  [{ id: ' ' }, 'id', NOT_BLANK, '" "', ' '],
  [{ title_nb: null }, 'title_nb', TITLE, 'nothing'],
  [{ title_nb: ' \t' }, 'title_nb', TITLE, '" \\t"'],
  [{ title_nb: 5 }, 'title_nb', TITLE, '5'],
  ...['2026-02-30 10:00', '2026-01-01', '10:00', '2026-01-01 24:00', '0000-01-01 10:00', ''].map(
    (text): Row => [{ publishingDate: text }, 'publishingDate', DATETIME, `"${text}"`],
  ),
  [{ dates: { start: 'x' } }, 'dates', 'a list of dates', '{"start":"x"}'],
  [{ dates: [] }, 'dates', 'at least one good date or repeat', 'nothing'],
];

/** A value that is left out of a record, which is kept. */
const DROPPED_VALUES: readonly Row[] = [
  [{ title_en: 5 }, 'title_en', 'a string', '5'],
  [{ desc_nb: [LONG] }, 'desc_nb', 'a string', `["${LONG.slice(0, 77)}…`],
  [{ slug: false }, 'slug', 'a string', 'false'],
  [{ eventLink: {} }, 'eventLink', 'a string', '{}'],
  [{ categories: 'MUSIC' }, 'categories', 'a list of strings', '"MUSIC"'],
  [{ tags: ['a', 2] }, 'tags[1]', 'a string', '2'],
  [{ organizers: [null] }, 'organizers[0]', 'a string', 'null'],
  [{ mode: 'hybrid' }, 'mode', '"online" or "offline"', '"hybrid"'],
  [{ images: {} }, 'images', 'a list of images', '{}'],
  [{ images: ['a.jpg'] }, 'images[0]', 'an object', '"a.jpg"'],
  [{ images: [{}, { focusX: 1.5 }] }, 'images[1].focusX', 'a number from 0 to 1', '1.5'],
  [{ images: [{ width: 1.5 }] }, 'images[0].width', 'a whole number, 0 or more', '1.5'],
  [{ ticketsInformation: 'x' }, 'ticketsInformation', '"free" or "noTicketsInfo" or "ticketsInfo"', '"x"'],
  [{ prices: 100 }, 'prices', 'a list of prices', '100'],
  [{ prices: [{ price: 1 }] }, 'prices[0].type', 'a string', 'nothing'],
  [{ eventCancelled: 'no' }, 'eventCancelled', 'true or false', '"no"'],
  [{ minimumAge: '18' }, 'minimumAge', WHOLE, '"18"'],
  [{ maximumAge: 17.5 }, 'maximumAge', WHOLE, '17.5'],
  [{ views: 2 ** 31 }, 'views', WHOLE, '2147483648'],
  [{ created_at: 1_700_000_000 }, 'created_at', DATETIME, '1700000000'],
];

for (const [what, rows, kept] of [
  ['a value alone that is wrong', DROPPED_VALUES, 1],
  ['a record with a wrong field', DROPPED, 0],
] as const)
  test(`G2: should leave out ${what}, and say where, what was expected and what was found`, async () => {
    for (const [own, field, expected, found, id = 'e'] of rows) {
      const isOwn = typeof own === 'object' && own !== null && !Array.isArray(own);
      const { events, findings, summary } = await validatedEvents([isOwn ? { ...GOOD, ...own } : own]);
      const action = kept === 1 ? 'dropped value' : 'dropped record';
      assert.equal(findings, [{ action, origin: ORIGIN, id, field, expected, found }], JSON.stringify(own));
      assert.is(events.length, kept);
      assert.equal(summary.lists.events, { read: 1, kept, dropped: 1 - kept });
    }
  });

test('G2: should count repeats that are no list as a series that is lost', async () => {
  const { events, findings } = await validatedEvents([{ ...GOOD, repeats: 'daily' }]);
  assert.is(events.length, 1);
  const wrong = { field: 'repeats', expected: 'a list of repeats', found: '"daily"' };
  assert.equal(findings, [{ action: 'dropped series', origin: ORIGIN, id: 'e', ...wrong }]);
});

test('G2: should name and count each wrong value of a record, and keep those beside it', async () => {
  const tags = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? at : `tag ${at}`));
  const record = { ...GOOD, slug: 1, views: 'many', tags };
  const { events, findings, summary } = await validatedEvents([record]);
  const fields = findings.map(({ field }) => field);
  const wrong = Array.from({ length: 10 }, (_, at) => `tags[${2 * at}]`);
  assert.equal(fields, ['slug', ...wrong, 'views']);
  assert.is(summary.actions['dropped value'], 12);
  assert.equal(
    events[0]?.tags,
    tags.filter((tag) => typeof tag === 'string'),
  );
});

test('G2: should name the wrong fields that a record needs, up to ten of them', async () => {
  const { findings, summary } = await validatedEvents([{ ...GOOD, id: 5, publishingDate: 7, slug: 1 }]);
  assert.equal(
    findings.map(({ action, field }) => [action, field]),
    [
      ['dropped record', 'id'],
      ['dropped record', 'publishingDate'],
    ],
  );
  assert.equal([summary.actions['dropped record'], summary.actions['dropped value']], [1, 0]);
});

test('G2: should give the line of a record in a file of lines, also of one that cannot be read', async () => {
  const lines = `${JSON.stringify(GOOD)}\n\n{"id": "cut", \n{"id":"f"}\n`;
  const { events, findings } = await validated({ 'events.json': undefined, 'events.ndjson': lines });
  assert.equal(
    events.map(({ id, origin }) => [id, origin]),
    [['e', { file: 'events.ndjson', line: 1 }]],
  );
  const cut = { id: null, field: null, expected: 'JSON', found: 'other text: it ends behind ,' };
  const untitled = { id: 'f', field: 'title_nb', expected: TITLE, found: 'nothing' };
  assert.equal(
    findings,
    [cut, untitled].map((said, at) => ({
      action: 'dropped record',
      origin: { file: 'events.ndjson', line: 3 + at },
      ...said,
    })),
  );
});

const DIRECTORY_RECORDS: readonly Row[] = [
  [{ id: 'x' }, 'name', NOT_BLANK, 'nothing', 'x'],
  [{ name: 'X' }, 'id', NOT_BLANK, 'nothing', null],
  [{ id: 'a', name: 'Second' }, 'id', 'an id of its own', '"a", which LIST:1 has', 'a'],
];

test('G2: should leave out bad venues and organizers, and keep the first of those with the same id', async () => {
  for (const list of ['venues', 'organizers'] as const) {
    const file = `${list}.ndjson`;
    for (const [record, field, expected, said, id = null] of DIRECTORY_RECORDS) {
      const { records, findings, summary } = await validated({
        [file]: [{ id: 'a', name: 'First' }, record],
      });
      assert.equal(
        records[list].map(({ id, name }) => [id, name]),
        [['a', 'First']],
      );
      const found = said.replace('LIST', file);
      assert.equal(findings, [
        { action: 'dropped record', origin: { file, line: 2 }, id, field, expected, found },
      ]);
      assert.equal(summary.lists[list], { read: 2, kept: 1, dropped: 1 });
    }
  }
});

test('G2: should keep the first good one of events with the same id', async () => {
  const named = (title_nb: string, rest = {}) => ({ ...GOOD, title_nb, ...rest });
  const bad = [named(''), named('No date', { dates: [] })];
  const list = [...bad, named('First'), named('Second'), { ...GOOD, id: 'f' }];
  const { events, findings } = await validatedEvents(list);
  assert.equal(
    events.map(({ id, title_nb }) => [id, title_nb]),
    [
      ['e', 'First'],
      ['f', 'Konsert'],
    ],
  );
  const about = { field: 'id', expected: 'an id of its own', found: '"e", which events.json:1 has' };
  assert.equal(findings.at(-1), { action: 'dropped record', origin: ORIGIN, id: 'e', ...about });
});

const MOMENT = 'a datetime such as "2026-05-17 19:30" or a date such as "2026-05-17"';
const COUNT = 'a whole number, 0 or more';
const NOT_BEFORE = 'a moment that is not before the start';
const WITHIN = 'an end before the year 9999 and at most 2147483647 minutes after the start';
const DAILY = { rule: 'FREQ=DAILY', ...START };
const DAY_UNTIL_EIGHT = { start: '2026-12-01', end: '2026-12-01 20:00' };

type DateRow = readonly [
  list: 'dates' | 'repeats',
  date: unknown,
  field: string,
  expected: string,
  found: string,
];

/** A date or repeat that is left out. */
const DROPPED_DATES: readonly DateRow[] = [
  ['dates', 'tomorrow', '', 'an object', '"tomorrow"'],
  ['dates', {}, '.start', MOMENT, 'nothing'],
  ['dates', { start: '2026-12-01T25:00' }, '.start', MOMENT, '"2026-12-01T25:00"'],
  ['dates', { ...START, end: '2026-12-01 19:29:59' }, '.end', NOT_BEFORE, '"2026-12-01 19:29:59"'],
  ['dates', { start: '2026-12-01', end: '2026-11-30' }, '.end', NOT_BEFORE, '"2026-11-30"'],
  ['dates', DAY_UNTIL_EIGHT, '.end', 'a date alone, because the start is one', '"2026-12-01 20:00"'],
  [
    'repeats',
    { ...DAILY, end: '2026-12-02' },
    '.end',
    'a datetime, because the start is one',
    '"2026-12-02"',
  ],
  ['repeats', START, '.rule', NOT_BLANK, 'nothing'],
  ['repeats', { ...DAILY, start: '1 May' }, '.start', MOMENT, '"1 May"'],
  ['repeats', { ...DAILY, end: '2026-12-01 18:00' }, '.end', NOT_BEFORE, '"2026-12-01 18:00"'],
];

/** A value that is left out of a date or repeat, which is kept. */
const DROPPED_FROM_DATES: readonly DateRow[] = [
  ['dates', { ...START, end: 'late' }, '.end', MOMENT, '"late"'],
  ['dates', { ...START, duration: -5 }, '.duration', COUNT, '-5'],
  ['dates', { ...START, duration: 90.5 }, '.duration', COUNT, '90.5'],
  ['dates', { start: '9999-12-29 19:30', duration: 1500 }, '.duration', WITHIN, '1500'],
  ['dates', { ...START, startTime: 'kl 19' }, '.startTime', 'a time of day such as "19:30"', '"kl 19"'],
  ['dates', { ...START, venue: 1 }, '.venue', 'a string', '1'],
  ['dates', { ...START, prices: [{ type: 'X' }, 5] }, '.prices[1]', 'an object', '5'],
  ['repeats', { ...DAILY, except: '2026-12-02' }, '.except', 'a list of datetimes', '"2026-12-02"'],
];

for (const [what, rows, kept] of [
  ['wrong value of a date or repeat and keep the date', DROPPED_FROM_DATES, 1],
  ['bad date or repeat and keep the rest of the event', DROPPED_DATES, 0],
] as const)
  test(`G2: should leave out a ${what}`, async () => {
    for (const [list, date, field, expected, found] of rows) {
      const other = { dates: [START], repeats: [DAILY] };
      const { events, findings } = await validatedEvents([
        { ...GOOD, ...other, [list]: [date, ...other[list]] },
      ]);
      const lost = list === 'repeats' ? 'dropped series' : 'dropped date';
      const said = { action: kept === 1 ? 'dropped value' : lost, origin: ORIGIN, id: 'e', expected, found };
      assert.equal(findings, [{ ...said, field: `${list}[0]${field}` }], JSON.stringify(date));
      assert.is(events[0]?.[list === 'dates' ? list : 'series'].length, 1 + kept);
    }
  });

const DAYS_ONLY = 'a rule of days, because the start is a date alone';
const BAD_RULES: readonly (readonly [rule: string, start: string, expected: string, found?: string])[] = [
  ['BYDAY=1XX', START.start, 'weekdays such as MO or, within a month or year, -1FR', 'BYDAY: 1XX'],
  ['FREQ=HOURLY', '2026-12-01', DAYS_ONLY],
  ['FREQ=DAILY;BYHOUR=10', '2026-12-01', DAYS_ONLY],
];

for (const [rule, start, expected, found = rule] of BAD_RULES) {
  test(`G2, A15: should leave out the rule ${rule} of ${start}, and an event that has nothing else`, async () => {
    const repeats = [{ rule, start }];
    const { events, findings } = await validatedEvents([
      { ...GOOD, repeats },
      { id: 'f', title_nb: 'F', repeats },
    ]);
    assert.equal(
      events.map(({ id, series }) => [id, series.length]),
      [['e', 0]],
    );
    const about = { origin: ORIGIN, field: 'repeats[0].rule', expected, found };
    assert.equal(findings, [
      { action: 'dropped series', ...about, id: 'e' },
      { action: 'dropped record', ...about, id: 'f' },
    ]);
  });
}

test('G2: should count a record, or a repeat, with several wrong fields once, and name them all', async () => {
  const repeat = { rule: 5, start: 6 };
  const { findings, summary } = await validatedEvents([
    { ...GOOD, id: 7, publishingDate: 'soon' },
    { ...GOOD, id: 'f', repeats: [repeat] },
  ]);
  assert.equal(
    findings.map(({ action, id, field }) => [action, id, field]),
    [
      ['dropped record', null, 'id'],
      ['dropped record', null, 'publishingDate'],
      ['dropped series', 'f', 'repeats[0].start'],
      ['dropped series', 'f', 'repeats[0].rule'],
    ],
  );
  assert.equal([summary.actions['dropped record'], summary.actions['dropped series']], [1, 1]);
});

test('G2: should leave out an event whose only date was bad, once and with the reason, but no container', async () => {
  const dates = [{ start: 'soon' }];
  const { events, findings } = await validatedEvents([
    { ...GOOD, dates },
    { ...GOOD, id: 'c', isSuperEvent: true, dates },
  ]);
  assert.equal(
    events.map(({ id }) => id),
    ['c'],
  );
  assert.equal(
    findings.map(({ action, id, field, found }) => [action, id, field, found]),
    [
      ['dropped record', 'e', 'dates[0].start', '"soon"'],
      ['dropped date', 'c', 'dates[0].start', '"soon"'],
    ],
  );
});

test('G2: should leave out a bad exception of a rule and keep the rule', async () => {
  // Christmas Eve alone is no start of a rule that has a time.
  const except = ['2026-12-02 19:30', '2026-12-24', '2026-12-04 19:30'];
  const { events, findings } = await validatedEvents([
    { ...GOOD, dates: [], repeats: [{ ...DAILY, except }] },
  ]);
  assert.is(events[0]?.series[0]?.except.length, 2);
  const about = { field: 'repeats[0].except[1]', expected: DATETIME, found: '"2026-12-24"' };
  assert.equal(findings, [{ action: 'dropped date', origin: ORIGIN, id: 'e', ...about }]);
});

const PLACES: Files = {
  'venues.json': [{ id: 'v', name: 'Olavshallen' }],
  'organizers.json': [{ id: 'o', name: 'Laget' }],
};

test('G2: should leave out unknown and repeated references and keep the event', async () => {
  const { events, findings } = await validatedEvents(
    [
      {
        ...GOOD,
        venue: 'gone',
        organizers: ['o', 'gone', 'o'],
        categories: ['JAZZ', 'GONE', 'JAZZ'],
        dates: [{ ...START, venue: 'nowhere' }],
      },
    ],
    PLACES,
  );
  const [event] = events;
  assert.equal(
    [event?.venue, event?.organizers, event?.categories, event?.dates[0]?.venue],
    [null, ['o'], ['JAZZ'], null],
  );
  const dropped = { action: 'dropped reference' as const, origin: ORIGIN, id: 'e' };
  const defined = 'a category of the licence (for a retired one, name its replacements in retiredCategories)';
  assert.equal(findings, [
    { ...dropped, field: 'venue', expected: 'the id of a venue', found: '"gone"' },
    { ...dropped, field: 'categories[1]', expected: defined, found: '"GONE"' },
    { ...dropped, field: 'categories[2]', expected: 'each category once', found: '"JAZZ"' },
    { ...dropped, field: 'organizers[1]', expected: 'the id of an organizer', found: '"gone"' },
    { ...dropped, field: 'organizers[2]', expected: 'each organizer once', found: '"o"' },
    { ...dropped, field: 'dates[0].venue', expected: 'the id of a venue', found: '"nowhere"' },
  ]);
});

test('G2: should take a venue that was left out as unknown', async () => {
  const { events, findings } = await validatedEvents([{ ...GOOD, venue: 'v' }], {
    'venues.json': [{ id: 'v' }],
  });
  assert.is(events[0]?.venue, null);
  assert.equal(
    findings.map(({ action, field }) => [action, field]),
    [
      ['dropped record', 'name'],
      ['dropped reference', 'venue'],
    ],
  );
});

test('G2: should settle references to events when all are read, whatever their order', async () => {
  const part = (id: string, superEvent: string | null) => ({ ...GOOD, id, superEvent });
  const { events, references, findings } = await validatedEvents([
    part('before', 'festival'),
    { ...GOOD, id: 'festival', isSuperEvent: true, dates: [] },
    { ...GOOD, id: 'after', super_event: 'festival' },
    part('lost', 'gone'),
    part('undated', 'dropped'),
    { id: 'dropped', title_nb: 'Uten dato', isSuperEvent: false },
    part('self', 'self'),
    part('none', null),
  ]);
  assert.equal(
    events.map((event) => [event.id, references.superEvent(event)]),
    [
      ['before', 'festival'],
      ['festival', null],
      ['after', 'festival'],
      ['lost', null],
      ['undated', null],
      ['self', null],
      ['none', null],
    ],
  );
  const unknown = findings.filter(({ action }) => action === 'dropped reference');
  const expected = 'the id of another event that is kept';
  assert.equal(
    unknown.map(({ id, field, found, ...rest }) => [id, field, rest.expected, found]),
    [
      ['lost', 'superEvent', expected, '"gone"'],
      ['undated', 'superEvent', expected, '"dropped"'],
      ['self', 'superEvent', expected, '"self"'],
    ],
  );
});

test('G2: should know the licence’s special event only when there is such an event', async () => {
  const known = await validatedEvents([GOOD], { 'licence.json': { ...LICENCE, specialEvent: 'e' } });
  assert.is(known.references.specialEvent, 'e');
  assert.equal(known.findings, []);
  const unknown = await validatedEvents([GOOD], { 'licence.json': { ...LICENCE, specialEvent: 'gone' } });
  assert.is(unknown.references.specialEvent, null);
  const about = { field: 'specialEvent', expected: 'the id of an event that is kept', found: '"gone"' };
  assert.equal(unknown.findings, [
    { action: 'dropped reference', origin: { file: 'licence.json' }, id: 'trondheim', ...about },
  ]);
  const none = await validatedEvents([GOOD]);
  assert.is(none.references.specialEvent, null);
});

test('F1: should ignore unknown fields everywhere and count them', async () => {
  const date = { ...START, colour: 1, prices: [{ type: 'X', colour: 1 }] };
  const list = [
    { ...GOOD, colour: 'red', images: [{ colour: 1 }, { colour: 2 }], prices: [{ type: 'X', colour: 1 }] },
    { ...GOOD, id: 'f', colour: 'blue', dates: [date], repeats: [{ ...DAILY, colour: 1 }] },
    { ...GOOD, id: 'bad', title_nb: 5, titel: 'Misspelt' },
    { ...GOOD, id: 'g', [LONG]: 1 },
  ];
  const { events, findings, summary } = await validatedEvents(list, {
    'venues.json': [{ id: 'v', name: 'V', colour: 1 }],
    'organizers.json': [{ id: 'o', name: 'O', colour: 1 }],
    'licence.json': { ...LICENCE, colour: 1, categories: [{ ...LICENCE.categories[1], colour: 1 }] },
  });
  assert.is(events.length, 3);
  assert.is(findings.length, 1);
  const once = [
    ...['dates.colour', 'dates.prices.colour', 'prices.colour', 'repeats.colour', 'titel'],
    `${LONG.slice(0, 79)}…`,
  ].map((name) => `events.${name}`);
  const others = ['licence.categories.colour', 'licence.colour', 'organizers.colour', 'venues.colour'];
  assert.equal(
    summary.ignored,
    ['events.colour', 'events.images.colour', ...once, ...others].map((name, at) => ({
      name,
      count: at < 2 ? 2 : 1,
    })),
  );
});

test.run();
