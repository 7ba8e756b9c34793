/** Results of the benchmarks: which of them can be compared, and whether the array in memory answers as almanakk does. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/package.ts';
import { objectionTo } from './bench/provenance.ts';
import { byVariables, withoutFacets } from './bench/questions.ts';
import { writeSource } from './bench/source/events.ts';
import { built } from './helpers/build.ts';
import { NOW } from './helpers/calendar.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { publicPath } from './helpers/public-file.ts';
import { startServer } from './helpers/running.ts';

const results = suite('results of benchmarks');

/** A checkout with one commit. Its programs are in `dist`. */
function checkout(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/main.ts'), 'export const answer = 1;\n');
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.example'];
  for (const args of [['init'], ['add', '.'], [...identity, 'commit', '-m', 'Begin']])
    assert.is(spawnSync('git', args, { cwd: folder }).status, 0, args.join(' '));
  return folder;
}

const IDLE = 0.4;

results('should be accepted from a commit, on an idle machine', () => {
  assert.is(objectionTo([join(checkout(), 'dist')], IDLE), null);
});

results('should be refused from files that differ from their commit', () => {
  const folder = checkout();
  writeFileSync(join(folder, 'src/main.ts'), 'export const answer = 2;\n');
  assert.match(objectionTo([join(folder, 'dist')], IDLE) ?? '', /commit without changes, found \w{8}-dirty$/);
});

results('should be refused from a machine with other work', () => {
  const objection = objectionTo([join(checkout(), 'dist')], 1.6);
  assert.is(objection, 'a load of at most 0.5 before the measurement, found 1.6');
});

results('should be of an array that gives the totals, pages and facets of almanakk', async () => {
  const [source, snapshots] = [temporaryFolder(), temporaryFolder()];
  const clock = () => NOW * 1_000;
  await writeSource({ folder: source, events: 60, seed: 1, now: clock(), dates: 'series' });
  await built(source, snapshots, { isPublic: true });
  const server = await startServer({ snapshots, clock });
  const program = pathToFileURL(packagePath('test/bench/peers/array.mjs')).href;
  const { openArray } = await import(program);
  const answer: (body: string) => string = await openArray(await publicPath(snapshots), clock);
  try {
    for (const filter of FILTERS) {
      for (const { query, variables } of [byVariables(filter), withoutFacets(filter)]) {
        const asked = { ...variables, page: 1, pageSize: 5 };
        const { events } = await server.ask<{ events: Page }>(query, asked);
        const { data } = JSON.parse(answer(JSON.stringify({ query, variables: asked })));
        assert.equal(comparable(data.events), comparable(events), JSON.stringify(filter));
      }
    }
  } finally {
    await server.close();
  }
});

const FILTERS = [
  {},
  { fromDate: '2026-03-01 00:00:00+01:00', untilDate: '2026-09-01 00:00:00+02:00' },
  { categories: ['MUSIC', 'ART'], notCategories: ['MUSIC_1'] },
  { municipality: 'Trondheim', fromDate: '2026-02-01 00:00:00+01:00' },
  { venues: ['no-such-venue'], organizers: [] },
];

interface Page {
  readonly data: readonly Shown[];
  readonly venues?: readonly object[];
  readonly organizers?: readonly object[];
  readonly categories?: readonly object[];
}

interface Shown {
  readonly startDate: string;
  readonly endDate: string | null;
  readonly categories: readonly string[];
  readonly tags: readonly string[];
  readonly repetitions: readonly { readonly startDate: string }[];
}

/** The public edition has dates without a zone, and lists and equal facets in another order. */
function comparable({ data, venues = [], organizers = [], categories: ofAll = [], ...more }: Page): object {
  const minute = (text: string | null) => text?.slice(0, 16);
  const events = data.map(({ startDate, endDate, categories, tags, repetitions, ...event }) => ({
    ...event,
    dates: [startDate, endDate].map(minute),
    lists: [categories, tags].map((list) => list.toSorted()),
    repetitions: repetitions.map((date) => ({ ...date, startDate: minute(date.startDate) })),
  }));
  const facets = [venues, organizers, ofAll].map((list) => list.map((facet) => JSON.stringify(facet)).sort());
  return { ...more, events, facets };
}

results.run();
