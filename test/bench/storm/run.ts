/** `npm run bench -- --storm`: what many at once do to a serving process that has so much memory and no more (D14). */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Built, buildCalendar } from '../calendars.ts';
import { freePort, SERVER_ENV, SERVER_FLAGS, startHelper } from '../processes.ts';
import { ATTACKS, type Tally } from './attacks.ts';
import { createMemoryGroup, type MemoryGroup } from './group.ts';
import { measureRefusal } from './refusal.ts';
import { type Row, renderStorm } from './report.ts';
import type { Seen } from './watcher.ts';

const WORK = fileURLToPath(new URL('../work/storm/', import.meta.url));
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PROBE = new URL('../probe.mjs', import.meta.url).href;
const MB = 1_024 * 1_024;
/** That a server is left alone after its last attack. */
const AFTER_MS = 60_000;

interface Scene {
  readonly calendar: string;
  readonly megabytes: number;
  readonly workers: number;
}

export interface StormOptions {
  readonly dist: string;
  /** File of the table. */
  readonly out: string;
  /** That each attack takes. */
  readonly seconds: number;
  readonly isQuick: boolean;
}

const SCENES: readonly Scene[] = [512, 384, 256].flatMap((megabytes) =>
  ['big', 'large'].flatMap((calendar) => [1, 2].map((workers) => ({ calendar, megabytes, workers }))),
);

/** All at once, which no server of this size can answer. */
const MIX = Object.keys(ATTACKS);

export async function runStorm({ dist, out, seconds, isQuick }: StormOptions): Promise<void> {
  mkdirSync(WORK, { recursive: true });
  const now = Date.now();
  const big = await buildCalendar({ work: WORK, name: 'big', events: 1_500, now, dates: 'weekly' }, dist);
  const large = await buildCalendar({ work: WORK, name: 'large', events: 20_000, now }, dist);
  const calendars: Readonly<Record<string, Built>> = { big, large };
  const rows: Row[] = [];
  const refusal = await measureRefusal();
  const scenes = isQuick ? QUICK : SCENES;
  try {
    for (const scene of scenes) {
      process.stderr.write(`storm: ${scene.calendar}, ${scene.megabytes} MB, ${scene.workers} workers\n`);
      const built = calendars[scene.calendar];
      if (built !== undefined) rows.push(...(await attackAll({ ...scene, built, dist, seconds })));
      const machine = { cores: cpus().length, load: loadavg()[0] ?? 0, node: process.version };
      writeFileSync(out, renderStorm({ rows, refusal, machine, seconds }));
    }
  } finally {
    rmSync(WORK, { recursive: true, force: true });
  }
}

const QUICK: readonly Scene[] = [
  { calendar: 'big', megabytes: 512, workers: 1 },
  { calendar: 'big', megabytes: 256, workers: 1 },
  { calendar: 'large', megabytes: 256, workers: 1 },
  { calendar: 'big', megabytes: 384, workers: 2 },
];

interface Attacking extends Scene {
  readonly built: Built;
  readonly dist: string;
  readonly seconds: number;
}

async function attackAll(scene: Attacking): Promise<readonly Row[]> {
  const { calendar, megabytes, workers, built, seconds } = scene;
  const server = await startServer(scene);
  const watcher = await startHelper(new URL('watcher.ts', import.meta.url));
  const client = await startHelper(new URL('client.ts', import.meta.url));
  const file = readdirSync(built.folder).find((name) => /^calendar-.*\.sqlite$/.test(name)) ?? '';
  const target = { port: server.port, file };
  const rows: Row[] = [];
  try {
    await pause(2_000);
    const base = server.memory().now;
    const quiet = await watched(watcher, server.port, 3);
    for (const attack of [...Object.keys(ATTACKS), 'all of these']) {
      server.forgetPeak();
      await ask(server.child, 'watchLoop');
      const begun = once(client, 'message');
      client.send({ begin: attack === 'all of these' ? MIX : [attack], target });
      await begun;
      const seen = await watched(watcher, server.port, seconds);
      const loop = workers === 1 ? ((await ask(server.child, 'loop')) as { readonly max?: number }) : {};
      const { peak } = server.memory();
      const ended = once(client, 'message');
      client.send({ end: true });
      const [told] = await ended;
      const { tallies } = told as { readonly tallies: readonly Tally[] };
      rows.push({
        calendar,
        megabytes,
        workers,
        attack,
        group: server.group,
        base,
        peak,
        seen,
        quiet,
        tallies,
        stallMs: loop.max ?? null,
        deaths: server.deaths(),
        laterMB: null,
      });
      if (server.deaths() > 0 && workers === 1) break;
      await pause(500);
    }
    const highest = Math.max(...rows.map(({ peak }) => peak));
    await pause(AFTER_MS);
    const last = rows.at(-1);
    if (last !== undefined)
      rows[rows.length - 1] = { ...last, laterMB: server.memory().now, highestMB: highest };
    return rows;
  } finally {
    watcher.kill();
    client.kill();
    await server.stop();
  }
}

async function watched(watcher: ChildProcess, port: number, seconds: number): Promise<Seen> {
  watcher.send({ port });
  await pause(seconds * 1_000);
  const answered = once(watcher, 'message');
  watcher.send({ end: true });
  const [seen] = await answered;
  return seen as Seen;
}

async function ask(child: ChildProcess, question: string): Promise<unknown> {
  if (child.exitCode !== null || child.signalCode !== null || !child.connected) return {};
  const answered = once(child, 'message').then(([answer]) => answer as unknown);
  child.send(question);
  return Promise.race([answered, pause(15_000, {})]);
}

async function startServer({ megabytes, workers, built, dist }: Attacking) {
  const port = await freePort();
  const group = createMemoryGroup(
    `almanakk-storm-${process.pid}-${port}`,
    workers * megabytes * MB + FIRST_BYTES * (workers - 1),
  );
  const program = [...SERVER_FLAGS, '--import', PROBE, resolve(dist, 'src/main.js'), 'serve'];
  const child = spawn(process.execPath, program, {
    cwd: ROOT,
    env: {
      ...process.env,
      ...SERVER_ENV,
      BENCH_MEASURED: '1',
      HOST: '127.0.0.1',
      PORT: `${port}`,
      NODE_ENV: 'production',
      ALMANAKK_SNAPSHOTS: built.folder,
      ALMANAKK_KEYS: join(WORK, 'keys.json'),
      ALMANAKK_SERVE_SNAPSHOTS: 'true',
      ALMANAKK_MEMORY_MB: `${megabytes}`,
      ALMANAKK_WORKERS: `${workers}`,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  group.add(child.pid ?? 0);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-50_000);
    });
  }
  while (!output.includes('serving http')) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`expected a server, found:\n${output}`);
    await pause(50);
  }
  const serving = () => (workers === 1 ? [child.pid ?? 0] : workersOf(child.pid ?? 0));
  return {
    child,
    port,
    group: group.kind,
    /** Of the largest of its serving processes. */
    memory: () => largest(serving().map(memoryOf)),
    forgetPeak: () => serving().forEach(forgetPeak),
    deaths: () => deathsIn(child, output, group),
    stop: async () => {
      const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
      child.kill('SIGKILL');
      await exited;
      await pause(500);
      group.remove();
    },
  };
}

/** Of a first process that serves nothing. */
const FIRST_BYTES = 128 * MB;

function deathsIn({ exitCode, signalCode }: ChildProcess, output: string, group: MemoryGroup): number {
  const replaced = output.split('worker ended').length - 1;
  return (exitCode !== null || signalCode !== null ? 1 : 0) + Math.max(replaced, group.kills());
}

function workersOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/).map(Number);
}

interface Memory {
  readonly now: number;
  readonly peak: number;
}

/** MB; 0 for a process that is gone. */
function memoryOf(pid: number): Memory {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const field = (name: string) =>
      Math.round(Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1_024);
    return { now: field('VmRSS'), peak: field('VmHWM') };
  } catch {
    return { now: 0, peak: 0 };
  }
}

const largest = (all: readonly Memory[]): Memory => ({
  now: Math.max(0, ...all.map(({ now }) => now)),
  peak: Math.max(0, ...all.map(({ peak }) => peak)),
});

function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
  } catch {
    // Gone, or another's.
  }
}
