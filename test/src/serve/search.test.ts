/** B10: search by literal and by similar words, with a bound on its work (D14). */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSearch, searchEvents } from '../../../src/serve/query/search.ts';
import { type Bitmap, bitsOf, emptyBitmap } from '../../../src/snapshot/bitmaps.ts';
import { assertAbove } from '../../helpers/assertions.ts';
import { costsAtMost } from '../../helpers/cost.ts';
import { indexed, type Texts } from '../../helpers/search.ts';
import { ask, closeAsked, each, event } from '../../oracle/cases.ts';

const test = suite('search');

test('B10, A3, A9: should match approximately while no event that is visible matches literally', async () => {
  const day = (start: string, end?: string) => ({
    start: `2026-${start}`,
    ...(end && { end: `2026-${end}` }),
  });
  const events = [
    event('far', { title_nb: 'Konserten', dates: [day('07-01 20:00')] }),
    event('near', {
      title_nb: 'Konsertane',
      dates: [day('06-10 18:00', '06-10 20:00'), day('06-02 18:00', '06-02 19:00')],
    }),
    event('late', {
      title_nb: 'Xkonsertane',
      publishingDate: '2026-06-30 00:00',
      dates: [day('07-02 20:00')],
    }),
  ];
  for (const { now, expected } of [
    { now: '2026-06-01 10:00', expected: 'near' },
    // Between its two dates.
    { now: '2026-06-05 10:00', expected: 'near' },
    { now: '2026-06-10 17:59:59', expected: 'near' },
    // 20:00 in Oslo: the last literal match that is visible is over in this very second.
    { now: '2026-06-10 18:00:00', expected: 'far' },
    { now: '2026-06-29 21:59:59', expected: 'far' },
    // And now one appears.
    { now: '2026-06-29 22:00:00', expected: 'late' },
    // A clock that goes back asks anew.
    { now: '2026-06-10 18:00:00', expected: 'far' },
  ] as const) {
    const found = await ask({ events }, '2026-06-01 10:00', now).events({ searchTerm: 'konsertane' });
    assert.is(each(found, 'id').join(' '), expected, now);
  }
});

const SCENE: readonly Texts[] = [
  { title_nb: 'Konsert i Økland', desc_nb: 'Med Kåre og visesang' },
  { title_nb: 'Ærlig talt', title_en: 'Honestly', desc_en: 'A <em>theatre</em> feast' },
];
const SEARCHED = { search: indexed(SCENE).search, isVisible: () => true };

/** The events of the scene that a term finds. */
async function foundBy(term: string): Promise<string> {
  const found = await searchEvents(SEARCHED, term);
  return [...bitsOf(found?.events ?? emptyBitmap(0))].join(' ');
}

test('B1: should ignore a term that folds to nothing', async () => {
  for (const term of ['', ' ', '\u00a0\u3000\n', '\u0301\u0308\u20dd']) {
    assert.is(await searchEvents(SEARCHED, term), null, JSON.stringify(term));
  }
});

/** Terms, each with the events of the scene that it finds. */
const STRANGE_TERMS = [
  ...[
    '"',
    '"konsert" NEAR "visesang"',
    "'; drop table event; --",
    '%',
    '_',
    '\\',
    '\0',
    '🎉',
    '\ud83c',
    '\udf89x',
    '!!!',
    '…',
    'שלום עולם',
    'مرحبا',
    '日本語',
    '<em>',
    'x'.repeat(10_000),
    'abc '.repeat(64),
    [...'abcdefghijklmnopqrstuvwxyz'.repeat(8)].join(' '),
    'a\u0301'.repeat(10_000),
  ].map((term) => ({ term, expected: '' })),
  { term: 'konsert*', expected: '0' },
  { term: 'konsert\0', expected: '0' },
  { term: 'konsert '.repeat(10_000), expected: '0' },
  { term: 'theatre fea', expected: '1' },
];

test('B10: should answer anything with a set of events, and soon', async () => {
  const work = async () => {
    for (const { term, expected } of STRANGE_TERMS)
      assert.is(await foundBy(term), expected, JSON.stringify(term.slice(0, 40)));
  };
  await costsAtMost(500, work, { everyThread: true });
});

/** A search of the scene, and how often it has read the text of all words. */
function countedSearch() {
  let scans = 0;
  const columns = new Proxy(indexed(SCENE).columns, {
    get: (target, name, receiver) => {
      if (name === 'wordText') scans++;
      return Reflect.get(target, name, receiver);
    },
  });
  // Through the prototype, each read of a column still reaches the proxy.
  const publishing = new Float64Array(SCENE.length);
  const search = createSearch(Object.assign(Object.create(columns), { publishing }));
  return {
    scansFor: async (step: 'literal' | 'approximate', words: readonly string[]) => {
      scans = 0;
      await search(step, words);
      return scans;
    },
  };
}

for (const step of ['literal', 'approximate'] as const) {
  test(`D14: should look a word up once for all terms that contain it: ${step}`, async () => {
    const { scansFor } = countedSearch();
    assertAbove(await scansFor(step, ['konsert', 'i', 'med']), 0, 'scans the first time');
    for (const words of [['med', 'i', 'konsert'], ['i'], ['konsert', 'med']])
      assert.is(await scansFor(step, words), 0, words.join(' '));
  });
}

test('D14: should look for no further word once no event is left, the longest first', async () => {
  const { scansFor } = countedSearch();
  const one = await scansFor('literal', ['ukjent']);
  assert.is(await scansFor('literal', ['e', 'kon', 'nirgends']), one);
});

test('D14: should not look for a word that another one contains, unless it has to be near it', async () => {
  const { scansFor } = countedSearch();
  const one = await scansFor('literal', ['visesang']);
  assert.is(await scansFor('literal', ['ons', 'k', 'konsert', 'ser']), one);
  assertAbove(await scansFor('approximate', ['ons', 'konsert']), 0, 'scans');
});

test('B10: should find no half of a surrogate pair in the pair', async () => {
  const { find } = indexed([{ title_nb: 'Fest🎉' }]);
  assert.equal(await find('literal', ['fest🎉']), [0]);
  assert.equal(await find('literal', ['fest🎉', '\ud83c']), []);
});

test('D14: should hold the matches of the latest terms, 2 MB of them', async () => {
  const events = 200_000;
  // A match is a bitmap of all events, and some bytes for its key.
  const held = Math.floor(2_000_000 / (events / 8 + 1_000));
  const columns = { ...indexed(SCENE).columns, publishing: new Float64Array(events) };
  const search = createSearch(columns);
  const terms = Array.from({ length: 100 }, (_, at) => String.fromCodePoint(0x100 + at));
  const findEach = async () => {
    const found: Bitmap[] = [];
    for (const term of terms) found.push(await search('literal', [term]));
    return found;
  };
  const first = await findEach();
  for (const [at, term] of terms.entries()) {
    if (at >= terms.length - held) assert.is(await search('literal', [term]), first[at], term);
  }
  const second = await findEach();
  assert.equal(
    second.filter((found, at) => found === first[at]),
    [],
  );
});

test.after(closeAsked);

test.run();
