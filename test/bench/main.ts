/** The measurements of `npm run bench` without another option: requests, builds, starts, memory and adoptions, one after the other. */
import {
  type Adoptions,
  adoptionsTable,
  measureAdoptions,
  measureStarts,
  STARTS,
  type Starts,
  startsTable,
} from './adoptions.ts';
import type { Built } from './builds.ts';
import { buildCalendar, buildCalendars, twinOf } from './calendars.ts';
import { type Comparison, comparisonTable, figuresOfBoth } from './comparison.ts';
import type { Load } from './load.ts';
import { type MemorySample, measureMemory, memoryTable } from './memory.ts';
import { canPin } from './processes.ts';
import { commitOf, provenanceTable } from './provenance.ts';
import { requestRows, requestTable } from './requests.ts';
import { type Effort, type Measured, measureRows } from './rounds.ts';
import { type Startable, startStand } from './stand.ts';
import { figure, markdownTable, rangeText, thousands } from './tables.ts';

export interface MainOptions {
  readonly work: string;
  readonly dist: string;
  /** Compiled programs of another commit, which is measured in the same rounds. */
  readonly otherDist: string | undefined;
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

/** Gives the tables. */
export async function measureAll(options: MainOptions, load: Load): Promise<string> {
  const { work, dist, effort, swapSeconds, different, say } = options;
  const calendars = await build(options);
  const { small, large, other } = calendars;
  const larger = large ?? small;
  say('measuring requests');
  const stand = await startStand({ work, ...calendars });
  const rows = await measureRows(requestRows(stand), load, effort).finally(stand.stop);
  say('starting over and over');
  const kinds = [small, ...(large === undefined ? [] : [large])];
  const starts = await measureStarts(other === undefined ? kinds : [...kinds, other]);
  say('asking for many different things');
  const held = await measureMemory(small, [different / 10, different], load);
  const otherHeld = other === undefined ? [] : await measureMemory(other, [different / 10], load);
  say('adopting snapshots under load');
  const between = [larger.built, await twinOf(larger.built)] as const;
  const adoptions = await measureAdoptions({ work, dist, between, seconds: swapSeconds }, load);
  say('done');
  const compared =
    other === undefined
      ? undefined
      : {
          names: [commitOf(dist), commitOf(other.dist)] as const,
          figures: figuresOfBoth({
            rows,
            builds: [small.built, other.built],
            starts: [starts.at(0), starts.at(-1)],
            held: [held.at(0), otherHeld.at(0)],
          }),
        };
  return render(options, {
    calendars,
    rows,
    starts: starts.slice(0, kinds.length),
    held,
    adoptions,
    compared,
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
  readonly other: Startable | undefined;
}

async function build({ work, dist, otherDist, small, large, builds, say }: MainOptions): Promise<Calendars> {
  const now = Date.now();
  const wanted = (name: string, events: number) => {
    say(`building a calendar of ${thousands(events)} events`);
    return { work, name, events, now };
  };
  const dists = otherDist === undefined ? [dist] : [dist, otherDist];
  const [built, otherBuilt] = await buildCalendars(wanted('small', small), { dists, times: builds });
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
    other:
      otherDist === undefined || otherBuilt === undefined
        ? undefined
        : { dist: otherDist, built: otherBuilt },
  };
}

interface Found {
  readonly calendars: Calendars;
  readonly rows: readonly Measured[];
  readonly starts: readonly Starts[];
  readonly held: readonly MemorySample[];
  readonly adoptions: Adoptions;
  readonly compared: Comparison | undefined;
}

function render({ command, dist, otherDist, effort, builds }: MainOptions, found: Found): string {
  const { calendars, rows, starts, held, adoptions, compared } = found;
  const { small, published, series, large } = calendars;
  const nodes = [
    `${thousands(small.built.events)} events`,
    `"series": as many with ${thousands(series.built.occurrences)} occurrences`,
    ...(large === undefined ? [] : [`"large": ${thousands(large.built.events)}`]),
  ].join('; ');
  const cored = canPin
    ? 'Servers run on one core, the load on another; starts and adoptions on all'
    : 'Servers and load run on any core';
  const runs = `rounds of requests: ${effort.rounds}; builds of the small calendar: ${builds}, of others: 1; starts: ${STARTS}; memory: 1; figures are medians`;
  return `# Benchmark

${provenanceTable({ command, dist, otherDist, runs })}

${cored}. Each round goes through all rows. CPU is the CPU time of the server's process for a request, user and
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
${compared === undefined ? '' : `\n${comparisonTable(compared)}\n`}`;
}

function buildsTable(all: readonly Startable[]): string {
  return markdownTable(
    [
      'events',
      'occurrences',
      'seconds',
      'lowest–highest',
      'CPU seconds',
      'peak MB',
      'file MB',
      'µs an occurrence',
    ],
    all.map(({ built }) => [
      thousands(built.events),
      thousands(built.occurrences),
      figure(built.seconds),
      rangeText(built.secondsRange),
      ...[built.cpuSeconds, built.peakBytes / 1e6, built.bytes / 1e6].map(figure),
      figure((built.seconds * 1e6) / built.occurrences),
    ]),
  );
}
