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
import { NO_UPKEEP } from '../../../src/upkeep.ts';
import { readUpkeep } from '../../../src/upkeep-file.ts';
import { assertAbove } from '../../helpers/assertions.ts';
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

const separate = suite('builder in a process of its own');

separate.after.each(endPrograms);

separate(
  "H12: serving only, in one or two processes, should say that the builder's last build failed",
  async () => {
    const folder = temporaryFolder();
    await publishCalendar(folder);
    const starting = ['1', '2'].map((ALMANAKK_WORKERS) =>
      startServerProgram('serve', { ALMANAKK_SNAPSHOTS: folder, ALMANAKK_WORKERS }),
    );
    const servers = await Promise.all(starting);
    const statusOf = async ({ send }: ServerProgram): Promise<Status> =>
      JSON.parse((await send('/status', { headers: { Connection: 'close' } })).text);
    const concernsOf = async (server: ServerProgram) =>
      (await statusOf(server)).concerns.map(({ name }) => name);
    const assertConcerns = async (expected: readonly string[], when: string) => {
      for (const server of servers) assert.equal(await concernsOf(server), expected, when);
    };
    await assertConcerns([], 'before a build');

    const source = temporaryFolder();
    writeFileSync(join(source, 'licence.json'), '{ "id": ');
    const builder = startProgram({
      script: scriptOf('jobs/cli'),
      args: ['schedule'],
      env: { ALMANAKK_SNAPSHOTS: folder, ALMANAKK_SOURCE: source },
    });
    await builder.says(/rebuild failed/);
    for (const server of servers) {
      await eventually('it is a concern', async () => `${await concernsOf(server)}` === 'build failed');
      const { text } = await server.send('/metrics');
      assert.match(text, /^almanakk_concern\{name="build failed"\} 1$/m);
      const [latest] = (await statusOf(server)).builds;
      assert.is(latest?.kind, 'rebuild');
      assert.is(latest?.outcome, 'failed');
    }
    await stopProgram(builder);
    await assertConcerns(['build failed'], 'a builder that has stopped has not repaired it');
    const file = join(folder, 'builder.json');
    const { schedule, ...state } = JSON.parse(readFileSync(file, 'utf8'));
    const { aliveAt, nextBuildAt, buildingUntil } = schedule;
    const quarter = 15 * 60_000;
    assert.equal([nextBuildAt % quarter, buildingUntil], [0, null]);
    assertAbove(nextBuildAt, aliveAt, 'the next build');
    const earlier = { ...schedule, aliveAt: aliveAt - DAY, nextBuildAt: nextBuildAt - DAY };
    writeFileSync(file, JSON.stringify({ ...state, schedule: earlier }));
    await assertConcerns(['build failed', 'builder silent'], 'a day later');
    writeFileSync(file, JSON.stringify({ ...state, version: '0.0.0', schedule: earlier }));
    await assertConcerns(['builder silent'], 'the builder has not come up since an upgrade');
    writeFileSync(file, JSON.stringify(state));
    await assertConcerns(['build failed'], 'a file that names no schedule');
    await Promise.all(servers.map(stopProgram));
  },
);

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
