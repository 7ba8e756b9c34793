/** Bounds of tables (docs/limits.md); work on the worst of them is linear. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTableFeed } from '../../../../../jobs/annexes/feeds/csv/events.ts';
import { readMomentList } from '../../../../../jobs/annexes/feeds/moment-lists.ts';
import { momentReader } from '../../../../../jobs/annexes/feeds/moments.ts';
import { readPlace } from '../../../../../jobs/annexes/feeds/places.ts';
import { readPrices } from '../../../../../jobs/annexes/feeds/prices.ts';
import { assertIncludes } from '../../../../helpers/assertions.ts';
import { costsAtMost } from '../../../../helpers/cost.ts';
import { readDocuments, refusalOf } from '../../../../helpers/feed-reading.ts';

const test = suite('bounds of tables');
const read = (table: string) => readDocuments(readTableFeed, table);

test('should stop at a row of more than 1 MiB', () => {
  const { counts, findings, isComplete } = read(`Tittel;Start\nA;2027-02-14\n"${'x\n'.repeat(600_000)}`);
  assert.equal([counts.events, isComplete], [1, false]);
  assert.match(findings[0] ?? '', /found a row of more than 1048576 characters$/);
});

test('should refuse a table of more rows than a region has', () => {
  const table = `Tittel;Start\n${'A;\n'.repeat(200_001)}`;
  assert.is(refusalOf(readTableFeed, table), 'size limit: expected at most 200000 rows, found more');
});

test('should look for the names of the columns in the first ten rows', () => {
  const tableBelow = (rows: number) => `${'Vinterfest\n'.repeat(rows)}Tittel;Start\nA;2027-02-14\n`;
  assert.is(read(tableBelow(9)).counts.events, 1);
  assertIncludes(refusalOf(readTableFeed, tableBelow(10)), 'expected a row that names a column');
});

test('should keep at most 50 prices of a cell, and report the rest as one text', () => {
  const { prices, unread } = readPrices('100/'.repeat(100), 'nb');
  assert.is(prices.length, 50, 'prices');
  assert.is(unread.length, 1, 'unread texts');
});

/** A table with a title, a start and 100,000 further columns. */
function wideTable(nameOf: (place: number) => string, cell: string): string {
  const names = Array.from({ length: 100_000 }, (_, place) => nameOf(place)).join(';');
  const cells = Array.from({ length: 100_000 }, () => cell).join(';');
  return `Tittel;Start;${names}\nA;2027-02-14;${cells}\n`;
}

const WIDE_TABLES: Readonly<Record<string, (place: number) => string>> = {
  'different names': (place) => `k${place}`,
  'names that resemble one of ours': () => 'starr',
  'the name of another column': () => 'Start',
};

for (const [what, nameOf] of Object.entries(WIDE_TABLES)) {
  test(`should read at most 1,000 columns with ${what}, and report the rest once`, async () => {
    const table = wideTable(nameOf, 'x');
    await costsAtMost(35, () => {
      const { counts, findings } = read(table);
      assert.is(counts.events, 1, 'events');
      const tooWide = findings.filter((finding) => finding.includes('at most 1000 columns'));
      assert.is(tooWide.length, 1, 'findings about the columns');
      assert.match(tooWide[0] ?? '', /found 100002$/);
    });
  });
}

test('should not report columns without names and cells, however many', () => {
  assert.equal(read(wideTable(() => '', '')).findings, []);
});

test('should read no more parts of a price than an event may have tickets', async () => {
  await costsAtMost(20, () => {
    for (const part of ['100;', '100\n', 'a\n', 'kr 100,- voksen|', ';']) {
      const { prices } = readPrices(part.repeat(200_000), 'nb');
      assert.is(prices.length, part === ';' ? 0 : 50, `prices of ${part}`);
    }
  });
});

test('should work linearly on the worst of places, lists of dates and names of columns', async () => {
  const parts = [' ', '\n', '1', ',', ', 1', ':', '(', 'a 1', ' og ', '14. og ', '1.2.', '&', 'a.'];
  const reader = momentReader(null);
  await costsAtMost(125, () => {
    for (const part of parts) {
      const cell = `${part.repeat(50_000 / part.length)}x`;
      readPlace({ text: cell, address: cell, postalCode: cell, latitude: cell, longitude: cell });
      readPlace({ name: cell });
      assert.is(readMomentList(cell.slice(-10_000), reader), null, part);
      assert.throws(() => read(`Tittel\t"${cell}"\nA\t"${cell}"\n`), /names a column/);
      read(`Tittel\tDato\nA\t2027-02-14\nB\t"${cell}"\n`);
    }
  });
});

test('should work linearly on the worst of cells', async () => {
  const cells = [' ', '1', '1 ', '-', ',', '1.', 'kr ', '(', 'a', '\u00a0', 'gratis '].map((part) =>
    part.repeat(1_000_000 / part.length),
  );
  const reader = momentReader(null);
  await costsAtMost(500, () => {
    for (const cell of cells) {
      readPrices(cell, 'nb');
      readPrices(cell.slice(0, 2_000), 'nb');
      assert.is(reader(cell), null, cell.slice(0, 10));
    }
  });
});

test.run();
