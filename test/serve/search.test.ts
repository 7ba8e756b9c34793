import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSearch, searchEvents } from '../../src/serve/query/search.ts';
import { viewAt } from '../../src/serve/query/view.ts';
import { type Bitmap, bitsOf, emptyBitmap } from '../../src/snapshot/columns.ts';
import { openSnapshot, type Snapshot } from '../../src/snapshot/open.ts';
import { built } from '../helpers/build.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { sourceFolder } from '../helpers/native-source.ts';
import { startBuilt } from '../helpers/running.ts';
import { indexed, type Texts } from '../helpers/search.ts';
import { costsAtMost } from '../helpers/usage.ts';
import { event, sourceOf, utc } from '../oracle/cases.ts';
import { filesOf } from '../oracle/product.ts';
import type { EventRecord, Source } from '../oracle/records.ts';

const test = suite('search');

let snapshot: Snapshot;

/** Builds a source, and finds the ids of what a term means at an instant, joined; null for a condition not given. */
async function searchedIn(source: Source, builtAt: number) {
  const target = temporaryFolder();
  const { file } = await built(sourceFolder(filesOf(source)), target, { now: builtAt, force: true });
  snapshot = await openSnapshot(join(target, file));
  const names = await snapshot.eventNames([...snapshot.columns.publishing.keys()]);
  return async (term: string, now: number): Promise<string | null> => {
    const found = await searchEvents(viewAt(snapshot, now), term, now);
    return found === null ? null : [...bitsOf(found.events)].map((ordinal) => names[ordinal]?.id).join(' ');
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
  const find = await searchedIn(sourceOf({ events }), utc('2026-06-01 10:00'));
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
  ] as const)
    assert.is(await find('konsertane', utc(now)), expected, now);
  await snapshot.close();
});

const SCENE: readonly Texts[] = [
  { title_nb: 'Konsert i Økland', desc_nb: 'Med Kåre og visesang' },
  { title_nb: 'Ærlig talt', title_en: 'Honestly', desc_en: 'A <em>theatre</em> feast' },
];
const ALWAYS = {
  publishing: new Float64Array(SCENE.length).fill(Number.NEGATIVE_INFINITY),
  eventOver: new Float64Array(SCENE.length).fill(Number.MAX_VALUE),
};

const { search: SEARCH } = indexed(SCENE);

/** The events of the scene that a term finds. */
async function foundBy(term: string): Promise<string> {
  const found = await searchEvents({ columns: ALWAYS, search: SEARCH }, term, 0);
  return [...bitsOf(found?.events ?? emptyBitmap(0))].join(' ');
}

test('B1: should take a term that folds to nothing as not given', async () => {
  for (const term of ['', ' ', '\u00a0\u3000\n', '\u0301\u0308\u20dd']) {
    assert.is(await searchEvents({ columns: ALWAYS, search: SEARCH }, term, 0), null, JSON.stringify(term));
  }
});

test('B10: should answer anything with a set of events, and soon', async () => {
  const terms: Readonly<Record<string, readonly string[]>> = {
    '': [
      ...['"', '"konsert" NEAR "visesang"', "'; drop table event; --", '%', '_', '\\', '\0', '🎉', '\ud83c'],
      ...[
        '\udf89x',
        '!!!',
        '…',
        'שלום עולם',
        'مرحبا',
        '日本語',
        '<em>',
        'x'.repeat(10_000),
        'abc '.repeat(64),
      ],
      ...[[...'abcdefghijklmnopqrstuvwxyz'.repeat(8)].join(' '), 'a\u0301'.repeat(10_000)],
    ],
    0: ['konsert*', 'konsert\0', 'konsert '.repeat(10_000)],
    1: ['theatre fea'],
  };
  const work = async () => {
    for (const [expected, all] of Object.entries(terms))
      for (const term of all) assert.is(await foundBy(term), expected, JSON.stringify(term.slice(0, 40)));
  };
  await costsAtMost(500, work, { everyThread: true });
});

test('should search once for a term, however often and at whatever second it is asked', async () => {
  for (const words of [['konsert'], ['zz'], ['e'], ['konsrt', 'i']])
    for (const step of ['literal', 'approximate'] as const)
      assert.is(await SEARCH.find(step, words), await SEARCH.find(step, words), `${step} ${words}`);
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

test('B10: should answer over HTTP with what people meant', async () => {
  const dates = [{ start: '2026-06-20 20:00' }];
  const source = sourceOf({
    events: [
      event('a', { title_nb: 'Konsert i Økland', dates }),
      event('b', { title_nb: 'Ærlig talt', desc_nb: '<p>Visesang med <b>Kåre</b></p>', dates }),
      event('c', { title_nb: 'Teaterfest', title_en: 'Stand-up feast', dates }),
    ],
  });
  const running = await startBuilt(sourceFolder(filesOf(source)), utc('2026-06-01 10:00'));
  const finds = { a: 'konsrt okland', b: 'visesagn KÅRE kare aerlig', c: 'teater_fest taeterfset stand-up' };
  const expected = Object.entries(finds).flatMap(([id, terms]) =>
    terms.split(' ').map((term) => [term.replace('_', ' '), [id]] as const),
  );
  const query =
    'query ($searchTerm: String) { events(filter: { searchTerm: $searchTerm }) { totalCount data { id } } }';
  for (const [searchTerm, ids] of [...expected, ['konsert kare', []], ['', ['a', 'b', 'c']]] as const) {
    const data = await running.ask(query, { searchTerm });
    assert.equal(data, { events: { totalCount: ids.length, data: ids.map((id) => ({ id })) } }, searchTerm);
  }
  await running.close();
});

test.run();
