/** The text that people read after a build, after wrong arguments, and on a full disk. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WORDS_OF_VISIBILITY } from '../../../jobs/findings.ts';
import { createReport } from '../../../jobs/report/report.ts';
import type { FeedHealth } from '../../../jobs/report/summary.ts';
import { reportText } from '../../../jobs/report/text.ts';
import { assertBelow, assertIncludes } from '../../helpers/assertions.ts';
import {
  built,
  events,
  invalidEvents,
  snapshotsIn,
  sourceOfEvents,
  unfinishedIn,
} from '../../helpers/build.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { type Files, sourceFolder } from '../../helpers/native-source.ts';
import { ran, spawned } from '../../helpers/rebuild.ts';
import { finding, sampleReport } from '../../helpers/report.ts';

const test = suite('report for people');

/** The output of `npm run rebuild` for a source, into a new folder if none is given. */
const printed = (files: Files, target = temporaryFolder(), ...more: readonly string[]) =>
  ran(['--source', sourceFolder(files), '--target', target, ...more]);
const WITH = (...records: readonly object[]) => ({ 'events.json': [...events(8), ...records] });

test('G2: should begin with a summary in words, then list dropped records', () => {
  assert.is(
    reportText(sampleReport()),
    `12,340 of 12,345 events are valid. 1 record and 1 date were dropped.

Dropped or left out:
  venues.json:3: dropped record, expected a datetime such as "2026-05-17 19:30", found "soon"
  events.ndjson:14 "e-12" dates[2].start: dropped date, expected a datetime such as "2026-05-17 19:30", found "soon"

Changed values:
  events.ndjson:14 "e-12" categories[0]: migrated category, expected "B" in its place, found "soon"

ignored fields: events.colour (1)

                          read        kept     dropped
events                  12,345      12,340           5
venues                       1           1           0
organizers                   0           0           0

dropped record               1
dropped date                 1
migrated category            1

read 1,234 ms, write 7 ms
`,
  );
});

const FEED: FeedHealth = {
  id: 'f',
  kind: 'ical',
  state: 'ok',
  since: null,
  readAt: null,
  reason: null,
  why: null,
  counts: { entries: 2, events: 2, merged: 0, dropped: 0 },
};

test('G2: should say first which feeds failed and all that is missing, and name quiet feeds in one line', () => {
  const report = createReport();
  for (let at = 0; at < 50; at++) report.addFinding(finding({ action: 'left out', id: `l${at}` }));
  report.addFinding(finding({}));
  const quiet = Array.from({ length: 179 }, (_, at) => ({ ...FEED, id: `q${at}` }));
  const lossy = { ...FEED, id: 'lossy', counts: { entries: 1, events: 0, merged: 0, dropped: 1 } };
  const failed: FeedHealth = { ...FEED, id: 'bad', state: 'failed', since: 'noon', why: 'HTTP 404' };
  report.setFeeds([...quiet, lossy, failed, { ...failed, id: 'worse' }]);
  const text = reportText(report);
  const lost = '1 date was dropped; 50 were left out';
  assert.ok(
    text.startsWith(`0 of 0 events are valid. 2 of 182 feeds failed: bad and worse. ${lost}.\n`),
    text,
  );
  assert.equal(text.match(/^ {2}feed .*|^ {2}\d+ (?:other )?feeds.*/gm), [
    '  2 feeds with no records, failing since noon: HTTP 404: bad, worse',
    '  feed lossy: 1 entry, 0 events, 0 merged, 1 dropped',
    '  179 other feeds: 358 entries, 358 events, nothing dropped',
  ]);
});

test('G2: should report similar findings of all feeds in one line with their number', () => {
  const report = createReport();
  for (let at = 0; at < 300; at++)
    report.addFinding(finding({ id: `d${at}`, origin: { file: `feed ${at}`, line: 1 }, found: `"${at}"` }));
  for (let at = 0; at < 2_919; at++)
    report.addFinding(
      finding({ action: 'changed value', id: `p${at}`, field: 'prices[0].price', found: `"${at} kr"` }),
    );
  // Words that may hide a row are alike only if they are the same.
  const ofRow = {
    action: 'dropped record',
    id: null,
    field: 'Publisert',
    expected: WORDS_OF_VISIBILITY.published,
  } as const;
  for (const [line, found] of [
    [2, '"venter"'],
    [3, '"nope"'],
    [4, '"venter"'],
  ] as const)
    report.addFinding(finding({ ...ofRow, origin: { file: 'feed a', line }, found }));
  const text = reportText(report);
  const expected = 'expected a datetime such as "2026-05-17 19:30"';
  const dropped = Array.from({ length: 10 }, (_, at) => `feed ${at}:1 "d${at}" dates[2].start "${at}"`);
  assertIncludes(text, `\n  300 times dropped date, ${expected}: ${dropped.join('; ')}; …\n`);
  const changed = [0, 1, 2].map((at) => `events.ndjson:14 "p${at}" prices[0].price "${at} kr"`);
  assertIncludes(text, `\n  2,919 times changed value, ${expected}: ${changed.join('; ')}; …\n`);
  const word = `dropped record, expected ${WORDS_OF_VISIBILITY.published}, found`;
  const places = 'feed a:2 Publisert; feed a:4 Publisert';
  assertIncludes(text, `\n  2 times ${word} "venter": ${places}\n  feed a:3 Publisert: ${word} "nope"\n`);
  assert.not.match(text, ' more');
});

test('G2: should not count corrections and decisions that match nothing among what was left out', () => {
  const report = createReport();
  const leftOut = (file: string) => finding({ action: 'left out', origin: { file, line: 1 } });
  for (const file of ['feed a', 'corrections.json', 'duplicates.json']) report.addFinding(leftOut(file));
  assert.match(reportText(report), 'valid. 1 was left out; 2 decisions by the editor match nothing.\n');
});

test('should cut a line that a text of an earlier snapshot makes too long', () => {
  const report = createReport();
  report.addFinding(finding({ found: 'x'.repeat(4_000_000) }));
  assertBelow(reportText(report).length, 2_000, 'letters');
});

test('should not let a source steer the terminal', () => {
  const report = createReport();
  report.addFinding(finding({ id: 'a\u001b[31m\u009b2J\u202e', found: '"\u0085"' }));
  report.countIgnored('events.\u001b]0;title\u0007');
  const text = reportText(report);
  assert.not.match(text, /[^\n\P{Cc}]|\u202e/u);
  assert.match(text, 'events.\\u001b]0;title\\u0007');
});

test('H2, G2: should print the report of a published build, and the dropped records of an unchanged one', async () => {
  const target = temporaryFolder();
  const files = { 'events.json': [...events(3), { id: 'bad' }] };
  const { code, stdout } = await printed(files, target);
  assert.is(code, 0);
  assert.match(stdout, /events +4 +3 +1/);
  const built = 'built at 2026-01-01T12:00:00Z, 3 events, 3 occurrences';
  assert.match(stdout, new RegExp(`published: calendar-\\w{16}\\.sqlite, ${built}\n$`));
  const again = await printed(files, target);
  assert.is(again.code, 0);
  assert.match(again.stdout, /^unchanged: calendar-.*\ndropped: 1 record\n$/);
  const { outcome, report } = JSON.parse((await printed(files, target, '--json')).stdout);
  assert.equal([outcome, report.actions['dropped record'], report.findings[0].id], ['unchanged', 1, 'bad']);
});

test('H2: should print the singular for one event with one occurrence', async () => {
  const { stdout } = await printed({ 'events.json': events(1) });
  assert.match(stdout, /, 1 event, 1 occurrence\n$/);
});

test('A11: should say why there are fewer events than were kept', async () => {
  const past = { id: 'past', title_nb: 'Over', dates: [{ start: '2025-12-01 19:00' }] };
  const { stdout } = await printed(WITH(past));
  assert.match(stdout, /events +9 +9 +0/);
  assert.match(stdout, ', 8 events (1 of those kept is over), 8 occurrences\n');
  const expected = 'expected a future date, found the last one on 2025-12-01\n';
  assert.match(stdout, `events.json:1 "past" dates: over, ${expected}`);
});

test('G2: should not report again an event that is over and was in a snapshot', async () => {
  const weekly = { rule: 'FREQ=WEEKLY;COUNT=3', start: '2026-01-01 19:00' };
  const files = WITH({ id: 'w', title_nb: 'Uke', repeats: [weekly] });
  const target = temporaryFolder();
  const late = ['--now', '2026-01-20T12:00:00Z'];
  await printed(files, target, '--now', '2026-01-14T12:00:00Z');
  assert.not.match((await printed(files, target, ...late)).stdout, ': over,');
  const expected = 'expected a future date, found the last one on 2026-01-15';
  assert.match((await printed(files, temporaryFolder(), ...late)).stdout, `"w" dates: over, ${expected}`);
});

test('F4: should read dates of programs and as Norwegians write them, and say so of the latter once', async () => {
  const dates = [
    '13.12.2026 18:00',
    '1.2.2026 kl. 19.30',
    '3.2.2026',
    '31.02.2026',
    '2026-06-01T17:30:00.123Z',
  ];
  const calendarEvent = { id: 'n', title_nb: 'Norsk', dates: dates.map((start) => ({ start })) };
  const repeat = { rule: 'FREQ=DAILY;COUNT=3', start: '05.02.2026 20:00', except: ['06.02.2026 20:00'] };
  const { stdout } = await printed(WITH(calendarEvent, { id: 'r', title_nb: 'R', repeats: [repeat] }));
  assert.match(stdout, ', 10 events, 14 occurrences\n');
  const expected = 'dates in the form "2026-12-13 18:00" (read as Norwegian time)';
  const where = ['[0].start "13.12.2026 18:00"', '[1].start "1.2.2026 kl. 19.30"', '[2].start "3.2.2026"'];
  const all = where.map((at) => `events.json:1 "n" dates${at}`).join('; ');
  assertIncludes(stdout, `\n  3 times changed value, expected ${expected}: ${all}\n`);
  assert.match(stdout, 'events.json:1 "n" dates[3].start: dropped date, expected a datetime such as');
});

test('H2: should print which feeds fail if a build without other events fails', async () => {
  const feeds = [{ id: 'house', kind: 'ical', file: 'house.ics' }];
  const { code, stdout } = await printed({ 'events.json': undefined, 'sources.json': feeds });
  assert.is(code, 1);
  assert.match(stdout, /^feed house: no records, failing since .*house\.ics/);
});

test('H2, G3: should say once, with the reason, that nothing was published', async () => {
  const target = temporaryFolder();
  const files = { 'events.json': [...events(14), ...invalidEvents(6)] };
  const { code, stdout, stderr } = await printed(files, target);
  assert.is(code, 1);
  assert.match(stdout, /dropped record/);
  assert.match(stderr, /^Nothing was published\. expected at most a quarter of the events/);
  assert.is(`${stdout}${stderr}`.match(/nothing was published/gi)?.length, 1);
  assert.is((await printed(files, target, '--force')).code, 0);
});

const WRONG: readonly (readonly [args: readonly string[], finding: RegExp])[] = [
  [['--sauce', 'x'], /Unknown option '--sauce'[\s\S]*Usage: npm run rebuild/],
  [['extra'], /Unexpected argument 'extra'/],
  [['--source'], /'--source <value>' argument missing/],
  [['--now', 'tomorrow'], /--now: expected a moment with its offset, .*found "tomorrow"/],
  [['--now', '2026-05-17 12:00:00'], /--now: expected/],
  [['--now', '2026-02-30T12:00:00Z'], /--now: expected/],
  [['--wait', 'long'], /--wait: expected whole seconds, found "long"/],
];

test('H2: should refuse unknown arguments and wrong values', async () => {
  for (const [args, finding] of WRONG) {
    const { code, stdout, stderr } = await ran(args);
    assert.equal([code, stdout], [1, ''], args.join(' '));
    assert.match(stderr, finding, `${args.join(' ')}: ${stderr}`);
  }
});

test('G1: should leave the snapshot as it is when there is no room for another', async () => {
  const target = temporaryFolder();
  await built(sourceOfEvents(3), target);
  const before = snapshotsIn(target);
  const args = ['--source', sourceOfEvents(1_000), '--target', target, '--now', '2026-01-01T13:00:00Z'];
  const { code, stderr } = await spawned(args, { limit: '400' });
  assert.is(code, 1);
  assert.match(stderr, /^Nothing was published\. .*(room|limit)/);
  assert.not.match(stderr, /\n +at /);
  assert.equal(snapshotsIn(target), before);
  assert.equal(unfinishedIn(target), []);
});

test.run();
