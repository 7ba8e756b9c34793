/** Settings of a table's columns: constants, numbers, one column for two fields, several for one. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readFeeds } from '../../../jobs/annexes/feeds/config.ts';
import { readTableFeed } from '../../../jobs/annexes/feeds/csv/events.ts';
import { FeedProblem } from '../../../jobs/annexes/feeds/health.ts';
import { readDocuments } from '../../helpers/feed-reading.ts';

const test = suite('columns of tables');
const read = (table: string, columns: object, feed = {}) =>
  readDocuments(readTableFeed, table, { columns: columns as never, ...feed });

test('L1: should take a constant for any field', () => {
  const { events, venues, findings } = read('Tittel;Start\nA;2027-02-14 19:00\n', {
    venue: { value: 'Kino' },
    prices: { value: 150 },
    categories: { value: 'Film' },
    duration: { value: 90 },
  });
  assert.is(venues[0]?.name, 'Kino');
  const word =
    '2 "f:a-kino-e5b7ede9" categories: kept as tag, expected a category of the licence, found "Film"';
  assert.equal(findings, [word]);
  assert.equal(
    [events[0]?.dates, events[0]?.prices, events[0]?.tags],
    [[{ start: '2027-02-14 19:00', duration: 90 }], [{ type: 'REGULAR', price: '150' }], ['Film']],
  );
});

test('G2: should name the word of the map, or the category, that a mistyped word is near', () => {
  const feed = { map: { Konsert: 'MUSIC', Forestilling: ['ART'] }, categoryNames: { sport: 'SPORT' } };
  const { findings } = readDocuments(
    readTableFeed,
    'Tittel;Start;Kategori\nA;2027-02-14;Konset, forestiling, Sprot, Dans\n',
    feed,
  );
  assert.equal(
    findings.map((finding) => finding.replace(/^.*of the licence/, '')),
    [
      '; the nearest is "Konsert", found "Konset"',
      '; the nearest is "Forestilling", found "forestiling"',
      '; the nearest is "SPORT", found "Sprot"',
      ', found "Dans"',
    ],
  );
});

test('L1: should take one column for two fields', () => {
  const { events, organizers } = read('Hvem;Start\nKoret;2027-02-14\n', {
    title_nb: 'Hvem',
    organizers: 'Hvem',
  });
  assert.equal([events[0]?.title_nb, organizers[0]?.name], ['Koret', 'Koret']);
  const { venues } = read('Tittel;Start;Posisjon;Sted\nA;2027-02-14;"63.83, 10.05";Brygga\n', {
    latitude: 'Posisjon',
    longitude: 'Posisjon',
  });
  assert.equal([venues[0]?.latitude, venues[0]?.longitude], [63.83, 10.05]);
});

test('L1: should take each of several price columns for a ticket of its name', () => {
  const { events } = read(
    'Tittel;Start;Voksen;Barn;Ikke-medlem\nA;2027-02-14;250;gratis;\nB;2027-02-14;;;300\n',
    {
      prices: ['Voksen', 'Barn', 'Ikke-medlem'],
    },
  );
  assert.equal(
    events.map(({ prices }) => prices),
    [
      [
        { type: 'REGULAR', price: '250', name_nb: 'Voksen' },
        { type: 'CHILD', price: '0', name_nb: 'Barn' },
      ],
      [{ type: 'REGULAR', price: '300', name_nb: 'Ikke-medlem' }],
    ],
  );
});

test('L1: should join what several columns say where a field can have it all, and else take the first', () => {
  const { events, venues } = read(
    'Tittel;Start;Ingress;Om;Sjanger;Tema;Gate;By;Sal;Hus\nA;2027-02-14;Kort;Langt;Film;Krim, Nytt;Havnegata 2;Lillevik;;Brygga\n',
    { desc_nb: ['Ingress', 'Om'], tags: ['Sjanger', 'Tema'], address: ['Gate', 'By'], venue: ['Sal', 'Hus'] },
  );
  assert.equal([events[0]?.desc_nb, events[0]?.tags], ['Kort\n\nLangt', ['Film', 'Krim', 'Nytt']]);
  assert.equal([venues[0]?.name, venues[0]?.address], ['Brygga', 'Havnegata 2, Lillevik']);
});

test('L1: should read a table without names by the numbers of its columns', () => {
  const { events, venues, counts, findings } = read(
    '14.02.2027 19.00;Kor;Brygga;150\n15.02.2027 19.00;Korps;Torget;Gratis\n',
    { start: 1, title_nb: 2, venue: 3, prices: 4 },
  );
  assert.equal(
    events.map(({ title_nb, dates }) => [title_nb, dates]),
    [
      ['Kor', [{ start: '2027-02-14 19:00' }]],
      ['Korps', [{ start: '2027-02-15 19:00' }]],
    ],
  );
  assert.equal([venues.length, counts.entries, findings], [2, 2, []]);
});

test('L1: should pass over names that settings give numbers for, and name columns by number in findings', () => {
  const { events, findings } = read('Hva;Naar\nKor;2027-02-14\nKorps;i morgen\n', { title_nb: 1, start: 2 });
  assert.is(events.length, 1);
  assert.equal(findings, [
    '1: changed value, expected the names of the columns (passed over), found "Hva", "Naar"',
    '3 column 2: dropped record, expected a date such as 14.02.2027 kl. 19.00 or 2027-02-14 19:00, found "i morgen"',
  ]);
});

test('L1: should take numbers and names of a table that has both', () => {
  const { events, venues } = read('Hva;Naar;Rom\nKor;2027-02-14;Sal 2\n', {
    title_nb: 1,
    start: 2,
    venue: 'Rom',
  });
  assert.equal([events.length, venues[0]?.name], [1, 'Sal 2']);
});

test('G2: should name a number that the table does not have, and a table without a day', () => {
  const { findings } = read('Kor;2027-02-14\n', { title_nb: 1, start: 2, venue: 5 });
  assert.equal(findings, [
    '5: changed value, expected a column of this number, as "columns" says of venue, found 2 columns',
  ]);
  assert.throws(
    () => read('Kor;snart\n', { title_nb: 1, start: 2 }),
    (thrown: unknown) =>
      thrown instanceof FeedProblem &&
      thrown.message === 'expected a row with a day in the column that "columns" says, found "Kor", "snart"',
  );
});

const COLUMN =
  'expected the name of a column, its number (the first is 1), {"value": "…"}, or a list of these';
const REFUSED: readonly (readonly [columns: object, message: string])[] = [
  [{ venue: '' }, `sources.json:1 "a" columns.venue: ${COLUMN}, found ""`],
  [{ venue: 0 }, `sources.json:1 "a" columns.venue: ${COLUMN}, found 0`],
  [{ venue: { text: 'Kino' } }, `sources.json:1 "a" columns.venue: ${COLUMN}, found {"text":"Kino"}`],
  [{ prices: [] }, `sources.json:1 "a" columns.prices: ${COLUMN}, found []`],
  [{ prices: ['A', 1.5] }, `sources.json:1 "a" columns.prices: ${COLUMN}, found ["A",1.5]`],
];

for (const [columns, message] of REFUSED) {
  test(`should refuse in sources.json the columns ${JSON.stringify(columns)}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'almanakk-columns-'));
    try {
      writeFileSync(
        join(folder, 'sources.json'),
        JSON.stringify([{ id: 'a', kind: 'csv', file: 'a.csv', columns }]),
      );
      await readFeeds(folder);
      assert.unreachable();
    } catch (thrown) {
      assert.is((thrown as Error).message, message);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

test.run();
