/** G2: values and records that a build leaves out, and the findings about them. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type * as z from 'zod';
import { findingLine } from '../../jobs/records.ts';
import {
  capacitySchema,
  dateSchema,
  eventSchema,
  imageSchema,
  organizerSchema,
  priceSchema,
  repeatSchema,
  venueSchema,
} from '../../jobs/validate/schemas.ts';
import { assertAbove } from '../helpers/assertions.ts';
import { type Files, LICENCE, validated, validatedEvents } from '../helpers/native-source.ts';

const test = suite('validation');

const START = { start: '2026-12-01 19:30' };
const DAILY = { rule: 'FREQ=DAILY', ...START };
const GOOD = { id: 'e', title_nb: 'Konsert', dates: [START] };
const LONG = 'x'.repeat(200);

const NOT_BLANK = 'a string that is not blank';
const TITLE = 'a title in Norwegian or English';
const DATETIME = 'a datetime such as "2026-05-17 19:30"';
const MOMENT = `${DATETIME} or a date such as "2026-05-17"`;
const WHOLE = 'a whole number of 32 bits';
const COUNT = 'a whole number, 0 or more';
const NOT_BEFORE = 'a moment that is not before the start';
const WITHIN = 'an end before the year 9999 and at most 2147483647 minutes after the start';
const RULE_OF_DAYS = 'a rule of days, because the start has no time';

/** Changes to a good record, or a whole one; the field, the expected and the found value of the finding, and its id. */
type Row = readonly [own: unknown, field: string | null, expected: string, found: string, id?: string | null];

/** A record that is left out, and all that is said about it. */
const DROPPED: readonly Row[] = [
  [5, null, 'an object', '5', null],
  [{ id: undefined }, 'id', NOT_BLANK, 'nothing', null],
  [{ id: ' ' }, 'id', NOT_BLANK, '" "', ' '],
  [{ title_nb: ' \t' }, 'title_nb', TITLE, '" \\t"'],
  ...['2026-02-30 10:00', '2026-01-01', '10:00', '2026-01-01 24:00', '0000-01-01 10:00', ''].map(
    (text): Row => [{ publishingDate: text }, 'publishingDate', DATETIME, `"${text}"`],
  ),
  [{ dates: { start: 'x' } }, 'dates', 'a list of dates', '{"start":"x"}'],
  [{ dates: [] }, 'dates', 'at least one valid date or repeat', 'nothing'],
];

/** A value that is left out of a record, which is kept. */
const DROPPED_VALUES: readonly Row[] = [
  [{ desc_nb: [LONG] }, 'desc_nb', 'a string', `["${LONG.slice(0, 77)}…`],
  [{ categories: 'MUSIC' }, 'categories', 'a list of strings', '"MUSIC"'],
  [{ tags: ['a', 2] }, 'tags[1]', 'a string', '2'],
  [{ mode: 'hybrid' }, 'mode', '"online" or "offline"', '"hybrid"'],
  [{ images: {} }, 'images', 'a list of images', '{}'],
  [{ images: [{}, { focusX: 1.5 }] }, 'images[1].focusX', 'a number from 0 to 1', '1.5'],
  [{ images: [{ width: 1.5 }] }, 'images[0].width', COUNT, '1.5'],
  [{ ticketsInformation: 'x' }, 'ticketsInformation', '"free" or "noTicketsInfo" or "ticketsInfo"', '"x"'],
  [{ prices: [{ price: 1 }] }, 'prices[0].type', 'a string', 'nothing'],
  [{ eventCancelled: 'no' }, 'eventCancelled', 'true or false', '"no"'],
  [{ maximumAge: 17.5 }, 'maximumAge', WHOLE, '17.5'],
  [{ created_at: 1_700_000_000 }, 'created_at', DATETIME, '1700000000'],
];

for (const [what, rows, kept] of [
  ['a value alone that is wrong', DROPPED_VALUES, 1],
  ['a record with a wrong field', DROPPED, 0],
] as const)
  test(`G2: should leave out ${what}, with the place, the expectation and the value`, async () => {
    for (const [own, field, expected, found, id = 'e'] of rows) {
      const isOwn = typeof own === 'object' && own !== null && !Array.isArray(own);
      const { events, findings, summary } = await validatedEvents([isOwn ? { ...GOOD, ...own } : own]);
      const action = kept === 1 ? 'dropped value' : 'dropped record';
      const origin = { file: 'events.json', line: 1 };
      assert.equal(findings, [{ action, origin, id, field, expected, found }], JSON.stringify(own));
      assert.is(events.length, kept);
      assert.equal(summary.lists.events, { read: 1, kept, dropped: 1 - kept });
    }
  });

type DateRow = readonly [
  list: 'dates' | 'repeats',
  date: unknown,
  field: string,
  expected: string,
  found: string,
];

const DAY_UNTIL_EIGHT = { start: '2026-12-01', end: '2026-12-01 20:00' };
const DAY_RULE = (rule: string) => ({ rule, start: '2026-12-01' });

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
  ['repeats', DAY_RULE('FREQ=HOURLY'), '.rule', RULE_OF_DAYS, 'FREQ=HOURLY'],
  ['repeats', DAY_RULE('FREQ=DAILY;BYHOUR=10'), '.rule', RULE_OF_DAYS, 'FREQ=DAILY;BYHOUR=10'],
];

/** A value that is left out of a date or repeat, which is kept. */
const DROPPED_FROM_DATES: readonly DateRow[] = [
  ['dates', { ...START, end: 'late' }, '.end', MOMENT, '"late"'],
  ['dates', { ...START, duration: -5 }, '.duration', COUNT, '-5'],
  ['dates', { start: '9999-12-29 19:30', duration: 1500 }, '.duration', WITHIN, '1500'],
  ['dates', { ...START, startTime: 'kl 19' }, '.startTime', 'a time of day such as "19:30"', '"kl 19"'],
  ['dates', { ...START, prices: [{ type: 'X' }, 5] }, '.prices[1]', 'an object', '5'],
  ['repeats', { ...DAILY, except: '2026-12-02' }, '.except', 'a list of datetimes', '"2026-12-02"'],
];

for (const [what, rows, kept] of [
  ['wrong value of a date or repeat and keep the date', DROPPED_FROM_DATES, 1],
  ['bad date or repeat and keep the rest of the event', DROPPED_DATES, 0],
] as const)
  test(`G2, A15: should leave out a ${what}`, async () => {
    for (const [list, date, field, expected, found] of rows) {
      const other = { dates: [START], repeats: [DAILY] };
      const event = { ...GOOD, ...other, [list]: [date, ...other[list]] };
      const { events, findings } = await validatedEvents([event]);
      const action = kept === 1 ? 'dropped value' : list === 'repeats' ? 'dropped series' : 'dropped date';
      const line = `events.json:1 "e" ${list}[0]${field}: ${action}, expected ${expected}, found ${found}`;
      assert.equal(findings.map(findingLine), [line], JSON.stringify(date));
      assert.is(events[0]?.[list === 'dates' ? list : 'series'].length, 1 + kept);
    }
  });

const E = 'events.json:1 "e"';
const REPEAT = { rule: 'BYDAY=1XX', ...START };
const WEEKDAYS = 'expected weekdays such as MO or, within a month or year, -1FR, found BYDAY: 1XX';
const DROPPED_REFERENCE = 'dropped reference, expected';
const DEFINED = 'a category of the licence (for a retired one, name its replacements in retiredCategories)';
const EVENT_KEPT = 'dropped reference, expected the id of another event that is kept';
const DIRECTORIES: Files = {
  'venues.json': [{ id: 'v', name: 'Olavshallen' }],
  'organizers.json': [{ id: 'o', name: 'Laget' }],
};

/** Events of a source, the ids of those that are kept, the findings, and further files. */
type Case = readonly [events: readonly object[], kept: string, lines: readonly string[], files?: Files];

const CASES: Readonly<Record<string, Case>> = {
  'repeats that are no list, as a series that is lost': [
    [{ ...GOOD, repeats: 'daily' }],
    'e',
    [`${E} repeats: dropped series, expected a list of repeats, found "daily"`],
  ],
  'each wrong value of a record, and not those beside it': [
    [{ ...GOOD, slug: 1, views: 'many', tags: [1, 'a', 2] }],
    'e',
    [
      `${E} slug: dropped value, expected a string, found 1`,
      `${E} tags[0]: dropped value, expected a string, found 1`,
      `${E} tags[2]: dropped value, expected a string, found 2`,
      `${E} views: dropped value, expected ${WHOLE}, found "many"`,
    ],
  ],
  'all but the first good one of events with the same id': [
    [
      { ...GOOD, title_nb: '' },
      { ...GOOD, dates: [] },
      { ...GOOD, tags: ['first'] },
      GOOD,
      { ...GOOD, id: 'f' },
    ],
    'e f',
    [
      `${E} title_nb: dropped record, expected ${TITLE}, found ""`,
      `${E} dates: dropped record, expected at least one valid date or repeat, found nothing`,
      `${E} id: dropped record, expected a unique id, found "e", which events.json:1 has`,
    ],
  ],
  'a rule, and an event that has nothing else': [
    [
      { ...GOOD, repeats: [REPEAT] },
      { id: 'f', title_nb: 'F', repeats: [REPEAT] },
    ],
    'e',
    [
      `${E} repeats[0].rule: dropped series, ${WEEKDAYS}`,
      `events.json:1 "f" repeats[0].rule: dropped record, ${WEEKDAYS}`,
    ],
  ],
  'an event whose only date was bad, once and with the reason, but no container': [
    [
      { ...GOOD, dates: [{ start: 'soon' }] },
      { ...GOOD, id: 'c', isSuperEvent: true, dates: [{ start: 'soon' }] },
    ],
    'c',
    [
      `${E} dates[0].start: dropped record, expected ${MOMENT}, found "soon"`,
      `events.json:1 "c" dates[0].start: dropped date, expected ${MOMENT}, found "soon"`,
    ],
  ],
  // Christmas Eve alone is no start of a rule that has a time.
  'a bad exception of a rule, and not the rule': [
    [{ ...GOOD, repeats: [{ ...DAILY, except: ['2026-12-02 19:30', '2026-12-24', '2026-12-04 19:30'] }] }],
    'e',
    [`${E} repeats[0].except[1]: dropped date, expected ${DATETIME}, found "2026-12-24"`],
  ],
  'unknown and repeated references, and not the event': [
    [
      {
        ...GOOD,
        venue: 'gone',
        organizers: ['o', 'gone', 'o'],
        categories: ['JAZZ', 'GONE', 'JAZZ'],
        dates: [{ ...START, venue: 'nowhere' }],
      },
    ],
    'e',
    [
      `${E} venue: ${DROPPED_REFERENCE} the id of a venue, found "gone"`,
      `${E} categories[1]: ${DROPPED_REFERENCE} ${DEFINED}, found "GONE"`,
      `${E} categories[2]: ${DROPPED_REFERENCE} each category once, found "JAZZ"`,
      `${E} organizers[1]: ${DROPPED_REFERENCE} the id of an organizer, found "gone"`,
      `${E} organizers[2]: ${DROPPED_REFERENCE} each organizer once, found "o"`,
      `${E} dates[0].venue: ${DROPPED_REFERENCE} the id of a venue, found "nowhere"`,
    ],
    DIRECTORIES,
  ],
  'references to events, once all are read': [
    [
      { ...GOOD, id: 'before', superEvent: 'festival' },
      { ...GOOD, id: 'festival', isSuperEvent: true },
      { ...GOOD, id: 'after', super_event: 'festival' },
      { ...GOOD, id: 'lost', superEvent: 'gone' },
      { ...GOOD, id: 'undated', superEvent: 'dropped' },
      { id: 'dropped', title_nb: 'Uten dato' },
      { ...GOOD, id: 'self', superEvent: 'self' },
    ],
    'before festival after lost undated self',
    [
      'events.json:1 "dropped" dates: dropped record, expected at least one valid date or repeat, found nothing',
      `events.json:1 "lost" superEvent: ${EVENT_KEPT}, found "gone"`,
      `events.json:1 "undated" superEvent: ${EVENT_KEPT}, found "dropped"`,
      `events.json:1 "self" superEvent: ${EVENT_KEPT}, found "self"`,
    ],
  ],
  'a special event that there is not': [
    [GOOD],
    'e',
    [
      `licence.json "trondheim" specialEvent: ${DROPPED_REFERENCE} the id of an event that is kept, found "gone"`,
    ],
    { 'licence.json': { ...LICENCE, specialEvent: 'gone' } },
  ],
  'a line that cannot be read, by its number': [
    [],
    'e',
    [
      'events.ndjson:3: dropped record, expected JSON, found other text: it ends after ,',
      `events.ndjson:4 "f" title_nb: dropped record, expected ${TITLE}, found nothing`,
    ],
    {
      'events.json': undefined,
      'events.ndjson': `${JSON.stringify(GOOD)}\n\n{"id": "cut", \n{"id":"f"}\n`,
    },
  ],
};

for (const [what, [list, kept, lines, files = {}]] of Object.entries(CASES))
  test(`G2: should leave out ${what}`, async () => {
    const { events, findings } = await validatedEvents(list, files);
    assert.is(events.map(({ id }) => id).join(' '), kept);
    assert.equal(findings.map(findingLine), lines);
  });

test('G2: should keep the valid values of a record with invalid ones', async () => {
  const first = { ...GOOD, tags: ['a', 5], organizers: ['o', 'x'], superEvent: 'c' };
  const list = [first, { ...GOOD, title_nb: 'Second' }, { ...GOOD, id: 'c', super_event: 'gone' }];
  const licence = { ...LICENCE, specialEvent: 'c' };
  const { events, references } = await validatedEvents(list, { ...DIRECTORIES, 'licence.json': licence });
  assert.equal(
    events.map((event) => [event.title_nb, event.tags, event.organizers, references.superEvent(event)]),
    [
      ['Konsert', ['a'], ['o'], 'c'],
      ['Konsert', [], [], null],
    ],
  );
  assert.is(references.specialEvent, 'c');
});

test('G2: should count a record, or a repeat, with several wrong fields once, and name those that it needs', async () => {
  const { findings, summary } = await validatedEvents([
    { ...GOOD, id: 7, publishingDate: 'soon', slug: 1 },
    { ...GOOD, id: 'f', repeats: [{ rule: 5, start: 6 }] },
  ]);
  assert.equal(
    findings.map(({ action, field }) => `${action} ${field}`),
    [
      'dropped record id',
      'dropped record publishingDate',
      'dropped series repeats[0].start',
      'dropped series repeats[0].rule',
    ],
  );
  assert.equal([summary.actions['dropped record'], summary.actions['dropped series']], [1, 1]);
});

test('G2: should leave out bad venues and organizers, and keep the first of those with the same id', async () => {
  for (const list of ['venues', 'organizers'] as const) {
    const file = `${list}.ndjson`;
    const bad = [{ id: 'x' }, { name: 'X' }, { id: 'a', name: 'Second' }];
    const { records, findings, summary } = await validated({ [file]: [{ id: 'a', name: 'First' }, ...bad] });
    assert.equal(
      records[list].map(({ id, name }) => [id, name]),
      [['a', 'First']],
    );
    assert.equal(findings.map(findingLine), [
      `${file}:2 "x" name: dropped record, expected ${NOT_BLANK}, found nothing`,
      `${file}:3 id: dropped record, expected ${NOT_BLANK}, found nothing`,
      `${file}:4 "a" id: dropped record, expected a unique id, found "a", which ${file}:1 has`,
    ]);
    assert.equal(summary.lists[list], { read: 4, kept: 1, dropped: 3 });
  }
});

/** Places of optional fields: the list, its schema, and the other fields of the record and of the object in it. */
type Optional = readonly [list: string, schema: z.ZodObject, own: object, within?: string];

const OPTIONAL: readonly Optional[] = [
  ['events', eventSchema, { ...GOOD, title_en: 'Concert' }],
  ['events', capacitySchema, GOOD],
  ['events', imageSchema, {}, 'images'],
  ['events', priceSchema, { type: 'X' }, 'prices'],
  ['events', dateSchema, START, 'dates'],
  ['events', repeatSchema, DAILY, 'repeats'],
  ['venues', venueSchema, { id: 'v', name: 'Huset' }],
  ['organizers', organizerSchema, { id: 'o', name: 'Laget' }],
];

/** No field takes an object of these. */
const BROKEN = { broken: 5 };
/** A8: when it may be shown; lists of times are counted as what they would have given. */
const APART = ['publishingDate', 'dates', 'repeats'];

for (const [list, schema, own, within] of OPTIONAL)
  test(`G2: should cost the value alone when an optional field of ${within ?? list} is wrong`, async () => {
    const optional = Object.entries<z.ZodType>(schema.shape).flatMap(([field, read]) =>
      read.safeParse(undefined).success && !read.safeParse(BROKEN).success ? [field] : [],
    );
    assertAbove(optional.length, 0, 'optional fields');
    for (const field of optional.filter((name) => !APART.includes(name))) {
      const holder = { ...own, [field]: BROKEN };
      const record = within === undefined ? holder : { ...GOOD, isSuperEvent: true, [within]: [holder] };
      const files = { 'licence.json': { ...LICENCE, registration: true }, [`${list}.json`]: [record] };
      const { findings, summary } = await validated(files);
      const at = within === undefined ? field : `${within}[0].${field}`;
      assert.equal(
        findings.map((finding) => `${finding.action} ${finding.field}`),
        [`dropped value ${at}`],
      );
      const { venues, organizers, events } = summary.lists;
      assert.equal(
        [venues, organizers, events].map(({ dropped }) => dropped),
        [0, 0, 0],
        field,
      );
    }
  });

test('G2: should say which field a record has twice, of which the last is taken', async () => {
  const one = (id: string, more: string) =>
    `{"id":"${id}","title_nb":"Kor","dates":[{"start":"2026-12-01 19:30"${more}}],"title_nb":"Korps"}`;
  const plain = '{"id":"c","title_nb":"a:b{\\"x\\":1}","dates":[{"start":"2026-12-01 19:30"}]}';
  const listed = [one('a', ''), plain, one('b', ',"start":"2026-12-02 19:30"')];
  const licence = JSON.stringify(LICENCE).replace('{', '{"name":"Gammel",');
  for (const files of [
    { 'events.json': `[${listed.join(',\n')}]` },
    { 'events.json': undefined, 'events.ndjson': listed.join('\n') },
  ]) {
    const { events, findings } = await validatedEvents([], { ...files, 'licence.json': licence });
    assert.equal(
      events.map(({ title_nb }) => title_nb),
      ['Korps', 'a:b{"x":1}', 'Korps'],
    );
    assert.equal(
      findings.map(({ action, origin, id, expected, found }) => [action, origin.line, id, expected, found]),
      [
        [
          'changed value',
          undefined,
          'trondheim',
          'each field once',
          '"name" more than once; the last one is used',
        ],
        ['changed value', 1, 'a', 'each field once', '"title_nb" more than once; the last one is used'],
        ['changed value', 3, 'b', 'each field once', '"start" more than once; the last one is used'],
      ],
    );
  }
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
  assert.equal([events.length, findings.length], [3, 1]);
  const ofDates = ['dates.colour', 'dates.prices.colour', 'prices.colour', 'repeats.colour'];
  const once = [...ofDates, 'titel', `${LONG.slice(0, 79)}…`].map((name) => `events.${name} 1`);
  assert.equal(
    summary.ignored.map(({ name, count }) => `${name} ${count}`),
    [
      'events.colour 2',
      'events.images.colour 2',
      ...once,
      'licence.categories.colour 1',
      'licence.colour 1',
      'organizers.colour 1',
      'venues.colour 1',
    ],
  );
});

test.run();
