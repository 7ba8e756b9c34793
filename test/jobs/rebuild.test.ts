import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runRebuild } from '../../jobs/rebuild/command.ts';
import { annexSteps } from '../helpers/annex.ts';
import { built, events, invalid, MONTHS, snapshotsIn, sourceOf, unfinishedIn } from '../helpers/build.ts';
import { NOW } from '../helpers/calendar.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { sourceFolder } from '../helpers/native-source.ts';
import { scriptOf } from '../helpers/program.ts';

const rebuilding = suite('rebuild');

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function ran(
  args: readonly string[],
  defaults = { source: '/nowhere', target: '/nowhere' },
): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  const code = await runRebuild(args, {
    defaults: { ...defaults, horizonMonths: MONTHS, ...(await annexSteps()) },
    now: NOW,
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => (stderr += text),
  });
  return { code, stdout, stderr };
}

rebuilding('H2: should print the report and what was published', async () => {
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

rebuilding(
  'G2: should say of an unchanged source what is missing of it, and not that all is well',
  async () => {
    const source = sourceFolder({ 'events.json': [...events(3), { id: 'bad' }] });
    const target = temporaryFolder();
    await ran(['--source', source, '--target', target]);
    const again = await ran(['--source', source, '--target', target]);
    assert.match(again.stdout, /^unchanged: calendar-.*\ndropped: 1 record\n$/);
    const { outcome, report } = JSON.parse(
      (await ran(['--json', '--source', source, '--target', target])).stdout,
    );
    assert.equal([outcome, report.actions['dropped record'], report.findings[0].id], ['unchanged', 1, 'bad']);
  },
);

rebuilding('A11: should say why there are fewer events than were kept', async () => {
  const past = { id: 'past', title_nb: 'Over', dates: [{ start: '2025-12-01 19:00' }] };
  const source = sourceFolder({ 'events.json': [...events(3), past] });
  const { stdout } = await ran(['--source', source, '--target', temporaryFolder()]);
  assert.match(stdout, /events +4 +4 +0/);
  assert.match(stdout, ', 3 events (1 of those kept is over), 3 occurrences\n');
});

rebuilding(
  'G2: should name an event with one bad date, or one bad rule, once, and count it as dropped',
  async () => {
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
      '  events.json[8] "bad" dates[0].start: dropped record, expected a datetime such as "2026-05-17 19:30" or a date such as "2026-05-17", found "14. februar"',
      '  events.json[9] "rule" repeats[0].rule: dropped record, expected one of SECONDLY, MINUTELY, HOURLY, DAILY, WEEKLY, MONTHLY, YEARLY, found FREQ: OFTEN',
    ]);
  },
);

rebuilding('F4: should keep events whose dates a program wrote with toISOString()', async () => {
  const start = new Date(Date.UTC(2026, 5, 1, 17, 30, 0, 123)).toISOString();
  const source = sourceFolder({
    'events.json': [{ id: 'e', title_nb: 'Kveld', dates: [{ start, duration: 60 }] }],
  });
  const { stdout } = await ran(['--source', source, '--target', temporaryFolder()]);
  assert.match(stdout, /events +1 +1 +0\n/);
  assert.match(stdout, ', 1 events, 1 occurrences\n');
});

rebuilding('G3: should say once that nothing was published', async () => {
  const source = sourceFolder({ 'events.json': invalid(3) });
  const { code, stdout, stderr } = await ran(['--source', source, '--target', temporaryFolder()]);
  assert.is(code, 1);
  assert.is(`${stdout}${stderr}`.match(/nothing was published/gi)?.length, 1);
});

rebuilding('H2: should say on failure what became of feeds, when they are all there is', async () => {
  const feeds = [{ id: 'house', kind: 'ical', file: 'house.ics' }];
  const source = sourceFolder({ 'events.json': undefined, 'sources.json': feeds });
  const { code, stdout } = await ran(['--source', source, '--target', temporaryFolder()]);
  assert.is(code, 1);
  assert.match(stdout, /^feed house: 0 entries, .*; no records, failing since .*house\.ics/);
});

rebuilding('H2: should take its defaults from the settings', async () => {
  const defaults = { source: sourceOf(3), target: temporaryFolder() };
  assert.is((await ran([], defaults)).code, 0);
});

rebuilding('H2: should print one JSON document with --json', async () => {
  const [source, target] = [sourceOf(3), temporaryFolder()];
  const { code, stdout } = await ran(['--json', '--source', source, '--target', target]);
  const document = JSON.parse(stdout);
  assert.is(code, 0);
  assert.is(document.outcome, 'published');
  assert.is(document.counts.events, 3);
  assert.is(document.report.lists.events.kept, 3);
  const failed = await ran(['--json', '--source', '/nowhere', '--target', target]);
  assert.is(failed.code, 1);
  assert.is(JSON.parse(failed.stdout).outcome, 'failed');
  assert.is(JSON.parse(failed.stdout).code, 'INVALID_SOURCE');
});

rebuilding('H2: should say on failure that nothing was published, and why', async () => {
  const target = temporaryFolder();
  const source = sourceFolder({ 'events.json': [...events(1), ...invalid(3)] });
  const { code, stdout, stderr } = await ran(['--source', source, '--target', target]);
  assert.is(code, 1);
  assert.match(stdout, /dropped record/);
  assert.match(stderr, /^Nothing was published\. expected at most a quarter of the events/);
  assert.is((await ran(['--force', '--source', source, '--target', target])).code, 0);
});

const MOMENTS: Readonly<Record<string, string>> = {
  '2026-05-17 12:00:00+02:00': '2026-05-17T10:00:00Z',
  '2026-05-17 12:00:00+0200': '2026-05-17T10:00:00Z',
  '2026-05-17T10:00:00Z': '2026-05-17T10:00:00Z',
  '2026-05-17T10:00:00.999Z': '2026-05-17T10:00:00Z',
  '2026-05-17T12:00+02': '2026-05-17T10:00:00Z',
};

for (const [text, builtAt] of Object.entries(MOMENTS)) {
  rebuilding(`H2: should build as of --now "${text}"`, async () => {
    const source = sourceFolder({
      'events.json': [{ id: 'e', title_nb: 'Sent', dates: [{ start: '2026-06-01 19:00' }] }],
    });
    const { stdout } = await ran(['--now', text, '--source', source, '--target', temporaryFolder()]);
    assert.match(stdout, new RegExp(`built at ${builtAt}`));
  });
}

const WRONG: readonly (readonly [args: readonly string[], finding: RegExp])[] = [
  [['--sauce', 'x'], /Unknown option '--sauce'[\s\S]*Usage: npm run rebuild/],
  [['extra'], /Unexpected argument 'extra'/],
  [['--source'], /'--source <value>' argument missing/],
  [['--now', 'tomorrow'], /--now: expected a moment with its offset, .*found "tomorrow"/],
  [['--now', '2026-05-17 12:00:00'], /--now: expected/],
  [['--now', '2026-02-30T12:00:00Z'], /--now: expected/],
  [['--wait', 'long'], /--wait: expected whole seconds, found "long"/],
];

for (const [args, finding] of WRONG) {
  rebuilding(`H2: should refuse ${args.join(' ')}`, async () => {
    const { code, stdout, stderr } = await ran(args);
    assert.is(code, 1);
    assert.is(stdout, '');
    assert.match(stderr, finding);
  });
}

rebuilding('H2: should explain itself', async () => {
  const { code, stdout } = await ran(['--help']);
  assert.is(code, 0);
  for (const option of ['--source DIR', '--target FOLDER', '--now INSTANT', '--force', '--json']) {
    assert.match(stdout, option);
  }
});

/** The entry point in a process of its own; `limit` is the largest file that it may write, in KiB. */
async function spawned(
  args: readonly string[],
  { env = {}, limit = 'unlimited' }: { env?: Readonly<Record<string, string>>; limit?: string } = {},
): Promise<Ran> {
  const command = `ulimit -f ${limit}; exec "$0" "$@"`;
  const child = spawn('bash', ['-c', command, process.execPath, scriptOf('jobs/rebuild'), ...args], {
    cwd: temporaryFolder(),
    env: { ...process.env, ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}

rebuilding(
  'H3: should read its settings, and refuse wrong ones with one line each and no stack',
  async () => {
    const [source, target] = [sourceOf(3), temporaryFolder()];
    const settings = { ALMANAKK_SOURCE: source, ALMANAKK_SNAPSHOTS: target, ALMANAKK_HORIZON_MONTHS: '6' };
    const good = await spawned(['--now', '2026-01-01T12:00:00Z'], { env: settings });
    assert.is(good.code, 0, good.stderr);
    const wrong = await spawned([], { env: { ...settings, ALMANAKK_HORIZON_MONTHS: 'many', PORT: 'x' } });
    assert.is(wrong.code, 1);
    assert.is(
      wrong.stderr,
      'PORT: expected a whole number from 0 to 65535, found "x"\n' +
        'ALMANAKK_HORIZON_MONTHS: expected a whole number from 1 to 120, found "many"\n',
    );
  },
);

rebuilding('G1: should leave the snapshot as it is when there is no room for another', async () => {
  const target = temporaryFolder();
  await built(sourceOf(3), target);
  const before = snapshotsIn(target);
  const args = ['--source', sourceOf(1_000), '--target', target, '--now', '2026-01-01T13:00:00Z'];
  const { code, stderr } = await spawned(args, { limit: '400' });
  assert.is(code, 1);
  assert.match(stderr, /^Nothing was published\. .*(room|limit)/);
  assert.not.match(stderr, /\n +at /);
  assert.equal(snapshotsIn(target), before);
  assert.equal(unfinishedIn(target), []);
});

rebuilding.run();
