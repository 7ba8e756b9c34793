/** Runs one build in a process of its own, and measures it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { BUILDER_ENV, PROBE, ROOT } from './processes.ts';
import type { Range } from './tables.ts';

export interface Built {
  /** Snapshot folder. */
  readonly folder: string;
  /** Path of the snapshot. */
  readonly file: string;
  readonly bytes: number;
  readonly events: number;
  readonly occurrences: number;
  /** Feeds that could not be read. */
  readonly failedFeeds: number;
  /** Events of the source that are not in the calendar, because of a fault. */
  readonly droppedEvents: number;
  readonly seconds: number;
  /** Of all builds of this calendar by this program: `seconds` is their median. */
  readonly secondsRange: Range;
  /** User and system time. */
  readonly cpuSeconds: number;
  /** Highest resident memory, in bytes. */
  readonly peakBytes: number;
  /** Milliseconds by step, as the build itself reports them. */
  readonly steps: Readonly<Record<string, number>>;
}

export interface BuildOptions {
  /** Folder of compiled programs. */
  readonly dist: string;
  readonly source: string;
  /** Snapshot folder. */
  readonly folder: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly env: Readonly<Record<string, string>>;
  /** Called as soon as there is a process. */
  readonly spawned?: (pid: number) => void;
}

/** Builds as `npm run rebuild` does. */
export async function runBuild(options: BuildOptions): Promise<Built> {
  const { folder, env, spawned } = options;
  const usageFile = `${folder}-usage.json`;
  const started = performance.now();
  const child = spawn(process.execPath, argumentsOf(options), {
    cwd: ROOT,
    env: { ...process.env, ...BUILDER_ENV, ...env, BENCH_USAGE_FILE: usageFile },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  spawned?.(child.pid ?? 0);
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  const seconds = (performance.now() - started) / 1_000;
  if (child.exitCode !== 0)
    throw new Error(`expected a build of ${options.source}, found exit status ${child.exitCode}:\n${errors}`);
  const { file: name, counts, report }: BuildOutput = JSON.parse(output);
  const usage: Usage = JSON.parse(readFileSync(usageFile, 'utf8'));
  rmSync(usageFile);
  const file = join(folder, name);
  return {
    folder,
    file,
    bytes: statSync(file).size,
    events: counts.events,
    occurrences: counts.occurrences,
    failedFeeds: report.feeds.filter(({ state }) => state !== 'ok').length,
    droppedEvents: report.lists.events.dropped,
    seconds,
    secondsRange: [seconds, seconds],
    cpuSeconds: usage.cpu / 1e6,
    peakBytes: usage.maxRSS * 1024,
    steps: Object.fromEntries(
      report.timings.map(({ step, milliseconds }) => [step, Math.round(milliseconds)]),
    ),
  };
}

/** For Node: the command `rebuild` with the probe. */
function argumentsOf({ dist, source, folder, now }: BuildOptions): readonly string[] {
  const command = ['--import', PROBE, resolve(ROOT, dist, 'jobs/cli.js'), 'rebuild'];
  const folders = ['--source', source, '--target', folder];
  return [...command, ...folders, '--now', new Date(now).toISOString(), '--json'];
}

/** The resources of a build, which the probe has written. */
interface Usage {
  /** Microseconds. */
  readonly cpu: number;
  /** KiB. */
  readonly maxRSS: number;
}

interface BuildOutput {
  readonly file: string;
  readonly counts: { readonly events: number; readonly occurrences: number };
  readonly report: {
    readonly feeds: readonly { readonly state: string }[];
    readonly lists: { readonly events: { readonly dropped: number } };
    readonly timings: readonly { readonly step: string; readonly milliseconds: number }[];
  };
}
