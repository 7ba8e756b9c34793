/** G9, F12: one event once, through whole builds. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isCalendarError } from '../../../src/calendar/errors.ts';
import { builtWithFeeds } from '../../helpers/feeds.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { type Files, LICENCE, sourceFolder } from '../../helpers/native-source.ts';
import { snapshotRows } from '../../helpers/snapshot-rows.ts';

const test = suite('G9: one event once');

const HALL = {
  id: 'hall',
  name: 'Storsalen',
  address: 'Torget 1, 7170 Lillevik',
  latitude: 63.8,
  longitude: 10,
};
const MERGE = { ...LICENCE, duplicates: 'merge' };
const OWN = {
  id: 'n1',
  title_nb: 'Julekonsert',
  categories: ['MUSIC'],
  venue: 'hall',
  dates: [{ start: '2026-12-05 19:00' }],
};

/** A table of each feed by its name: the rows below `Id,Tittel,Start,Slutt,Sted,Adresse,Beskrivelse,Pris`. */
function source(tables: Readonly<Record<string, string>>, files: Files = {}): string {
  const names = Object.keys(tables);
  return sourceFolder({
    'events.json': [OWN],
    'venues.json': [HALL],
    ...files,
    ...Object.fromEntries(
      names.map((name) => [
        `${name}.csv`,
        `Id,Tittel,Start,Slutt,Sted,Adresse,Beskrivelse,Pris\n${tables[name]}`,
      ]),
    ),
    'sources.json': names.map((name) => ({ id: name, kind: 'csv', file: `${name}.csv`, language: 'nb' })),
  });
}

const IDS = 'select id as text from event order by ordinal';

test('should report what is likely the same and why, and leave it as it is', async () => {
  const tables = {
    a: 'x,JULEKONSERT,2026-12-05 19:00,,Storsalen,,,\n',
    b: 'y,Noe annet,2026-12-05 19:00,,Storsalen,,,\n',
  };
  const target = temporaryFolder();
  const { report } = await builtWithFeeds(source(tables), target);
  const [finding, ...more] = report.findings;
  assert.equal(more, []);
  assert.equal(
    [finding?.action, finding?.id, finding?.origin, finding?.found],
    [
      'likely same',
      'n1',
      { file: 'events.json', line: 1 },
      'also "a:x" (the same words, the same place, 1 start in common)',
    ],
  );
  assert.equal(await snapshotRows(target, IDS), ['a:x', 'b:y', 'n1']);
});

test('should make one of them, the first source first, with what it lacks and all dates', async () => {
  const tables = {
    a: 'x,Julekonsert,2026-12-05 19:00,2026-12-05 21:00,Storsalen,,Sanger,150\nx,Julekonsert,2026-12-06 19:00,,Storsalen,,,\n',
    b: 'y,Stor julekonsert,2026-12-05 19:00,,Storsalen,,Andre ord,200\ny,,2026-12-07 19:00,,Storsalen,,,\n',
  };
  const target = temporaryFolder();
  const { report, result } = await builtWithFeeds(source(tables, { 'licence.json': MERGE }), target);
  assert.is(report.merged, 2);
  assert.equal(
    report.findings.map(({ action, id }) => [action, id]),
    [['merged', 'n1']],
  );
  assert.equal(result.counts, { ...result.counts, events: 1, occurrences: 3 });
  assert.equal(await snapshotRows(target, IDS), ['n1']);
  assert.equal(await snapshotRows(target, 'select desc_nb as text from event'), ['Sanger']);
  assert.equal(await snapshotRows(target, 'select start_text as text from occurrence order by row'), [
    '2026-12-05 19:00:00+01:00',
    '2026-12-06 19:00:00+01:00',
    '2026-12-07 19:00:00+01:00',
  ]);
  const ends = await snapshotRows(target, 'select end_text as text from occurrence order by row');
  assert.is(ends[0], '2026-12-05 21:00:00+01:00');
  const prices = await snapshotRows(target, "select '' || price as text from price where occurrence is null");
  assert.equal(prices, ['150']);
  const merged = await snapshotRows(
    target,
    "select id || ' ' || survivor as text from merged where kind = 'event' order by id",
  );
  assert.equal(merged, ['a:x n1', 'b:y n1']);
});

test('should go by the order of sources.json, not by that of the ids', async () => {
  const row = (title: string) => `x,${title},2026-12-05 19:00,,Storsalen,,,\n`;
  const tables = { z: row('Kveld for alle'), a: row('Kveld for alle!') };
  const target = temporaryFolder();
  await builtWithFeeds(source(tables, { 'licence.json': MERGE, 'events.json': [] }), target);
  assert.equal(await snapshotRows(target, IDS), ['z:x']);
});

test('A17: should find an event by the ids and slugs of those that became one with it, from build to build', async () => {
  const tables = { a: 'x,Jul i Storsalen,2026-12-05 19:00,,Storsalen,,,\n' };
  const target = temporaryFolder();
  await builtWithFeeds(source(tables), target);
  const [before] = await snapshotRows(target, "select slug as text from event where id = 'a:x'");
  const titled = { ...OWN, title_nb: 'Jul' };
  const files = { 'licence.json': MERGE, 'events.json': [titled] };
  await builtWithFeeds(source(tables, files), target);
  const merged = "select id || ' ' || survivor as text from merged where kind = 'event'";
  const slug = `select id as text from slug where slug = '${before}'`;
  assert.equal([await snapshotRows(target, merged), await snapshotRows(target, slug)], [['a:x n1'], ['a:x']]);
  // The feed drops it: its id still finds what it became one with.
  const gone = { a: 'z,Et annet møte,2026-12-09 19:00,,Storsalen,,,\n' };
  await builtWithFeeds(source(gone, files), target, { force: true });
  assert.equal([await snapshotRows(target, merged), await snapshotRows(target, slug)], [['a:x n1'], ['a:x']]);
});

test('F12: should make one of what people call the same, within one source too, and without "merge"', async () => {
  const rows = 'x,Loppemarked,2026-12-05 11:00,,,,,\ny,Skolens store dag,2026-12-05 12:00,,,,,\n';
  const target = temporaryFolder();
  const decided = { 'duplicates.json': { same: [['a:x', 'a:y']] } };
  const { report } = await builtWithFeeds(source({ a: rows }, decided), target);
  assert.equal(await snapshotRows(target, IDS), ['a:x', 'n1']);
  assert.equal(
    report.findings.map(({ action, found }) => [action, found]),
    [['merged', 'also "a:y" (said to be the same)']],
  );
});

test('F12: should never make one of what people call different', async () => {
  const tables = {
    a: 'x,Julekonsert,2026-12-05 19:00,,Storsalen,,,\n',
    b: 'y,Julekonsert,2026-12-05 19:00,,Storsalen,,,\n',
  };
  const files = { 'licence.json': MERGE, 'duplicates.json': { different: [['n1', 'a:x']] } };
  const target = temporaryFolder();
  await builtWithFeeds(source(tables, files), target);
  // What is like both could be either.
  assert.equal(await snapshotRows(target, IDS), ['a:x', 'b:y', 'n1']);
  // Also when they say both.
  const both = { ...files, 'duplicates.json': { different: [['n1', 'a:x']], same: [['b:y', 'n1', 'a:x']] } };
  const { report } = await builtWithFeeds(source(tables, both), target);
  assert.equal(await snapshotRows(target, IDS), ['a:x', 'n1']);
  assert.ok(
    report.findings.some(({ expected }) => expected.endsWith('to be the same or different, not both')),
  );
});

const UNREADABLE: readonly (readonly [content: unknown, message: RegExp])[] = [
  ['{', /duplicates\.json:1: expected JSON/],
  [[['a:x', 'n1']], /duplicates\.json: expected an object with "same" and "different", found \[\["a:x"/],
  ['5', /duplicates\.json: expected an object with "same" and "different", found 5/],
];

test('F12: should stop at a duplicates.json that is none, and name what is wrong in one', async () => {
  for (const [content, message] of UNREADABLE) {
    try {
      await builtWithFeeds(source({}, { 'duplicates.json': content }), temporaryFolder());
      assert.unreachable();
    } catch (thrown) {
      assert.ok(isCalendarError(thrown));
      assert.match(String(thrown), message);
    }
  }
  const content = { same: [['n1'], ['n1', 5], 'n1', ['n1', 'nobody']], diferent: [] };
  const { report } = await builtWithFeeds(source({}, { 'duplicates.json': content }), temporaryFolder());
  assert.equal(
    report.findings.map(({ action, field, expected, found }) => [action, field, expected, found]),
    [
      ['dropped value', 'same[0]', 'two ids or more', '["n1"]'],
      ['dropped value', 'same[1]', 'two ids or more', '["n1"]'],
      ['dropped value', 'same[2]', 'a list of ids', '"n1"'],
      ['left out', 'same[3]', 'the id of an event that is in the sources and published', '"nobody"'],
    ],
  );
  assert.equal(report.ignored, [{ name: 'duplicates.diferent', nearest: 'different', count: 1 }]);
});

test('G7: should build again when people decide otherwise', async () => {
  const folder = source({ a: 'x,Julekonsert,2026-12-05 19:00,,Storsalen,,,\n' });
  const target = temporaryFolder();
  await builtWithFeeds(folder, target);
  assert.is((await builtWithFeeds(folder, target)).result.outcome, 'unchanged');
  writeFileSync(join(folder, 'duplicates.json'), JSON.stringify({ same: [['n1', 'a:x']] }));
  assert.is((await builtWithFeeds(folder, target)).result.outcome, 'published');
  assert.equal(await snapshotRows(target, IDS), ['n1']);
});

test('A9: should take nothing of an event that is not published yet', async () => {
  const hidden = { ...OWN, desc_nb: 'Hemmelig', publishingDate: '2026-11-30 12:00' };
  const tables = {
    a: 'x,Julekonsert,2026-12-05 19:00,,Storsalen,,,\n',
    b: 'y,Julekonsert,2026-12-05 19:00,,Storsalen,,,\n',
  };
  const files = {
    'licence.json': MERGE,
    'events.json': [hidden],
    'duplicates.json': { same: [['n1', 'a:x']] },
  };
  const target = temporaryFolder();
  await builtWithFeeds(source(tables, files), target);
  assert.equal(await snapshotRows(target, IDS), ['a:x', 'n1']);
});

test('should join the dates of rules, each once, and lead a programme to the event that is left', async () => {
  const weekly = { rule: 'FREQ=WEEKLY;COUNT=4', start: '2026-02-02 18:00', duration: 60 };
  const own = { id: 'kor', title_nb: 'Korøvelse', categories: ['MUSIC'], venue: 'hall', repeats: [weekly] };
  const rows = [9, 16, 23, 30].map(
    (day) => `k,Korøvelse,2026-${day === 30 ? '03-02' : `02-${day}`} 18:00,,Storsalen,,,\n`,
  );
  const files = { 'licence.json': MERGE, 'events.json': [own] };
  const target = temporaryFolder();
  await builtWithFeeds(source({ a: rows.join('').replaceAll(' 18', ' 18') }, files), target);
  assert.equal(await snapshotRows(target, IDS), ['kor']);
  assert.equal(
    (await snapshotRows(target, 'select start_text as text from occurrence order by row')).map((text) =>
      text.slice(5, 10),
    ),
    ['02-02', '02-09', '02-16', '02-23', '03-02'],
  );
});

test('G5: should give the same bytes for the same sources', async () => {
  const tables = {
    a: 'x,Julekonsert,2026-12-05 19:00,,Storsalen,,,\n',
    b: 'y,Julekonsrt,2026-12-05 19:00,,,,,\n',
  };
  const folder = source(tables, { 'licence.json': MERGE });
  const ids = await Promise.all(
    [1, 2].map(async () => (await builtWithFeeds(folder, temporaryFolder())).result.id),
  );
  assert.is(ids[0], ids[1]);
});

test.run();
