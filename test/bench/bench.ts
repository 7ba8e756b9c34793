/** `npm run bench`: what a request and a build cost, side by side with other servers and with the floor of the machine. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Built, buildCalendar, buildCalendars, twinOf, type Wanted } from './calendars.ts';
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
import { compare, nameOf } from './sections/beside.ts';
import { measureMemory, tableOfMemory } from './sections/memory.ts';
import { measureQuota } from './sections/quota.ts';
import { requestRows } from './sections/requests.ts';
import { insertWithShell } from './sections/shell.ts';
import { type Stand, startStand } from './sections/stand.ts';
import { measureStarts } from './sections/starts.ts';
import { measureSwaps } from './sections/swaps.ts';

const WORK = fileURLToPath(new URL('./work/', import.meta.url));
/** Microseconds for 30 KB: between 12, where a kernel takes them at once, and 70. */
const DEAR_FLOOR = 35;
/** That each of two commits builds the small calendar. */
const TIMES_BESIDE = 3;

const options = readOptions(process.argv.slice(2));
if (options.help) process.stdout.write(USAGE);
else if (options.storm) await storm();
else if (options.soak) await soak();
else if (options.nation) await nation();
else if (options.memory) await memory();
else await main();

async function storm(): Promise<void> {
  const { dist, out, quick } = options;
  mkdirSync(out, { recursive: true });
  const { runStorm } = await import('./storm/run.ts');
  await runStorm({ dist, out: join(out, 'storm.md'), seconds: quick ? 4 : 5, isQuick: quick });
  process.exit(0);
}

async function soak(): Promise<void> {
  const { dist, out, quick } = options;
  const { runSoak } = await import('./soak/run.ts');
  await runSoak({ dist, out, isQuick: quick });
  process.exit(0);
}

async function nation(): Promise<void> {
  const { dist, out, quick, swapSeconds, different } = options;
  const { measureNation } = await import('./sections/nation.ts');
  mkdirSync(WORK, { recursive: true });
  const load = startLoad();
  const effort = { rounds: 3, roundSeconds: 1, warmUpSeconds: 2 };
  const events = quick ? 20_000 : 200_000;
  const settings = { work: WORK, dist, events, effort, swapSeconds, different: different / 50, say };
  const table = await measureNation(settings, load).finally(load.stop);
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'nation.md'), table);
  process.stdout.write(table);
  process.exit(0);
}

async function memory(): Promise<void> {
  const { dist, out, small, different } = options;
  mkdirSync(WORK, { recursive: true });
  const load = startLoad();
  const built = await buildCalendar({ work: WORK, name: 'memory', events: small, now: Date.now() }, dist);
  const table = await tableOfMemory({ dist, built, different }, load).finally(load.stop);
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'memory.md'), table);
  process.stdout.write(table);
  process.exit(0);
}

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
    removeCalendars();
  }
}

interface Begun {
  readonly load: Load;
  readonly started: Date;
}

async function run(given: Options, { load, started }: Begun): Promise<Results> {
  const { quick, dist, rounds } = given;
  const { small, series, large, huge, other } = await build(given, started.getTime());
  const builds = await rateBuilds([small, series, large, huge].filter((one) => one !== null));
  const between = [large ?? small, await twinOf(large ?? small)];

  say('starting the servers');
  const beside = other === null || given.beside === null ? null : { dist: given.beside, built: other };
  const stand = await startStand({ work: WORK, dist, small, series, large, beside, now: started.getTime() });
  await checkAgreement(stand);
  const { rows, memory } = await measureRequests(stand, load, given).finally(stand.stop);
  const { directories } = stand;

  say('starting almanakk over and over');
  const kinds = [small, large].filter((one) => one !== null).map((built) => ({ dist, built }));
  const starts = await measureStarts(beside === null ? kinds : [...kinds, beside]);
  say('asking for many different things');
  const marks = [given.different / 10, given.different];
  const held = await measureMemory({ dist, built: small, directories, marks }, load);
  const theirHeld =
    beside === null ? [] : await measureMemory({ ...beside, directories, marks: marks.slice(0, 1) }, load);
  say('adopting snapshots under load');
  const seconds = given.swapSeconds;
  const swaps = await measureSwaps({ work: WORK, dist, between, seconds, directories }, load);
  say('counting for a quota');
  const quotaCpu = measureQuota();
  say('done');
  const found = {
    at: started.toISOString(),
    command: commandLine(given),
    quick,
    machine: describeMachine(),
    versions: peerVersions(),
    nodes: { small: small.events, series: series.occurrences, large: large?.events ?? 0 },
    rounds,
    beside:
      beside === null
        ? null
        : {
            name: nameOf(beside.dist),
            figures: compare({
              rows,
              builds: { ours: small, theirs: beside.built },
              starts: { ours: first(starts), theirs: first(starts.slice(-1)) },
              held: { ours: first(held), theirs: first(theirHeld) },
            }),
          },
    starts: starts.slice(0, kinds.length),
    rows,
    builds,
    memory,
    held,
    swaps,
    quotaCpu,
  };
  return { ...found, goals: goalsOf(found) };
}

/** Without the folder of the other commit, which is not the same anywhere else. */
function commandLine({ beside }: Options): string {
  const given = process.argv.slice(2).map((word) => (word === beside ? nameOf(beside) : word));
  return ['npm run bench', ...(given.length > 0 ? ['--'] : []), ...given].join(' ');
}

interface Calendars {
  readonly small: Built;
  /** As many events as the small one, with four occurrences each. */
  readonly series: Built;
  readonly large: Built | null;
  readonly huge: Built | null;
  /** The small one, built by the other commit. */
  readonly other: Built | null;
}

async function build({ small, large, huge, dist, beside }: Options, now: number): Promise<Calendars> {
  const wanted = (name: string, events: number): Wanted => {
    say(`building a calendar of ${events.toLocaleString('en')} events`);
    return { work: WORK, name, events, now, dates: name === 'series' ? 'series' : 'few' };
  };
  const builders =
    beside === null ? { dists: [dist], times: 1 } : { dists: [dist, beside], times: TIMES_BESIDE };
  const smalls = await buildCalendars(wanted('small', small), builders);
  return {
    small: first(smalls),
    other: smalls[1] ?? null,
    series: await buildCalendar(wanted('series', small), dist),
    large: large === 0 ? null : await buildCalendar(wanted('large', large), dist),
    huge: huge === 0 ? null : await buildCalendar(wanted('huge', huge), dist),
  };
}

async function rateBuilds(builds: readonly Built[]): Promise<readonly BuildRow[]> {
  say('inserting the same rows with the sqlite3 shell');
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

function removeCalendars(): void {
  for (const name of readdirSync(WORK)) {
    if (/^(small|series|large|huge)-\d/.test(name))
      rmSync(join(WORK, name), { recursive: true, force: true });
  }
}

function first<T>(list: readonly T[]): T {
  const [one] = list;
  if (one === undefined) throw new Error('expected something measured, found nothing');
  return one;
}

/** With the minutes and seconds since the start. */
function say(what: string): void {
  const seconds = Math.round(performance.now() / 1_000);
  const since = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  process.stderr.write(`bench: ${since} ${what}\n`);
}
