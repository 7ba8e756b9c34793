/** The measurements of `npm run bench` without another option: requests, builds, starts, memory and adoptions, one after the other. */
import { spawnSync } from 'node:child_process';
import { basename, dirname, resolve } from 'node:path';
import {
  type Adoptions,
  adoptionsTable,
  measureAdoptions,
  measureStarts,
  type Starts,
  startsTable,
} from './adoptions.ts';
import { type Built, buildCalendar, buildCalendars, twinOf } from './calendars.ts';
import type { Load } from './load.ts';
import { type MemorySample, measureMemory, memoryTable } from './memory.ts';
import { canPin, describeMachine } from './processes.ts';
import { BESIDE, besideId, requestRows, requestTable } from './requests.ts';
import { type Effort, type Measured, measureRows } from './rounds.ts';
import { type Startable, startStand } from './stand.ts';
import { figure, markdownTable, thousands } from './tables.ts';

export interface MainOptions {
  readonly work: string;
  readonly dist: string;
  /** Compiled programs of another commit. */
  readonly beside: string | undefined;
  /** Events of the calendars that are served; 0 for no large one. */
  readonly small: number;
  readonly large: number;
  readonly effort: Effort;
  /** Builds of the small calendar, of which the median counts. */
  readonly builds: number;
  /** The length of each phase of the adoptions. */
  readonly swapSeconds: number;
  /** Different requests after which memory is looked at; after a tenth of them, too. */
  readonly different: number;
  readonly command: string;
  readonly say: (what: string) => void;
}

/** The fewest builds of the small calendar by each of two commits. */
const FEWEST_BESIDE = 3;

/** Gives the tables. */
export async function measureAll(options: MainOptions, load: Load): Promise<string> {
  const { work, dist, effort, swapSeconds, different, say } = options;
  const calendars = await build(options);
  const { small, large, beside } = calendars;
  const larger = large ?? small;
  say('measuring requests');
  const stand = await startStand({ work, ...calendars });
  const rows = await measureRows(requestRows(stand), load, effort).finally(stand.stop);
  say('starting over and over');
  const kinds = [small, ...(large === undefined ? [] : [large])];
  const starts = await measureStarts(beside === undefined ? kinds : [...kinds, beside]);
  say('asking for many different things');
  const held = await measureMemory(small, [different / 10, different], load);
  const theirHeld = beside === undefined ? [] : await measureMemory(beside, [different / 10], load);
  say('adopting snapshots under load');
  const between = [larger.built, await twinOf(larger.built)] as const;
  const adoptions = await measureAdoptions({ work, dist, between, seconds: swapSeconds }, load);
  say('done');
  const besides =
    beside === undefined
      ? []
      : compare({
          rows,
          builds: [small.built, beside.built],
          starts: [starts.at(0), starts.at(-1)],
          held: [held.at(0), theirHeld.at(0)],
        });
  return render(options, {
    calendars,
    rows,
    starts: starts.slice(0, kinds.length),
    held,
    adoptions,
    besides,
  });
}

interface Calendars {
  readonly small: Startable;
  /** The small calendar, built with the public edition. */
  readonly published: Built;
  /** A calendar with as many events as the small one, with four occurrences each. */
  readonly series: Startable;
  readonly large: Startable | undefined;
  /** The small one, built by the other commit. */
  readonly beside: Startable | undefined;
}

async function build({ work, dist, beside, small, large, builds, say }: MainOptions): Promise<Calendars> {
  const now = Date.now();
  const wanted = (name: string, events: number) => {
    say(`building a calendar of ${thousands(events)} events`);
    return { work, name, events, now };
  };
  const builders =
    beside === undefined
      ? { dists: [dist], times: builds }
      : { dists: [dist, beside], times: Math.max(builds, FEWEST_BESIDE) };
  const [built, theirs] = await buildCalendars(wanted('small', small), builders);
  const [published] = await buildCalendars(
    { ...wanted('published', small), publicEdition: true },
    { dists: [dist], times: builds },
  );
  if (built === undefined || published === undefined) throw new Error('expected a calendar, found none');
  const series = await buildCalendar({ ...wanted('series', small), dates: 'series' }, dist);
  return {
    small: { dist, built },
    published,
    series: { dist, built: series },
    large: large === 0 ? undefined : { dist, built: await buildCalendar(wanted('large', large), dist) },
    beside: beside === undefined || theirs === undefined ? undefined : { dist: beside, built: theirs },
  };
}

interface Figure {
  /** With its unit. */
  readonly what: string;
  readonly ours: number;
  readonly theirs: number;
}

type Both<T> = readonly [ours: T | undefined, theirs: T | undefined];

interface BothMeasured {
  readonly rows: readonly Measured[];
  readonly builds: Both<Built>;
  readonly starts: Both<Starts>;
  readonly held: Both<MemorySample>;
}

function compare({ rows, builds, starts, held }: BothMeasured): readonly Figure[] {
  const figureOf = <T>(what: string, [ours, theirs]: Both<T>, read: (one: T) => number): readonly Figure[] =>
    ours === undefined || theirs === undefined ? [] : [{ what, ours: read(ours), theirs: read(theirs) }];
  const row = (id: string) => rows.find((one) => one.id === id);
  const megabytes = ({ bytes }: { readonly bytes: number }) => bytes / 1e6;
  return [
    ...BESIDE.flatMap((id) => {
      const both = [row(id), row(besideId(id))] as const;
      return [
        ...figureOf(`${both[0]?.label}: CPU µs`, both, ({ cpu }) => cpu),
        ...figureOf(`${both[0]?.label}: lowest`, both, ({ cpuRange: [lowest] }) => lowest),
      ];
    }),
    ...figureOf('start to ready, ms', starts, ({ readyMs }) => readyMs),
    ...figureOf('memory then, MB', starts, megabytes),
    ...figureOf(`memory after ${thousands(held[0]?.requests ?? 0)} different requests, MB`, held, megabytes),
    ...figureOf(
      `build of ${thousands(builds[0]?.events ?? 0)} events, seconds`,
      builds,
      (one) => one.seconds,
    ),
    ...figureOf('CPU seconds of it', builds, ({ cpuSeconds }) => cpuSeconds),
    ...figureOf('highest memory of it, MB', builds, ({ peakBytes }) => peakBytes / 1e6),
    ...figureOf('its file, MB', builds, megabytes),
  ];
}

interface Found {
  readonly calendars: Calendars;
  readonly rows: readonly Measured[];
  readonly starts: readonly Starts[];
  readonly held: readonly MemorySample[];
  readonly adoptions: Adoptions;
  readonly besides: readonly Figure[];
}

function render({ command, beside, effort }: MainOptions, found: Found): string {
  const { calendars, rows, starts, held, adoptions, besides } = found;
  const { small, published, series, large } = calendars;
  const nodes = [
    `${thousands(small.built.events)} events`,
    `"series": as many with ${thousands(series.built.occurrences)} occurrences`,
    ...(large === undefined ? [] : [`"large": ${thousands(large.built.events)}`]),
  ].join('; ');
  const cored = canPin
    ? 'servers on one core, the load on another, starts and adoptions on all'
    : 'servers and load on any core';
  const other = beside === undefined ? '' : nameOf(beside);
  return `# Benchmark

\`${command}\`, ${new Date().toISOString()}. ${describeMachine()}; ${cored}.
Medians of ${effort.rounds} rounds; each round goes through all rows. CPU is the CPU time of the server's process for a request, user and
system, all threads. "× floor" is this as a multiple of the CPU time that node:http alone needs to send a prepared response of the same size.
Throughput and latency are with 16 connections, each of which sends the next request as soon as it has a response.

## The floor: node:http with prepared responses

${requestTable(rows, 'floor')}

## The same request, repeated (${nodes})

${requestTable(rows, 'repeated')}

## Every request different: a page of ten, the total and three facets (${nodes})

${requestTable(rows, 'random')}

## Builds

${buildsTable([small, series, ...(large === undefined ? [] : [large])])}

With the public edition, the first calendar takes ${figure(published.cpuSeconds)} CPU seconds and at most ${figure(published.peakBytes / 1e6)} MB; the edition accounts for ${Math.round((1 - small.built.cpuSeconds / published.cpuSeconds) * 100)} % of that CPU time.

## Start and memory

${startsTable(starts)}

${memoryTable(held)}

## Snapshots adopted under load

${adoptionsTable(adoptions)}
${other === '' ? '' : `\n## Beside ${other}\n\n${besideTable(besides, other)}\n`}`;
}

function buildsTable(all: readonly Startable[]): string {
  return markdownTable(
    ['events', 'occurrences', 'seconds', 'CPU seconds', 'peak MB', 'file MB', 'µs an occurrence'],
    all.map(({ built }) => [
      thousands(built.events),
      thousands(built.occurrences),
      ...[built.seconds, built.cpuSeconds, built.peakBytes / 1e6, built.bytes / 1e6].map(figure),
      figure((built.seconds * 1e6) / built.occurrences),
    ]),
  );
}

/** The name of a build: the commit that is checked out in its folder, else the folder's name. */
function nameOf(dist: string): string {
  const cwd = dirname(resolve(dist));
  const { status, stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { cwd, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : basename(cwd);
}

function besideTable(figures: readonly Figure[], name: string): string {
  return markdownTable(
    ['', 'here', name, 'here as a multiple'],
    figures.map(({ what, ours, theirs }) => [
      what,
      figure(ours),
      figure(theirs),
      `**${figure(ours / theirs)}**`,
    ]),
  );
}
