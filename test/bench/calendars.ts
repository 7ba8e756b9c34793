/** Makes calendars and has almanakk build them, measured as one measures a stranger's program: from outside. */
import { execFile } from 'node:child_process';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writeSource } from './source/write.ts';

export interface Built {
  /** Snapshot folder. */
  readonly folder: string;
  /** Path of the snapshot. */
  readonly file: string;
  readonly bytes: number;
  readonly events: number;
  readonly occurrences: number;
  readonly seconds: number;
  /** User and system time. */
  readonly cpuSeconds: number;
  /** Highest resident memory, in bytes. */
  readonly peakBytes: number;
  /** Milliseconds by step, as the build itself reports them. */
  readonly steps: Readonly<Record<string, number>>;
}

export interface Wanted {
  readonly work: string;
  readonly dist: string;
  readonly name: string;
  readonly events: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Four occurrences an event, not mostly one. */
  readonly isSeries?: boolean;
}

const run = promisify(execFile);
const PROBE = new URL('./probe.mjs', import.meta.url).href;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SEED = 1;
const MINUTE = 60_000;

/** As many calendars as asked for, from the same records but built a minute apart, so that they are not the same bytes. */
export async function buildCalendars(wanted: Wanted, count: number): Promise<readonly Built[]> {
  const { work, name, events, now, isSeries = false } = wanted;
  const source = join(work, `${name}-source`);
  await writeSource({ folder: source, events, seed: SEED, now, isSeries });
  const built: Built[] = [];
  for (let nth = 0; nth < count; nth++) {
    built.push(await buildOnce({ ...wanted, name: `${name}-${nth + 1}`, now: now + nth * MINUTE }, source));
  }
  rmSync(source, { recursive: true });
  return built;
}

async function buildOnce({ work, dist, name, now }: Wanted, source: string): Promise<Built> {
  const folder = join(work, name);
  const usageFile = join(work, `${name}-usage.json`);
  rmSync(folder, { recursive: true, force: true });
  const started = performance.now();
  const { stdout } = await run(
    process.execPath,
    [
      ...['--import', PROBE, resolve(ROOT, dist, 'jobs/rebuild.js')],
      ...['--source', source, '--target', folder, '--now', new Date(now).toISOString(), '--json'],
    ],
    { cwd: ROOT, env: { ...process.env, BENCH_USAGE_FILE: usageFile }, maxBuffer: 64 * 1024 * 1024 },
  );
  const seconds = (performance.now() - started) / 1_000;
  const result: BuildOutput = JSON.parse(stdout);
  const usage: { readonly cpu: number; readonly maxRSS: number } = JSON.parse(
    readFileSync(usageFile, 'utf8'),
  );
  const file = join(folder, result.file);
  return {
    folder,
    file,
    bytes: statSync(file).size,
    events: result.counts.events,
    occurrences: result.counts.occurrences,
    seconds,
    cpuSeconds: usage.cpu / 1e6,
    peakBytes: usage.maxRSS * 1024,
    steps: Object.fromEntries(
      result.report.timings.map(({ step, milliseconds }) => [step, Math.round(milliseconds)]),
    ),
  };
}

interface BuildOutput {
  readonly file: string;
  readonly counts: { readonly events: number; readonly occurrences: number };
  readonly report: {
    readonly timings: readonly { readonly step: string; readonly milliseconds: number }[];
  };
}
