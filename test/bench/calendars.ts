/** Makes calendars, and measures their builds, each in a process of its own. */
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile, mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isoSecond } from '../../src/calendar/time.ts';
import { MANIFEST, snapshotFile, snapshotId } from '../../src/snapshot/files.ts';
import { openWriter } from '../../src/snapshot/sqlite.ts';
import { type Built, runBuild } from './builds.ts';
import { medianBy } from './rounds.ts';
import { type DatesKind, writeSource } from './source/events.ts';
import { rangeOf } from './tables.ts';

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
      const folder = join(work, `${name}-${place + 1}`);
      rmSync(folder, { recursive: true, force: true });
      const env = { ALMANAKK_PUBLIC_FILE: `${publicEdition}` };
      built[place]?.push(await runBuild({ dist, source, folder, now, env }));
    }
  }
  rmSync(source, { recursive: true });
  return built.map((all) => ({
    ...medianBy(all, ({ seconds }) => seconds),
    secondsRange: rangeOf(all.map(({ seconds }) => seconds)),
  }));
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
