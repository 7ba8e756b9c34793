/** What people read of a build. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { reportText } from '../../../jobs/annexes/report/text.ts';
import { createReport } from '../../../jobs/report.ts';
import { events, invalid, sourceOf } from '../../helpers/build.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { sourceFolder } from '../../helpers/native-source.ts';
import { ran } from '../../helpers/rebuild.ts';
import { finding, sampleReport } from '../../helpers/report.ts';

const test = suite('report for people');

test('G2: should begin with a sentence for people, and name what is missing first', () => {
  assert.is(
    reportText(sampleReport()),
    `12,340 of 12,345 events are good. Left out: 1 record, 1 date; what is wrong with each stands first below.

                          read        kept     dropped
events                  12,345      12,340           5
venues                       1           1           0
organizers                   0           0           0

dropped record               1
dropped date                 1
migrated category            1

  venues.json:3: dropped record, expected a datetime such as "2026-05-17 19:30", found "soon"
  events.ndjson:14 "e-12" dates[2].start: dropped date, expected a datetime such as "2026-05-17 19:30", found "soon"
  events.ndjson:14 "e-12" categories[0]: migrated category, expected "B" in its place, found "soon"

ignored fields: events.colour (1)

read 1,234 ms, write 7 ms
`,
  );
});

test('G2: should name everything that is missing, and what is alike in one line with three of its places', () => {
  const report = createReport();
  for (let at = 0; at < 300; at++) report.addFinding(finding({ id: `d${at}` }));
  for (let at = 0; at < 2_919; at++)
    report.addFinding(
      finding({ action: 'changed value', id: `p${at}`, field: 'prices[0].price', found: `"${at} kr"` }),
    );
  const text = reportText(report);
  assert.is(text.match(/: dropped date/g)?.length, 300);
  const where = [0, 1, 2].map((at) => `events.ndjson:14 "p${at}" prices[0].price "${at} kr"`);
  const expected = 'a datetime such as "2026-05-17 19:30"';
  assert.ok(text.includes(`\n  2,919 times changed value, expected ${expected}: ${where.join('; ')}; …\n`));
  assert.not.match(text, 'more\n');
});

test('should cut a line that a text of an earlier snapshot makes too long', () => {
  const report = createReport();
  report.addFinding(finding({ found: 'x'.repeat(4_000_000) }));
  assert.ok(reportText(report).length < 2_000);
});

test('should be short when all is well', () => {
  assert.is(reportText(createReport()).trimEnd().split('\n').length, 6);
});

test('MUST not let a source steer the terminal', () => {
  const report = createReport();
  report.addFinding(finding({ id: 'a\u001b[31m\u009b2J\u202e', found: '"\u0085"' }));
  report.ignored('events.\u001b]0;title\u0007');
  const text = reportText(report);
  assert.not.match(text, /[^\n\P{Cc}]|\u202e/u);
  assert.match(text, 'events.\\u001b]0;title\\u0007');
});

test('H2: should print the report and what was published', async () => {
  const [source, target] = [sourceOf(3), temporaryFolder()];
  const { code, stdout } = await ran(['--source', source, '--target', target]);
  assert.is(code, 0);
  assert.match(stdout, /events +3 +3 +0/);
  assert.match(
    stdout,
    /published: calendar-[0-9a-f]{16}\.sqlite, built at 2026-01-01T12:00:00Z, 3 events, 3 occurrences\n$/,
  );
  const again = await ran(['--source', source, '--target', target]);
  assert.is(again.code, 0);
  assert.match(again.stdout, /^unchanged: calendar-/);
});

test('G2: should say of an unchanged source what is missing of it, and not that all is well', async () => {
  const source = sourceFolder({ 'events.json': [...events(3), { id: 'bad' }] });
  const target = temporaryFolder();
  await ran(['--source', source, '--target', target]);
  const again = await ran(['--source', source, '--target', target]);
  assert.match(again.stdout, /^unchanged: calendar-.*\ndropped: 1 record\n$/);
  const { outcome, report } = JSON.parse(
    (await ran(['--json', '--source', source, '--target', target])).stdout,
  );
  assert.equal([outcome, report.actions['dropped record'], report.findings[0].id], ['unchanged', 1, 'bad']);
});

test('A11: should say why there are fewer events than were kept', async () => {
  const past = { id: 'past', title_nb: 'Over', dates: [{ start: '2025-12-01 19:00' }] };
  const source = sourceFolder({ 'events.json': [...events(3), past] });
  const { stdout } = await ran(['--source', source, '--target', temporaryFolder()]);
  assert.match(stdout, /events +4 +4 +0/);
  assert.match(stdout, ', 3 events (1 of those kept is over), 3 occurrences\n');
  assert.match(
    stdout,
    'events.json:1 "past" dates: over, expected a date to come of a new event, found the last one on 2025-12-01\n',
  );
});

test('G2: should say no more of an event that is over once a snapshot has had it', async () => {
  const [target, weekly] = [temporaryFolder(), { rule: 'FREQ=WEEKLY;COUNT=3', start: '2026-01-01 19:00' }];
  const source = sourceFolder({
    'events.json': [...events(3), { id: 'w', title_nb: 'Uke', repeats: [weekly] }],
  });
  const run = (now: string) => ran(['--source', source, '--target', target, '--now', now]);
  await run('2026-01-14T12:00:00Z');
  assert.not.match((await run('2026-01-20T12:00:00Z')).stdout, ': over,');
  const late = await ran([
    '--source',
    source,
    '--target',
    temporaryFolder(),
    '--now',
    '2026-01-20T12:00:00Z',
  ]);
  assert.match(
    late.stdout,
    '"w" dates: over, expected a date to come of a new event, found the last one on 2026-01-15',
  );
});

test('G2: should name an event with one bad date, or one bad rule, once, and count it as dropped', async () => {
  const bad = { id: 'bad', title_nb: 'Dato', dates: [{ start: '14. februar' }] };
  const rule = {
    id: 'rule',
    title_nb: 'Regel',
    repeats: [{ rule: 'FREQ=OFTEN', start: '2026-02-01 19:00' }],
  };
  const source = sourceFolder({ 'events.json': [...events(8), bad, rule] });
  const { stdout } = await ran(['--source', source, '--target', temporaryFolder()]);
  assert.match(stdout, /events +10 +8 +2/);
  assert.equal(stdout.match(/^ {2}events.*/gm), [
    '  events.json:1 "bad" dates[0].start: dropped record, expected a datetime such as "2026-05-17 19:30" or a date such as "2026-05-17", found "14. februar"',
    '  events.json:1 "rule" repeats[0].rule: dropped record, expected one of SECONDLY, MINUTELY, HOURLY, DAILY, WEEKLY, MONTHLY, YEARLY, found FREQ: OFTEN',
  ]);
});

test('F4: should keep events whose dates a program wrote with toISOString()', async () => {
  const start = new Date(Date.UTC(2026, 5, 1, 17, 30, 0, 123)).toISOString();
  const source = sourceFolder({
    'events.json': [{ id: 'e', title_nb: 'Kveld', dates: [{ start, duration: 60 }] }],
  });
  const { stdout } = await ran(['--source', source, '--target', temporaryFolder()]);
  assert.match(stdout, /events +1 +1 +0\n/);
  assert.match(stdout, ', 1 events, 1 occurrences\n');
});

test('F4: should read dates as Norwegians write them, and say so once', async () => {
  const dates = ['13.12.2026 18:00', '1.2.2026 kl. 19.30', '3.2.2026'].map((start) => ({ start }));
  const own = {
    id: 'n',
    title_nb: 'Norsk',
    dates: [...dates, { start: '31.02.2026' }],
    publishingDate: '1.1.2026 10:00',
  };
  const repeat = { rule: 'FREQ=DAILY;COUNT=3', start: '05.02.2026 20:00', except: ['06.02.2026 20:00'] };
  const source = sourceFolder({
    'events.json': [...events(8), own, { id: 'r', title_nb: 'R', repeats: [repeat] }],
  });
  const { stdout } = await ran(['--source', source, '--target', temporaryFolder()]);
  assert.match(stdout, ', 10 events, 13 occurrences\n');
  const expected = 'dates in the form "2026-12-13 18:00" (read as Norwegian ones)';
  const where = ['[0].start "13.12.2026 18:00"', '[1].start "1.2.2026 kl. 19.30"', '[2].start "3.2.2026"'];
  const all = where.map((at) => `events.json:1 "n" dates${at}`).join('; ');
  assert.ok(stdout.includes(`\n  3 times changed value, expected ${expected}: ${all}\n`), stdout);
  assert.match(stdout, 'events.json:1 "n" dates[3].start: dropped date, expected a datetime such as');
});

test('G3: should say once that nothing was published', async () => {
  const source = sourceFolder({ 'events.json': invalid(3) });
  const { code, stdout, stderr } = await ran(['--source', source, '--target', temporaryFolder()]);
  assert.is(code, 1);
  assert.is(`${stdout}${stderr}`.match(/nothing was published/gi)?.length, 1);
});

test('H2: should say on failure what became of feeds, when they are all there is', async () => {
  const feeds = [{ id: 'house', kind: 'ical', file: 'house.ics' }];
  const source = sourceFolder({ 'events.json': undefined, 'sources.json': feeds });
  const { code, stdout } = await ran(['--source', source, '--target', temporaryFolder()]);
  assert.is(code, 1);
  assert.match(stdout, /^feed house: 0 entries, .*; no records, failing since .*house\.ics/);
});

test('H2: should say on failure that nothing was published, and why', async () => {
  const target = temporaryFolder();
  const source = sourceFolder({ 'events.json': [...events(1), ...invalid(3)] });
  const { code, stdout, stderr } = await ran(['--source', source, '--target', target]);
  assert.is(code, 1);
  assert.match(stdout, /dropped record/);
  assert.match(stderr, /^Nothing was published\. expected at most a quarter of the events/);
  assert.is((await ran(['--force', '--source', source, '--target', target])).code, 0);
});

test.run();
