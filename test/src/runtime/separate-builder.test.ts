/** H12: a server shows what a builder in another process has done. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startBuilder } from '../../../jobs/commands/builder.ts';
import { readSettings } from '../../../jobs/settings.ts';
import type { Status } from '../../../src/annexes/operator/status.ts';
import { packageVersion } from '../../../src/package.ts';
import { NO_UPKEEP, type Schedule } from '../../../src/upkeep.ts';
import { readUpkeep } from '../../../src/upkeep-file.ts';
import { assertAbove, assertDefined } from '../../helpers/assertions.ts';
import { publishCalendar, temporaryFolder } from '../../helpers/folder.ts';
import {
  endPrograms,
  type ServerProgram,
  scriptOf,
  startProgram,
  startServerProgram,
  stopProgram,
} from '../../helpers/program.ts';
import { eventually } from '../../helpers/until.ts';

const DAY = 24 * 3_600_000;
const QUARTER = 15 * 60_000;

interface Context {
  folder: string;
  /** One of one process, and one of two. */
  servers: readonly ServerProgram[];
  /** What the builder has written, after a build that failed. */
  state: BuilderState;
}

/** `builder.json`, as far as these tests are about it. */
interface BuilderState {
  readonly version: string;
  readonly schedule: Schedule;
}

const beside = suite<Context>('servers beside a builder whose build has failed');

beside.before(async (context) => {
  const folder = temporaryFolder();
  await publishCalendar(folder);
  const starting = ['1', '2'].map((ALMANAKK_WORKERS) =>
    startServerProgram('serve', { ALMANAKK_SNAPSHOTS: folder, ALMANAKK_WORKERS }),
  );
  const servers = await Promise.all(starting);
  await assertConcerns(servers, []);
  await failBuild(folder, servers);
  const state = JSON.parse(readFileSync(builderFile(folder), 'utf8'));
  Object.assign(context, { folder, servers, state });
});

beside.after(endPrograms);

const builderFile = (folder: string) => join(folder, 'builder.json');

/** Runs a builder until its first build has failed and the servers know it, and stops it. */
async function failBuild(folder: string, servers: readonly ServerProgram[]): Promise<void> {
  const source = temporaryFolder();
  writeFileSync(join(source, 'licence.json'), '{ "id": ');
  const builder = startProgram({
    script: scriptOf('jobs/cli'),
    args: ['schedule'],
    env: { ALMANAKK_SNAPSHOTS: folder, ALMANAKK_SOURCE: source },
  });
  await builder.says(/rebuild failed/);
  for (const server of servers)
    await eventually('it is a concern', async () => `${await concernsOf(server)}` === 'build failed');
  await stopProgram(builder);
}

async function statusOf({ send }: ServerProgram): Promise<Status> {
  return JSON.parse((await send('/status', { headers: { Connection: 'close' } })).text);
}

async function concernsOf(server: ServerProgram): Promise<readonly string[]> {
  return (await statusOf(server)).concerns.map(({ name }) => name);
}

async function assertConcerns(servers: readonly ServerProgram[], expected: readonly string[]): Promise<void> {
  for (const server of servers) assert.equal(await concernsOf(server), expected);
}

beside('H12: should say that its last build failed, also once it has stopped', async ({ servers }) => {
  await assertConcerns(servers, ['build failed']);
  for (const server of servers) {
    const { text } = await server.send('/metrics');
    assert.match(text, /^almanakk_concern\{name="build failed"\} 1$/m);
    const [latest] = (await statusOf(server)).builds;
    assert.is(latest?.kind, 'rebuild');
    assert.is(latest?.outcome, 'failed');
  }
});

beside('G7, H12: the builder should write when it builds next', ({ state }) => {
  const { aliveAt, nextBuildAt, buildingUntil } = state.schedule;
  assertDefined(nextBuildAt, 'the next build');
  assert.is(nextBuildAt % QUARTER, 0, 'milliseconds after a quarter of an hour');
  assert.is(buildingUntil, null);
  assertAbove(nextBuildAt, aliveAt, 'the next build');
});

interface LaterState {
  readonly what: string;
  /** `builder.json` then, from the state that the builder has written. */
  readonly written: (state: BuilderState) => object;
  readonly concerns: readonly string[];
}

const LATER: readonly LaterState[] = [
  {
    what: 'a day later',
    written: (state) => ({ ...state, schedule: aDayEarlier(state.schedule) }),
    concerns: ['build failed', 'builder silent'],
  },
  {
    what: 'if the builder has not come up since an upgrade',
    written: ({ schedule, ...state }) => ({ ...state, version: '0.0.0', schedule: aDayEarlier(schedule) }),
    concerns: ['builder silent'],
  },
  {
    what: 'if the file names no schedule',
    written: ({ schedule: _, ...state }) => state,
    concerns: ['build failed'],
  },
];

function aDayEarlier(schedule: Schedule): Schedule {
  const { aliveAt, nextBuildAt } = schedule;
  return { ...schedule, aliveAt: aliveAt - DAY, nextBuildAt: (nextBuildAt ?? 0) - DAY };
}

for (const { what, written, concerns } of LATER) {
  beside(`H12: should have the concerns ${concerns.join(' and ')} ${what}`, async (context) => {
    const { folder, servers, state } = context;
    writeFileSync(builderFile(folder), JSON.stringify(written(state)));
    await assertConcerns(servers, concerns);
  });
}

beside.run();

const separate = suite('builder in a process of its own');

interface FileCase {
  readonly title: string;
  readonly text: string;
  readonly read: object;
}

const SCHEDULE = { aliveAt: 1_000, nextBuildAt: null, buildingUntil: 2_000, crashes: 3 };
const OWN = { version: packageVersion(), ...NO_UPKEEP, hooks: [], schedule: SCHEDULE };

/** Contents of `builder.json`, and what a server reads of them. */
const FILES: readonly FileCase[] = [
  { title: 'of this version', text: JSON.stringify(OWN), read: OWN },
  {
    title: 'of another version, of which only the sign of life is known',
    text: JSON.stringify({ ...OWN, version: '0.0.0' }),
    read: { ...NO_UPKEEP, schedule: SCHEDULE },
  },
  {
    title: 'of a version that does not count crashes',
    text: JSON.stringify({ version: '0.0.0', schedule: { ...SCHEDULE, crashes: undefined } }),
    read: { ...NO_UPKEEP, schedule: { ...SCHEDULE, crashes: 0 } },
  },
  {
    title: 'of another version without a schedule',
    text: JSON.stringify({ ...OWN, version: '0.0.0', schedule: null }),
    read: NO_UPKEEP,
  },
  {
    title: 'of another version with a moment that no clock has',
    text: JSON.stringify({ schedule: { ...SCHEDULE, aliveAt: 1e16 } }),
    read: NO_UPKEEP,
  },
  { title: 'that is cut off', text: `{ "version": "${packageVersion()}", `, read: NO_UPKEEP },
  { title: 'that is no object', text: '[]', read: NO_UPKEEP },
];

for (const { title, text, read } of FILES)
  separate(`H12: should read a file ${title}`, async () => {
    const folder = temporaryFolder();
    assert.is(await readUpkeep(folder), NO_UPKEEP, 'before there is one');
    writeFileSync(join(folder, 'builder.json'), text);
    assert.equal(await readUpkeep(folder), read);
  });

separate('H12: should not take a file that it cannot read for none', async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'builder.json'));
  assert.match(
    await readUpkeep(folder).then(() => 'read', String),
    /builder\.json: expected the state of the builder, found .*expected a file, found something else/,
  );
});

separate('H12: should keep the time limit of a build that a crash cut off until a build begins', async () => {
  const folder = temporaryFolder();
  const environment = { ALMANAKK_SNAPSHOTS: folder, ALMANAKK_SOURCE: temporaryFolder() };
  const { settings } = readSettings(environment, temporaryFolder());
  writeFileSync(join(folder, 'builder.json'), JSON.stringify(OWN));
  const builder = await startBuilder(settings, { log: pino({ level: 'silent' }) });
  await builder.stop();
  assert.equal((await readUpkeep(folder)).schedule, SCHEDULE);
});

separate.run();
