/** H1–H4: programs that start, build, stop and restart, also behind nginx. */
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertExcludes, assertIncludes, assertMissing } from '../helpers/assertions.ts';
import { sourceOfEvents } from '../helpers/build.ts';
import { publishCalendar, temporaryFolder } from '../helpers/folder.ts';
import { publishGeneration } from '../helpers/generations.ts';
import { startMixedLoad } from '../helpers/mixed-load.ts';
import { sourceFolder } from '../helpers/native-source.ts';
import { startNginx, withNginx } from '../helpers/nginx.ts';
import {
  childrenOf,
  endPrograms,
  isGone,
  type Program,
  ROOT,
  scriptOf,
  startProgram,
  startServerProgram,
  stopProgram,
} from '../helpers/program.ts';
import { IS_LONG } from '../helpers/run-options.ts';
import { until } from '../helpers/until.ts';
import { hasPart } from '../helpers/when.ts';

const ROUNDS = IS_LONG ? 20 : 1;
/** Answers between two restarts, so that the load is there at each. */
const REQUESTS = IS_LONG ? 50 : 20;

const restarting = suite('restart');

restarting.after.each(endPrograms);

withNginx(restarting)(
  'H4: a rolling restart of two servers behind nginx should lose no request',
  async () => {
    const folder = temporaryFolder();
    await publishGeneration(1, folder);
    // The second one in several processes.
    const ALMANAKK_KEYS = join(temporaryFolder(), 'keys.json');
    const envs = ['1', '2'].map((ALMANAKK_WORKERS) => ({
      ALMANAKK_SNAPSHOTS: folder,
      ALMANAKK_KEYS,
      ALMANAKK_WORKERS,
    }));
    const servers = await Promise.all(envs.map((env) => startServerProgram('serve', env)));
    const ports = servers.map(({ port }) => port);
    // As docs/ shows it: the interface only reads, so a POST may be sent to the next server, too.
    const nginx = await startNginx({
      http: `upstream almanakk {
        ${ports.map((port) => `server 127.0.0.1:${port} max_fails=0;`).join('\n')}
        keepalive 16;
      }`,
      server: 'location / { proxy_pass http://almanakk; include snippets/almanakk.conf; }',
    });
    try {
      const load = startMixedLoad({ url: nginx.url, connections: 4, restMs: 80 });
      const goesOn = async () => {
        const { requests } = load.tally();
        await until('the load goes on', () => load.tally().requests > requests + REQUESTS);
      };
      await goesOn();
      for (let round = 0; round < ROUNDS; round++) {
        for (const [place, port] of ports.entries()) {
          const server = servers[place];
          if (server === undefined) throw new Error('expected two servers');
          await stopProgram(server);
          servers[place] = await startServerProgram('serve', { ...envs[place], PORT: `${port}` });
          await goesOn();
        }
      }
      assert.equal((await load.stop()).failures, []);
    } finally {
      await nginx.stop();
    }
    await Promise.all(servers.map(stopProgram));
    // H12: both have noted that they were told to stop, for the alerts of the operator.
    if (hasPart('src/annexes/operator'))
      assert.equal(
        readdirSync(dirname(ALMANAKK_KEYS)).filter((name) => !name.endsWith('-0')),
        ports.map((port) => `keys.json.stopped-${port}`).toSorted(),
      );
  },
);

restarting(
  'H4: a server with an unfinished request should exit in time, and at once at a second signal',
  async () => {
    const folder = temporaryFolder();
    await publishCalendar(folder);
    const hold = async () => {
      const server = await startServerProgram('serve', { ALMANAKK_SNAPSHOTS: folder });
      const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
      const head =
        'POST /graphQL HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: 9\r\n';
      socket.write(`${head}Expect: 100-continue\r\n\r\n{`);
      // The server says so when it waits for the rest: only then does it have something to finish.
      const [reply] = await once(socket, 'data');
      assert.match(String(reply), /^HTTP\/1\.1 100 /);
      return server;
    };
    const [patient, hurried] = await Promise.all([hold(), hold()]);
    patient.kill('SIGTERM');
    hurried.kill('SIGINT');
    await hurried.says(/ stopping/);
    // Later than the two signals of one Ctrl-C can be apart.
    const again = setInterval(() => hurried.kill('SIGINT'), 600);
    assert.equal(await hurried.ended, { code: 130, signal: null });
    clearInterval(again);
    // The other one still waits for the rest of its request.
    const cuts = () => patient.lines.filter((line) => line.includes('connections cut')).length;
    assert.is(cuts(), 0);
    assert.equal(await patient.ended, { code: 0, signal: null });
    assert.is(cuts(), 1);
  },
);

restarting(
  'H1: `start` should build a missing snapshot and serve it; a second start should keep it',
  async () => {
    const folder = temporaryFolder();
    const daily = { rule: 'FREQ=DAILY', start: '2026-01-01 12:00' };
    const source = sourceFolder({
      'events.json': [
        { id: 'good', title_nb: 'Daglig', repeats: [daily], venue: 'nowhere', dates: [{ start: 'soon' }] },
      ],
    });
    const env = { ALMANAKK_SNAPSHOTS: folder, ALMANAKK_SOURCE: source };
    const server = await startServerProgram('start', env);
    assertIncludes(server.lines.join('\n'), 'waiting for the first snapshot');
    // G2
    const published = await server.says(
      / warn rebuild published id=\w{16} events=1 dropped=2 added=1 changed=0 removed=0 ms=\d+ first=/,
    );
    assert.match(
      published,
      / first="events\.json:1 .* found \\"soon\\"" others=1 see="almanakk check, \/status"$/,
    );
    assert.is((await server.send('/readyz')).status, 200);
    await stopProgram(server);
    // The second start finds the snapshot, serves it at once, and the build has nothing to do.
    const second = await startServerProgram('start', env);
    await second.says(/ rebuild unchanged id=\w{16} events=1 dropped=2 /);
    if (hasPart('src/annexes/operator')) {
      const { concerns, builds, report } = JSON.parse((await second.send('/status?format=json')).text);
      assert.equal(
        [concerns.length, concerns[0].name, builds[0].outcome],
        [1, 'records dropped', 'unchanged'],
      );
      const actions = ['dropped date', 'dropped reference', 'no category'].map((action) => ({
        action,
        count: 1,
      }));
      assert.equal(report.actions, actions);
    }
    assertExcludes(second.lines, 'waiting');
    await stopProgram(second);
  },
);

restarting('H2: `schedule` should build and not serve', async () => {
  const env = { ALMANAKK_SNAPSHOTS: temporaryFolder(), ALMANAKK_SOURCE: sourceOfEvents(3) };
  const program = startProgram({ script: scriptOf('jobs/cli'), args: ['schedule'], env });
  await program.says(/ rebuild published id=\w{16} /);
  await stopProgram(program);
  assertExcludes(program.lines, 'http:');
});

restarting('H4: a server that stops should end its build, which then logs no outcome', async () => {
  const env = { ALMANAKK_SNAPSHOTS: temporaryFolder(), ALMANAKK_SOURCE: `${ROOT}/data/sample` };
  const program = startProgram({ script: scriptOf('src/main'), args: ['start'], env });
  await program.says(/waiting for the first snapshot/);
  await stopProgram(program);
  assertExcludes(program.lines, 'rebuild');
});

/** The process of the build that the program has at work; NaN when there is none. */
const buildOf = ({ pid }: Program): number => childrenOf(pid, 'rebuild')[0] ?? Number.NaN;

restarting('H4: a schedule that is killed should leave no build behind, and no snapshot', async () => {
  const snapshots = temporaryFolder();
  const env = { ALMANAKK_SNAPSHOTS: snapshots, ALMANAKK_SOURCE: `${ROOT}/data/sample` };
  const program = startProgram({ script: scriptOf('jobs/cli'), args: ['schedule'], env });
  await until('a build is at work', () => buildOf(program) > 0);
  const build = buildOf(program);
  process.kill(build, 'SIGSTOP');
  program.kill('SIGKILL');
  await program.ended;
  process.kill(build, 'SIGCONT');
  await until('the build is gone', () => isGone(build));
  assertMissing(join(snapshots, 'manifest.json'));
});

interface WrongSetting {
  readonly env: Readonly<Record<string, string>>;
  /** The line that says so. */
  readonly finding: RegExp;
}

const WRONG_SETTINGS: readonly WrongSetting[] = [
  { env: { PORT: 'four' }, finding: /^PORT: expected a whole number from 0 to 65535, found "four"$/ },
  { env: { ALMANAKK_CRON: '99 * * * *' }, finding: /^ALMANAKK_CRON: expected a cron expression/ },
  {
    env: { HOST: '203.0.113.1' },
    finding: /^PORT and HOST: expected to listen on 203\.0\.113\.1, port 0, found /,
  },
  {
    env: { HOST: '203.0.113.1', ALMANAKK_WORKERS: '2' },
    finding: /^PORT and HOST: expected to listen on 203\.0\.113\.1, port 0/,
  },
];

restarting('H3: a server should not start with a wrong setting, and should say so in one line', async () => {
  const refusal = async ({ env, finding }: WrongSetting) => {
    const own = { ALMANAKK_SNAPSHOTS: temporaryFolder(), ALMANAKK_SOURCE: sourceOfEvents(3) };
    const program = startProgram({ script: scriptOf('src/main'), args: ['start'], env: { ...own, ...env } });
    await program.says(finding);
    const wrong = JSON.stringify(env);
    assert.is((await program.ended).code, 1, wrong);
    assert.is(program.lines.filter((line) => line.includes('expected')).length, 1, wrong);
  };
  await Promise.all(WRONG_SETTINGS.map(refusal));
});

restarting.run();
