/** G9, F12: one event once, through whole builds. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findingLine } from '../../../jobs/findings.ts';
import { assertIncludes } from '../../helpers/assertions.ts';
import { rejects } from '../../helpers/errors.ts';
import { builtWithFeeds } from '../../helpers/feeds.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { type Files, LICENCE, sourceFolder } from '../../helpers/native-source.ts';
import { editionRows, snapshotRows } from '../../helpers/snapshot-rows.ts';

const test = suite('G9: one event once');

const HALL = { id: 'hall', name: 'Storsalen', address: 'Torget 1, 7170 Lillevik' };
const MERGE = { 'licence.json': { ...LICENCE, duplicates: 'merge' } };
const CALENDAR_EVENT = {
  id: 'n1',
  title_nb: 'Julekonsert',
  categories: ['MUSIC'],
  venue: 'hall',
  dates: [{ start: '2026-12-05 19:00' }],
};

type Tables = Readonly<Record<string, string>>;

/** A table of each feed by its name: the rows below `Id,Tittel,Start,Slutt,Sted,Adresse,Beskrivelse,Pris`. */
function source(tables: Tables, files: Files = {}): string {
  const names = Object.keys(tables);
  const head = 'Id,Tittel,Start,Slutt,Sted,Adresse,Beskrivelse,Pris\n';
  return sourceFolder({
    'events.json': [CALENDAR_EVENT],
    'venues.json': [HALL],
    ...files,
    ...Object.fromEntries(names.map((name) => [`${name}.csv`, `${head}${tables[name]}`])),
    'sources.json': names.map((name) => ({ id: name, kind: 'csv', file: `${name}.csv`, language: 'nb' })),
  });
}

const row = (id: string, title = 'Julekonsert', start = '2026-12-05 19:00') =>
  `${id},${title},${start},,Storsalen,,,\n`;
const BOTH = { a: row('x'), b: row('y') };

/** The report of a build of these sources, and the ids of the published events. */
async function joined(tables: Tables, files: Files = {}, target = temporaryFolder()) {
  const { report, result } = await builtWithFeeds(source(tables, files), target, { force: true });
  return { report, result, target, ids: await idsIn(target) };
}

const idsIn = (target: string) => snapshotRows(target, 'select id as text from event order by ordinal');
const MERGED = "select id || ' ' || survivor as text from merged where kind = 'event' order by id";
const startsIn = (target: string) =>
  editionRows(target, 'select starts as text from occurrence order by start_utc');

test('G9: should report likely duplicates with the reason, and publish both', async () => {
  const { report, ids } = await joined({ a: row('x', 'JULEKONSERT'), b: row('y', 'Noe annet') });
  const expected =
    'one event once: decide in a correction sheet or in duplicates.json, or set "duplicates": "merge" in licence.json';
  const why = 'also "a:x" (the same words, the same place, 1 start in common)';
  assert.equal(report.findings.map(findingLine), [
    `events.json:1 "n1": likely same, expected ${expected}, found ${why}`,
  ]);
  assert.equal(ids, ['a:x', 'b:y', 'n1']);
});

test('G9: should merge duplicates into the event of the first source, with missing values and dates', async () => {
  const tables = {
    a: `x,Julekonsert,2026-12-05 19:00,2026-12-05 21:00,Storsalen,,Sanger,150\n${row('x', 'Julekonsert', '2026-12-06 19:00')}`,
    b: `y,Stor julekonsert,2026-12-05 19:00,,Storsalen,,Andre ord,200\n${row('y', '', '2026-12-07 19:00')}`,
  };
  const { report, result, ids, target } = await joined(tables, MERGE);
  const merged = report.findings.map(({ action, id }) => `${action} ${id}`);
  assert.equal([report.merged, ...merged], [2, 'merged n1']);
  assert.equal([result.counts.events, result.counts.occurrences, ids], [1, 3, ['n1']]);
  assert.equal(await snapshotRows(target, 'select desc_nb as text from event'), ['Sanger']);
  assert.equal(
    await startsIn(target),
    ['05', '06', '07'].map((day) => `2026-12-${day} 19:00`),
  );
  const [end] = await editionRows(
    target,
    "select coalesce(ends, '') as text from occurrence order by start_utc",
  );
  assert.is(end, '2026-12-05 21:00');
  const prices = await editionRows(
    target,
    "select '' || price as text from price where occurrence_id is null",
  );
  assert.equal(prices, ['150']);
  assert.equal(await snapshotRows(target, MERGED), ['a:x n1', 'b:y n1']);
});

test('G9: should prefer the first source in sources.json, whatever the ids', async () => {
  const tables = { z: row('x'), a: row('x') };
  assert.equal((await joined(tables, { ...MERGE, 'events.json': [] })).ids, ['z:x']);
});

test('A17: should find a merged event by all former ids and slugs, from build to build', async () => {
  const tables = { a: row('x', 'Jul i Storsalen') };
  const { target } = await joined(tables);
  const [before] = await snapshotRows(target, "select slug as text from event where id = 'a:x'");
  const slug = `select id as text from slug where slug = '${before}'`;
  const files = { ...MERGE, 'events.json': [{ ...CALENDAR_EVENT, title_nb: 'Jul' }] };
  // The feed drops the event: its id still finds the event that it was merged into.
  for (const later of [tables, { a: row('z', 'Et annet møte', '2026-12-09 19:00') }]) {
    await joined(later, files, target);
    assert.equal(
      [await snapshotRows(target, MERGED), await snapshotRows(target, slug)],
      [['a:x n1'], ['a:x']],
    );
  }
});

test('F12: should merge events of "same", also of one source and without "merge"', async () => {
  const rows = 'x,Loppemarked,2026-12-05 11:00,,,,,\ny,Skolens store dag,2026-12-05 12:00,,,,,\n';
  const { report, ids } = await joined({ a: rows }, { 'duplicates.json': { same: [['a:x', 'a:y']] } });
  assert.equal(ids, ['a:x', 'n1']);
  assert.equal(
    report.findings.map(({ action, found }) => [action, found]),
    [['merged', 'also "a:y" (said to be the same)']],
  );
});

test('F12: should never merge events of "different"', async () => {
  const different = { different: [['n1', 'a:x']] };
  // An event that is like both could be either.
  const { ids } = await joined(BOTH, { ...MERGE, 'duplicates.json': different });
  assert.equal(ids, ['a:x', 'b:y', 'n1']);
  // Also where they call a pair both the same and different.
  const both = { ...different, same: [['b:y', 'n1', 'a:x']] };
  const decided = await joined(BOTH, { ...MERGE, 'duplicates.json': both });
  assert.equal(decided.ids, ['a:x', 'n1']);
  const expected = '"b:y" and "a:x" to be the same or different, not both';
  assertIncludes(
    decided.report.findings.map((finding) => finding.expected),
    expected,
  );
});

const UNREADABLE: readonly (readonly [content: unknown, message: RegExp])[] = [
  ['{', /duplicates\.json:1: expected JSON/],
  [[['a:x', 'n1']], /duplicates\.json: expected an object with "same" and "different", found \[\["a:x"/],
  ['5', /duplicates\.json: expected an object with "same" and "different", found 5/],
];

test('F12: should refuse a malformed duplicates.json, and report faulty entries', async () => {
  for (const [content, message] of UNREADABLE)
    await rejects(joined({}, { 'duplicates.json': content }), 'INVALID_SOURCE', message);
  const same = [['n1'], ['n1', 5], 'n1', ['n1', 'nobody']];
  const { report } = await joined({}, { 'duplicates.json': { same, diferent: [], different: 5 } });
  assert.equal(
    report.findings.map(({ action, field, expected, found }) => [action, field, expected, found]),
    [
      ['dropped value', 'same[0]', 'two ids or more', '["n1"]'],
      ['dropped value', 'same[1]', 'two ids or more', '["n1"]'],
      ['dropped value', 'same[2]', 'a list of ids', '"n1"'],
      ['dropped value', 'different', 'a list of lists of ids', '5'],
      ['left out', 'same[3]', 'the id of an event that is in the sources and published', '"nobody"'],
    ],
  );
  assert.equal(report.ignored, [{ name: 'duplicates.diferent', nearest: 'different', count: 1 }]);
});

test('G7: should build again when duplicates.json changes', async () => {
  const folder = source({ a: row('x') });
  const target = temporaryFolder();
  await builtWithFeeds(folder, target);
  assert.is((await builtWithFeeds(folder, target)).result.outcome, 'unchanged');
  writeFileSync(join(folder, 'duplicates.json'), JSON.stringify({ same: [['n1', 'a:x']] }));
  assert.is((await builtWithFeeds(folder, target)).result.outcome, 'published');
  assert.equal(await idsIn(target), ['n1']);
});

test('A9: should merge no value of an event that is not published yet', async () => {
  const hidden = { ...CALENDAR_EVENT, desc_nb: 'Hemmelig', publishingDate: '2026-11-30 12:00' };
  const files = { 'events.json': [hidden], 'duplicates.json': { same: [['n1', 'a:x']] } };
  assert.equal((await joined(BOTH, { ...MERGE, ...files })).ids, ['a:x', 'n1']);
});

test('G9: should merge listed dates with those of a rule, each once', async () => {
  const weekly = { rule: 'FREQ=WEEKLY;COUNT=4', start: '2026-02-02 18:00', duration: 60 };
  const weeklyEvent = { ...CALENDAR_EVENT, id: 'kor', dates: undefined, repeats: [weekly] };
  const days = ['02-09', '02-16', '02-23', '03-02'];
  const rows = days.map((day) => row('k', 'Julekonsert', `2026-${day} 18:00`)).join('');
  const { ids, target } = await joined({ a: rows }, { ...MERGE, 'events.json': [weeklyEvent] });
  assert.equal(ids, ['kor']);
  assert.equal(
    (await startsIn(target)).map((text) => text.slice(5, 10)),
    ['02-02', ...days],
  );
});

test.run();
