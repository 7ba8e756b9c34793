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
    { record, expanded: [] },
    { record: OTHER, expanded: [] },
  ]);

test('G9: should keep every value of the first record, and sell tickets of a date that another adds there', () => {
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

test.run();
