/** H6: `pull --watch`: copies of each new snapshot, damaged files, origins out of reach, and pauses. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { follow } from '../../../../jobs/annexes/pull/pull.ts';
import { watchOrigin } from '../../../../jobs/annexes/pull/watch.ts';
import { backoff, type Polling } from '../../../../jobs/kit/polling.ts';
import { readSettings } from '../../../../jobs/settings.ts';
import { FORMAT } from '../../../../src/snapshot/format.ts';
import { parseManifest } from '../../../../src/snapshot/manifest.ts';
import { manifestOfFormat } from '../../../../src/snapshot/other-formats.ts';
import type { AnnexUpkeep, BuildRecord } from '../../../../src/upkeep.ts';
import { assertAtMost, assertBelow, assertExcludes } from '../../../helpers/assertions.ts';
import { manifestTextIn, publishCalendar, temporaryFolder } from '../../../helpers/folder.ts';
import { makeNewer } from '../../../helpers/formats.ts';
import { verifyHere } from '../../../helpers/keeper.ts';
import { type Origin, startOrigin } from '../../../helpers/origin.ts';
import { until } from '../../../helpers/until.ts';
import { publishDamagedEdition } from './pulling.ts';

interface Context {
  readonly origins: Origin[];
  readonly watches: Pick<Polling, 'stop'>[];
}

const watching = suite<Context>('pull --watch', { origins: [], watches: [] });

watching.after.each(async ({ origins, watches }) => {
  for (const watch of watches.splice(0)) await watch.stop();
  for (const origin of origins.splice(0)) await origin.close();
});

/** An origin with its folder, `theirs`, and a replica that follows it; `time.ahead` moves its clock, in milliseconds. */
async function startReplica({ origins, watches }: Context, theirs = temporaryFolder()) {
  const folder = temporaryFolder();
  const origin = await startOrigin(theirs);
  origins.push(origin);
  const pulls: BuildRecord[] = [];
  /** Level and message of each. */
  const lines: string[] = [];
  const time = { ahead: 0 };
  const watch = watchOrigin({
    origin: origin.url,
    folder,
    allowPrivate: false,
    pollMs: 10,
    stallMs: 10_000,
    verify: verifyHere,
    log: {
      info: (_fields, message) => lines.push(`info ${message}`),
      warn: (_fields, message) => lines.push(`warn ${message}`),
    },
    clock: () => Date.now() + time.ahead,
    random: () => 0.5,
    addRecord: (record) => pulls.push(record),
  });
  watches.push(watch);
  /** The id of the replica's snapshot; null without one. */
  const id = () => {
    try {
      return parseManifest(readFileSync(join(folder, 'manifest.json'), 'utf8')).id;
    } catch {
      return null;
    }
  };
  const looks = () => origin.asked.filter((path) => path === 'manifest.json').length;
  return { theirs, folder, origin, watch, pulls, lines, id, looks, time };
}

watching('H6: should copy each snapshot that the origin publishes', async (context) => {
  const { theirs, pulls, lines, id, origin } = await startReplica(context);
  for (const name of ['En', 'To', 'Tre']) {
    const manifest = await publishCalendar(theirs, { name });
    await until(`${name} is here`, () => id() === manifest.id && pulls.at(-1)?.id === manifest.id);
  }
  const published = lines.filter((line) => line === 'info pull published');
  assert.is(published.length, 3);
  assert.is(origin.asked.filter((path) => path.endsWith('.sqlite')).length, 3);
});

watching(
  'H5, H6: should copy the last snapshot of its own format, and say why it is behind',
  async (context) => {
    const theirs = temporaryFolder();
    const { id: ours } = await publishCalendar(theirs, { name: 'Gammel' });
    const text = manifestTextIn(theirs);
    await publishCalendar(theirs, { name: 'Ny' });
    makeNewer(theirs);
    writeFileSync(join(theirs, manifestOfFormat(FORMAT)), text);
    const { pulls, id } = await startReplica(context, theirs);
    await until('the failure is recorded', () => pulls.at(-1)?.outcome === 'failed');
    const reason = `manifest.json: expected format ${FORMAT}, found 99: this program is older than the build; upgrade this machine`;
    // Further attempts may have failed meanwhile.
    assert.equal(
      pulls.slice(0, 2).map((pull) => [pull.id, pull.reason]),
      [
        [ours, null],
        [null, reason],
      ],
    );
    assert.is(id(), ours);
  },
);

watching(
  'J5: should log that the public edition was not copied, and publish the snapshot',
  async (context) => {
    const theirs = temporaryFolder();
    const { manifest } = await publishDamagedEdition(theirs);
    const { lines, id } = await startReplica(context, theirs);
    await until('the snapshot is here', () => lines.includes('info pull published'));
    assert.is(id(), manifest.id);
    assert.is(lines[0], 'warn public edition not copied');
  },
);

watching('H6, H14: should read its file once a day, and fetch a damaged one again', async (context) => {
  const { theirs, folder, id, looks, time } = await startReplica(context);
  const manifest = await publishCalendar(theirs);
  await until('the snapshot is here', () => id() === manifest.id);
  const path = join(folder, manifest.file);
  const good = readFileSync(path);
  writeFileSync(path, Buffer.from(good).fill(0xff, 50_000));
  const begun = looks();
  await until('several looks', () => looks() > begun + 3);
  assert.not(
    readFileSync(path).equals(good),
    'expected a damaged file of the same size before a day has passed',
  );
  time.ahead = 86_400_000;
  await until('it is whole again', () => readFileSync(path).equals(good));
});

watching('H6: should log once that the origin is out of reach, and once that it is back', async (context) => {
  const { theirs, origin, lines, looks, id, pulls } = await startReplica(context);
  origin.behave((_path, response) => {
    response.writeHead(503).end();
    return true;
  });
  const begun = looks();
  await until('several looks', () => looks() > begun + 3);
  const manifest = await publishCalendar(theirs);
  origin.behave(null);
  await until(
    'the snapshot is here',
    () => id() === manifest.id && lines.includes('info origin in reach again'),
  );
  const originLines = lines.filter((line) => line.includes('origin'));
  assert.equal(originLines.slice(-2), ['warn origin out of reach', 'info origin in reach again']);
  assertAtMost(originLines.length, 4, originLines.join(', '));
  assert.equal(
    pulls.map(({ reason }) => reason),
    [null],
  );
});

watching('H6: should report the first failure of a row as the start of the outage', async (context) => {
  const { origins, watches } = context;
  const origin = await startOrigin(temporaryFolder());
  origins.push(origin);
  // With 200, the origin is in reach: its manifest cannot be read, which is a fault of another kind.
  const answerWith = (code: number) =>
    origin.behave((_path, response) => response.writeHead(code).end('garbage') !== undefined);
  const states: { reason: string; since: number | null }[] = [];
  const time = { now: 1_000 };
  const environment = { ALMANAKK_ORIGIN: origin.url.href, ALMANAKK_SNAPSHOTS: temporaryFolder() };
  const { settings } = readSettings(environment, temporaryFolder());
  const program = {
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    clock: () => time.now,
    random: () => 0.5,
    previous: {},
    reported: () => ({}),
    reportState: ({ origin: state }: Partial<AnnexUpkeep>) => {
      const [code = 'none'] = state?.outOfReach?.match(/\b50\d\b/) ?? [];
      states.push({ reason: code, since: state?.since ?? null });
    },
  };
  const reported = (code: string) => until(`the state has ${code}`, () => states.at(-1)?.reason === code);
  answerWith(503);
  watches.push(follow({ ...settings, pollSeconds: 0.01 }, program, ignore));
  await reported('503');
  time.now = 2_000;
  answerWith(500);
  await reported('500');
  time.now = 3_000;
  answerWith(200);
  await reported('none');
  time.now = 4_000;
  answerWith(502);
  await reported('502');
  assert.equal(states, [
    { reason: 'none', since: null },
    { reason: '503', since: 1_000 },
    { reason: '500', since: 1_000 },
    { reason: 'none', since: null },
    { reason: '502', since: 4_000 },
  ]);
});

const ignore = () => undefined;

watching('H6: should not fetch a damaged snapshot at each poll, but a new one at once', async (context) => {
  const { theirs, origin, lines, looks, id, pulls } = await startReplica(context);
  origin.behave((path, response) => {
    if (path === 'manifest.json') return false;
    response.end('garbage');
    return true;
  });
  await publishCalendar(theirs, { name: 'Uheldig' });
  await until('the bad delivery is refused', () => lines.includes('warn pull failed'));
  const begun = looks();
  await until('many looks', () => looks() > begun + 30);
  const fetched = origin.asked.filter((path) => path.endsWith('.sqlite')).length;
  assertBelow(fetched, 12, 'fetches');
  assert.is(lines.filter((line) => line === 'warn pull failed').length, 1);
  assert.match(String(pulls[0]?.reason), /expected \d+ bytes, found 7$/);
  origin.behave(null);
  const good = await publishCalendar(theirs, { name: 'God' });
  await until('the good delivery is here', () => id() === good.id);
});

watching('H4: should stop at once, in the middle of a file', async (context) => {
  const { theirs, origin, watch, lines, id } = await startReplica(context);
  origin.behave((path, response) => {
    if (path === 'manifest.json') return false;
    response.write('SQLite');
    return true;
  });
  await publishCalendar(theirs);
  await until('the file is asked for', () => origin.asked.some((path) => path.endsWith('.sqlite')));
  await watch.stop();
  assert.is(id(), null);
  assertExcludes(lines, 'warn pull failed');
});

watching('H6: should poll at random moments, and less often after each failure', () => {
  const pauseMs = (pollMs: number, failures: number, random: number) =>
    Math.round(backoff({ pollMs, failures, random: () => random }));
  assert.is(pauseMs(5_000, 0, 0), 4_500, 'the shortest pause without failures');
  assert.is(pauseMs(5_000, 0, 0.5), 5_000, 'a middle pause without failures');
  assert.is(pauseMs(5_000, 1, 0), 5_000, 'the shortest pause after a failure');
  assert.is(pauseMs(5_000, 3, 0.5), 30_000, 'a middle pause after three failures');
  assert.is(pauseMs(5_000, 1_000, 0.5), 45_000, 'a middle pause after a thousand failures');
  assert.is(pauseMs(3_600_000, 9, 0.5), 2_700_000, 'a middle pause with hourly polls');
});

watching.run();
