/** G2: findings about records with several faults, directories, repeated and unknown fields. `dropped.test.ts` has single values. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type * as z from 'zod';
import { findingLine } from '../../../jobs/findings.ts';
import { openNativeSource } from '../../../jobs/native.ts';
import { createReport } from '../../../jobs/report/report.ts';
import { withoutFeeds } from '../../../jobs/source/source.ts';
import {
  capacitySchema,
  dateSchema,
  eventSchema,
  imageSchema,
  organizerSchema,
  priceSchema,
  repeatSchema,
  venueSchema,
} from '../../../jobs/validate/schemas.ts';
import { validate } from '../../../jobs/validate/validate.ts';
import { messageOf } from '../../../src/calendar/errors.ts';
import { assertAbove } from '../../helpers/assertions.ts';
import { costsAtMost } from '../../helpers/cost.ts';
import {
  all,
  type Files,
  LICENCE,
  sourceFolder,
  validated,
  validatedEvents,
} from '../../helpers/native-source.ts';
import { MORE_THAN_ARGUMENTS } from '../../helpers/usage.ts';
import { DAILY, DATETIME, GOOD, LONG, MOMENT, NOT_BLANK, START, TITLE, WHOLE } from './validating.ts';

const test = suite('validation');

/** Midnight is the start of a day of the rule. */
const DAYS_WITH_EXCEPTIONS = {
  rule: 'FREQ=DAILY;COUNT=4',
  start: '2026-12-01',
  except: ['2026-12-02 18:00', '2026-12-03', '2026-12-04 00:00'],
};

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

interface Case {
  readonly events: readonly object[];
  readonly kept: string;
  readonly lines: readonly string[];
  readonly files?: Files;
}

const CASES: Readonly<Record<string, Case>> = {
  'repeats that are no list, as a series that is lost': {
    events: [{ ...GOOD, repeats: 'daily' }],
    kept: 'e',
    lines: [`${E} repeats: dropped series, expected a list of repeats, found "daily"`],
  },
  'each wrong value of a record, and not those beside it': {
    events: [{ ...GOOD, slug: 1, views: 'many', tags: [1, 'a', 2] }],
    kept: 'e',
    lines: [
      `${E} slug: dropped value, expected a string, found 1`,
      `${E} tags[0]: dropped value, expected a string, found 1`,
      `${E} tags[2]: dropped value, expected a string, found 2`,
      `${E} views: dropped value, expected ${WHOLE}, found "many"`,
    ],
  },
  'all but the first good one of events with the same id': {
    events: [
      { ...GOOD, title_nb: '' },
      { ...GOOD, dates: [] },
      { ...GOOD, tags: ['first'] },
      GOOD,
      { ...GOOD, id: 'f' },
    ],
    kept: 'e f',
    lines: [
      `${E} title_nb: dropped record, expected ${TITLE}, found ""`,
      `${E} dates: dropped record, expected at least one valid date or repeat, found nothing`,
      `${E} id: dropped record, expected a unique id, found "e", which events.json:1 has`,
    ],
  },
  'a rule, and an event that has nothing else': {
    events: [
      { ...GOOD, repeats: [REPEAT] },
      { id: 'f', title_nb: 'F', repeats: [REPEAT] },
    ],
    kept: 'e',
    lines: [
      `${E} repeats[0].rule: dropped series, ${WEEKDAYS}`,
      `events.json:1 "f" repeats[0].rule: dropped record, ${WEEKDAYS}`,
    ],
  },
  'an event whose only date was bad, once and with the reason, but no container': {
    events: [
      { ...GOOD, dates: [{ start: 'soon' }] },
      { ...GOOD, id: 'c', isSuperEvent: true, dates: [{ start: 'soon' }] },
    ],
    kept: 'c',
    lines: [
      `${E} dates[0].start: dropped record, expected ${MOMENT}, found "soon"`,
      `events.json:1 "c" dates[0].start: dropped date, expected ${MOMENT}, found "soon"`,
    ],
  },
  'an exception with a time of a rule of days, because it would remove nothing': {
    events: [{ ...GOOD, repeats: [DAYS_WITH_EXCEPTIONS] }],
    kept: 'e',
    lines: [
      `${E} repeats[0].except[0]: dropped date, expected a day, because the start has no time, found "2026-12-02 18:00"`,
    ],
  },
  // Christmas Eve alone is no start of a rule that has a time.
  'a bad exception of a rule, and not the rule': {
    events: [
      { ...GOOD, repeats: [{ ...DAILY, except: ['2026-12-02 19:30', '2026-12-24', '2026-12-04 19:30'] }] },
    ],
    kept: 'e',
    lines: [`${E} repeats[0].except[1]: dropped date, expected ${DATETIME}, found "2026-12-24"`],
  },
  'unknown and repeated references, and not the event': {
    events: [
      {
        ...GOOD,
        venue: 'gone',
        organizers: ['o', 'gone', 'o'],
        categories: ['JAZZ', 'GONE', 'JAZZ'],
        dates: [{ ...START, venue: 'nowhere' }],
      },
    ],
    kept: 'e',
    lines: [
      `${E} venue: ${DROPPED_REFERENCE} the id of a venue, found "gone"`,
      `${E} categories[1]: ${DROPPED_REFERENCE} ${DEFINED}, found "GONE"`,
      `${E} categories[2]: ${DROPPED_REFERENCE} each category once, found "JAZZ"`,
      `${E} organizers[1]: ${DROPPED_REFERENCE} the id of an organizer, found "gone"`,
      `${E} organizers[2]: ${DROPPED_REFERENCE} each organizer once, found "o"`,
      `${E} dates[0].venue: ${DROPPED_REFERENCE} the id of a venue, found "nowhere"`,
    ],
    files: DIRECTORIES,
  },
  'references to events, once all are read': {
    events: [
      { ...GOOD, id: 'before', superEvent: 'festival' },
      { ...GOOD, id: 'festival', isSuperEvent: true },
      { ...GOOD, id: 'after', super_event: 'festival' },
      { ...GOOD, id: 'lost', superEvent: 'gone' },
      { ...GOOD, id: 'undated', superEvent: 'dropped' },
      { id: 'dropped', title_nb: 'Uten dato' },
      { ...GOOD, id: 'self', superEvent: 'self' },
    ],
    kept: 'before festival after lost undated self',
    lines: [
      'events.json:1 "dropped" dates: dropped record, expected at least one valid date or repeat, found nothing',
      `events.json:1 "lost" superEvent: ${EVENT_KEPT}, found "gone"`,
      `events.json:1 "undated" superEvent: ${EVENT_KEPT}, found "dropped"`,
      `events.json:1 "self" superEvent: ${EVENT_KEPT}, found "self"`,
    ],
  },
  'a special event that there is not': {
    events: [GOOD],
    kept: 'e',
    lines: [
      `licence.json "trondheim" specialEvent: ${DROPPED_REFERENCE} the id of an event that is kept, found "gone"`,
    ],
    files: { 'licence.json': { ...LICENCE, specialEvent: 'gone' } },
  },
  'a line that cannot be read, by its number': {
    events: [],
    kept: 'e',
    lines: [
      'events.ndjson:3: dropped record, expected JSON, found other text: it ends after ,',
      `events.ndjson:4 "f" title_nb: dropped record, expected ${TITLE}, found nothing`,
    ],
    files: {
      'events.json': undefined,
      'events.ndjson': `${JSON.stringify(GOOD)}\n\n{"id": "cut", \n{"id":"f"}\n`,
    },
  },
};

for (const [what, { events: list, kept, lines, files = {} }] of Object.entries(CASES))
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

test('G2: should count a record or repeat with several invalid fields once, and report the required ones', async () => {
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

interface Optional {
  readonly list: string;
  readonly schema: z.ZodObject;
  readonly own: object;
  readonly within?: string;
}

const OPTIONAL: readonly Optional[] = [
  { list: 'events', schema: eventSchema, own: { ...GOOD, title_en: 'Concert' } },
  { list: 'events', schema: capacitySchema, own: GOOD },
  { list: 'events', schema: imageSchema, own: {}, within: 'images' },
  { list: 'events', schema: priceSchema, own: { type: 'X' }, within: 'prices' },
  { list: 'events', schema: dateSchema, own: START, within: 'dates' },
  { list: 'events', schema: repeatSchema, own: DAILY, within: 'repeats' },
  { list: 'venues', schema: venueSchema, own: { id: 'v', name: 'Huset' } },
  { list: 'organizers', schema: organizerSchema, own: { id: 'o', name: 'Laget' } },
];

/** No field takes an object of these. */
const BROKEN = { broken: 5 };
/** A8: when it may be shown; lists of times are counted as what they would have given. */
const APART = ['publishingDate', 'dates', 'repeats'];

for (const { list, schema, own, within } of OPTIONAL)
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

test('G2: should report a repeated field, and use its last value', async () => {
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

test('should read events once, and say only then what is known of all of them', async () => {
  const source = await openNativeSource(sourceFolder({ 'events.json': [GOOD] }));
  const { events, finish } = await validate(withoutFeeds(source), createReport());
  for await (const _ of events()) assert.throws(finish, 'expected all events to be read first');
  assert.is(finish().references.superEvent({ id: 'part', super_event: GOOD.id }), GOOD.id);
  assert.is(await all(events()).catch(messageOf), 'expected the events to be read once');
});

for (const field of ['organizers', 'categories']) {
  test(`should look through 100,000 ${field} of one event once`, async () => {
    const ids = Array.from({ length: 100_000 }, (_, at) => `i${at}`);
    await costsAtMost(500, () => validatedEvents([{ ...GOOD, [field]: ids }]));
  });
}

test('G2: should drop more invalid values of one event than a call takes arguments, and keep the event', async () => {
  const tags = new Array(MORE_THAN_ARGUMENTS).fill(1);
  const { events } = await validatedEvents([{ ...GOOD, tags }]);
  assert.equal(
    events.map((event) => [event.id, event.tags]),
    [['e', []]],
  );
});

test.run();
