/** H2, H3: the commands of the program, their options and settings. */
import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../src/package.ts';
import { checkNode, createStop } from '../../../src/runtime/entry.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { scriptOf } from '../../helpers/program.ts';
import { withPart } from '../../helpers/when.ts';

const entering = suite('entry points');

/** Runs a command in a folder of its own. */
function runCommand(command: string, { script = '', env = {} } = {}) {
  const [name = '', ...args] = command.split(' ');
  const program = script === '' ? [scriptOf(name), ...args] : [script, name, ...args];
  return spawnSync(process.execPath, program, {
    cwd: temporaryFolder(),
    encoding: 'utf8',
    env: { PATH: process.env.PATH, ...env },
    timeout: 60_000,
  });
}

entering('H1: should say which Node it needs', () => {
  for (const version of ['18.20.8', '20.16.0']) {
    assert.throws(
      () => checkNode(version),
      ({ message }: Error) => message.startsWith(`Node: expected 20.17 or later, found ${version} (`),
    );
  }
  for (const version of ['20.17.0', '22.0.0', '26.10.0']) checkNode(version);
});

entering('H1: should check the version of Node before anything that an older one cannot load', () => {
  // A name that Node lacks ends a program while its imports are linked, before any line of it has run.
  const programs = ['src/main', 'jobs/cli'];
  for (const program of programs) {
    const text = readFileSync(packagePath(`${program}.ts`), 'utf8');
    const imports = [...text.matchAll(/^import .* from '(.*)';$/gm)].map(([, from]) => from);
    assert.match(imports.join(' '), /^(node:fs )?\S*runtime\/entry\.ts$/, program);
  }
});

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  start: ['source', 'snapshots', 'port'],
  serve: ['source', 'snapshots', 'port'],
  schedule: ['source', 'snapshots', 'port'],
  rebuild: ['source', 'target', 'now', 'wait', 'local', 'force', 'json'],
  check: ['source', 'target', 'now', 'local', 'force', 'json'],
  restore: ['resume', 'target'],
  announce: ['dry-run', 'test'],
  keys: ['app', 'email', 'no-email', 'out'],
  pull: ['watch'],
};

/** Those of annexes that may be taken away. */
const OF_ANNEXES = ['announce', 'keys', 'pull'];

for (const [name, options] of Object.entries(COMMANDS)) {
  const test = OF_ANNEXES.includes(name) ? withPart(`jobs/annexes/${name}`, entering) : entering;
  test(`H2: should name the options of ${name}`, () => {
    const { status, stdout, stderr } = runCommand(`jobs/cli ${name} --help`);
    assert.equal({ status, stderr }, { status: 0, stderr: '' });
    assert.match(stdout, `Usage: npm run ${name === 'check' ? 'check:source' : name} -- `);
    for (const option of [...options, 'help']) assert.match(stdout, `--${option}`);
  });
}

entering('H2: should name the options of start alike from both entry points', () => {
  assert.is(runCommand('src/main start --help').stdout, runCommand('jobs/cli start --help').stdout);
});

entering('H2: should name options in the words of the installed program', () => {
  const installed = join(temporaryFolder(), 'almanakk');
  symlinkSync(scriptOf('jobs/cli'), installed);
  assert.match(
    runCommand('rebuild --help', { script: installed }).stdout,
    /^Usage: almanakk rebuild \[options\]/,
  );
  assert.match(runCommand('--help', { script: installed }).stdout, /^Usage: almanakk COMMAND/);
});

entering('H2: should name the nearest command', () => {
  const { status, stderr } = runCommand('jobs/cli rebuidl');
  assert.is(status, 1);
  assert.match(stderr, /^expected one of start, .*, found "rebuidl"; the nearest is "rebuild"\n$/);
});

withPart('jobs/annexes/announce', entering)(
  'H2: should accept options after "--", with and without npm',
  () => {
    const { status, stdout } = runCommand('jobs/cli announce -- --help');
    assert.is(status, 0);
    assert.match(stdout, '--test ADDRESS');
    const { stderr } = runCommand('jobs/cli announce -- --test nobody');
    assert.match(stderr, /^--test: expected an email address, found "nobody"/);
  },
);

entering('H3: should report wrong settings in one line of JSON if the log is JSON', () => {
  const env = { ALMANAKK_LOG_FORMAT: 'json', PORT: 'none', ALMANAKK_WORKERS: 'few' };
  const { status, stderr } = runCommand('jobs/cli serve', { env });
  assert.is(status, 1);
  const { level, time, code, msg } = JSON.parse(stderr);
  assert.is(level, 'fatal');
  assert.is(code, 'INVALID_SETTING');
  assert.is(Number.isNaN(Date.parse(time)), false);
  assert.match(msg, /\bPORT: expected/);
  assert.match(msg, /\bALMANAKK_WORKERS: expected/);
});

entering('H2: should resolve a relative folder of an option, and name it in full', () => {
  const { stderr } = runCommand('jobs/cli rebuild --source nowhere --target there');
  assert.match(stderr, /\/almanakk-[^/]+\/nowhere/);
  assert.match(runCommand('jobs/cli restore --target there').stdout, /^\/.*\/there: there are no snapshots/);
});

entering('H1: should log that it builds the sample, where it does', () => {
  const wrong = { PORT: 'none' };
  const replica = { ...wrong, ALMANAKK_ORIGIN: 'http://127.0.0.1:1/' };
  for (const { command, env, isBuilt } of [
    { command: 'start', env: wrong, isBuilt: true },
    { command: 'start', env: replica, isBuilt: false },
    { command: 'serve', env: wrong, isBuilt: false },
    { command: 'schedule', env: wrong, isBuilt: true },
    { command: 'start --source x', env: wrong, isBuilt: false },
  ] as const) {
    const { stderr } = runCommand(`jobs/cli ${command}`, { env });
    assert.match(stderr, /PORT: expected/);
    assert.is(/building the sample/.test(stderr), isBuilt, `${command} ${JSON.stringify(env)}`);
  }
});

entering('should name files of src/ and jobs/ in stack traces', () => {
  const hook = `process.cwd = () => { throw new Error('no folder'); }`;
  const { stderr, status } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${hook}`, scriptOf('jobs/cli'), 'schedule'],
    { encoding: 'utf8', timeout: 30_000 },
  );
  assert.match(stderr, /Error: no folder\n(.*\n)*.*\/jobs\/commands\/commands\.ts:\d+:\d+/);
  assert.is(status, 1);
});

function createRecordedStop() {
  const exits: number[] = [];
  const causes: string[] = [];
  const time = { now: 0 };
  const end = { finish: () => {}, fail: () => {} };
  const stop = (why: string) => {
    causes.push(why);
    return new Promise<void>((resolve, reject) => {
      Object.assign(end, { finish: resolve, fail: () => reject(new Error('not closed')) });
    });
  };
  const cause = createStop({ stop, exit: (code) => exits.push(code), clock: () => time.now });
  return { cause, exits, causes, time, end };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

entering('H4: should exit 0 when all is done, and not before', async () => {
  const { cause, exits, causes, end } = createRecordedStop();
  cause('SIGTERM');
  await settled();
  assert.equal(causes, ['SIGTERM']);
  assert.equal(exits, []);
  end.finish();
  await settled();
  assert.equal(exits, [0]);
});

entering('H4: should take the second of two signals of one Ctrl-C for the first', async () => {
  const { cause, exits, causes, time } = createRecordedStop();
  cause('SIGINT');
  time.now = 20;
  cause('SIGINT');
  assert.equal(causes, ['SIGINT']);
  assert.equal(exits, []);
});

for (const { signal, code } of [
  { signal: 'SIGINT', code: 130 },
  { signal: 'SIGTERM', code: 143 },
] as const) {
  entering(`H4: should exit at once at a second ${signal}`, async () => {
    const { cause, exits, time } = createRecordedStop();
    cause('SIGTERM');
    time.now = 600;
    cause(signal);
    assert.equal(exits, [code]);
  });
}

entering('H4: should exit 1 when something could not be closed', async () => {
  const { cause, exits, end } = createRecordedStop();
  cause('SIGTERM');
  end.fail();
  await settled();
  assert.equal(exits, [1]);
});

entering.run();
