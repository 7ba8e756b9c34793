/**
 * `npm run bench -- --feeds`: builds a calendar of many local feeds, which a process serves on loopback: the first build, one with all feeds
 * unchanged, one with some changed, and one with some failing. Then one server serves the calendar.
 */
import type { ChildProcess } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { measureStarts, STARTS, startsTable } from '../adoptions.ts';
import { type Built, runBuild } from '../builds.ts';
import type { Load } from '../load.ts';
import { measureMemory, memoryTable } from '../memory.ts';
import { ask, startHelper } from '../processes.ts';
import { provenanceTable } from '../provenance.ts';
import { median } from '../rounds.ts';
import { LICENCE } from '../source/taxonomy.ts';
import { figure, markdownTable, rangeOf, rangeText, thousands } from '../tables.ts';
import { type Counted, type Fault, type OpenFeed, type Order, SLOW_MS } from './feed-server.ts';
import { pagesPath } from './formats.ts';
import { type TreeUsage, watchTree } from './process-tree.ts';
import type { FeedKind, RegionSize } from './region.ts';

export interface TownsOptions {
  readonly work: string;
  readonly dist: string;
  readonly size: RegionSize;
  /** How often all builds are made, each time from an empty folder. */
  readonly runs: number;
  /** Different requests after which the server's memory is looked at. */
  readonly different: number;
  readonly command: string;
  readonly say: (what: string) => void;
}

/** Of so many feeds, one is changed, and another one fails. */
const ONE_IN = 10;
const CHANGED = 3;
const FAILING = 7;
/** For the feeds that fail, in turn. */
const FAULTS: readonly Fault[] = ['error', 'slow', 'error', 'hanging'];

/** Gives the tables. */
export async function measureTowns(options: TownsOptions, load: Load): Promise<string> {
  const { work, dist, size, runs, different, say } = options;
  if (process.platform !== 'linux')
    throw new Error(`expected Linux, which has /proc, found ${process.platform}`);
  const host = await startHelper(new URL('feed-server.ts', import.meta.url));
  try {
    say(`making ${size.feeds} feeds of ${size.towns} towns`);
    const { feeds } = (await order(host, { open: size, now: Date.now() })) as OpenRegion;
    const source = join(work, 'towns-source');
    writeSource(source, feeds);
    const folder = join(work, 'towns');
    const builds: Build[] = [];
    for (let run = 1; run <= runs; run++) {
      rmSync(folder, { recursive: true, force: true });
      for (const scene of SCENES) {
        say(`run ${run} of ${runs}: ${scene.name}`);
        await scene.prepare?.(host, feeds, run);
        const measured = await buildAndCount(host, { dist, source, folder });
        scene.check(measured, feeds);
        builds.push({ scene, ...measured });
      }
      await order(host, { misbehave: {} });
    }
    const [last] = builds.slice(-1);
    if (last === undefined) throw new Error('expected a build to serve, found none');
    say('serving the calendar');
    const startable = { dist, built: last.built };
    const starts = await measureStarts([startable]);
    const memory = await measureMemory(startable, [different / 10, different], load);
    return render(options, { feeds, builds, served: `${startsTable(starts)}\n\n${memoryTable(memory)}` });
  } finally {
    host.kill();
  }
}

interface OpenRegion {
  readonly feeds: readonly OpenFeed[];
}

interface Scene {
  readonly name: string;
  /** Changes the feeds before the build. `run` counts from 1. */
  readonly prepare?: (host: ChildProcess, feeds: readonly OpenFeed[], run: number) => Promise<unknown>;
  /** Throws if the build is another one than the name says: its figures would be of something else. */
  readonly check: (measured: Measured, feeds: readonly OpenFeed[]) => void;
}

const SCENES: readonly Scene[] = [
  { name: 'first build', check: checkComplete },
  { name: 'all unchanged', check: checkUnchanged },
  {
    name: 'a tenth changed',
    prepare: (host, feeds, run) => order(host, { edit: everyTenth(feeds, CHANGED), edition: run }),
    check: checkChanged,
  },
  {
    name: 'a tenth failing or slow',
    prepare: (host, feeds) => order(host, { misbehave: Object.fromEntries(faultsOf(feeds)) }),
    check: checkFailing,
  },
];

function checkComplete({ built: { failedFeeds, droppedEvents } }: Measured): void {
  if (failedFeeds + droppedEvents === 0) return;
  const found = `${failedFeeds} failed feeds and ${droppedEvents} dropped events`;
  throw new Error(`expected all feeds to be read and all events to be kept, found ${found}`);
}

function checkUnchanged({ counted: { requests, notModified } }: Measured): void {
  if (notModified < requests) throw new Error(`expected ${requests} answers 304, found ${notModified}`);
}

/** Pages of a listing are further requests, so both numbers are the least. */
function checkChanged(measured: Measured, feeds: readonly OpenFeed[]): void {
  checkComplete(measured);
  const { requests, notModified } = measured.counted;
  const changed = everyTenth(feeds, CHANGED).length;
  const unchanged = feeds.length - changed;
  const sent = requests - notModified;
  if (sent >= changed && notModified >= unchanged) return;
  throw new Error(
    `expected at least ${changed} documents and ${unchanged} answers 304, found ${sent} and ${notModified}`,
  );
}

/** A slow feed is in time. */
function checkFailing({ built: { failedFeeds } }: Measured, feeds: readonly OpenFeed[]): void {
  const failing = faultsOf(feeds).filter(([, fault]) => fault !== 'slow').length;
  if (failedFeeds !== failing) throw new Error(`expected ${failing} failed feeds, found ${failedFeeds}`);
}

function faultsOf(feeds: readonly OpenFeed[]): readonly (readonly [id: string, fault: Fault])[] {
  return everyTenth(feeds, FAILING).map((id, nth) => [id, FAULTS[nth % FAULTS.length] ?? 'error']);
}

/** The ids of the feeds with this place among ten. */
function everyTenth(feeds: readonly OpenFeed[], place: number): readonly string[] {
  return feeds.filter((_, nth) => nth % ONE_IN === place).map(({ id }) => id);
}

function order(host: ChildProcess, what: Order): Promise<unknown> {
  return ask(host, { ...what });
}

function writeSource(folder: string, feeds: readonly OpenFeed[]): void {
  mkdirSync(folder, { recursive: true });
  const sources = feeds.map((feed) => ({
    id: feed.id,
    kind: CONFIGURED_KINDS[feed.kind],
    url: feed.url,
    follow: feed.kind === 'listing' ? pagesPath(feed.id) : null,
  }));
  writeFileSync(join(folder, 'licence.json'), JSON.stringify({ ...LICENCE, duplicates: 'merge' }));
  writeFileSync(join(folder, 'sources.json'), JSON.stringify(sources));
}

const CONFIGURED_KINDS: Readonly<Record<FeedKind, string>> = {
  ical: 'ical',
  csv: 'csv',
  page: 'jsonld',
  listing: 'jsonld',
};

interface Measured {
  readonly built: Built;
  /** Of the build and of the processes that read feeds. */
  readonly tree: TreeUsage;
  readonly counted: Counted;
}

interface Build extends Measured {
  readonly scene: Scene;
}

interface Folders {
  readonly dist: string;
  readonly source: string;
  readonly folder: string;
}

async function buildAndCount(host: ChildProcess, folders: Folders): Promise<Measured> {
  await order(host, { count: true });
  let tree: ReturnType<typeof watchTree> | undefined;
  const built = await runBuild({
    ...folders,
    now: Date.now(),
    env: { ALMANAKK_ALLOW_PRIVATE_FEEDS: 'true' },
    spawned: (pid) => {
      tree = watchTree(pid);
    },
  });
  if (tree === undefined) throw new Error('expected a process to watch, found none');
  return { built, tree: tree.end(), counted: (await order(host, { count: true })) as Counted };
}

interface Found {
  readonly feeds: readonly OpenFeed[];
  readonly builds: readonly Build[];
  /** Tables of the server. */
  readonly served: string;
}

function render({ size, runs, command, dist }: TownsOptions, { feeds, builds, served }: Found): string {
  const ofKind = (kind: FeedKind) => feeds.filter((feed) => feed.kind === kind).length;
  const kinds = [
    `${ofKind('ical')} iCalendar files`,
    `${ofKind('csv')} tables`,
    `${ofKind('page')} pages with JSON-LD`,
    `and ${ofKind('listing')} listings that link to a page for each event`,
  ].join(', ');
  const [first] = builds;
  const seconds = SLOW_MS / 1_000;
  return `# Many feeds

${provenanceTable({ command, dist, runs: `builds: medians of ${runs}, each from an empty folder; starts: medians of ${STARTS}` })}

${size.feeds} feeds of ${size.towns} towns, served on loopback: ${kinds}.
Together they have ${thousands(first?.built.events ?? 0)} events in ${thousands(first?.built.occurrences ?? 0)} occurrences. Four feeds are fetched at a time, and the pages of a listing half a second
apart. Of the tenth that fails, half return HTTP 500, a quarter take ${seconds} seconds, and a quarter never answer, so that they reach the time
limit of 30 seconds.

## Builds

CPU and memory are those of the build and of the processes that read feeds; pages that these share count once.

${buildsTable(builds)}

## One server for this calendar

${served}
`;
}

function buildsTable(builds: readonly Build[]): string {
  const rows = SCENES.map((scene) => {
    const all = builds.filter((build) => build.scene === scene);
    const middle = (read: (build: Build) => number) => median(all.map(read));
    return [
      scene.name,
      figure(middle(({ built }) => built.seconds)),
      rangeText(rangeOf(all.map(({ built }) => built.seconds))),
      figure(middle(({ tree }) => tree.cpuSeconds)),
      figure(middle(({ tree }) => tree.peakBytes / 1e6)),
      thousands(middle(({ counted }) => counted.requests)),
      thousands(middle(({ counted }) => counted.notModified)),
      figure(middle(({ counted }) => counted.bytes / 1e6)),
      thousands(middle(({ built }) => built.failedFeeds)),
      thousands(middle(({ built }) => built.events)),
    ];
  });
  return markdownTable(
    [
      'build',
      'seconds',
      'lowest–highest',
      'CPU seconds',
      'highest memory, MB',
      'requests',
      'of these 304',
      'MB fetched',
      'feeds that failed',
      'events',
    ],
    rows,
  );
}
