/**
 * Seconds from saving `events.ndjson` to the first answer with what was changed (H11), with a server that builds and watches.
 *
 *   npm run setup && node --import tsx test/bench/watched.ts [events …]     2,000 and 20,000 unless given
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { writeSource } from './source/write.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SAVES = 3;
/** Seconds that are wanted, by events. */
const WANTED: Readonly<Record<number, number>> = { 2000: 3, 20000: 8 };

const sizes = process.argv.slice(2).map(Number);
for (const events of sizes.length > 0 ? sizes : [2_000, 20_000]) {
  const seconds = (await measure(events)).sort((left, right) => left - right);
  const [lowest = 0] = seconds;
  const median = seconds[Math.floor(seconds.length / 2)] ?? 0;
  const wanted = WANTED[events] === undefined ? '' : `, ${WANTED[events]} wanted`;
  const load = loadavg()[0]?.toFixed(1);
  console.log(
    `${events} events: median ${median.toFixed(1)} s, lowest ${lowest.toFixed(1)} s${wanted} (load ${load})`,
  );
}

async function measure(events: number): Promise<number[]> {
  const work = mkdtempSync(join(tmpdir(), 'almanakk-watched-'));
  const source = join(work, 'source');
  await writeSource({ folder: source, events, seed: 1, now: Date.now(), dates: 'few' });
  const server = spawn(process.execPath, [join(ROOT, 'dist/src/main.js'), 'start'], {
    cwd: work,
    env: { PATH: process.env.PATH, PORT: '0', HOST: '127.0.0.1', ALMANAKK_SOURCE: source },
  });
  try {
    const url = await addressOf(server.stdout);
    const path = join(source, 'events.ndjson');
    const seconds: number[] = [];
    for (let save = 0; save < SAVES; save++) {
      const title = `Rettet ${save}`;
      const [first = '', ...rest] = readFileSync(path, 'utf8').split('\n');
      const record = { ...JSON.parse(first), title_nb: title };
      const begun = performance.now();
      writeFileSync(path, [JSON.stringify(record), ...rest].join('\n'));
      while ((await titleOf(url, record.id)) !== title) await pause(20);
      seconds.push((performance.now() - begun) / 1_000);
    }
    return seconds;
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
    rmSync(work, { recursive: true, force: true });
  }
}

async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  let said = '';
  for await (const chunk of output) {
    said += String(chunk);
    const [, url] = /serving (http:\S+)/.exec(said) ?? [];
    if (url === undefined) continue;
    output.resume();
    return url;
  }
  throw new Error(`expected a server that serves, found ${said}`);
}

async function titleOf(url: string, id: string): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: `{ eventByID(eventID: ${JSON.stringify(id)}) { title_nb } }` }),
  });
  return JSON.parse(await response.text()).data?.eventByID?.title_nb;
}
