/** Builds in a process of their own: the outcome that is recorded and logged, time limits, and full disks. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createRuns, follow, logBuild } from '../../../../jobs/annexes/schedule/builds.ts';
import { createRoomWatch } from '../../../../jobs/annexes/schedule/room-watch.ts';
import { type FinishedBuild, runBuild, STOPPED } from '../../../../jobs/annexes/schedule/run-build.ts';
import { readSettings } from '../../../../jobs/settings.ts';
import type { AnnexUpkeep, BuildRecord, Schedule } from '../../../../src/upkeep.ts';
import { assertAbove, assertAtLeast } from '../../../helpers/assertions.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { isGone } from '../../../helpers/program.ts';
import { until } from '../../../helpers/until.ts';

const building = suite('build process');

const COUNTS = { events: 3, occurrences: 4, venues: 5, organizers: 6, categories: 7 };
const READ_AT = '2026-11-20T10:17:00Z';
const SHEET = { id: 'desk', kind: 'corrections', state: 'ok', readAt: READ_AT };
const REPORT = {
  actions: { 'dropped record': 1, 'dropped date': 2, 'changed value': 4 },
  feeds: [
    SHEET,
    { ...SHEET, id: 'broken', state: 'stale' },
    { ...SHEET, id: 'empty', readAt: null },
    { ...SHEET, id: 'hall', kind: 'ical' },
  ],
};
const PUBLISHED = {
  outcome: 'published',
  id: '00ff00ff00ff00ff',
  counts: COUNTS,
  warnings: [],
  report: REPORT,
};

interface Run {
  readonly timeoutMs?: number;
  readonly patienceMs?: number;
  readonly signal?: AbortSignal;
}

/** Runs JavaScript in place of a build. */
function run(code: string, { timeoutMs = 20_000, patienceMs, signal }: Run = {}): Promise<FinishedBuild> {
  return runBuild({
    command: ['--eval', code],
    timeoutMs,
    signal: signal ?? new AbortController().signal,
    clock: Date.now,
    ...(patienceMs !== undefined && { patienceMs }),
  });
}

const print = (value: unknown) => `console.log(${JSON.stringify(JSON.stringify(value))});`;

building('G7: should build again once there is more room than a build had', async () => {
  const full = await run(print({ outcome: 'failed', code: 'DISK_FULL', message: 'full' }));
  assert.is(full.isFull, true);
  let free = 1_000_000;
  let looked = 0;
  let built = 0;
  const freeBytes = async () => {
    looked++;
    return free;
  };
  const watch = createRoomWatch(freeBytes, 1);
  await watch.start(() => built++);
  await until('it has looked in vain', () => looked > 3);
  assert.is(built, 0);
  free += 100_000_000;
  await until('it builds again', () => built > 0);
  const before = looked;
  await watch.start(() => built++);
  watch.stop();
  await until('nothing is left of it', () => looked === before + 1);
  assert.is(built, 1);
});

building('G7: should ask for one build, however long the disk takes to answer', async () => {
  const measurements: ((bytes: number) => void)[] = [];
  let built = 0;
  const watch = createRoomWatch(() => new Promise((resolve) => measurements.push(resolve)), 1);
  const started = watch.start(() => built++);
  measurements.shift()?.(0);
  await started;
  await until('it measures', () => measurements.length > 0);
  await nextPolls();
  assert.is(measurements.length, 1, 'measurements at a time');
  for (const answer of measurements.splice(0)) answer(100_000_000);
  await nextPolls();
  assert.equal([built, measurements.length], [1, 0]);
});

building('G7: should not look for room after it was stopped during a measurement', async () => {
  const measurements: ((bytes: number) => void)[] = [];
  let built = 0;
  const watch = createRoomWatch(() => new Promise((resolve) => measurements.push(resolve)), 1);
  const first = watch.start(() => built++);
  watch.stop();
  measurements.shift()?.(0);
  await first;
  await nextPolls();
  assert.is(measurements.length, 0, 'measurements after a stop at the beginning');
  const second = watch.start(() => built++);
  measurements.shift()?.(0);
  await second;
  await until('it measures', () => measurements.length > 0);
  watch.stop();
  measurements.shift()?.(100_000_000);
  await nextPolls();
  assert.equal([built, measurements.length], [0, 0]);
});

/** Waits for as many timers of a millisecond as a watch that polls each millisecond could have set meanwhile. */
async function nextPolls(): Promise<void> {
  for (let poll = 0; poll < 5; poll++) await new Promise((resolve) => setTimeout(resolve, 1));
}

building('G7, G10: should record the outcome of a build and its changes', async () => {
  const changes = { added: 1, changed: 2, removed: 3, renamed: 1 };
  const { record, stderr } = await run(`${print({ ...PUBLISHED, changes })} console.error('note');`);
  const { startedAt, ms, ...rest } = record;
  const { outcome, id } = PUBLISHED;
  const sheetsReadAt = { desk: READ_AT };
  assert.equal(rest, {
    kind: 'rebuild',
    outcome,
    id,
    counts: COUNTS,
    changes,
    dropped: 3,
    reason: null,
    sheetsReadAt,
  });
  assertAbove(startedAt, 0, 'as the start');
  assertAtLeast(ms, 0, 'ms');
  assert.is(stderr, 'note\n');
});

building('G2: should log dropped records as a warning with the first finding, once', async () => {
  const origin = { file: 'events.json', line: 14 };
  const dropped = { action: 'dropped date', origin, id: 'e', field: 'dates[1]' };
  const findings = [{ ...dropped, expected: 'a datetime', found: '"soon"' }];
  const lines: unknown[] = [];
  const write = (level: string) => (fields: object, event: string) => lines.push({ level, event, ...fields });
  const log = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
  for (const outcome of ['published', 'unchanged'])
    logBuild(log, await run(print({ ...PUBLISHED, outcome, report: { ...REPORT, findings } })));
  const [warning, notice] = lines.map((line) => JSON.parse(JSON.stringify({ ...Object(line), ms: 0 })));
  const known = { id: PUBLISHED.id, events: 3, dropped: 3, ms: 0 };
  const first = 'events.json:14 "e" dates[1]: dropped date, expected a datetime, found "soon"';
  const left = { first, others: 2, see: 'almanakk check, /status' };
  assert.equal(warning, { level: 'warn', event: 'rebuild published', ...known, ...left });
  assert.equal(notice, { level: 'info', event: 'rebuild unchanged', ...known });
});

const REFUSAL = { outcome: 'failed', code: 'BUILD_REFUSED', message: 'too many events gone', report: {} };

interface Failure {
  readonly what: string;
  /** JavaScript in place of a build. */
  readonly code: string;
  /** In the record. */
  readonly reason: string;
  readonly options?: Run;
}

const FAILURES: readonly Failure[] = [
  {
    what: 'is refused',
    code: `${print(REFUSAL)} process.exitCode = 1;`,
    reason: 'too many events gone',
  },
  {
    what: 'crashes',
    code: "throw new TypeError('x is no function');",
    reason: 'exit code 1: TypeError: x is no function',
  },
  {
    what: 'is killed',
    code: "process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000);",
    reason: 'ended by SIGKILL',
  },
  { what: 'prints nothing', code: '', reason: 'it printed nothing' },
  {
    what: 'crashes after it printed "published"',
    code: `${print(PUBLISHED)} process.exitCode = 3;`,
    reason: 'exit code 3',
  },
  {
    what: 'hangs, and ignores SIGTERM',
    code: "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);",
    reason: 'not finished after 1.5 s, so it was stopped',
    options: { timeoutMs: 1_500, patienceMs: 200 },
  },
];

for (const { what, code, reason, options } of FAILURES) {
  building(`G3: should record why a build fails that ${what}`, async () => {
    const { record, isFull } = await run(code, options);
    assert.is(record.reason, reason);
    assert.equal([record.outcome, record.id, isFull], ['failed', null, false]);
  });
}

building('H9: should record the reason of a failure also without values of records', async () => {
  const publicMessage = 'events.json:3: expected JSON';
  const message = `${publicMessage}, but a comma is missing after "a"`;
  const { record } = await run(print({ ...REFUSAL, message, publicMessage }));
  assert.equal([record.reason, record.publicReason], [message, publicMessage]);
  const without = await run(print(REFUSAL));
  assert.is(without.record.publicReason, undefined);
});

building(
  'H12: should give a sign of life as each build begins and ends, and keep the time limit of one that a crash cut off',
  async () => {
    const ignore = () => {};
    const environment = { ALMANAKK_SNAPSHOTS: temporaryFolder(), ALMANAKK_CRON: '0 3 * * *' };
    const { settings } = readSettings(environment, temporaryFolder());
    const signs: Schedule[] = [];
    const builds: BuildRecord[] = [];
    // Of a builder that has crashed during the build after an earlier crash.
    const cutOff = { aliveAt: 100, nextBuildAt: 3 * 3_600_000, buildingUntil: 900, crashes: 1 };
    const program = {
      log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
      clock: () => 1_000 * (1 + signs.length),
      random: Math.random,
      previous: { schedule: cutOff },
      reported: () => ({}),
      reportState: ({ schedule }: Partial<AnnexUpkeep>) => {
        if (schedule) signs.push(schedule);
      },
    };
    // Each build is ended soon after its process has started.
    const hurried = { ...settings, buildTimeoutSeconds: 0.01 };
    const { build, stop } = follow(hurried, program, (record) => builds.push(record));
    await until('one is built', () => builds.length === 1);
    build?.();
    await until('another is built', () => builds.length === 2);
    await stop();
    const moments = signs.map(({ aliveAt, buildingUntil, crashes }) => [aliveAt, buildingUntil, crashes]);
    assert.equal(moments, [
      [100, 900, 1],
      [2_000, 900, 2],
      [3_000, null, 0],
      [4_000, 4_010, 0],
      [5_000, null, 0],
    ]);
    for (const { nextBuildAt } of signs)
      assert.match(new Date(nextBuildAt ?? 0).toISOString(), 'T03:00:00.000Z', 'the planned build');
  },
);

building(
  'F19: should read the sheets whose change waits in each build, and begin with an urgent one',
  async () => {
    const builds: (readonly string[])[] = [];
    const sheet = { id: 'desk', readAt: 1, content: null, failing: null, waitingSince: 1, applied: null };
    let urgentSheets = [sheet, { ...sheet, id: 'other', waitingSince: null }];
    let onBuild = () => {};
    const build = async (options: readonly string[]) => {
      builds.push(options);
      onBuild();
      return true;
    };
    const runs = createRuns(build, () => ({ urgentSheets }), new AbortController().signal);
    const begun = async (reason: 'due' | 'requested') => {
      await runs.run(reason);
      return builds.splice(0);
    };
    const local = ['--local', '--read-again', 'desk'];
    assert.equal([await begun('requested'), await begun('requested')], [[local], [local]], 'after a failure');
    urgentSheets = urgentSheets.slice(1);
    assert.equal(await begun('requested'), [['--local']], 'after a success');

    let isInterrupted = true;
    onBuild = () => {
      isInterrupted = runs.interruptFor(['desk']);
      onBuild = () => {};
    };
    await begun('requested');
    assert.is(isInterrupted, false, 'a second change during a build');
    assert.equal(await begun('requested'), [local], 'the build after it');
    runs.interruptFor(['desk']);
    assert.equal(await begun('due'), [local, []], 'if the scheduled build is due as well');
    assert.equal(await begun('due'), [[]]);
  },
);

building('H4: should end the processes that a build has started', async () => {
  const parent = `const { spawn } = require('node:child_process');
    const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
    child.once('spawn', () => { process.stderr.write(String(child.pid)); process.exit(0); });`;
  const { stderr } = await run(parent);
  const pid = Number(stderr.trim());
  assertAbove(pid, 0, `as the process of: ${stderr}`);
  await until('the child of the build is gone', () => isGone(pid));
});

building('H4: should end a build when this process stops', async () => {
  const stopping = new AbortController();
  const ended = run('setInterval(() => {}, 1000);', { signal: stopping.signal });
  stopping.abort();
  assert.is((await ended).record.reason, STOPPED);
});

building.run();
