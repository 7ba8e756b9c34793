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
  /** Highest resident memory, in MB. */
  readonly peakMB: number;
  /** Milliseconds by step, as the build itself reports them. */
  readonly steps: Readonly<Record<string, number>>;
}

export interface Wanted {
  readonly work: string;
  readonly dist: string;
  readonly name: string;
  readonly events: number;
  readonly seed: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const run = promisify(execFile);
const PROBE = new URL('./probe.mjs', import.meta.url).href;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export async function buildCalendar({ work, dist, name, events, seed, now }: Wanted): Promise<Built> {
  const source = join(work, `${name}-source`);
  const folder = join(work, name);
  const usageFile = join(work, `${name}-usage.json`);
  rmSync(folder, { recursive: true, force: true });
  await writeSource({ folder: source, events, seed, now });
  const started = performance.now();
  const { stdout } = await run(
    process.execPath,
    [
      '--import',
      PROBE,
      resolve(ROOT, dist, 'jobs/rebuild.js'),
      '--source',
      source,
      '--target',
      folder,
      '--json',
    ],
    { cwd: ROOT, env: { ...process.env, BENCH_USAGE_FILE: usageFile }, maxBuffer: 64 * 1024 * 1024 },
  );
  const seconds = (performance.now() - started) / 1_000;
  const result: BuildOutput = JSON.parse(stdout);
  const usage: { cpu: number; maxRSS: number } = JSON.parse(readFileSync(usageFile, 'utf8'));
  const file = join(folder, result.file);
  rmSync(source, { recursive: true });
  return {
    folder,
    file,
    bytes: statSync(file).size,
    events: result.counts.events,
    occurrences: result.counts.occurrences,
    seconds,
    cpuSeconds: usage.cpu / 1e6,
    peakMB: usage.maxRSS / 1024,
    steps: Object.fromEntries(
      result.report.timings.map(({ step, milliseconds }) => [step, Math.round(milliseconds)]),
    ),
  };
}

interface BuildOutput {
  readonly file: string;
  readonly counts: { readonly events: number; readonly occurrences: number };
  readonly report: { readonly timings: readonly { readonly step: string; readonly milliseconds: number }[] };
}
