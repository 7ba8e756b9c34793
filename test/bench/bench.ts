/** `npm run bench`: what requests, builds, starts and adoptions cost, compared with the floor of the machine and with another commit. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Load, startLoad } from './load.ts';
import { measureAll } from './main.ts';
import { objectionTo, waitForIdleMachine } from './provenance.ts';

const USAGE = `Usage: npm run bench -- [options]

  --quick        no large calendar, and shorter rounds: takes at most three minutes, and writes only to test/bench/work/
  --dist DIR     the compiled programs to measure (dist: those of this checkout)
  --beside DIR   the compiled programs of another commit, which are measured in the same rounds; tables name both commits, and
                 all measurements without a file of their own go to beside.md
  --events N     number of events in the calendar (20,000; a nation has 200,000)
  --rounds N     how often figures are measured (7; builds, feeds and --largest 3); more or fewer change the time as much
  --out DIR      write the tables there (test/bench/results)
  --anyway       write to test/bench/results even if files differ from the commit, or if the machine has other work; the result says so
  --storm        many attacks on a server with 512, 384 and 256 MB (half an hour; five minutes with --quick),
                 written to storm-node20.md, or another version of Node; needs Linux, and root for
                 memory groups
  --attacks PATTERN  with --storm: only these attacks, on one server of the large calendar (two minutes)
  --nation       a million occurrences in 200,000 events, compared with a tenth of that, written to nation.md (ten minutes;
                 with --quick a tenth of both)
  --memory       memory of a server when it is ready, and after 1,000 to 200,000 different requests, written to memory-node20.md, or
                 another version of Node (ten minutes; with --quick up to 20,000); with --beside, compared with the other commit
  --feeds        a calendar of 300 feeds of 40 towns: the first build, and builds with all feeds unchanged, with a tenth changed, and with
                 a tenth failing, written to feeds.md (a quarter of an hour; with --quick 60 feeds of 8 towns, two minutes)
  --newspapers   the requests of 40 newspapers' sites to one server, written to newspapers.md (seven minutes; two with --quick and 8 sites)
  --largest      each argument and root field at its maximum, in one field and in twenty, as a multiple of an ordinary page, written to
                 largest.md (ten minutes; a third of that with --quick); with --beside, compared with the other commit
  --peers        comparison with Mercurius, Apollo Server, GraphQL Yoga, plain SQL and an array in memory, with 6,000, 20,000 and 200,000
                 events, written to peers-node20.md, or another version of Node; installs them from npm for the measurement (twenty
                 minutes; with --quick only 6,000 events)
  --help         print this help
`;

const RESULTS = 'test/bench/results';
/** Milliseconds. The load, an average over a minute, is below 0.5 some three minutes after a benchmark has ended. */
const LONGEST_WAIT_MS = 300_000;
/** Events of a region of towns. */
const SMALL_TOWN = 6_000;
/** The version of Node, which servers with much JavaScript differ by. */
const [NODE = ''] = process.versions.node.split('.');
/** Of this process: another benchmark may run in the same checkout. */
const WORK = fileURLToPath(new URL(`./work/${process.pid}/`, import.meta.url));
const FULL = {
  small: 20_000,
  large: 200_000,
  nation: 200_000,
  different: 200_000,
  remembered: 200_000,
  region: { towns: 40, feeds: 300 },
  newspapers: { sites: 40, minutes: 3 },
  builds: 3,
  largestRounds: 3,
  swapSeconds: 12,
  attackSeconds: 5,
  effort: { rounds: 7, roundSeconds: 0.8, warmUpSeconds: 1.5 },
};
const QUICK = {
  ...FULL,
  large: 0,
  nation: 20_000,
  different: 20_000,
  remembered: 20_000,
  region: { towns: 8, feeds: 60 },
  newspapers: { sites: 8, minutes: 1 },
  builds: 1,
  largestRounds: 1,
  swapSeconds: 4,
  attackSeconds: 4,
  effort: { rounds: 3, roundSeconds: 0.25, warmUpSeconds: 0.7 },
};

const flag = { type: 'boolean', default: false } as const;
const { values: options } = parseArgs({
  options: {
    quick: flag,
    storm: flag,
    nation: flag,
    memory: flag,
    feeds: flag,
    newspapers: flag,
    largest: flag,
    peers: flag,
    anyway: flag,
    help: flag,
    dist: { type: 'string', default: 'dist' },
    beside: { type: 'string' },
    events: { type: 'string' },
    rounds: { type: 'string' },
    attacks: { type: 'string' },
    out: { type: 'string' },
  },
});
const { quick, dist, beside } = options;
const size = sizeOf(quick ? QUICK : FULL);
const command = commandLine();
const out = options.out ?? (quick ? 'test/bench/work/quick' : RESULTS);
const dists = beside === undefined ? [dist] : [dist, beside];

if (options.help) {
  process.stdout.write(USAGE);
  process.exit();
}
await refuseUncomparable();
if (options.storm) await storm();
else if (options.nation) await withLoad('nation.md', nation);
else if (options.memory) await withLoad(`memory-node${NODE}.md`, memory);
else if (options.feeds) await withLoad('feeds.md', feeds);
else if (options.newspapers) await newspapers();
else if (options.largest) await withLoad('largest.md', largest);
else if (options.peers) await withLoad(`peers-node${NODE}.md`, peers);
else {
  await withLoad(beside === undefined ? 'latest.md' : 'beside.md', (load) =>
    measureAll({ ...size, work: WORK, dist, otherDist: beside, command, say }, load),
  );
}
process.exit();

/** Results are committed: each should be of a commit, and of a machine without other work. */
async function refuseUncomparable(): Promise<void> {
  // The commits of the tables are those of the beginning.
  const isFinal = out === RESULTS && !options.anyway;
  if (isFinal && objectionTo(dists, 0) === null) {
    say('waiting until the machine has no other work');
    await waitForIdleMachine(LONGEST_WAIT_MS);
  }
  const objection = objectionTo(dists);
  if (!isFinal || objection === null) return;
  process.stderr.write(`bench: expected ${objection}; --anyway measures, and marks the result\n`);
  process.exit(1);
}

async function storm(): Promise<void> {
  mkdirSync(out, { recursive: true });
  const { runStorm } = await import('./storm/run.ts');
  const only = options.attacks === undefined ? undefined : new RegExp(options.attacks);
  await runStorm({
    dist,
    command,
    out: join(out, `storm-node${NODE}.md`),
    seconds: size.attackSeconds,
    isQuick: quick,
    only,
  });
}

async function nation(load: Load): Promise<string> {
  const { measureNation } = await import('./nation.ts');
  const { nation: events, effort, swapSeconds: seconds, different } = size;
  const rough = { ...effort, rounds: 3 };
  const settings = {
    work: WORK,
    dist,
    events,
    effort: rough,
    seconds,
    different: different / 10,
    command,
    say,
  };
  return measureNation(settings, load);
}

async function memory(load: Load): Promise<string> {
  const { buildCalendar } = await import('./calendars.ts');
  const { tableOfMemory } = await import('./memory.ts');
  const wanted = { work: WORK, name: 'memory', events: size.small, now: Date.now() };
  const built = await buildCalendar(wanted, dist);
  return tableOfMemory({ dist, otherDist: beside, built, command, different: size.remembered }, load);
}

async function feeds(load: Load): Promise<string> {
  const { measureTowns } = await import('./towns/towns.ts');
  const { region, builds: runs, different } = size;
  const settings = { work: WORK, dist, size: region, runs, different: different / 10, command, say };
  return measureTowns(settings, load);
}

/** The sites are in this process. */
async function newspapers(): Promise<void> {
  const { measureNewspapers } = await import('./newspapers.ts');
  mkdirSync(WORK, { recursive: true });
  const settings = { work: WORK, dist, events: size.small, ...size.newspapers, command, say };
  try {
    saveTable('newspapers.md', await measureNewspapers(settings));
  } finally {
    rmSync(WORK, { recursive: true, force: true });
  }
}

async function largest(): Promise<string> {
  const { buildCalendars } = await import('./calendars.ts');
  const { tableOfLargest } = await import('./largest/largest.ts');
  const wanted = { work: WORK, name: 'largest', events: size.small, now: Date.now() };
  const built = await buildCalendars(wanted, { dists, times: 1 });
  const servers = built.map((one, at) => ({ dist: dists[at] ?? dist, built: one }));
  return tableOfLargest({ servers, rounds: size.largestRounds, command, say });
}

async function peers(load: Load): Promise<string> {
  const { measurePeers } = await import('./peers/peers.ts');
  const sizes = quick ? [SMALL_TOWN] : [SMALL_TOWN, size.small, size.large];
  const mostOfSql = size.small;
  const effort = { ...size.effort, rounds: Math.min(5, size.effort.rounds), roundSeconds: 0.5 };
  const settings = { work: WORK, dist, effort, sizes, mostOfSql, command, say };
  return measurePeers(settings, load);
}

async function withLoad(name: string, measure: (load: Load) => Promise<string>): Promise<void> {
  mkdirSync(WORK, { recursive: true });
  const load = await startLoad();
  try {
    saveTable(name, await measure(load));
  } finally {
    load.stop();
    rmSync(WORK, { recursive: true, force: true });
  }
}

function saveTable(name: string, table: string): void {
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, name), table);
  process.stdout.write(`${table}\nThis table is in ${join(out, name)}.\n`);
}

/** With the numbers that the options give. One build is too few to compare two commits. */
function sizeOf(usual: typeof FULL): typeof FULL {
  const events = numberOf('events');
  const rounds = numberOf('rounds');
  return {
    ...usual,
    small: events ?? usual.small,
    nation: events ?? usual.nation,
    builds: rounds ?? (beside === undefined ? usual.builds : FULL.builds),
    largestRounds: rounds ?? usual.largestRounds,
    effort: { ...usual.effort, rounds: rounds ?? usual.effort.rounds },
  };
}

function numberOf(name: 'events' | 'rounds'): number | undefined {
  const written = options[name];
  if (written === undefined) return undefined;
  if (/^[1-9]\d*$/.test(written)) return Number(written);
  process.stderr.write(
    `bench: expected --${name} to be a whole number from 1 up, found ${JSON.stringify(written)}\n`,
  );
  process.exit(1);
}

/** Without the folder of the other commit, which is not the same anywhere else. */
function commandLine(): string {
  const given = process.argv.slice(2).map((word) => (word === beside ? '…' : word));
  return ['npm run bench', ...(given.length > 0 ? ['--'] : []), ...given].join(' ');
}

/** With the minutes and seconds since the start. */
function say(what: string): void {
  const seconds = Math.round(performance.now() / 1_000);
  const since = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  process.stderr.write(`bench: ${since} ${what}\n`);
}
