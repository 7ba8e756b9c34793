import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ServerLimits } from '../../src/serve/http/server.ts';
import { built } from '../helpers/build.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { startLoad } from '../helpers/load.ts';
import { sourceFolder } from '../helpers/native-source.ts';
import { fixtureOf, type Program, startProgram, startServerProgram } from '../helpers/program.ts';
import { type StuckClient, type StuckKind, startStuck, stuckKinds } from '../helpers/stuck-clients.ts';
import { until } from '../helpers/until.ts';
import { type Usage, usageOf, whereProcIs } from '../helpers/usage.ts';

const LONG = process.env.ALMANAKK_TEST_LONG === '1';
/** Connections of each kind, all at the same time, and how often. */
const EACH = LONG ? 60 : 20;
const ROUNDS = LONG ? 6 : 3;
/** The same where the limits are those of the contract: a round takes more than a minute. */
const EACH_OF_MANY = 200;
const LONG_ROUNDS = 3;

/** In place of the contract's, in milliseconds. */
const LIMITS: Partial<ServerLimits> = {
  headersTimeout: 1_500,
  requestTimeout: 2_000,
  connectionsCheckingInterval: 100,
  idleTimeout: 2_500,
  keepAliveTimeout: 2_500,
};
/** Milliseconds for the last of them to be let go, on a machine that has other things to do. */
const PATIENCE = 120_000;

/** With room to spare, Node would let garbage lie for minutes, and nobody could tell it from a leak. */
const TIGHT = '--max-old-space-size=128 --max-semi-space-size=4';
/** MB of resident memory that the last round may leave more than an earlier one, after which a server has its size. */
const MEMORY_MARGIN = 25;
const FILES_MARGIN = 2;

interface Scene {
  readonly folder: string;
  file: string;
  readonly ends: (() => void)[];
}

const slow = whereProcIs(suite<Scene>('slow clients', { folder: temporaryFolder(), file: '', ends: [] }));

slow.before(async (context) => {
  const now = Math.floor(Date.now() / 1_000);
  context.file = (await built(bigSource(now), context.folder, { now })).file;
});

slow.after.each(({ ends }) => {
  for (const end of ends.splice(0)) end();
});

slow(
  'D9: slow and stuck clients should be let go, leave nothing behind, and keep nobody else waiting',
  async ({ folder, file, ends }) => {
    const server = startProgram({
      script: fixtureOf('serve-with-limits'),
      args: [folder, JSON.stringify(LIMITS)],
      env: { NODE_OPTIONS: TIGHT },
    });
    ends.push(() => server.kill('SIGKILL'));
    const url = (await server.says(/^serving http/)).replace('serving ', '');
    await besiege({
      server,
      ends,
      url,
      kinds: stuckKinds(`/snapshots/${file}`),
      each: EACH,
      rounds: ROUNDS,
      patience: PATIENCE,
    });
    assert.equal(server.lines.slice(1), []);
  },
);

if (LONG) {
  slow('D9: the same with the limits of the contract', async ({ folder, file, ends }) => {
    const env = { ALMANAKK_SNAPSHOTS: folder, ALMANAKK_SERVE_SNAPSHOTS: 'true', NODE_OPTIONS: TIGHT };
    const server = await startServerProgram('serve', env);
    ends.push(() => server.kill('SIGKILL'));
    const kinds = stuckKinds(`/snapshots/${file}`);
    await besiege({
      server,
      ends,
      url: server.url,
      kinds,
      each: EACH_OF_MANY,
      rounds: LONG_ROUNDS,
      patience: 100_000 + PATIENCE,
    });
    assert.not.match(server.lines.join('\n'), / (warn|error|fatal) /);
  });
}

interface Siege {
  readonly server: Program;
  /** Without a slash at the end. */
  readonly url: string;
  readonly kinds: readonly StuckKind[];
  /** Connections of each kind. */
  readonly each: number;
  readonly rounds: number;
  /** Called when the test is over, however it ends. */
  readonly ends: (() => void)[];
  /** Milliseconds. */
  readonly patience: number;
}

/** All kinds at once, several times, and others who ask the whole time. */
async function besiege(siege: Siege): Promise<void> {
  const { server, url, kinds, each } = siege;
  // A slow machine may let a kept connection rest for longer than the limits of this test.
  const load = startLoad({ url, clients: 2, restMs: 5, keepAlive: false, check: () => null });
  siege.ends.push(() => void load.stop());
  await until('the load has begun', () => load.count() > 20);
  const before = usageOf(server.pid);
  const rounds: Round[] = [];
  for (let round = 0; round < siege.rounds; round++) {
    const served = load.count();
    rounds.push(await oneRound(siege, before));
    assert.ok(load.count() > served + 20, 'others are answered meanwhile');
  }
  await load.stop();
  assert.equal(load.failures, []);
  const told = rounds.map(({ peak, after }) => `${peak.toFixed(0)}/${after.memory.toFixed(0)}`);
  console.log(
    `  ${siege.rounds} times ${each * kinds.length} stuck connections beside ${load.count()} requests, ${load.failures.length} failed; ` +
      `files ${before.files} before, ${rounds.at(-1)?.after.files} after; ` +
      `MB ${before.memory.toFixed(0)} before, most/after ${told.join(', ')}`,
  );
  const [early, late] = [rounds[siege.rounds > 2 ? 1 : 0], rounds.at(-1)].map(
    (one) => one?.after.memory ?? 0,
  );
  assert.ok(
    (late ?? 0) <= (early ?? 0) + MEMORY_MARGIN,
    `${early} MB after an early round, ${late} MB after the last`,
  );
}

interface Round {
  /** MB of resident memory, at most. */
  readonly peak: number;
  readonly after: Usage;
}

async function oneRound({ server, url, kinds, each, ends, patience }: Siege, before: Usage): Promise<Round> {
  const port = Number(new URL(url).port);
  const clients = new Map<StuckKind, readonly StuckClient[]>();
  let peak = 0;
  const areGone = () => {
    const { memory, files } = usageOf(server.pid);
    peak = Math.max(peak, memory);
    return files <= before.files + FILES_MARGIN;
  };
  for (const kind of kinds) {
    clients.set(kind, await Promise.all(Array.from({ length: each }, () => startStuck(port, kind))));
  }
  const all = [...clients.values()].flat();
  const destroyAll = () => all.map(({ socket }) => socket.destroy());
  ends.push(destroyAll);
  await until('every connection is let go', areGone, patience);
  await until('they have heard it', () => all.every(isLetGo));
  for (const [{ what, hears }, some] of clients) {
    for (const { got } of some) {
      if (hears === null) assert.is(got(), '', what);
      else assert.match(got(), hears, `${what}, and heard: ${got().slice(0, 400)} … ${got().slice(-400)}`);
    }
  }
  destroyAll();
  return { peak, after: usageOf(server.pid) };
}

/** One that does not read does not hear of it, either. */
function isLetGo({ socket }: StuckClient): boolean {
  return socket.isPaused() || socket.readableEnded || socket.destroyed;
}

/** Some megabytes, so that an answer of it does not go into what the kernel holds for a client that does not read. */
function bigSource(now: number): string {
  const start = `${new Date((now + 86_400) * 1_000).toISOString().slice(0, 19)}Z`;
  return sourceFolder({
    'events.ndjson': Array.from({ length: 3_000 }, (_, at) => ({
      id: `e${at}`,
      title_nb: `Konsert ${at}`,
      desc_nb: 'En kveld ved elva for alle som vil. '.repeat(60),
      dates: [{ start, duration: 90 }],
    })),
  });
}

slow.run();
