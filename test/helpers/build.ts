/** Builds of small sources, at a fixed moment. */
import { readdirSync } from 'node:fs';
import type { BuildResult } from '../../jobs/annex.ts';
import { build } from '../../jobs/build.ts';
import type { BuildOptions } from '../../jobs/build-options.ts';
import { createReport } from '../../jobs/report/report.ts';
import { packagePath } from '../../src/package.ts';
import { annexSteps } from './annex.ts';
import { BUILD_CHOICES } from './build-choices.ts';
import { NOW } from './calendar.ts';
import { temporaryFolder } from './folder.ts';
import { type Files, sourceFolder } from './native-source.ts';

export const MONTHS = 18;

/** Events of one date each, on days of the month after the build. */
export const events = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: `e${at}`,
    title_nb: `Hendelse ${at}`,
    categories: ['MUSIC'],
    dates: [{ start: `2026-02-${String(1 + (at % 28)).padStart(2, '0')} 19:00`, duration: 90 }],
  }));

/** Records that a build drops: they have neither a title nor a date. */
export const invalidEvents = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ id: `bad${at}` }));

/** Builds the source folder `source` into the snapshot folder `target`, with all annexes. */
export async function built(
  source: string,
  target: string,
  changes: Partial<BuildOptions> = {},
): Promise<BuildResult> {
  const options = { source, target, now: NOW, horizonMonths: MONTHS, report: createReport() };
  return build({ ...BUILD_CHOICES, ...options, ...(await annexSteps()), ...changes });
}

export const SAMPLE = packagePath('data/sample');

const samples = new Map<number, Promise<string>>();

/**
 * A folder with a build of the sample at a second. All files of tests in one process share it, so nobody may write there. Each file that agrees
 * with another one on the second saves half a second of CPU.
 */
export function builtSample(now: number): Promise<string> {
  const made = samples.get(now) ?? buildSample(now);
  samples.set(now, made);
  return made;
}

async function buildSample(now: number): Promise<string> {
  const target = temporaryFolder();
  await built(SAMPLE, target, { now, force: true });
  return target;
}

/** A source folder with so many events, and these further files. */
export const sourceOfEvents = (count: number, files: Files = {}) =>
  sourceFolder({ 'events.json': events(count), ...files });

/** The published files, without the hidden ones of a build. */
export const snapshotsIn = (target: string) =>
  readdirSync(target)
    .filter((name) => !name.startsWith('.'))
    .sort();

/** The hidden files that a build has begun, and not published. */
export const unfinishedIn = (target: string) =>
  readdirSync(target).filter((name) => name.startsWith('.unfinished'));
