/** `npm run bench`: what a request and a build cost, side by side with other servers and with the floor of the machine. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Built, buildCalendars } from './calendars.ts';
import { goalsOf } from './goals.ts';
import { installPeers, peerVersions } from './install.ts';
import { type Load, startLoad } from './load/driver.ts';
import { describeMachine } from './machine.ts';
import { type Options, readOptions, USAGE } from './options.ts';
import { renderChart } from './report/chart.ts';
import { renderTable } from './report/table.ts';
import { type BuildRow, type MemoryRow, type RatedRow, type Results, rate } from './results.ts';
import { measureRows } from './rounds.ts';
import { checkAgreement } from './sections/agreement.ts';
import { measureQuota } from './sections/quota.ts';
import { requestRows } from './sections/requests.ts';
import { insertWithShell } from './sections/shell.ts';
import { type Stand, startStand } from './sections/stand.ts';
import { measureStarts } from './sections/starts.ts';
import { measureSwaps } from './sections/swaps.ts';

const WORK = fileURLToPath(new URL('./work/', import.meta.url));
/** Microseconds for 30 KB: between 12, where a kernel takes them at once, and 70. */
const DEAR_FLOOR = 35;

const options = readOptions(process.argv.slice(2));
if (options.help) process.stdout.write(USAGE);
else await main();

async function main(): Promise<void> {
  const started = new Date();
  installPeers();
  rmSync(WORK, { recursive: true, force: true });
  mkdirSync(WORK, { recursive: true });
  const load = startLoad();
  try {
    write(await run(options, { load, started }));
  } finally {
    load.stop();
    for (const calendar of ['small', 'series', 'large', 'huge']) removeCalendars(calendar);
  }
}

interface Begun {
  readonly load: Load;
  readonly started: Date;
}

async function run(given: Options, { load, started }: Begun): Promise<Results> {
  const { quick, dist, rounds } = given;
  const calendars = await build(given, started.getTime());
  const builds = await rateBuilds(calendars);
  const small = first(calendars.small);
  const series = first(calendars.series);
  const large = calendars.large[0] ?? null;

  say('starting the servers');
  const stand = await startStand({ work: WORK, dist, small, series, large, now: started.getTime() });
  await checkAgreement(stand);
  const { rows, memory } = await measureRequests(stand, load, given).finally(stand.stop);

  say('starting almanakk over and over');
  const starts = [await measureStarts(dist, small)];
  if (large !== null) starts.push(await measureStarts(dist, large));
  say('adopting snapshots under load');
  const { directories } = stand;
  const swapping = {
    work: WORK,
    dist,
    between: large === null ? calendars.small : calendars.large,
    seconds: given.swapSeconds,
    directories,
  };
  const swaps = await measureSwaps(swapping, load);
  say('counting for a quota');
  const quotaCpu = measureQuota();
  const found = {
    at: started.toISOString(),
    command: ['npm run bench', ...process.argv.slice(2)].join(' '),
    quick,
    machine: describeMachine(),
    versions: peerVersions(),
    nodes: { small: small.events, series: series.occurrences, large: large?.events ?? 0 },
    rounds,
    ...{ rows, builds, starts, memory, swaps, quotaCpu },
  };
  return { ...found, goals: goalsOf(found) };
}

/** The largest of those that are served twice, to swap between. */
interface Calendars {
  readonly small: readonly Built[];
  /** As many events as the small one, with four occurrences each. */
  readonly series: readonly Built[];
  readonly large: readonly Built[];
  readonly huge: readonly Built[];
}

async function build({ small, large, huge, dist }: Options, now: number): Promise<Calendars> {
  const make = (name: string, events: number, count: number) => {
    say(`building a calendar of ${events.toLocaleString('en')} events`);
    return buildCalendars({ work: WORK, dist, name, events, now, isSeries: name === 'series' }, count);
  };
  return {
    small: await make('small', small, large === 0 ? 2 : 1),
    series: await make('series', small, 1),
    large: large === 0 ? [] : await make('large', large, 2),
    huge: huge === 0 ? [] : await make('huge', huge, 1),
  };
}

async function rateBuilds({ small, series, large, huge }: Calendars): Promise<readonly BuildRow[]> {
  say('inserting the same rows with the sqlite3 shell');
  const builds = [small, series, large, huge].flatMap((calendars) => calendars.slice(0, 1));
  const rated: BuildRow[] = [];
  for (const { folder: _, file, ...built } of builds) {
    const shellSeconds = await insertWithShell(file, WORK);
    rated.push({
      ...built,
      shellSeconds,
      ratio: shellSeconds === null ? null : built.seconds / shellSeconds,
    });
  }
  return rated;
}

interface Requests {
  readonly rows: readonly RatedRow[];
  readonly memory: readonly MemoryRow[];
}

async function measureRequests(stand: Stand, load: Load, effort: Options): Promise<Requests> {
  say('measuring requests');
  const rows = rate(await measureRows(requestRows(stand), load, effort));
  const memory: MemoryRow[] = [];
  for (const server of [stand.small, stand.series, stand.large, ...stand.peers].filter(
    (one) => one !== null,
  )) {
    memory.push({ server: server.name, bytes: (await server.usage()).rss });
  }
  return { rows, memory };
}

function write(results: Results): void {
  const { out } = options;
  mkdirSync(out, { recursive: true });
  const table = renderTable(results);
  writeFileSync(join(out, 'latest.json'), `${JSON.stringify(results, null, 2)}\n`);
  writeFileSync(join(out, 'latest.md'), table);
  writeFileSync(join(out, `${kernelOf(results)}.md`), table);
  writeFileSync(join(out, 'chart.svg'), renderChart(results));
  process.stdout.write(`${table}\nThis table, the figures and a chart are in ${out}/.\n`);
}

/** The last run on each kind of machine is kept: ratios of one say nothing of the other (docs/benchmarks.md). */
function kernelOf({ rows }: Results): string {
  const floor = rows.find(({ id }) => id === 'floor-post')?.cpu ?? 0;
  return floor < DEAR_FLOOR ? 'cheap-kernel' : 'dear-kernel';
}

function removeCalendars(name: string): void {
  for (const nth of [1, 2]) rmSync(join(WORK, `${name}-${nth}`), { recursive: true, force: true });
}

function first(built: readonly Built[]): Built {
  const [one] = built;
  if (one === undefined) throw new Error('expected a calendar, found none');
  return one;
}

function say(what: string): void {
  process.stderr.write(`bench: ${what}\n`);
}
