import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readTerm } from '../../src/calendar/text.ts';
import { createSearch, searchEvents } from '../../src/serve/query/search.ts';
import { viewAt } from '../../src/serve/query/view.ts';
import { type Bitmap, bitsOf, emptyBitmap } from '../../src/snapshot/columns.ts';
import { openSnapshot } from '../../src/snapshot/open.ts';
import { built } from '../helpers/build.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { startBuilt } from '../helpers/running.ts';
import { indexed, type Texts } from '../helpers/search.ts';
import { costsAtMost } from '../helpers/usage.ts';
import { event, sourceOf, utc } from '../oracle/cases.ts';
import { randomFrom } from '../oracle/random.ts';
import type { EventRecord, Source } from '../oracle/records.ts';
import { searchFor } from '../oracle/search.ts';
import { readSource } from '../oracle/source.ts';
import { readFolder, writeSource } from '../oracle/source-folder.ts';
import { wordsOf } from '../oracle/text.ts';

const LONG = process.env.ALMANAKK_TEST_LONG === '1';

const test = suite('search');

/** Builds a source, and finds the ids of what a term means at an instant, joined; null for a condition not given. */
async function searchedIn(source: Source, builtAt: number) {
  const folder = temporaryFolder();
  writeSource(join(folder, 'source'), source, 'ndjson');
  const { file } = await built(join(folder, 'source'), join(folder, 'target'), { now: builtAt, force: true });
  const snapshot = await openSnapshot(join(folder, 'target', file));
  const names = await snapshot.eventNames([...snapshot.columns.publishing.keys()]);
  const find = async (term: string, now: number): Promise<string | null> => {
    const found = await searchEvents(viewAt(snapshot, now), term, now);
    return found === null ? null : [...bitsOf(found.events)].map((ordinal) => names[ordinal]?.id).join(' ');
  };
  return { find, close: () => snapshot.close() };
}

/** What the second reading says to the same question: of all events, those that were not over at the build. */
function slowlyIn(source: Source, builtAt: number) {
  const calendar = readSource(source, builtAt);
  return (term: string, now: number): string | null => {
    const isFound = searchFor(calendar, term, now)?.matches ?? null;
    if (isFound === null) return null;
    const found = calendar.events.filter(isFound).filter(({ occurrences }) => occurrences.length > 0);
    return found
      .map(({ record }) => record.id)
      .sort()
      .join(' ');
  };
}

test('B10, A3, A9: should match approximately exactly while no event that is visible matches literally', async () => {
  const date = (day: number, time: string) => `2026-06-${String(day).padStart(2, '0')} ${time}`;
  const events: readonly EventRecord[] = [
    event('far', { title_nb: 'Konserten', dates: [{ start: '2026-07-01 20:00' }] }),
    event('near', {
      title_nb: 'Konsertane',
      dates: [
        { start: date(10, '18:00'), end: date(10, '20:00') },
        { start: date(2, '18:00'), end: date(2, '19:00') },
      ],
    }),
    event('late', {
      title_nb: 'Xkonsertane',
      publishingDate: date(30, '00:00'),
      dates: [{ start: '2026-07-02 20:00' }],
    }),
  ];
  const { find, close } = await searchedIn(sourceOf({ events }), utc('2026-06-01 10:00'));
  for (const [now, expected] of [
    ['2026-06-01 10:00', 'late near'],
    // Between its two dates.
    ['2026-06-05 10:00', 'late near'],
    ['2026-06-10 17:59:59', 'late near'],
    // Events that are not visible may be among them: the window leaves them out. 20:00 in Oslo: the last literal match that is visible is over in this very second.
    ['2026-06-10 18:00:00', 'far late near'],
    ['2026-06-29 21:59:59', 'far late near'],
    // And now one appears.
    ['2026-06-29 22:00:00', 'late near'],
    // A clock that goes back asks anew.
    ['2026-06-10 18:00:00', 'far late near'],
  ] as const) {
    assert.is(await find('konsertane', utc(now)), expected, now);
  }
  await close();
});

const SCENE: readonly Texts[] = [
  { title_nb: 'Konsert i Økland', desc_nb: 'Med Kåre og visesang' },
  { title_nb: 'Ærlig talt', title_en: 'Honestly', desc_en: 'A <em>theatre</em> feast' },
];
const ALWAYS = {
  publishing: new Float64Array(SCENE.length).fill(Number.NEGATIVE_INFINITY),
  eventOver: new Float64Array(SCENE.length).fill(Number.MAX_VALUE),
};

/** One byte an event of the scene, 1 where it is found. */
function bytesOf(found: Bitmap | null): Uint8Array {
  const places = new Set(bitsOf(found ?? emptyBitmap(0)));
  return Uint8Array.from(SCENE, (_, event) => Number(places.has(event)));
}

test('B1: should take a term that folds to nothing as not given', async () => {
  const { search } = indexed(SCENE);
  for (const term of ['', ' ', '\u00a0\u3000\n', '\u0301\u0308\u20dd']) {
    assert.is(await searchEvents({ columns: ALWAYS, search }, term, 0), null, JSON.stringify(term));
  }
});

test('B10: should answer anything with a set of events, and soon', async () => {
  const { search } = indexed(SCENE);
  const nothing = new Uint8Array(SCENE.length);
  const terms = [
    ['"', nothing],
    ['"konsert" NEAR "visesang"', nothing],
    ['konsert*', Uint8Array.of(1, 0)],
    ["'; drop table event; --", nothing],
    ['%', nothing],
    ['_', nothing],
    ['\\', nothing],
    ['\0', nothing],
    ['konsert\0', Uint8Array.of(1, 0)],
    ['🎉', nothing],
    ['\ud83c', nothing],
    ['\udf89x', nothing],
    ['!!!', nothing],
    ['…', nothing],
    ['שלום עולם', nothing],
    ['مرحبا', nothing],
    ['日本語', nothing],
    ['<em>', nothing],
    ['theatre fea', Uint8Array.of(0, 1)],
    ['x'.repeat(10_000), nothing],
    ['konsert '.repeat(10_000), Uint8Array.of(1, 0)],
    ['abc '.repeat(64), nothing],
    [Array.from({ length: 200 }, (_, at) => String.fromCodePoint(0x61 + (at % 26))).join(' '), nothing],
    ['a\u0301'.repeat(10_000), nothing],
  ] as const;
  const work = async () => {
    for (const [term, expected] of terms) {
      const found = await searchEvents({ columns: ALWAYS, search }, term, 0);
      assert.equal(bytesOf(found?.events ?? null), expected, JSON.stringify(term.slice(0, 40)));
    }
  };
  await costsAtMost(500, work, { everyThread: true });
});

test('should search once for a term, however often and at whatever second it is asked', async () => {
  const { search } = indexed(SCENE);
  for (const words of [['konsert'], ['zz'], ['e'], ['konsrt', 'i']]) {
    for (const step of ['literal', 'approximate'] as const) {
      assert.is(await search.find(step, words), await search.find(step, words), `${step} ${words}`);
    }
  }
});

test('D14: should hold the matches of the latest terms, 2 MB of them', async () => {
  const columns = { ...indexed(SCENE).columns, publishing: new Float64Array(200_000) };
  const search = createSearch(columns);
  const terms = Array.from({ length: 100 }, (_, at) => String.fromCodePoint(0x100 + at));
  const findEach = async () => {
    const found: Bitmap[] = [];
    for (const term of terms) found.push(await search.find('literal', [term]));
    return found;
  };
  const first = await findEach();
  for (const [at, term] of terms.entries()) {
    if (at >= 30) assert.is(await search.find('literal', [term]), first[at], term);
  }
  const second = await findEach();
  assert.ok(second.every((found, at) => found !== first[at]));
});

/** Parts of what is there, and what people make of them. */
function typed(source: Source, seed: number): () => string {
  const random = randomFrom(seed);
  const texts = readSource(source, 0).events.flatMap(({ record, title_nb, title_en, organizers }) => [
    title_nb ?? '',
    title_en ?? '',
    record.desc_nb ?? '',
    record.desc_en ?? '',
    ...(record.tags ?? []),
    ...organizers.map(({ name }) => name),
  ]);
  const words = texts.flatMap((text) => text.split(/\s+/)).filter((word) => wordsOf(word).length > 0);
  const mistype = (word: string): string => {
    const letters = [...word];
    const at = random.int(0, letters.length - 1);
    const [letter = '', next = ''] = letters.slice(at);
    return random
      .pick([
        () => letters,
        () => letters.slice(at, at + random.int(1, 7)),
        () => letters.toSpliced(at, 2, next, letter),
        () => letters.toSpliced(at, 1),
        () => letters.toSpliced(at, 0, letter),
        () => letters.toSpliced(at, 1, random.pick(['e', 'ø', '-', ' '])),
      ])()
      .join('');
  };
  return () =>
    random
      .some(words, 1, random.pick([1, 1, 1, 2, 3]))
      .map((word) => mistype(mistype(word)))
      .join(' ');
}

for (const builtAt of [utc('2026-06-15 08:00'), utc('2026-12-24 12:00')]) {
  test(`B10: should find in the sample, built at ${builtAt}, what the second reading finds`, async () => {
    const source = readFolder('data/sample');
    const { find, close } = await searchedIn(source, builtAt);
    const slowly = slowlyIn(source, builtAt);
    const term = typed(source, builtAt);
    let literal = 0;
    for (let count = 0; count < (LONG ? 5_000 : 30); count++) {
      const asked = term();
      const now = builtAt + count * 7_200;
      const expected = slowly(asked, now);
      assert.is(
        await find(asked, now),
        expected,
        `${JSON.stringify(asked)} at ${now}: ${readTerm(asked).parts}`,
      );
      if (expected !== '') literal += 1;
    }
    assert.ok(literal > 10, `${literal} terms find something`);
    await close();
  });
}

test('B10: should answer over HTTP with what people meant', async () => {
  const dates = [{ start: '2026-06-20 20:00' }];
  const source = sourceOf({
    events: [
      event('a', { title_nb: 'Konsert i Økland', dates }),
      event('b', { title_nb: 'Ærlig talt', desc_nb: '<p>Visesang med <b>Kåre</b></p>', dates }),
      event('c', { title_nb: 'Teaterfest', title_en: 'Stand-up feast', dates }),
    ],
  });
  const folder = temporaryFolder();
  writeSource(folder, source, 'json');
  const running = await startBuilt(folder, utc('2026-06-01 10:00'));
  for (const [searchTerm, expected] of [
    ['konsrt', 'a'],
    ['visesagn', 'b'],
    ['KÅRE', 'b'],
    ['kare', 'b'],
    ['okland', 'a'],
    ['aerlig', 'b'],
    ['teater fest', 'c'],
    ['taeterfset', 'c'],
    ['stand-up', 'c'],
    ['konsert kare', ''],
    ['', 'a b c'],
  ]) {
    const query =
      'query ($searchTerm: String) { events(filter: { searchTerm: $searchTerm }) { totalCount data { id } } }';
    const ids = expected === '' ? [] : (expected ?? '').split(' ');
    const data = await running.ask(query, { searchTerm });
    assert.equal(data, { events: { totalCount: ids.length, data: ids.map((id) => ({ id })) } }, searchTerm);
  }
  await running.close();
});

test.run();
