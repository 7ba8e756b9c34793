/** `npm run bench -- --storm`: attacks on a serving process with limited memory (D14). */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Built } from '../builds.ts';
import { buildCalendar } from '../calendars.ts';
import { ask, startHelper } from '../processes.ts';
import { ATTACKS, type Tally } from './attacks.ts';
import type { Seen } from './polite.ts';
import { measureRefusal } from './refusal.ts';
import { type Row, renderStorm } from './report.ts';
import { startBounded } from './server.ts';

const WORK = fileURLToPath(new URL('../work/storm/', import.meta.url));
/** The time for which a server is left alone after its last attack. */
const AFTER_MS = 60_000;

interface Scene {
  readonly calendar: string;
  readonly megabytes: number;
  readonly workers: number;
}

const SCENES: readonly Scene[] = [512, 384, 256].flatMap((megabytes) =>
  ['big', 'large'].flatMap((calendar) => [1, 2].map((workers) => ({ calendar, megabytes, workers }))),
);

const QUICK: readonly Scene[] = [
  { calendar: 'big', megabytes: 512, workers: 1 },
  { calendar: 'big', megabytes: 256, workers: 1 },
  { calendar: 'large', megabytes: 256, workers: 1 },
  { calendar: 'big', megabytes: 384, workers: 2 },
];

/** For `--attacks`, which compares single attacks with those of another commit. */
const ONE: readonly Scene[] = [{ calendar: 'large', megabytes: 512, workers: 1 }];

/** The name of the last attack, which runs all others together: no server of this size can answer all of them. */
const ALL = 'all of these';

export interface StormOptions {
  readonly dist: string;
  readonly command: string;
  /** File of the table, which is written anew after each scene. */
  readonly out: string;
  /** The length of each attack. */
  readonly seconds: number;
  readonly isQuick: boolean;
  /** The attacks to run, alone and on one server of the large calendar; undefined for all of them. */
  readonly only: RegExp | undefined;
}

export async function runStorm({ dist, command, out, seconds, isQuick, only }: StormOptions): Promise<void> {
  mkdirSync(WORK, { recursive: true });
  const now = Date.now();
  try {
    const big = await buildCalendar({ work: WORK, name: 'big', events: 1_500, now, dates: 'weekly' }, dist);
    const large = await buildCalendar({ work: WORK, name: 'large', events: 20_000, now }, dist);
    const calendars: Readonly<Record<string, Built>> = { big, large };
    const refusal = await measureRefusal();
    const rows: Row[] = [];
    const chosen = isQuick ? QUICK : SCENES;
    const all = [...Object.keys(ATTACKS), ALL];
    const attacks = only === undefined ? all : all.filter((name) => only.test(name));
    for (const scene of only === undefined ? chosen : ONE) {
      process.stderr.write(`storm: ${scene.calendar}, ${scene.megabytes} MB, ${scene.workers} workers\n`);
      const built = calendars[scene.calendar];
      if (built !== undefined) rows.push(...(await attackAll({ ...scene, built, dist, seconds, attacks })));
      writeFileSync(out, renderStorm({ rows, refusal, seconds, command, dist }));
    }
  } finally {
    rmSync(WORK, { recursive: true, force: true });
  }
}

interface Attacking extends Scene {
  readonly built: Built;
  readonly dist: string;
  readonly seconds: number;
  readonly attacks: readonly string[];
}

/** Runs each attack on one server, then waits a minute. */
async function attackAll(scene: Attacking): Promise<readonly Row[]> {
  const { calendar, megabytes, workers, built, seconds, attacks } = scene;
  const server = await startBounded({ ...scene, folder: built.folder });
  const polite = await startHelper(new URL('polite.ts', import.meta.url));
  const sender = await startHelper(new URL('sender.ts', import.meta.url));
  const file = readdirSync(built.folder).find((name) => /^calendar-.*\.sqlite$/.test(name)) ?? '';
  const target = { port: server.port, file };
  const watch = async (length: number): Promise<Seen> => {
    polite.send({ port: server.port });
    await pause(length * 1_000);
    return (await ask(polite, { end: true })) as Seen;
  };
  const rows: Row[] = [];
  try {
    await pause(2_000);
    const base = server.memory().now;
    const quiet = await watch(3);
    for (const attack of attacks) {
      server.forgetPeak();
      await server.watchLoop();
      await ask(sender, { begin: attack === ALL ? Object.keys(ATTACKS) : [attack], target });
      const seen = await watch(seconds);
      const stallMs = await server.longestStall();
      const { peak } = server.memory();
      const { tallies } = (await ask(sender, { end: true })) as { readonly tallies: readonly Tally[] };
      const found = {
        group: server.group,
        base,
        peak,
        seen,
        quiet,
        tallies,
        stallMs,
        deaths: server.deaths(),
      };
      rows.push({ calendar, megabytes, workers, attack, ...found });
      if (server.deaths() > 0 && workers === 1) break;
      await pause(500);
    }
    const highestMB = Math.max(...rows.map(({ peak }) => peak));
    await pause(AFTER_MS);
    const last = rows.pop();
    return last === undefined
      ? []
      : [...rows, { ...last, later: { highestMB, megabytes: server.memory().now } }];
  } finally {
    polite.kill();
    sender.kill();
    await server.end();
  }
}
