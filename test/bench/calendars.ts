/** Makes calendars, and measures their builds, each in a process of its own. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { copyFile, mkdir, rename } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { isoSecond } from '../../src/calendar/time.ts';
import { MANIFEST, snapshotFile, snapshotId } from '../../src/snapshot/files.ts';
import { openWriter } from '../../src/snapshot/sqlite.ts';
import { BUILDER_ENV, PROBE, ROOT } from './processes.ts';
import { medianBy } from './rounds.ts';
import { type DatesKind, writeSource } from './source/events.ts';

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

interface CalendarSpec {
  /** The folder of this benchmark. */
  readonly work: string;
  readonly name: string;
  readonly events: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly dates?: DatesKind;
  /** Whether the build makes the public edition, too. */
  readonly publicEdition?: boolean;
}

const run = promisify(execFile);
const SEED = 1;

/** Builds a calendar once. */
export async function buildCalendar(spec: CalendarSpec, dist: string): Promise<Built> {
  const [built] = await buildCalendars(spec, { dists: [dist], times: 1 });
  if (built === undefined) throw new Error('expected a calendar, found none');
  return built;
}

interface Repetition {
  /** Folders of compiled programs. Each builds the same records, in turn with the others. */
  readonly dists: readonly string[];
  /** Builds of each program. */
  readonly times: number;
}

/** For each program, the build with the median of the durations. */
export async function buildCalendars(
  spec: CalendarSpec,
  { dists, times }: Repetition,
): Promise<readonly Built[]> {
  const { work, name, events, now, dates = 'few', publicEdition = false } = spec;
  const source = join(work, `${name}-source`);
  await writeSource({ folder: source, events, seed: SEED, now, dates });
  const built = dists.map((): Built[] => []);
  for (let time = 0; time < times; time++) {
    for (const [place, dist] of dists.entries()) {
      const once = { work, dist, name: `${name}-${place + 1}`, now, publicEdition };
      built[place]?.push(await buildOnce(once, source));
    }
  }
  rmSync(source, { recursive: true });
  return built.map((all) => medianBy(all, ({ seconds }) => seconds));
}

const MINUTE = 60;

/** The same calendar as if it had been built a minute later: another file, and its manifest, in the time of copying one. */
export async function twinOf(built: Built): Promise<Built> {
  const folder = `${built.folder}-twin`;
  const draft = join(folder, 'draft');
  rmSync(folder, { recursive: true, force: true });
  await mkdir(folder);
  await copyFile(built.file, draft);
  const { compressed: _, ...manifest } = JSON.parse(readFileSync(join(built.folder, MANIFEST), 'utf8'));
  const builtAt = isoSecond(Date.parse(manifest.builtAt) / 1_000 + MINUTE);
  const writer = await openWriter(draft);
  await writer.run("update meta set value = ? where key = 'builtAt'", [builtAt]);
  await writer.close();
  const hash = createHash('sha256');
  await pipeline(createReadStream(draft), hash);
  const sha256 = hash.digest('hex');
  const id = snapshotId(sha256);
  const file = snapshotFile(id);
  await rename(draft, join(folder, file));
  writeFileSync(join(folder, MANIFEST), JSON.stringify({ ...manifest, id, file, sha256, builtAt }));
  return { ...built, folder, file: join(folder, file) };
}

interface OneBuild extends Pick<CalendarSpec, 'work' | 'name' | 'now' | 'publicEdition'> {
  readonly dist: string;
}

async function buildOnce(build: OneBuild, source: string): Promise<Built> {
  const { work, name, publicEdition } = build;
  const folder = join(work, name);
  const usageFile = join(work, `${name}-usage.json`);
  const env = {
    ...process.env,
    ...BUILDER_ENV,
    BENCH_USAGE_FILE: usageFile,
    ALMANAKK_PUBLIC_FILE: `${publicEdition === true}`,
  };
  rmSync(folder, { recursive: true, force: true });
  const started = performance.now();
  const { stdout } = await run(process.execPath, argumentsOf(build, source, folder), {
    cwd: ROOT,
    env,
    maxBuffer: 64 * 1024 * 1024,
  });
  const seconds = (performance.now() - started) / 1_000;
  const result: BuildOutput = JSON.parse(stdout);
  const usage = readUsage(usageFile);
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

/** For Node: the command `rebuild` with the probe. */
function argumentsOf({ dist, now }: OneBuild, source: string, target: string): readonly string[] {
  const command = ['--import', PROBE, resolve(ROOT, dist, 'jobs/cli.js'), 'rebuild'];
  const folders = ['--source', source, '--target', target];
  return [...command, ...folders, '--now', new Date(now).toISOString(), '--json'];
}

interface Usage {
  /** Microseconds. */
  readonly cpu: number;
  /** KiB. */
  readonly maxRSS: number;
}

/** The resources of a build, which the probe has written. */
function readUsage(file: string): Usage {
  return JSON.parse(readFileSync(file, 'utf8'));
}

interface BuildOutput {
  readonly file: string;
  readonly counts: { readonly events: number; readonly occurrences: number };
  readonly report: {
    readonly timings: readonly { readonly step: string; readonly milliseconds: number }[];
  };
}
