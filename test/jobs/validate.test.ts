import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Finding } from '../../jobs/records.ts';
import { type Files, LICENCE, validated, validatedEvents } from '../helpers/native-source.ts';

const test = suite('validation: what is left out');

const GOOD = { id: 'e', title_nb: 'Konsert', dates: [{ start: '2026-12-01 19:30' }] };
const ORIGIN = { file: 'events.json', line: 1 };
const LONG = 'x'.repeat(200);

type Wrong = Pick<Finding, 'field' | 'expected' | 'found'> & { readonly id?: string | null };

/** A record that is left out, and all that is said about it. */
const DROPPED: readonly (readonly [record: unknown, wrong: Wrong])[] = [
  [5, { id: null, field: null, expected: 'an object', found: '5' }],
  [null, { id: null, field: null, expected: 'an object', found: 'null' }],
  [[], { id: null, field: null, expected: 'an object', found: '[]' }],
  [
    { ...GOOD, id: undefined },
    { id: null, field: 'id', expected: 'a string that is not blank', found: 'nothing' },
  ],
  [
    { ...GOOD, id: null },
    { id: null, field: 'id', expected: 'a string that is not blank', found: 'null' },
  ],
  [
    { ...GOOD, id: 7 },
    { id: null, field: 'id', expected: 'a string that is not blank', found: '7' },
  ],
  [
    { ...GOOD, id: ' ' },
    { id: ' ', field: 'id', expected: 'a string that is not blank', found: '" "' },
  ],
  [
    { ...GOOD, title_nb: null },
    { field: 'title_nb', expected: 'a title in Norwegian or English', found: 'nothing' },
  ],
  [
    { ...GOOD, title_nb: ' \t' },
    { field: 'title_nb', expected: 'a title in Norwegian or English', found: '" \\t"' },
  ],
  ...['2026-02-30 10:00', '2026-01-01', '10:00', '2026-01-01 24:00', '0000-01-01 10:00', ''].map(
    (text): (typeof DROPPED)[number] => [
      { ...GOOD, publishingDate: text },
      { field: 'publishingDate', expected: 'a datetime such as "2026-05-17 19:30"', found: `"${text}"` },
    ],
  ),
  [
    { ...GOOD, dates: { start: 'x' } },
    { field: 'dates', expected: 'a list of dates', found: '{"start":"x"}' },
  ],
  [
    { ...GOOD, title_nb: 5 },
    { field: 'title_nb', expected: 'a title in Norwegian or English', found: '5' },
  ],
  [
    { ...GOOD, dates: [] },
    { field: 'dates', expected: 'at least one good date or repeat', found: 'nothing' },
  ],
];

/** A value that is left out of a record, which is kept. */
const DROPPED_VALUES: readonly (readonly [record: object, wrong: Wrong])[] = [
  [
    { ...GOOD, title_en: 5 },
    { field: 'title_en', expected: 'a string', found: '5' },
  ],
  [
    { ...GOOD, desc_nb: [LONG] },
    { field: 'desc_nb', expected: 'a string', found: `["${LONG.slice(0, 77)}…` },
  ],
  [
    { ...GOOD, slug: false },
    { field: 'slug', expected: 'a string', found: 'false' },
  ],
  [
    { ...GOOD, eventLink: {} },
    { field: 'eventLink', expected: 'a string', found: '{}' },
  ],
  [
    { ...GOOD, categories: 'MUSIC' },
    { field: 'categories', expected: 'a list of strings', found: '"MUSIC"' },
  ],
  [
    { ...GOOD, tags: ['a', 2] },
    { field: 'tags[1]', expected: 'a string', found: '2' },
  ],
  [
    { ...GOOD, organizers: [null] },
    { field: 'organizers[0]', expected: 'a string', found: 'null' },
  ],
  [
    { ...GOOD, mode: 'hybrid' },
    { field: 'mode', expected: '"online" or "offline"', found: '"hybrid"' },
  ],
  [
    { ...GOOD, venue: 3 },
    { field: 'venue', expected: 'a string', found: '3' },
  ],
  [
    { ...GOOD, images: {} },
    { field: 'images', expected: 'a list of images', found: '{}' },
  ],
  [
    { ...GOOD, images: ['a.jpg'] },
    { field: 'images[0]', expected: 'an object', found: '"a.jpg"' },
  ],
  [
    { ...GOOD, images: [{}, { focusX: 1.5 }] },
    { field: 'images[1].focusX', expected: 'a number from 0 to 1', found: '1.5' },
  ],
  [
    { ...GOOD, images: [{ width: 1.5 }] },
    { field: 'images[0].width', expected: 'a whole number, 0 or more', found: '1.5' },
  ],
  [
    { ...GOOD, ticketsInformation: 'maybe' },
    { field: 'ticketsInformation', expected: '"free" or "noTicketsInfo" or "ticketsInfo"', found: '"maybe"' },
  ],
  [
    { ...GOOD, prices: 100 },
    { field: 'prices', expected: 'a list of prices', found: '100' },
  ],
  [
    { ...GOOD, prices: [{ price: 1 }] },
    { field: 'prices[0].type', expected: 'a string', found: 'nothing' },
  ],
  [
    { ...GOOD, eventCancelled: 'no' },
    { field: 'eventCancelled', expected: 'true or false', found: '"no"' },
  ],
  [
    { ...GOOD, isSuperEvent: 1 },
    { field: 'isSuperEvent', expected: 'true or false', found: '1' },
  ],
  [
    { ...GOOD, minimumAge: '18' },
    { field: 'minimumAge', expected: 'a whole number of 32 bits', found: '"18"' },
  ],
  [
    { ...GOOD, maximumAge: 17.5 },
    { field: 'maximumAge', expected: 'a whole number of 32 bits', found: '17.5' },
  ],
  [
    { ...GOOD, views: 2 ** 31 },
    { field: 'views', expected: 'a whole number of 32 bits', found: '2147483648' },
  ],
  [
    { ...GOOD, created_at: 1_700_000_000 },
    { field: 'created_at', expected: 'a datetime such as "2026-05-17 19:30"', found: '1700000000' },
  ],
  [
    { ...GOOD, superEvent: ['f'] },
    { field: 'superEvent', expected: 'a string', found: '["f"]' },
  ],
];

test('G2: should leave out a wrong value alone, and say where, what was expected and what was found', async () => {
  for (const [record, wrong] of DROPPED_VALUES) {
    const { events, findings, summary } = await validatedEvents([record]);
    assert.is(events.length, 1, JSON.stringify(record));
    assert.equal(findings, [{ action: 'dropped value', origin: ORIGIN, id: 'e', ...wrong }]);
    assert.equal(summary.lists.events, { read: 1, kept: 1, dropped: 0 });
  }
});

test('G2: should count repeats that are no list as a series that is lost', async () => {
  const { events, findings } = await validatedEvents([{ ...GOOD, repeats: 'daily' }]);
  assert.is(events.length, 1);
  const wrong = { field: 'repeats', expected: 'a list of repeats', found: '"daily"' };
  assert.equal(findings, [{ action: 'dropped series', origin: ORIGIN, id: 'e', ...wrong }]);
});

test('G2: should leave out a record with a wrong field, and say where, what was expected and what was found', async () => {
  for (const [record, wrong] of DROPPED) {
    const { events, findings, summary } = await validatedEvents([record]);
    assert.equal(events, [], JSON.stringify(record));
    assert.equal(
      findings,
      [{ action: 'dropped record', origin: ORIGIN, id: 'e', ...wrong }],
      wrong.field ?? '',
    );
    assert.equal(summary.lists.events, { read: 1, kept: 0, dropped: 1 });
  }
});

test('G2: should name and count each wrong value of a record, and keep those beside it', async () => {
  const tags = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? at : `tag ${at}`));
  const record = { ...GOOD, slug: 1, views: 'many', tags };
  const { events, findings, summary } = await validatedEvents([record]);
  const fields = findings.map(({ field }) => field);
  const wrong = Array.from({ length: 10 }, (_, at) => `tags[${2 * at}]`);
  assert.equal(fields, ['slug', ...wrong, 'views']);
  assert.is(summary.actions['dropped value'], 12);
  assert.equal(events[0]?.tags, [
    'tag 1',
    'tag 3',
    'tag 5',
    'tag 7',
    'tag 9',
    'tag 11',
    'tag 13',
    'tag 15',
    'tag 17',
    'tag 19',
  ]);
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
  const dropped = { action: 'dropped record' as const };
  assert.equal(findings, [
    {
      ...dropped,
      origin: { file: 'events.ndjson', line: 3 },
      id: null,
      field: null,
      expected: 'JSON',
      found: 'other text: it ends behind ,',
    },
    {
      ...dropped,
      origin: { file: 'events.ndjson', line: 4 },
      id: 'f',
      field: 'title_nb',
      expected: 'a title in Norwegian or English',
      found: 'nothing',
    },
  ]);
});

const DIRECTORY_RECORDS: readonly (readonly [record: unknown, wrong: Wrong])[] = [
  [{ id: 'x' }, { id: 'x', field: 'name', expected: 'a string that is not blank', found: 'nothing' }],
  [{ name: 'X' }, { id: null, field: 'id', expected: 'a string that is not blank', found: 'nothing' }],
  [
    { id: 'a', name: 'Second' },
    { id: 'a', field: 'id', expected: 'an id of its own', found: '"a", which LIST:1 has' },
  ],
];

test('G2: should leave out bad venues and organizers, and keep the first of those with the same id', async () => {
  for (const list of ['venues', 'organizers'] as const) {
    for (const [record, wrong] of DIRECTORY_RECORDS) {
      const { records, findings, summary } = await validated({
        [`${list}.ndjson`]: [{ id: 'a', name: 'First' }, record],
      });
      assert.equal(
        records[list].map(({ id, name }) => [id, name]),
        [['a', 'First']],
      );
      const origin = { file: `${list}.ndjson`, line: 2 };
      const found = wrong.found.replace('LIST', `${list}.ndjson`);
      assert.equal(findings, [{ action: 'dropped record', origin, id: null, ...wrong, found }]);
      assert.equal(summary.lists[list], { read: 2, kept: 1, dropped: 1 });
    }
  }
});

test('G2: should keep the first good one of events with the same id', async () => {
  const named = (title_nb: string, rest = {}) => ({ ...GOOD, title_nb, ...rest });
  const list = [
    named(''),
    named('No date', { dates: [] }),
    named('First'),
    named('Second'),
    { ...GOOD, id: 'f' },
  ];
  const { events, findings } = await validatedEvents(list);
  assert.equal(
    events.map(({ id, title_nb }) => [id, title_nb]),
    [
      ['e', 'First'],
      ['f', 'Konsert'],
    ],
  );
  assert.equal(findings.at(-1), {
    action: 'dropped record',
    origin: { file: 'events.json', line: 1 },
    id: 'e',
    field: 'id',
    expected: 'an id of its own',
    found: '"e", which events.json:1 has',
  });
});

const START = { start: '2026-12-01 19:30' };

const MOMENT = 'a datetime such as "2026-05-17 19:30" or a date such as "2026-05-17"';

/** A date or repeat that is left out. */
const DROPPED_DATES: readonly (readonly [list: 'dates' | 'repeats', date: unknown, wrong: Wrong])[] = [
  ['dates', 'tomorrow', { field: 'dates[0]', expected: 'an object', found: '"tomorrow"' }],
  ['dates', {}, { field: 'dates[0].start', expected: MOMENT, found: 'nothing' }],
  [
    'dates',
    { start: '2026-12-01T25:00' },
    {
      field: 'dates[0].start',
      expected: MOMENT,
      found: '"2026-12-01T25:00"',
    },
  ],
  [
    'dates',
    { ...START, end: '2026-12-01 19:29:59' },
    {
      field: 'dates[0].end',
      expected: 'a moment that is not before the start',
      found: '"2026-12-01 19:29:59"',
    },
  ],
  [
    'dates',
    { start: '2026-12-01', end: '2026-11-30' },
    { field: 'dates[0].end', expected: 'a moment that is not before the start', found: '"2026-11-30"' },
  ],
  [
    'dates',
    { start: '2026-12-01', end: '2026-12-01 20:00' },
    {
      field: 'dates[0].end',
      expected: 'a date alone, because the start is one',
      found: '"2026-12-01 20:00"',
    },
  ],
  [
    'repeats',
    { rule: 'FREQ=DAILY', ...START, end: '2026-12-02' },
    { field: 'repeats[0].end', expected: 'a datetime, because the start is one', found: '"2026-12-02"' },
  ],
  ['repeats', START, { field: 'repeats[0].rule', expected: 'a string that is not blank', found: 'nothing' }],
  [
    'repeats',
    { rule: 'FREQ=DAILY', start: '1 May' },
    { field: 'repeats[0].start', expected: MOMENT, found: '"1 May"' },
  ],
  [
    'repeats',
    { rule: 'FREQ=DAILY', ...START, end: '2026-12-01 18:00' },
    {
      field: 'repeats[0].end',
      expected: 'a moment that is not before the start',
      found: '"2026-12-01 18:00"',
    },
  ],
];

/** A value that is left out of a date or repeat, which is kept. */
const DROPPED_FROM_DATES: readonly (readonly [list: 'dates' | 'repeats', date: object, wrong: Wrong])[] = [
  ['dates', { ...START, end: 'late' }, { field: 'dates[0].end', expected: MOMENT, found: '"late"' }],
  [
    'dates',
    { ...START, duration: -5 },
    { field: 'dates[0].duration', expected: 'a whole number, 0 or more', found: '-5' },
  ],
  [
    'dates',
    { ...START, duration: 90.5 },
    { field: 'dates[0].duration', expected: 'a whole number, 0 or more', found: '90.5' },
  ],
  [
    'dates',
    { start: '9999-12-29 19:30', duration: 1500 },
    {
      field: 'dates[0].duration',
      expected: 'an end before the year 9999 and at most 2147483647 minutes after the start',
      found: '1500',
    },
  ],
  [
    'dates',
    { ...START, startTime: 'kl 19' },
    { field: 'dates[0].startTime', expected: 'a time of day such as "19:30"', found: '"kl 19"' },
  ],
  ['dates', { ...START, venue: 1 }, { field: 'dates[0].venue', expected: 'a string', found: '1' }],
  [
    'dates',
    { ...START, prices: [{ type: 'X' }, 5] },
    { field: 'dates[0].prices[1]', expected: 'an object', found: '5' },
  ],
  [
    'repeats',
    { rule: 'FREQ=DAILY', ...START, except: '2026-12-02 19:30' },
    { field: 'repeats[0].except', expected: 'a list of datetimes', found: '"2026-12-02 19:30"' },
  ],
];

test('G2: should leave out a wrong value of a date or repeat and keep the date', async () => {
  for (const [list, date, wrong] of DROPPED_FROM_DATES) {
    const { events, findings } = await validatedEvents([{ ...GOOD, dates: [], [list]: [date] }]);
    assert.is(events[0]?.[list === 'dates' ? list : 'series'].length, 1, wrong.field ?? '');
    assert.equal(findings, [{ action: 'dropped value', origin: ORIGIN, id: 'e', ...wrong }]);
  }
});

test('G2: should leave out a bad date or repeat and keep the rest of the event', async () => {
  const other = { dates: [START], repeats: [{ rule: 'FREQ=DAILY', ...START }] };
  for (const [list, date, wrong] of DROPPED_DATES) {
    const record = { ...GOOD, ...other, [list]: [date, ...other[list]] };
    const { events, findings } = await validatedEvents([record]);
    assert.equal([events[0]?.dates.length, events[0]?.series.length], [1, 1]);
    const action = list === 'repeats' ? 'dropped series' : 'dropped date';
    assert.equal(findings, [{ action, origin: ORIGIN, id: 'e', ...wrong }]);
  }
});

const BAD_RULES: readonly (readonly [rule: string, start: string, expected: string, found: string])[] = [
  [
    'FREQ=DAILY;BYDAY=1XX',
    '2026-12-01 19:30',
    'weekdays such as MO or, within a month or year, -1FR',
    'BYDAY: 1XX',
  ],
  [
    'COUNT=3',
    '2026-12-01 19:30',
    'FREQ, one of SECONDLY, MINUTELY, HOURLY, DAILY, WEEKLY, MONTHLY, YEARLY',
    'FREQ: none',
  ],
  ...['FREQ=HOURLY', 'FREQ=DAILY;BYHOUR=10'].map(
    (rule) => [rule, '2026-12-01', 'a rule of days, because the start is a date alone', rule] as const,
  ),
];

for (const [rule, start, expected, found] of BAD_RULES) {
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
      { action: 'dropped record', ...about, origin: { ...ORIGIN, line: 1 }, id: 'f' },
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
    { ...GOOD, dates: [], repeats: [{ rule: 'FREQ=DAILY', ...START, except }] },
  ]);
  assert.is(events[0]?.series[0]?.except.length, 2);
  assert.equal(findings, [
    {
      action: 'dropped date',
      origin: ORIGIN,
      id: 'e',
      field: 'repeats[0].except[1]',
      expected: 'a datetime such as "2026-05-17 19:30"',
      found: '"2026-12-24"',
    },
  ]);
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
  assert.equal(unknown.findings, [
    {
      action: 'dropped reference',
      origin: { file: 'licence.json' },
      id: 'trondheim',
      field: 'specialEvent',
      expected: 'the id of an event that is kept',
      found: '"gone"',
    },
  ]);
  const none = await validatedEvents([GOOD]);
  assert.is(none.references.specialEvent, null);
});

test('F1: should ignore unknown fields everywhere and count them', async () => {
  const date = { ...START, colour: 1, prices: [{ type: 'X', colour: 1 }] };
  const list = [
    { ...GOOD, colour: 'red', images: [{ colour: 1 }, { colour: 2 }], prices: [{ type: 'X', colour: 1 }] },
    {
      ...GOOD,
      id: 'f',
      colour: 'blue',
      dates: [date],
      repeats: [{ rule: 'FREQ=DAILY', ...START, colour: 1 }],
    },
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
  assert.equal(summary.ignored, [
    { name: 'events.colour', count: 2 },
    { name: 'events.images.colour', count: 2 },
    { name: 'events.dates.colour', count: 1 },
    { name: 'events.dates.prices.colour', count: 1 },
    { name: 'events.prices.colour', count: 1 },
    { name: 'events.repeats.colour', count: 1 },
    { name: 'events.titel', count: 1 },
    { name: `events.${LONG.slice(0, 79)}…`, count: 1 },
    { name: 'licence.categories.colour', count: 1 },
    { name: 'licence.colour', count: 1 },
    { name: 'organizers.colour', count: 1 },
    { name: 'venues.colour', count: 1 },
  ]);
});

test.run();
