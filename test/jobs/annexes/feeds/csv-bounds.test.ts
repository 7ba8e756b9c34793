/** Bounds of tables (docs/limits.md); work on the worst of them is linear. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTableFeed } from '../../../../jobs/annexes/feeds/csv/events.ts';
import { FeedProblem } from '../../../../jobs/annexes/feeds/health.ts';
import { readList } from '../../../../jobs/annexes/feeds/moment-lists.ts';
import { momentReader } from '../../../../jobs/annexes/feeds/moments.ts';
import { readPlace } from '../../../../jobs/annexes/feeds/places.ts';
import { readPrices } from '../../../../jobs/annexes/feeds/prices.ts';
import { readDocuments } from '../../../helpers/feed-reading.ts';
import { costsAtMost } from '../../../helpers/usage.ts';

const test = suite('bounds of tables');
const read = (table: string) => readDocuments(readTableFeed, table);

test('should stop at a row of more than 1 MiB', () => {
  const { counts, findings, isComplete } = read(`Tittel;Start\nA;2027-02-14\n"${'x\n'.repeat(600_000)}`);
  assert.equal([counts.events, isComplete], [1, false]);
  assert.match(findings[0] ?? '', /found a row of more than 1048576 characters$/);
});

test('should refuse a table of more rows than a region has', () => {
  try {
    read(`Tittel;Start\n${'A;\n'.repeat(200_001)}`);
    assert.unreachable();
  } catch (thrown) {
    if (!(thrown instanceof FeedProblem)) throw thrown;
    assert.is(thrown.message, 'expected at most 200000 rows, found more');
  }
});

test('should look for the names of the columns in the first ten rows', () => {
  const above = (rows: number) => read(`${'Vinterfest\n'.repeat(rows)}Tittel;Start\nA;2027-02-14\n`);
  assert.is(above(9).counts.events, 1);
  assert.throws(
    () => above(10),
    (thrown: Error) => thrown.message.startsWith('expected a row that names a column'),
  );
});

test('should bound the kinds of tickets of a table', () => {
  const { prices, unread } = readPrices('100/'.repeat(100), 'nb');
  assert.equal([prices.length, unread.length], [50, 1]);
});

test('should read at most 1,000 columns of a table, and report the rest once', async () => {
  const table = (name: (place: number) => string, cell = 'x') => {
    const more = (of: (place: number) => string) =>
      Array.from({ length: 100_000 }, (_, place) => of(place)).join(';');
    return `Tittel;Start;${more(name)}\nA;2027-02-14;${more(() => cell)}\n`;
  };
  await costsAtMost(100, () => {
    for (const name of ['k', 'starr', 'Start']) {
      const { counts, findings } = read(table((place) => (name === 'k' ? `k${place}` : name)));
      assert.is(counts.events, 1);
      const tooWide = findings.filter((finding) => finding.includes('at most 1000 columns'));
      assert.equal([tooWide.length, /found 100002$/.test(tooWide[0] ?? '')], [1, true]);
    }
  });
  assert.equal(read(table(() => '', '')).findings, []);
});

test('should read no more parts of a price than an event may have tickets', async () => {
  await costsAtMost(100, () => {
    for (const part of ['100;', '100\n', 'a\n', 'kr 100,- voksen|', ';']) {
      const { prices } = readPrices(part.repeat(1_000_000), 'nb');
      assert.is(prices.length, part === ';' ? 0 : 50);
    }
  });
});

test('should work linearly on the worst of places, lists of dates and names of columns', async () => {
  const parts = [' ', '\n', '1', ',', ', 1', ':', '(', 'a 1', ' og ', '14. og ', '1.2.', '&', 'a.'];
  const reader = momentReader(null);
  await costsAtMost(500, () => {
    for (const part of parts) {
      const cell = `${part.repeat(200_000 / part.length)}x`;
      readPlace({ text: cell, address: cell, postalCode: cell, latitude: cell, longitude: cell });
      readPlace({ name: cell });
      assert.is(readList(cell.slice(-10_000), reader), null);
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
      assert.is(reader(cell), null);
    }
  });
});

test.run();
