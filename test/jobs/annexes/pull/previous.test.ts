/** G14: a machine that keeps nothing takes the snapshot before from elsewhere, so that guards have something to compare with. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { create } from '../../../../jobs/annexes/pull/previous.ts';
import { messageOf } from '../../../../src/calendar/errors.ts';
import { MANIFEST } from '../../../../src/snapshot/files.ts';
import { FORMAT } from '../../../../src/snapshot/format.ts';
import { parseManifest, renderManifest } from '../../../../src/snapshot/manifest.ts';
import { manifestOfFormat } from '../../../../src/snapshot/other-formats.ts';
import { assertDefined, assertExists, assertMissing } from '../../../helpers/assertions.ts';
import { built, sourceOfEvents } from '../../../helpers/build.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { rejects } from '../../../helpers/errors.ts';
import { manifestTextIn, temporaryFolder } from '../../../helpers/folder.ts';
import { publishRelease, RELEASE } from '../../../helpers/formats.ts';
import { LICENCE } from '../../../helpers/native-source.ts';
import { type Origin, startOrigin } from '../../../helpers/origin.ts';
import { runCommand, SHORT_LIVED, scriptOf } from '../../../helpers/program.ts';
import { ran, spawned } from '../../../helpers/rebuild.ts';

const nightly = suite<{ before: string; origin: Origin }>('nothing to compare with');

nightly.before(async (context) => {
  context.before = temporaryFolder();
  await built(sourceOfEvents(40), context.before, { now: NOW });
  context.origin = await startOrigin(context.before);
});
nightly.after(({ origin }) => origin.close());

const NEXT_DAY = ['--now', '2026-01-02T12:00:00Z'];

const rebuild = (source: string, target: string, ...args: readonly string[]) =>
  ran([...NEXT_DAY, ...args], { source, target });

nightly('G14: should stop a build in an empty folder with --require-previous', async () => {
  const target = temporaryFolder();
  const refused = await rebuild(sourceOfEvents(3), target, '--require-previous');
  assert.is(refused.code, 1);
  assert.match(
    refused.stderr,
    /expected a snapshot in .* to compare with \(--require-previous\), found none/,
  );
  assert.is((await rebuild(sourceOfEvents(3), target)).code, 0);
  assert.is((await rebuild(sourceOfEvents(4), target, '--require-previous')).code, 0);
});

nightly(
  'G14: should compare the build with the calendar at a URL or in a folder',
  async ({ before, origin }) => {
    for (const from of [before, `${origin.url}`]) {
      const target = temporaryFolder();
      const lost = await rebuild(sourceOfEvents(5), target, '--previous', from);
      assert.is(lost.code, 1, from);
      assert.match(lost.stderr, /at least half|half of/, from);
      const good = await rebuild(sourceOfEvents(41), temporaryFolder(), '--previous', from);
      assert.is(good.code, 0, good.stderr);
      assert.match(good.stdout, /1 added|1 new|added: 1/i);
    }
  },
);

nightly('G14, G15: should continue from a snapshot of 1.0.0', async () => {
  const release = temporaryFolder();
  publishRelease(release);
  const origin = await startOrigin(release);
  for (const from of [release, `${origin.url}`]) {
    const { code, stdout, stderr } = await ran(['--now', '2026-11-26T12:00:00Z', '--previous', from], {
      source: join(RELEASE, 'source'),
      target: temporaryFolder(),
    });
    assert.equal([code, stderr], [0, ''], from);
    assert.match(stdout, 'since the last build: 0 added, 0 removed, 0 changed (0 renamed)', from);
  }
  await origin.close();
});

nightly(
  'G14, H5: should continue from the last snapshot of its own format if there is a newer one',
  async ({ before }) => {
    const newer = temporaryFolder();
    cpSync(before, newer, { recursive: true });
    const manifest = parseManifest(manifestTextIn(newer));
    cpSync(join(newer, MANIFEST), join(newer, manifestOfFormat(FORMAT)));
    writeFileSync(join(newer, MANIFEST), renderManifest({ ...manifest, format: 99 }));
    const origin = await startOrigin(newer);
    const { code, stderr } = await rebuild(
      sourceOfEvents(41),
      temporaryFolder(),
      '--previous',
      `${origin.url}`,
    );
    assert.is(code, 0);
    assert.match(
      stderr,
      /expected format \d+, found 99: this program is older than the build; upgrade this machine; this build/,
    );
    assert.match(stderr, manifest.id);
    await origin.close();
  },
);

nightly('H6: should refuse to build on a machine that copies its snapshots', async () => {
  const target = temporaryFolder();
  const run = (command: string, origin: string) =>
    runCommand(process.execPath, [...SHORT_LIVED, scriptOf('jobs/cli'), command, '--json'], {
      cwd: temporaryFolder(),
      env: {
        PATH: process.env.PATH,
        ALMANAKK_ORIGIN: origin,
        ALMANAKK_SOURCE: '/nowhere',
        ALMANAKK_SNAPSHOTS: target,
      },
    });
  const origin = 'http://name:secret@builder.example:4000/snapshots/';
  for (const [command, expected] of Object.entries({ rebuild: 1, check: 2 })) {
    const { code, stdout, stderr } = await run(command, origin);
    assert.equal([code, stderr], [expected, ''], command);
    const { message } = JSON.parse(stdout);
    assert.match(
      message,
      /^ALMANAKK_ORIGIN: expected none where a calendar is built, found http:\/\/builder\.example:4000, from/,
    );
  }
  assertMissing(join(target, MANIFEST));
  // An empty variable overrides the line in `.env`: this build begins.
  const { code } = JSON.parse((await run('rebuild', '')).stdout);
  assert.is(code, 'INVALID_SOURCE');
});

nightly('G14: should find the same source unchanged', async () => {
  const [source, yesterday] = [sourceOfEvents(30), temporaryFolder()];
  assert.is((await rebuild(source, yesterday)).code, 0);
  // In a process of its own, as people run it.
  const { code, stdout } = await spawned([...NEXT_DAY, '--previous', yesterday, '--json'], {
    env: { ALMANAKK_SOURCE: source, ALMANAKK_SNAPSHOTS: temporaryFolder() },
  });
  assert.equal([code, JSON.parse(stdout).outcome], [0, 'unchanged']);
});

nightly('G14: should refuse a calendar of another licence, and a place without one', async ({ before }) => {
  const other = sourceOfEvents(40, { 'licence.json': { ...LICENCE, id: 'nabobyen' } });
  const refused = await rebuild(other, temporaryFolder(), '--previous', before);
  assert.is(refused.code, 1);
  assert.match(refused.stderr, /expected a snapshot of the calendar nabobyen in .*, found one of trondheim/);
  for (const from of [temporaryFolder(), 'ftp://kalender.example/', 'http://127.0.0.1:9/']) {
    const failed = await rebuild(sourceOfEvents(3), temporaryFolder(), '--previous', from);
    assert.is(failed.code, 1, from);
    assert.is(failed.stdout.includes('published:'), false, from);
  }
});

const { fetchPrevious } = create({
  origin: null,
  s3: null,
  s3Endpoint: null,
  trust: [],
  snapshotsToken: null,
  allowPrivateFeeds: false,
});

nightly(
  'G14: should ignore a missing compressed copy, and stop at one that it cannot read',
  async ({ before }) => {
    const from = temporaryFolder();
    cpSync(before, from, { recursive: true });
    const { file, compressed } = parseManifest(readFileSync(join(from, MANIFEST), 'utf8'));
    assertDefined(compressed, 'a compressed copy');
    const copy = join(from, compressed.file);
    rmSync(copy);
    const withoutCopy = temporaryFolder();
    await fetchPrevious?.(from, withoutCopy);
    assertExists(join(withoutCopy, file));
    mkdirSync(copy);
    const target = temporaryFolder();
    const outcome = await fetchPrevious?.(from, target).then(() => 'taken', messageOf);
    assert.match(outcome ?? '', /^[A-Z]+: .*copyfile/);
    rmSync(join(from, file));
    await rejects(
      Promise.resolve(fetchPrevious?.(from, target)),
      'SNAPSHOT_UNUSABLE',
      new RegExp(`^${from}: expected the file that manifest\\.json names, found no ${file}$`),
    );
    assertMissing(join(target, MANIFEST));
  },
);

nightly.run();
