/** G2: each optional field of each kind of record, broken in turn. The tables are the definitions by which a build reads. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type * as z from 'zod';
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
import { LICENCE, validated } from '../helpers/native-source.ts';

const test = suite('G2: optional fields');

const START = '2026-12-01 19:30';
const EVENT = { id: 'e', title_nb: 'Konsert', dates: [{ start: START }], isSuperEvent: true };

type Broken = (field: string, value: unknown) => object;

interface Kind {
  readonly list: 'events' | 'venues' | 'organizers';
  readonly schema: z.ZodObject;
  /** A record with the broken value in it. */
  readonly record: Broken;
  /** Where findings say that it stands. */
  readonly at: string;
  /** Optional fields that cost the record, or more than themselves. */
  readonly apart?: readonly string[];
}

const inEvent =
  (list: string, item: object): Broken =>
  (field, value) => ({ ...EVENT, [list]: [{ ...item, [field]: value }] });

const KINDS: Readonly<Record<string, Kind>> = {
  event: {
    list: 'events',
    schema: eventSchema,
    record: (field, value) => ({ ...EVENT, title_en: 'Concert', [field]: value }),
    at: '',
    // A8: when it may be shown; lists of times are counted as what they would have given.
    apart: ['publishingDate', 'dates', 'repeats'],
  },
  capacity: {
    list: 'events',
    schema: capacitySchema,
    record: (field, value) => ({ ...EVENT, [field]: value }),
    at: '',
  },
  image: { list: 'events', schema: imageSchema, record: inEvent('images', {}), at: 'images[0].' },
  price: { list: 'events', schema: priceSchema, record: inEvent('prices', { type: 'X' }), at: 'prices[0].' },
  date: { list: 'events', schema: dateSchema, record: inEvent('dates', { start: START }), at: 'dates[0].' },
  repeat: {
    list: 'events',
    schema: repeatSchema,
    record: inEvent('repeats', { rule: 'FREQ=DAILY', start: START }),
    at: 'repeats[0].',
  },
  venue: {
    list: 'venues',
    schema: venueSchema,
    record: (field, value) => ({ id: 'v', name: 'Huset', [field]: value }),
    at: '',
  },
  organizer: {
    list: 'organizers',
    schema: organizerSchema,
    record: (field, value) => ({ id: 'o', name: 'Laget', [field]: value }),
    at: '',
  },
};

/** No field takes an object of these. */
const BROKEN = { broken: 5 };

for (const [kind, { list, schema, record, at, apart = [] }] of Object.entries(KINDS)) {
  const optional = Object.entries<z.ZodType>(schema.shape).flatMap(([field, read]) =>
    read.safeParse(undefined).success && !read.safeParse(BROKEN).success ? [field] : [],
  );

  test(`should cost the value alone when an optional field of a ${kind} is wrong`, async () => {
    assert.ok(optional.length > 0);
    for (const field of optional.filter((name) => !apart.includes(name))) {
      const { findings, summary } = await validated({
        'licence.json': { ...LICENCE, registration: true },
        [`${list}.json`]: [record(field, BROKEN)],
      });
      assert.equal(
        findings.map((finding) => [finding.action, finding.field]),
        [['dropped value', `${at}${field}`]],
        field,
      );
      assert.equal(summary.lists[list], { read: 1, kept: 1, dropped: 0 }, field);
      const { events } = summary.lists;
      assert.is(events.dropped, 0);
      const lost = ['record', 'series', 'date', 'reference'] as const;
      for (const what of lost) assert.is(summary.actions[`dropped ${what}`], 0, field);
    }
  });
}

test('should keep the date beside a value that is wrong in it, and the prices beside a price', async () => {
  const prices = [{ type: 'A', price: 1 }, { price: 2 }, { type: 'C', name_nb: 3 }];
  const dates = [
    { start: START, duration: 'long', venue: [] },
    { start: '2026-12-02 19:30', duration: 60 },
  ];
  const [event] = (await validated({ 'events.json': [{ ...EVENT, prices, dates }] })).events;
  assert.equal(
    event?.dates.map(({ duration }) => duration),
    [null, 60],
  );
  assert.equal(
    event?.prices.map(({ type, name_nb }) => [type, name_nb]),
    [
      ['A', null],
      ['C', null],
    ],
  );
});

test.run();
