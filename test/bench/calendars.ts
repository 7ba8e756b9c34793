/** Makes calendars and has almanakk build them, measured as one measures a stranger's program: from outside. */
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

export interface Wanted {
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

/** One that is built once. */
export async function buildCalendar(wanted: Wanted, dist: string): Promise<Built> {
  const [built] = await buildCalendars(wanted, { dists: [dist], times: 1 });
  if (built === undefined) throw new Error('expected a calendar, found none');
  return built;
}

interface Builders {
  /** Folders of compiled programs: each builds the same records, in turn with the others. */
  readonly dists: readonly string[];
  readonly times: number;
}

/** For each program the build that took the median of its times. */
export async function buildCalendars(wanted: Wanted, { dists, times }: Builders): Promise<readonly Built[]> {
  const { work, name, events, now, dates = 'few', publicEdition = false } = wanted;
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

interface Once extends Pick<Wanted, 'work' | 'name' | 'now' | 'publicEdition'> {
  readonly dist: string;
}

async function buildOnce({ work, dist, name, now, publicEdition }: Once, source: string): Promise<Built> {
  const folder = join(work, name);
  const usageFile = join(work, `${name}-usage.json`);
  rmSync(folder, { recursive: true, force: true });
  const started = performance.now();
  const { stdout } = await run(
    process.execPath,
    [
      '--import',
      PROBE,
      resolve(ROOT, dist, 'jobs/cli.js'),
      'rebuild',
      '--source',
      source,
      '--target',
      folder,
      '--now',
      new Date(now).toISOString(),
      '--json',
    ],
    {
      cwd: ROOT,
      env: {
        ...process.env,
        ...BUILDER_ENV,
        BENCH_USAGE_FILE: usageFile,
        ALMANAKK_PUBLIC_FILE: `${publicEdition === true}`,
      },
      maxBuffer: 64 * 1024 * 1024,
    },
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
