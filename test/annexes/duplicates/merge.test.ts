import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mergeRecords } from '../../../jobs/annexes/duplicates/merge.ts';
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

test('G9: should keep every value of the first record, whatever another one says', () => {
  const winner = full('a', ['2026-12-05 19:00', '2026-12-06 19:00']);
  const other = full('b', ['2026-12-04 19:00', '2026-12-05 19:00', '2026-12-06 19:00']);
  const { dates, ...merged } = mergeRecords([
    { record: winner, expanded: [] },
    { record: other, expanded: [] },
  ]);
  const { dates: own, ...rest } = winner;
  assert.equal(merged, rest);
  assert.equal(dates.slice(0, own.length), own);
});

test('G9: should sell tickets of a date that another record adds where the first record does', () => {
  const winner = full('a', ['2026-12-05 19:00', '2026-12-06 19:00']);
  const other = full('b', ['2026-12-04 19:00', '2026-12-05 19:00', '2026-12-06 19:00']);
  const merge = (record: EventRecord) =>
    mergeRecords([
      { record, expanded: [] },
      { record: other, expanded: [] },
    ]).dates.at(-1);
  assert.is(merge(winner)?.ticketsURL, winner.ticketsURL);
  assert.is(merge(winner)?.prices, null);
  const { ticketsURL, ticketsInformation, prices } = eventRecord({ id: 'none' });
  const without = merge({ ...winner, ticketsURL, ticketsInformation, prices });
  assert.is(without?.ticketsURL, 'https://b.example/04');
  assert.is(without?.prices?.[0]?.type, 'b');
});

test.run();
