/** K4: one quota for all serving processes of a machine. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertAtLeast, assertOneOf } from '../../../helpers/assertions.ts';
import { publishCalendar, temporaryFolder } from '../../../helpers/folder.ts';
import { endPrograms, type ServerProgram, startServerProgram, workersOf } from '../../../helpers/program.ts';
import { eventually } from '../../../helpers/until.ts';

/** Odd: the shares of two processes differ. */
const LIMIT = 7;

const quota = suite<{ program: ServerProgram }>('quota of several processes');

quota.before(async (context) => {
  const snapshots = temporaryFolder();
  await publishCalendar(snapshots);
  context.program = await startServerProgram('serve', {
    ALMANAKK_SNAPSHOTS: snapshots,
    ALMANAKK_WORKERS: '2',
    ALMANAKK_QUOTA: `${LIMIT}`,
    ALMANAKK_TRUST_PROXY: '127.0.0.1',
    ALMANAKK_LOG_LEVEL: 'debug',
  });
  await eventually('two processes', async () => workersOf(context.program).length === 2);
});

quota.after(endPrograms);

/** A connection of its own each time, so that the processes take turns. */
async function ask(server: ServerProgram, address: string): Promise<number> {
  const headers = { 'x-forwarded-for': address, connection: 'close' };
  return (await server.post('{ __typename }', {}, headers)).status;
}

let addresses = 0;

/** How many of twice as many requests as the limit were answered, all in one minute of the clock. */
async function answered(server: ServerProgram): Promise<number> {
  const minute = () => Math.floor(Date.now() / 60_000);
  const begun = minute();
  const address = `192.0.2.${++addresses}`;
  const statuses = [];
  for (let nth = 0; nth < 2 * LIMIT; nth++) statuses.push(await ask(server, address));
  for (const status of statuses) assertOneOf(status, [200, 429]);
  return minute() === begun ? statuses.filter((status) => status === 200).length : answered(server);
}

quota('K4: should be shared by the serving processes of one machine, to the request', async ({ program }) => {
  // The first process answers before the others are there.
  await eventually('all processes share', async () => (await answered(program)) === LIMIT);
  assert.is(await answered(program), LIMIT);
});

quota('K4: should be seen in the metrics and on /status, by caller', async ({ program }) => {
  const { send, lines } = program;
  const { text: metrics } = await send('/metrics');
  const [, refused] =
    /^almanakk_rate_limited_total\{caller="anonymous",application=""\} (\d+)$/m.exec(metrics) ?? [];
  assertAtLeast(Number(refused), 2 * LIMIT, `refused requests in\n${metrics}`);
  const { traffic } = JSON.parse((await send('/status?format=json')).text);
  assert.is(traffic.callers[0].refused, Number(refused));
  const { text: developers } = await send('/?lang=en');
  assert.match(developers, `Without a key, an IP address may make ${LIMIT} calls a minute`);
  assert.not.match(lines.join('\n'), '192.0.2.');
});

quota(
  'K4: should stay as large when one process dies and another one takes its place',
  async ({ program }) => {
    const before = workersOf(program);
    for (const pid of before.slice(0, 1)) process.kill(pid, 'SIGKILL');
    const isReplaced = () => {
      const after = workersOf(program);
      return after.length === 2 && after.some((pid) => !before.includes(pid));
    };
    await eventually('two processes again', async () => isReplaced());
    await eventually('both share', async () => (await answered(program)) === LIMIT);
    assert.is(await answered(program), LIMIT);
  },
);

quota.run();
