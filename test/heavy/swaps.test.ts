/** H5, D6: swaps of snapshots under load: each answer is from one snapshot. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertAbove, assertAtMost, assertBelow } from '../helpers/assertions.ts';
import { BAD_DELIVERIES, deliverSpoiled } from '../helpers/bad-deliveries.ts';
import { snapshotsIn } from '../helpers/build.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { publishGeneration } from '../helpers/generations.ts';
import { startMixedLoad } from '../helpers/mixed-load.ts';
import { type ServerProgram, startServerProgram, stopProgram } from '../helpers/program.ts';
import { IS_LONG } from '../helpers/run-options.ts';
import { until } from '../helpers/until.ts';
import { median, openFilesOf, type Usage, usageOf, whereProcIs } from '../helpers/usage.ts';
import { withPart } from '../helpers/when.ts';

const SWAPS = IS_LONG ? 500 : 8;
const CONNECTIONS = IS_LONG ? 24 : 4;
/** The pause of each client after each answer: the test is about swaps, not about load. */
const REST_MS = IS_LONG ? 25 : 120;
/** After that many good deliveries comes a bad one. */
const GOOD_ONES = 4;

/** With room to spare, Node would let garbage lie for minutes, and nobody could tell it from a leak. */
const TIGHT = '--max-old-space-size=96 --max-semi-space-size=4';
/** MB of resident memory. */
const MEMORY_MARGIN = 20;
const FILES_MARGIN = 4;

const swapping = whereProcIs(suite<{ ends: (() => void)[] }>('swaps', { ends: [] }));

swapping.after.each(({ ends }) => {
  for (const end of ends.splice(0)) end();
});

swapping(`H5, C3: ${SWAPS} swaps should fail no request and mix no two snapshots`, async ({ ends }) => {
  const served = temporaryFolder();
  const aside = temporaryFolder();
  let generation = 0;
  const build = (target: string) => publishGeneration(++generation, target);
  await build(served);
  const server = await startServerProgram('serve', {
    ALMANAKK_SNAPSHOTS: served,
    ALMANAKK_CACHE_MB: '8',
    NODE_OPTIONS: TIGHT,
  });
  ends.push(() => server.kill('SIGKILL'));
  const load = startMixedLoad({ url: server.url, connections: CONNECTIONS, restMs: REST_MS });
  ends.push(load.kill);
  const someAnswers = async () => {
    const before = load.tally().requests;
    await until('the load goes on', () => load.tally().requests > before + CONNECTIONS);
  };
  await someAnswers();

  const samples: Usage[] = [];
  let refused = 0;
  for (let swap = 0; swap < SWAPS; swap++) {
    const { id } = await build(served);
    await server.says(new RegExp(`snapshot adopted id=${id}`));
    await someAnswers();
    if (swap % GOOD_ONES === GOOD_ONES - 1) {
      const delivery = BAD_DELIVERIES[refused % BAD_DELIVERIES.length];
      if (delivery === undefined) throw new Error('expected a bad delivery');
      await build(aside);
      deliverSpoiled(aside, served, delivery);
      refused++;
      await checkRefusal(server, { number: refused, finding: delivery.finding, keeps: id });
      await someAnswers();
    }
    samples.push(usageOf(server.pid));
  }
  const { failed, failures, generations, connections } = await load.stop();
  assert.equal(failures, []);
  assert.is(failed, 0);
  assert.is(connections, CONNECTIONS, 'no connection was ever cut');
  assertAbove(generations, SWAPS * 0.9, 'generations that were seen');
  // Three, one that was refused, their compressed copies, and the manifest.
  assertAtMost(snapshotsIn(served).length, 8, 'snapshots');
  await checkUsage(server, samples);
  await stopProgram(server);
});

const REPLICAS = IS_LONG ? 3 : 2;
const PUBLISHES = IS_LONG ? 50 : 2;

withPart('jobs/annexes/pull', swapping)(
  `H6: ${REPLICAS} replicas should fail no request over ${PUBLISHES} publishes`,
  async ({ ends }) => {
    const folder = temporaryFolder();
    await publishGeneration(1, folder);
    const token = { ALMANAKK_SNAPSHOTS_TOKEN: 'a-token-of-enough-length' };
    const start = async (mode: 'start' | 'serve', env: Readonly<Record<string, string>>) => {
      const server = await startServerProgram(mode, {
        ...token,
        ALMANAKK_POLL_SECONDS: '1',
        ALMANAKK_CACHE_MB: '8',
        ...env,
      });
      ends.push(() => server.kill('SIGKILL'));
      return server;
    };
    const offering = { ALMANAKK_SNAPSHOTS: folder, ALMANAKK_SERVE_SNAPSHOTS: 'true' };
    const origin = await start('serve', offering);
    const starting = Array.from({ length: REPLICAS }, () =>
      start('start', { ALMANAKK_ORIGIN: `${origin.url}/snapshots`, ALMANAKK_SNAPSHOTS: temporaryFolder() }),
    );
    const replicas = await Promise.all(starting);
    // The replicas need the rest of the machine for themselves.
    const loads = replicas.map(({ url }) =>
      startMixedLoad({ url, connections: 2, restMs: IS_LONG ? 20 : 200 }),
    );
    for (let publish = 0; publish < PUBLISHES; publish++) {
      const { id } = await publishGeneration(2 + publish, folder);
      await Promise.all(
        replicas.map(({ says }) => says(new RegExp(`snapshot adopted (worker=\\d+ )?id=${id}`))),
      );
    }
    for (const { failures, requests, generations } of await Promise.all(loads.map((load) => load.stop()))) {
      assert.equal(failures, []);
      assertAbove(requests, PUBLISHES, 'requests');
      assertAbove(generations, 1, 'generations');
    }
    for (const server of [...replicas, origin]) await stopProgram(server);
  },
);

interface Refusal {
  readonly number: number;
  readonly finding: RegExp;
  readonly keeps: string;
}

/** Expects the refusal once in the log, and on `/readyz` with the snapshot that is kept. */
async function checkRefusal(server: ServerProgram, { number, finding, keeps }: Refusal): Promise<void> {
  const refusals = () => server.lines.filter((line) => / warn snapshot refused /.test(line));
  await until(`refusal ${number}: ${finding}`, () => refusals().length >= number);
  assert.is(refusals().length, number, server.lines.slice(-5).join('\n'));
  assert.match(refusals().at(-1) ?? '', finding);
  assert.match(refusals().at(-1) ?? '', `keeps=${keeps}`);
  const { status, text } = await server.send('/readyz');
  assert.is(status, 200);
  assert.match(text, `"id":"${keeps}"`);
  assert.match(text, finding);
}

/** Expects that memory and open files do not grow from one swap to the next, and that old snapshots are closed. */
async function checkUsage({ pid }: ServerProgram, samples: readonly Usage[]): Promise<void> {
  // Before the first of these stretches, the server reaches its size.
  const at = (share: number) => Math.floor(samples.length * share);
  const early = samples.slice(at(0.45), at(0.7));
  const late = samples.slice(at(0.8));
  const medianOf = (some: readonly Usage[], measure: keyof Usage) => median(some.map((one) => one[measure]));
  assertBelow(medianOf(late, 'memory'), medianOf(early, 'memory') + MEMORY_MARGIN, 'MB');
  assertAtMost(medianOf(late, 'files'), medianOf(early, 'files') + FILES_MARGIN, 'open files');
  const snapshotFiles = () => openFilesOf(pid).filter((path) => /calendar-\w+\.sqlite/.test(path));
  await until('only the current snapshot is open', () => new Set(snapshotFiles()).size === 1);
  assert.not.match(snapshotFiles().join(), /deleted/);
}

swapping.run();
