/** H4: serving processes: one that dies or hangs is replaced. */
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { replacementDelay } from '../../../src/runtime/workers.ts';
import { assertExcludes } from '../../helpers/assertions.ts';
import { clientOf } from '../../helpers/client.ts';
import { endPrograms, fixtureOf, SHORT_LIVED, startProgram, stopProgram } from '../../helpers/program.ts';
import { eventually } from '../../helpers/until.ts';
import { withPart } from '../../helpers/when.ts';

const working = suite('workers');

working.after.each(endPrograms);

const SCRIPT = fixtureOf('workers');
const COUNTING = fixtureOf('counting-workers');
const FLAG = '--max-semi-space-size=8';

async function startTwoWorkers(fault = '', env: Readonly<Record<string, string>> = {}, script = SCRIPT) {
  const program = startProgram({ script, flags: [FLAG], args: [fault], env });
  const line = await program.says(/ serving http/);
  const { send } = clientOf(/http:\/\/[^/]+/.exec(line)?.[0] ?? '');
  // A connection of its own each time, so that the processes take turns.
  const get = async (path: string) => (await send(path, { headers: { Connection: 'close' } })).text;
  /** The processes that answer. */
  const pids = async (): Promise<ReadonlySet<string>> => {
    const found = new Set<string>();
    for (let turn = 0; turn < 10; turn++) found.add(await get('/'));
    return found;
  };
  const bothAnswer = () => eventually('two processes answer', async () => (await pids()).size === 2);
  if (fault === '' || fault === 'scarce') await bothAnswer();
  return { ...program, get, pids, bothAnswer };
}

const countedIn = (metrics: string) => Number(/^counted (\d+)$/m.exec(metrics)?.[1]);

working('H4: should serve from several processes with the same builds and options of Node', async () => {
  const { get } = await startTwoWorkers();
  assert.is(await get('/options'), [...SHORT_LIVED, FLAG].join(' '));
  for (let turn = 0; turn < 4; turn++) assert.is(JSON.parse(await get('/builds'))[0].reason, 'made up');
});

working('H14: should have a file built again that one process gave up, and the others check it', async () => {
  const { get, says } = await startTwoWorkers();
  const leaving = await get('/damage');
  await says(/to repair$/);
  const line = await says(/is told of damage$/);
  assert.not.match(line, ` ${leaving} is told`);
});

withPart('src/annexes/operator', working)(
  'H4: should replace a process that dies without losing its counts',
  async () => {
    const { pids, get, says, bothAnswer } = await startTwoWorkers('', {}, COUNTING);
    for (let turn = 0; turn < 10; turn++) await get('/count');
    assert.is(countedIn(await get('/metrics')), 10);
    const before = await pids();
    await get('/die').catch(() => undefined);
    await says(/worker ended.* code=9 .*delay=0$/);
    assert.is(countedIn(await get('/metrics')), 10);
    await bothAnswer();
    const after = await pids();
    assert.is([...after].filter((pid) => !before.has(pid)).length, 1);
    await get('/count');
    assert.is(countedIn(await get('/metrics')), 11);
  },
);

working('H4: should stop all processes in good order', async () => {
  const program = await startTwoWorkers();
  const { lines } = program;
  await stopProgram(program);
  assert.match(lines.at(-1) ?? '', /stopped$/);
  assertExcludes(lines, 'worker ended');
});

working('H4: should kill a process that does not stop in time', async () => {
  await stopProgram(await startTwoWorkers('stuck'));
});

working('H4: should leave no process behind when the first one is killed', async () => {
  const { kill, ended, get } = await startTwoWorkers();
  kill('SIGKILL');
  await ended;
  const isDown = () =>
    get('/').then(
      () => false,
      () => true,
    );
  await eventually('nobody answers', isDown);
});

working('H3: should give up when no process can start, and say why once', async () => {
  const { ended, lines } = startProgram({ script: SCRIPT, args: ['refuse'] });
  assert.equal(await ended, { code: 1, signal: null });
  const [said = '', ...more] = lines.filter((line) => line.includes('PORT: taken'));
  assert.match(said, / error refused reason="PORT: taken"$/);
  assert.equal(more, []);
});

working('D13: should end and replace a process whose event loop stands still, and no other', async () => {
  const { pids, get, says, lines, bothAnswer } = await startTwoWorkers('', { STALL_MS: '3000' });
  const before = await pids();
  void get('/block/600000').catch(() => undefined);
  await says(/error worker killed, its event loop stalled worker=\d+ ms=3000$/);
  await says(/worker ended.* signal=SIGKILL delay=0$/);
  await bothAnswer();
  const after = await pids();
  assert.is([...after].filter((pid) => before.has(pid)).length, 1);
  assert.is(lines.filter((line) => line.includes('event loop stalled')).length, 1);
});

working('D13: should replace no process after the machine has slept', async () => {
  const { pid, pids, lines } = await startTwoWorkers('', { STALL_MS: '3000' });
  const all = [pid, ...[...(await pids())].map(Number)];
  for (const one of all) process.kill(one, 'SIGSTOP');
  await pause(5_000);
  for (const one of all) process.kill(one, 'SIGCONT');
  await pause(1_000);
  assert.is((await pids()).size, 2);
  assertExcludes(lines, 'ended');
  assertExcludes(lines, 'event loop stalled');
});

working('D13: should survive errors of starting and reaching a process, and start it later', async () => {
  const { get, says, bothAnswer } = await startTwoWorkers('scarce');
  await says(/warn worker not reached worker=1 reason="write EPIPE"$/);
  await get('/die').catch(() => undefined);
  await says(/warn worker ended.* delay=0$/);
  await says(/error worker could not be started, trying again reason="spawn ENOTDIR" delay=1000$/);
  await says(/error worker could not be started, trying again reason=".*ENOENT" delay=1000$/);
  await bothAnswer();
});

working('D13: should start a process at once when none is left, however often they died', async () => {
  const { lines, says } = startProgram({ script: SCRIPT, args: ['crash'], env: { COUNT: '1' } });
  await says(/worker ended.* worker=7 /);
  const delays = lines.map((line) => Number(/ delay=(\d+)$/.exec(line)?.[1]));
  assert.equal(
    delays.filter((delay) => delay > 0),
    [],
  );
});

for (const { deaths, delay } of [
  { deaths: 1, delay: 0 },
  { deaths: 2, delay: 100 },
  { deaths: 5, delay: 800 },
  { deaths: 10, delay: 25_600 },
  { deaths: 11, delay: 30_000 },
  { deaths: 500, delay: 30_000 },
] as const) {
  working(
    `D13: should wait ${delay} ms after ${deaths} deaths in a minute, unless no process is left`,
    () => {
      assert.is(replacementDelay({ deaths, others: 1 }), delay);
      assert.is(replacementDelay({ deaths, others: 0 }), 0);
    },
  );
}

working.run();
