/**
 * `npm run bench -- --soak`: whether a server that runs for long stays as it is. Clients ask at half of what the machine can do,
 * builds publish into the folder that it follows, some of them fail, and every few minutes there is a storm.
 */
import { type ChildProcess, execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { MANIFEST } from '../../../src/snapshot/folder.ts';
import { rebuildIn } from '../calendars.ts';
import { describeMachine } from '../machine.ts';
import { ask, SERVER_ENV, SERVER_FLAGS, type Served, startHelper, startServer } from '../processes.ts';
import { type Directories, repeated } from '../questions.ts';
import { ask as askGraphQL, readSlugs } from '../records.ts';
import { writeSource } from '../source/write.ts';
import { ATTACKS } from '../storm/attacks.ts';
import type { Order, Taken } from './client.ts';
import { renderPicture, renderSoak, type Sample, type Soak, type Span } from './report.ts';

export interface SoakOptions {
  readonly dist: string;
  /** Folder for the table and the picture. */
  readonly out: string;
  readonly isQuick: boolean;
}

/** Seconds, but for the counts. */
const FULL = { lasts: 1_800, settles: 300, builds: 60, stormEvery: 300, stormLasts: 10, measures: 15 };
const QUICK = { lasts: 180, settles: 60, builds: 9, stormEvery: 90, stormLasts: 4, measures: 5 };
const EVENTS = 20_000;
/** Events that each build has otherwise than the one before. */
const CHANGED = 200;
/** Every so manieth build finds a source that it refuses. */
const BROKEN_EVERY = 6;
const SAMPLE_SECONDS = 2;
const BUILD_WITHIN = 300_000;

const WORK = fileURLToPath(new URL('../work/soak/', import.meta.url));
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export async function runSoak({ dist, out, isQuick }: SoakOptions): Promise<void> {
  rmSync(WORK, { recursive: true, force: true });
  const plan = isQuick ? QUICK : FULL;
  const paths = { source: join(WORK, 'source'), target: join(WORK, 'snapshots'), dist };
  const now = Date.now();
  await writeSource({ folder: paths.source, events: EVENTS, seed: 1, now, dates: 'few' });
  say('building');
  const first = await rebuild(paths);
  if (first !== 0) throw new Error(`expected a first snapshot, found exit code ${first}`);
  const server = await startServer({
    name: 'almanakk',
    file: resolve(ROOT, dist, 'src/main.js'),
    args: ['serve'],
    flags: SERVER_FLAGS,
    env: {
      ...SERVER_ENV,
      ALMANAKK_SNAPSHOTS: paths.target,
      ALMANAKK_KEYS: join(WORK, 'keys.json'),
      ALMANAKK_LOG_FORMAT: 'json',
      ALMANAKK_SERVE_SNAPSHOTS: 'true',
    },
    ready: { path: '/readyz', status: 200 },
    allCores: true,
  });
  const client = await startHelper(new URL('client.ts', import.meta.url));
  try {
    const directories = await directoriesOf(server, now);
    const order = (more: Order) => ask(client, more);
    const capacity = await measureCapacity({ server, directories, order, seconds: plan.measures });
    say(`${Math.round(capacity)} requests a second at most; going on with half of them`);
    await order({ port: server.port, directories, pace: capacity / 2 });
    const found = await soak({ plan, server, client, paths });
    const soaked: Soak = {
      ...found,
      capacity,
      settles: plan.settles,
      lasts: plan.lasts,
      events: EVENTS,
      changed: CHANGED,
      machine: describeMachine(),
      at: new Date(now).toISOString(),
    };
    mkdirSync(out, { recursive: true });
    const table = renderSoak(soaked);
    writeFileSync(join(out, 'soak.md'), table);
    writeFileSync(join(out, 'soak.svg'), renderPicture(soaked));
    process.stdout.write(`${table}\nThis table and its picture are in ${out}/.\n`);
  } finally {
    client.kill();
    await server.stop();
    rmSync(WORK, { recursive: true, force: true });
  }
}

async function directoriesOf({ port }: Served, now: number): Promise<Directories> {
  const url = `http://127.0.0.1:${port}/graphQL`;
  await askGraphQL(url, repeated({ now }));
  return readSlugs(url, now);
}

interface Measuring {
  readonly server: Served;
  readonly directories: Directories;
  readonly order: (order: Order) => Promise<unknown>;
  readonly seconds: number;
}

/** Requests a second of the same mix, from the same clients, with nothing else going on. */
async function measureCapacity({ server, directories, order, seconds }: Measuring): Promise<number> {
  await order({ port: server.port, directories, pace: null });
  await pause(seconds * 1_000);
  await order({ take: true });
  await pause(seconds * 1_000);
  const { answered, seconds: took } = (await order({ take: true })) as Taken;
  return answered / took;
}

interface Paths {
  readonly source: string;
  /** Snapshot folder. */
  readonly target: string;
  readonly dist: string;
}

interface Soaking {
  readonly plan: typeof FULL;
  readonly server: Served;
  readonly client: ChildProcess;
  readonly paths: Paths;
}

type Seen = Pick<Soak, 'samples' | 'storms' | 'adoptions' | 'builds' | 'deaths'>;

async function soak({ plan, server, client, paths }: Soaking): Promise<Seen> {
  const begun = Date.now();
  const secondsNow = () => (Date.now() - begun) / 1_000;
  const isOver = () => secondsNow() >= plan.lasts;
  const samples: Sample[] = [];
  const storms: Span[] = [];
  const builds: Soak['builds'][number][] = [];
  const adoptions = new Set<number>();
  let deaths = 0;
  const until = (second: number) => pause(Math.max(0, second - secondsNow()) * 1_000);

  async function build(): Promise<void> {
    for (let nth = 0; nth < plan.builds; nth++) {
      await until((nth * plan.lasts) / plan.builds);
      if (isOver()) return;
      const isBroken = nth % BROKEN_EVERY === BROKEN_EVERY - 1;
      const mend = isBroken ? breakSource(paths.source, nth) : changeSource(paths.source, nth);
      const code = await rebuild(paths);
      mend();
      builds.push({ at: secondsNow(), isBroken, code });
    }
  }

  async function storm(): Promise<void> {
    for (let at = plan.stormEvery / 2; at + plan.stormLasts < plan.lasts; at += plan.stormEvery) {
      await until(at);
      const { file } = JSON.parse(readFileSync(join(paths.target, MANIFEST), 'utf8'));
      const attackers = await startHelper(new URL('../storm/client.ts', import.meta.url));
      const from = secondsNow();
      await ask(attackers, { begin: Object.keys(ATTACKS), target: { port: server.port, file } });
      await pause(plan.stormLasts * 1_000);
      await ask(attackers, { end: true });
      attackers.kill();
      storms.push({ from, to: secondsNow() });
      say(`storm ${storms.length} is over`);
    }
  }

  async function watch(): Promise<void> {
    for (let nth = 1; !isOver(); nth++) {
      await until(nth * SAMPLE_SECONDS);
      const sample = await sampleOf(server, client);
      if (sample === null) {
        deaths++;
        return;
      }
      samples.push({ at: secondsNow(), ...sample });
      for (const adopted of adoptionsIn(server.output())) adoptions.add((adopted - begun) / 1_000);
    }
  }

  await Promise.all([watch(), build(), storm()]);
  const since = [...adoptions].filter((at) => at > 0).sort((left, right) => left - right);
  return { samples, storms, adoptions: since, builds, deaths };
}

/** Null when the server is gone. */
async function sampleOf({ pid, usage }: Served, client: ChildProcess): Promise<Omit<Sample, 'at'> | null> {
  try {
    const descriptors = readdirSync(`/proc/${pid}/fd`).length;
    const { rss, heap } = await Promise.race([usage(), pause(60_000).then(() => Promise.reject(SILENT))]);
    const { answered, failures, p50, p99 } = (await ask(client, { take: true })) as Taken;
    return { rss, heap, descriptors, answered, failures, p50, p99 };
  } catch (cause) {
    say(`the server is gone: ${cause}`);
    return null;
  }
}

const SILENT = new Error('expected the server to say what it uses within a minute, found nothing');

/** Milliseconds since 1970. */
function adoptionsIn(output: string): readonly number[] {
  return output
    .split('\n')
    .filter((line) => line.includes('snapshot adopted'))
    .map((line) => Date.parse(/"time":"([^"]+)"/.exec(line)?.[1] ?? ''))
    .filter(Number.isFinite);
}

/** The exit code. As an operator would start it beside a server: it yields to the requests. */
function rebuild({ source, target, dist }: Paths): Promise<number> {
  const args = ['-n', '10', process.execPath, ...rebuildIn(dist)];
  return new Promise((done) => {
    const options = { cwd: ROOT, timeout: BUILD_WITHIN, maxBuffer: 64 * 1_024 * 1_024 };
    const child = execFile('nice', [...args, '--source', source, '--target', target], options, () =>
      done(child.exitCode ?? -1),
    );
  });
}

/** Other titles for some of the events. Gives what is to be done after the build: nothing. */
function changeSource(source: string, nth: number): () => void {
  const path = join(source, 'events.ndjson');
  const lines = readFileSync(path, 'utf8').split('\n');
  for (let place = 0; place < CHANGED; place++) {
    const at = (nth * CHANGED + place) % EVENTS;
    const record = JSON.parse(lines[at] ?? '{}');
    lines[at] = JSON.stringify({ ...record, title_nb: `${record.title_nb} ${nth}` });
  }
  writeFileSync(path, lines.join('\n'));
  return () => undefined;
}

/** A licence that is cut off, or no events at all: each in turn. Gives what mends it. */
function breakSource(source: string, nth: number): () => void {
  const path = join(source, nth % (2 * BROKEN_EVERY) < BROKEN_EVERY ? 'licence.json' : 'events.ndjson');
  const whole = readFileSync(path);
  writeFileSync(path, path.endsWith('licence.json') ? whole.subarray(0, whole.length / 2) : '');
  return () => writeFileSync(path, whole);
}

function say(what: string): void {
  process.stderr.write(`soak: ${new Date().toISOString().slice(11, 19)} ${what}\n`);
}
