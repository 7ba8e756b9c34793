/** G9: the values and dates of a merged event. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mergeRecords } from '../../../jobs/duplicates/merge.ts';
import type { EventRecord } from '../../../jobs/records.ts';
import { date, eventRecord } from '../../helpers/records.ts';

const test = suite('G9: the record that wins');

/** A record in which every value is `word`'s. */
const full = (word: string, starts: readonly string[]): EventRecord =>
  eventRecord({
    id: word,
    title_nb: `${word} nb`,
    title_en: `${word} en`,
    desc_nb: `${word} desc nb`,
    desc_en: `${word} desc en`,
    categories: [word],
    tags: [word],
    organizers: [word],
    venue: word,
    ticketsURL: `https://${word}.example/`,
    moreInfoURL: `https://${word}.example/more`,
    ticketsInformation: 'ticketsInfo',
    prices: [{ type: word, price: 1, name_nb: null, name_en: null }],
    dates: starts.map((start) =>
      date(start, null, {
        venue: word,
        ticketsURL: `https://${word}.example/${start.slice(8, 10)}`,
        prices: [{ type: word, price: 2, name_nb: null, name_en: null }],
      }),
    ),
  });

const OTHER = full('b', ['2026-12-04 19:00', '2026-12-05 19:00', '2026-12-06 19:00']);
const merge = (record: EventRecord) =>
  mergeRecords([
    { number: 0, record, expanded: [] },
    { number: 1, record: OTHER, expanded: [] },
  ]);

test('G9: should keep every value of the first record, and give its ticket link to added dates', () => {
  const winner = full('a', ['2026-12-05 19:00', '2026-12-06 19:00']);
  const { dates: own, ...rest } = winner;
  const { dates, ...merged } = merge(winner);
  assert.equal(merged, rest);
  assert.equal(dates.slice(0, own.length), own);
  assert.equal([dates.at(-1)?.ticketsURL, dates.at(-1)?.prices], [winner.ticketsURL, null]);
  const { ticketsURL, ticketsInformation, prices } = eventRecord({ id: 'none' });
  const added = merge({ ...winner, ticketsURL, ticketsInformation, prices }).dates.at(-1);
  assert.equal([added?.ticketsURL, added?.prices?.[0]?.type], ['https://b.example/04', 'b']);
});

test('G9: should give the tickets of one evening to its own date alone', () => {
  const days = ['2026-12-04 19:00', '2026-12-05 19:00', '2026-12-06 19:00'];
  const series = eventRecord({ id: 'series', dates: days.map((day) => date(day)) });
  const evening = (number: number, start: string, own: Partial<EventRecord>) => ({
    number,
    record: eventRecord({
      id: `evening ${number}`,
      // F5: its date has the link of its event.
      dates: [date(start, null, { ticketsURL: own.ticketsURL ?? null })],
      ...own,
    }),
    expanded: [],
  });
  const ticketsOf = (record: EventRecord, others: readonly ReturnType<typeof evening>[]) => {
    const joined = mergeRecords([{ number: 1, record, expanded: [] }, ...others]);
    const ofDates = joined.dates.map((one) => one.prices?.[0]?.price ?? one.ticketsURL);
    return [joined.ticketsInformation, joined.prices, joined.ticketsURL, ofDates];
  };
  const free = { ticketsInformation: 'free' } as const;
  const priced = { ticketsInformation: 'ticketsInfo', prices: OTHER.prices } as const;
  const linked = { ticketsURL: 'https://b.example/' };
  for (const number of [0, 2]) {
    const one = (own: Partial<EventRecord>) => ticketsOf(series, [evening(number, '2026-12-05 19:00', own)]);
    assert.equal(one(free), ['noTicketsInfo', [], null, [null, null, null]]);
    assert.equal(one(priced), ['noTicketsInfo', [], null, [null, 1, null]]);
    assert.equal(one(linked), ['noTicketsInfo', [], null, [null, linked.ticketsURL, null]]);
  }
  // Two evenings are an event of two dates.
  const first = eventRecord({ id: 'first', dates: [date('2026-12-04 19:00')] });
  const second = evening(2, '2026-12-05 19:00', { ...priced, ...linked });
  assert.equal(ticketsOf(first, [second]), ['noTicketsInfo', [], null, [null, 1]]);
  const same = evening(2, '2026-12-04 19:00', free);
  assert.equal(ticketsOf(first, [same]), ['free', [], null, [null]]);
});

test('F13, G9: should not fill what a correction has emptied, on any date', () => {
  const winner = eventRecord({ id: 'a', title_nb: null, title_en: 'a', dates: [date('2026-12-04 19:00')] });
  const merged = (...emptied: readonly string[]) => {
    const edits = emptied.map((field, number) => ({ field, number, isEmptied: true, limit: null }));
    const later = { ...winner, edits };
    return mergeRecords([
      { number: 1, record: later, expanded: [] },
      { number: 0, record: withoutPrices(OTHER), expanded: [] },
    ]);
  };
  const { dates: filled, ...record } = merged();
  assert.equal([record.venue, filled[0]?.venue, filled[0]?.prices?.[0]?.price], ['b', 'b', 1]);
  const { dates, ...left } = merged('venue', 'ticketsURL', 'prices', 'title_nb');
  assert.equal([left.venue, left.ticketsURL, left.title_nb, left.title_en], [null, null, null, 'a']);
  assert.equal([left.prices, left.ticketsInformation, left.tags], [[], 'noTicketsInfo', ['b']]);
  assert.is(dates.length, 3);
  for (const { venue, ticketsURL, prices } of dates)
    assert.equal([venue, ticketsURL, prices], [null, null, null]);
});

test('G9, I16: should be in the Norwegian of the first record with a text in it', () => {
  const english = eventRecord({ id: 'a', title_nb: null, title_en: 'a', norwegian: 'nb' });
  const nynorsk = { ...OTHER, norwegian: 'nn' };
  const merged = (record: EventRecord) =>
    mergeRecords([
      { number: 0, record, expanded: [] },
      { number: 1, record: nynorsk, expanded: [] },
    ]).norwegian;
  assert.is(merged(english), 'nn');
  assert.is(merged({ ...english, desc_nb: '<p>Hva skjer</p>' }), 'nb');
});

/** The record with the event's prices alone. */
function withoutPrices(record: EventRecord): EventRecord {
  return { ...record, dates: record.dates.map((one) => ({ ...one, prices: null })) };
}

/** A member whose dates, by their days, have these ends or none, and are at a place of its own or at none. */
function member(
  number: number,
  days: Readonly<Record<number, { readonly end: number | null; readonly isPlaced: boolean }>>,
) {
  const dates = Object.entries(days).map(([day, { end, isPlaced }]) => {
    const written = (hour: number) => `2026-12-0${day} ${hour}:00`;
    return date(written(18), end === null ? null : written(end), { venue: isPlaced ? `v${number}` : null });
  });
  return { number, record: eventRecord({ id: `${number}`, dates }), expanded: [] };
}

const value = fc.record({ end: fc.constantFrom(null, 19, 20, 21), isPlaced: fc.boolean() });
const days = fc.dictionary(fc.constantFrom('1', '2', '3', '4'), value, { minKeys: 1 });

test('G9: should use the values of the first source for each date, and missing ones of the next', () => {
  fc.assert(
    fc.property(fc.array(days, { minLength: 2, maxLength: 4 }), fc.nat(), (all, pick) => {
      const members = all.map((one, number) => member(number, one));
      const stays = members[pick % members.length];
      const others = members.filter((one) => one !== stays);
      if (stays === undefined) return;
      const { dates } = mergeRecords([stays, ...others]);
      const found = dates.map(({ start, end, venue }) => `${start} ${end} ${venue}`).sort();
      const every = [...new Set(all.flatMap((one) => Object.keys(one)))];
      const expected = every.map((day) => {
        const dates = members.flatMap(({ record }) =>
          record.dates.filter(({ start }) => new Date(start * 1000).getUTCDate() === Number(day)),
        );
        const start = dates[0]?.start ?? 0;
        const end = dates.find(({ duration }) => duration !== null)?.end ?? start;
        return `${start} ${end} ${dates.find(({ venue }) => venue !== null)?.venue ?? null}`;
      });
      assert.equal(found, expected.sort());
    }),
  );
});

test.run();
