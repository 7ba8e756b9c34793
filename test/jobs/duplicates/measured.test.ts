/**
 * G9: the precision and recall of merging. Each pair of test/fixtures/duplicates is built as two feeds, on a day of its own, and
 * compared with a verdict by hand: no different events may be merged.
 */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertAtLeast } from '../../helpers/assertions.ts';
import { builtWithFeeds } from '../../helpers/feeds.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { LICENCE, sourceFolder } from '../../helpers/native-source.ts';
import { snapshotRows } from '../../helpers/snapshot-rows.ts';

const test = suite('G9: measured');

type Side = readonly [title: string, time: string, place: string];

interface Pair {
  readonly isSame: boolean;
  readonly sides: readonly [Side, Side];
}

/** Lines of seven cells: the verdict, and title, time and place of each side. */
function pairsIn(name: string): readonly Pair[] {
  const lines = readFileSync(`test/fixtures/duplicates/${name}.tsv`, 'utf8').split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [verdict, title = '', time = '', place = '', title2 = '', time2 = '', place2 = ''] =
        line.split('\t');
      return {
        isSame: verdict === 'same',
        sides: [
          [title, time, place],
          [title2, time2, place2],
        ],
      };
    });
}

const DAY = 86_400_000;

/** An event of each pair on its own day. */
function table(pairs: readonly Pair[], side: 0 | 1): string {
  const rows = pairs.map(({ sides }, at) => {
    const [title, time, place] = sides[side];
    return row({ id: `${at}`, title, start: `${dayAt(at)}${time === '' ? '' : ` ${time}`}`, place });
  });
  return tableOf(rows);
}

const dayAt = (day: number) => new Date(Date.UTC(2026, 2, 1) + day * DAY).toISOString().slice(0, 10);

interface Row {
  readonly id: string;
  readonly title: string;
  readonly start: string;
  readonly end?: string;
  readonly place: string;
}

function row({ id, title, start, end = '', place }: Row): string {
  // A place is its name up to the first comma, and its address after it.
  const [name = '', ...address] = place.split(', ');
  const cells = [id, title, start, end, name, address.join(', ')];
  return cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(',');
}

const tableOf = (rows: readonly string[]) => `Id,Tittel,Start,Slutt,Sted,Adresse\n${rows.join('\n')}\n`;

/** The id and its survivor, of each event that a build of these tables merges with another. */
async function mergedOf(tables: Readonly<Record<string, string>>, venues: readonly object[] = []) {
  const target = temporaryFolder();
  const names = Object.keys(tables);
  const source = sourceFolder({
    'licence.json': { ...LICENCE, duplicates: 'merge' },
    'events.json': [],
    'venues.json': venues,
    ...Object.fromEntries(names.map((name) => [`${name}.csv`, tables[name]])),
    'sources.json': names.map((id) => ({ id, kind: 'csv', file: `${id}.csv` })),
  });
  await builtWithFeeds(source, target);
  return snapshotRows(target, "select id || ' ' || survivor as text from merged where kind = 'event'");
}

/** `wrong`: merged, and different. */
async function measure(pairs: readonly Pair[], venues: readonly object[]) {
  const rows = await mergedOf({ a: table(pairs, 0), b: table(pairs, 1) }, venues);
  const merged = new Set(rows.map((row) => Number(/^b:(\d+) a:\1$/.exec(row)?.[1] ?? -1)));
  assert.is(merged.has(-1), false, `expected pairs of one number, found ${rows.join(', ')}`);
  const pairText = (at: number) => JSON.stringify(pairs[at]?.sides);
  const wrong = [...merged].filter((at) => pairs[at]?.isSame !== true);
  const missed = [...pairs.keys()].filter((at) => pairs[at]?.isSame === true && !merged.has(at));
  const found = merged.size - wrong.length;
  return {
    precision: found / Math.max(1, merged.size),
    recall: found / Math.max(1, found + missed.length),
    wrong: wrong.map(pairText),
    missed: missed.map(pairText),
  };
}

/** Aliases that a town adds once it has seen the report: the names that others give its houses. */
const HOUSES = [
  ['one-stop', 'The One Stop'],
  ['orange-peel', 'The Orange Peel', 'Orange Peel'],
  ['grey-eagle', 'Grey Eagle', 'Grey Eagle Music Hall'],
  ['brewery', 'French Broad River Brewery'],
  ['third-room', 'Third Room'],
].map(([id, name, ...others]) => ({ id, name, aliases: [name, ...others] }));

/** An event of a scene. */
interface Shown {
  readonly source: string;
  readonly id: string;
  /** Lines with the same one are one event. */
  readonly truth: string;
  readonly rows: readonly Row[];
}

/** Days from one scene to the next. */
const SCENE = 60;

/** The scenes take place in different weeks. */
function scenesIn(name: string): readonly Shown[] {
  const lines = readFileSync(`test/fixtures/duplicates/${name}.tsv`, 'utf8').split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line, at) => {
      const [scene = '', source = '', truth = '', title = '', days = '', time = '', end = '', place = ''] =
        line.split('\t');
      const rows = days.split(' ').map((day) => {
        const date = dayAt(Number(scene) * SCENE + Number(day));
        return {
          id: `${at}`,
          title,
          start: `${date} ${time}`,
          end: end === '' ? '' : `${date} ${end}`,
          place,
        };
      });
      return { source, id: `${source}:${at}`, truth: `${scene} ${truth}`, rows };
    });
}

/** Counts pairs of entries: those of one event, and those that a build merged. */
async function measureScenes(shown: readonly Shown[]) {
  const names = [...new Set(shown.map(({ source }) => source))].sort();
  const rowsOf = (name: string) => shown.filter(({ source }) => source === name).flatMap(({ rows }) => rows);
  const merged = await mergedOf(
    Object.fromEntries(names.map((name) => [name, tableOf(rowsOf(name).map(row))])),
  );
  const survivors = new Map(merged.map((text) => text.split(' ', 2) as [string, string]));
  const survivorOf = (id: string) => survivors.get(id) ?? id;
  const counts = { right: 0, wrong: [] as string[], missed: [] as string[] };
  for (const [at, one] of shown.entries())
    for (const other of shown.slice(at + 1)) {
      const isOne = survivorOf(one.id) === survivorOf(other.id);
      const pairText = `${one.truth}: ${one.rows[0]?.title} | ${other.truth}: ${other.rows[0]?.title}`;
      if (isOne && one.truth === other.truth) counts.right++;
      else if (isOne) counts.wrong.push(pairText);
      else if (one.truth === other.truth) counts.missed.push(pairText);
    }
  const { right, wrong, missed } = counts;
  return {
    precision: right / (right + wrong.length),
    recall: right / (right + missed.length),
    wrong,
    missed,
  };
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

const REAL = pairsIn('real');
const DERIVED = pairsIn('derived');
const ROOMS = pairsIn('rooms');
const LOOKALIKES = pairsIn('lookalikes');
/** The recall is that found today, rounded down. Of the real pairs, most list the doors in one calendar and the concert in the other: those start at two times. */
const SETS = [
  { name: 'real, places as they are written', pairs: REAL, venues: [], leastRecall: 0.2 },
  { name: 'real, with aliases', pairs: REAL, venues: HOUSES, leastRecall: 0.5 },
  { name: 'derived', pairs: DERIVED, venues: [], leastRecall: 0.85 },
  { name: 'rooms', pairs: ROOMS, venues: [], leastRecall: 0.9 },
];

for (const { name, pairs, venues, leastRecall } of SETS) {
  test(`G9: should merge the same events, and no others: ${name}`, async () => {
    const { precision, recall, wrong, missed } = await measure(pairs, venues);
    console.log(`${name}: ${pairs.length} pairs, precision ${percent(precision)}, recall ${percent(recall)}`);
    assert.is(precision, 1, wrong.join('\n'));
    assertAtLeast(recall, leastRecall, `without\n${missed.join('\n')}`);
  });
}

test('G9: should not merge different events with similar titles, of two sources or of one', async () => {
  const { wrong } = await measure(LOOKALIKES, []);
  assert.equal(wrong, []);
  const sides = [0, 1].map((side) =>
    LOOKALIKES.map(({ sides }, at) => {
      const [title, time, place] = sides[side === 0 ? 0 : 1];
      return row({ id: `${side}-${at}`, title, start: `${dayAt(at)} ${time}`, place });
    }),
  );
  assert.equal(await mergedOf({ a: tableOf(sides.flat()) }), []);
});

test('G9: should merge series, single events and repeated entries, and no others', async () => {
  const { precision, recall, wrong, missed } = await measureScenes(scenesIn('scenes'));
  console.log(`scenes: precision ${percent(precision)}, recall ${percent(recall)}`);
  assert.is(precision, 1, wrong.join('\n'));
  assertAtLeast(recall, 0.9, `without\n${missed.join('\n')}`);
});

test.run();
