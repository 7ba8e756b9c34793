/**
 * G9: how right the merging is. Each pair of test/fixtures/duplicates is built as two feeds write it, on a day of its own, and
 * judged by hand: of what is merged, at least 99 in 100 must be the same.
 */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
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
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const rows = pairs.map(({ sides }, at) => {
    const [title, time, place] = sides[side];
    const day = new Date(Date.UTC(2026, 2, 1) + at * DAY).toISOString().slice(0, 10);
    // A place is its name up to the first comma, and its address behind.
    const [name = '', ...address] = place.split(', ');
    return [`${at}`, title, `${day}${time === '' ? '' : ` ${time}`}`, name, address.join(', ')]
      .map(quoted)
      .join(',');
  });
  return `Id,Tittel,Start,Sted,Adresse\n${rows.join('\n')}\n`;
}

/** `wrong`: merged, and different. */
async function measure(pairs: readonly Pair[], venues: readonly object[]) {
  const target = temporaryFolder();
  const source = sourceFolder({
    'licence.json': { ...LICENCE, duplicates: 'merge' },
    'events.json': [],
    'venues.json': venues,
    'a.csv': table(pairs, 0),
    'b.csv': table(pairs, 1),
    'sources.json': ['a', 'b'].map((id) => ({ id, kind: 'csv', file: `${id}.csv` })),
  });
  await builtWithFeeds(source, target);
  const rows = await snapshotRows(
    target,
    "select id || ' ' || survivor as text from merged where kind = 'event'",
  );
  const merged = new Set(rows.map((row) => Number(/^b:(\d+) a:\1$/.exec(row)?.[1] ?? -1)));
  assert.not(merged.has(-1));
  const said = (at: number) => JSON.stringify(pairs[at]?.sides);
  const wrong = [...merged].filter((at) => pairs[at]?.isSame !== true);
  const missed = [...pairs.keys()].filter((at) => pairs[at]?.isSame === true && !merged.has(at));
  const found = merged.size - wrong.length;
  return {
    precision: found / Math.max(1, merged.size),
    recall: found / Math.max(1, found + missed.length),
    wrong: wrong.map(said),
    missed: missed.map(said),
  };
}

/** What a town writes once it has seen the report: the names by which others call its houses. */
const HOUSES = [
  ['one-stop', 'The One Stop'],
  ['orange-peel', 'The Orange Peel', 'Orange Peel'],
  ['grey-eagle', 'Grey Eagle', 'Grey Eagle Music Hall'],
  ['brewery', 'French Broad River Brewery'],
  ['third-room', 'Third Room'],
].map(([id, name, ...others]) => ({ id, name, aliases: [name, ...others] }));

const REAL = pairsIn('real');
const DERIVED = pairsIn('derived');
/** The recall is that found today, rounded down. Of the real pairs, most list the doors in one calendar and the concert in the other: those start at two times. */
const SETS = [
  { name: 'real, places as they are written', pairs: REAL, venues: [], leastRecall: 0.2 },
  { name: 'real, with aliases', pairs: REAL, venues: HOUSES, leastRecall: 0.5 },
  { name: 'derived', pairs: DERIVED, venues: [], leastRecall: 0.85 },
];

for (const { name, pairs, venues, leastRecall } of SETS) {
  test(`should merge what is the same, and nothing else: ${name}`, async () => {
    const { precision, recall, wrong, missed } = await measure(pairs, venues);
    const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
    console.log(`${name}: ${pairs.length} pairs, precision ${percent(precision)}, recall ${percent(recall)}`);
    assert.ok(precision >= 0.99, wrong.join('\n'));
    assert.ok(recall >= leastRecall, missed.join('\n'));
  });
}

test.run();
