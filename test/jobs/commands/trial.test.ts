/** G13: a build into another folder notifies nobody, and a trial begins with the last snapshot. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CommandContext } from '../../../jobs/commands/build-command.ts';
import { runCheck } from '../../../jobs/commands/check.ts';
import { runRebuild } from '../../../jobs/commands/rebuild.ts';
import { annexSteps } from '../../helpers/annex.ts';
import { assertExists } from '../../helpers/assertions.ts';
import { MONTHS, sourceOfEvents } from '../../helpers/build.ts';
import { BUILD_SETTINGS } from '../../helpers/build-choices.ts';
import { NOW } from '../../helpers/calendar.ts';
import { always, startFeedServer } from '../../helpers/feed-server.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { spawned } from '../../helpers/rebuild.ts';
import { withPart } from '../../helpers/when.ts';

const test = suite('trial');

/** `rebuild` with a hook and a store that record the folders of which they are notified. */
async function startTrials() {
  const source = sourceOfEvents(3);
  const target = temporaryFolder();
  const notified: string[] = [];
  const out: string[] = [];
  const afterBuild = async (folder: string) => {
    notified.push(folder);
    return null;
  };
  const context: CommandContext = {
    defaults: { ...BUILD_SETTINGS, source, target, horizonMonths: MONTHS, ...(await annexSteps()) },
    now: NOW,
    clock: Date.now,
    stdout: (text) => out.push(text),
    stderr: (text) => out.push(text),
    parts: new Map([
      ['hooks', { afterBuild }],
      ['store', { afterBuild }],
    ]),
  };
  const rebuild = async (...args: string[]) => {
    out.length = 0;
    return { code: await runRebuild(args, context), output: out.join('') };
  };
  return { source, target, notified, context, out, rebuild };
}

test('G13: should notify nobody of a build into another folder, and say why', async () => {
  const { target, notified, rebuild } = await startTrials();
  const other = temporaryFolder();
  const { code, output } = await rebuild('--target', other);
  assert.is(code, 0);
  assert.equal(notified, []);
  assert.match(
    output,
    `nothing sent (hooks, store): ${other} is not the configured snapshot folder ${target}`,
  );
  const { output: json } = await rebuild('--target', other, '--force', '--json');
  assert.equal(JSON.parse(json).publishedToNobody.withheld, ['hooks', 'store']);
  assert.not.match((await rebuild()).output, 'nothing sent');
  assert.equal(notified, [target, target]);
});

test('G13: should recognise the target of the settings by any path to it', async () => {
  const { target, notified, rebuild } = await startTrials();
  const link = join(temporaryFolder(), 'link');
  symlinkSync(target, link);
  for (const path of [link, `${target}/`, `${target}/../${basename(target)}`]) {
    notified.length = 0;
    await rebuild('--target', path, '--force');
    assert.equal(notified, [resolve(path), resolve(path)], `--target ${path}`);
  }
});

test('G13: should begin a trial with copies of the last snapshot and the records of feeds', async () => {
  const { target, rebuild } = await startTrials();
  await rebuild();
  mkdirSync(join(target, 'feeds'));
  writeFileSync(join(target, 'feeds', 'kirke.json'), '{"kirke":1}');
  const trial = join(temporaryFolder(), 'new', 'trial');
  const { code, output } = await rebuild('--trial', trial);
  assert.is(code, 0, output);
  const { id } = JSON.parse(readFileSync(join(target, 'manifest.json'), 'utf8'));
  assertExists(join(trial, `calendar-${id}.sqlite`));
  assertExists(join(trial, 'feeds', 'kirke.json'));
  assert.is(readFileSync(join(trial, 'feeds', 'kirke.json'), 'utf8'), '{"kirke":1}');
  // Compared with the snapshot that is served: nothing is new.
  assert.match((await rebuild('--trial', trial, '--json')).output, '"outcome":"unchanged"');
});

test('G13: should change nothing in the configured folder during a trial', async () => {
  const { target, notified, rebuild } = await startTrials();
  await rebuild();
  notified.length = 0;
  const before = readdirSync(target).sort();
  const trial = temporaryFolder();
  const { code, output } = await rebuild('--trial', trial);
  assert.is(code, 0, output);
  assert.equal(notified, []);
  assert.match(output, /nothing sent \(hooks, store\)/);
  assert.equal(readdirSync(target).sort(), before);
});

test('G13: should refuse a trial in the configured folder', async () => {
  const { target, rebuild } = await startTrials();
  const link = join(temporaryFolder(), 'link');
  symlinkSync(target, link);
  const itself = await rebuild('--trial', link);
  assert.is(itself.code, 1);
  assert.match(itself.output, /--trial: expected a separate folder, found the snapshot folder/);
});

test('G13: should refuse a trial with another target', async () => {
  const { rebuild } = await startTrials();
  const { code, output } = await rebuild('--trial', 'a', '--target', 'b');
  assert.is(code, 1);
  assert.match(output, 'expected --target or --trial, found both');
});

test('G13: should refuse a trial of a check', async () => {
  const { context, out } = await startTrials();
  assert.is(await runCheck(['--trial', 'a'], context), 2);
  assert.match(out.join(''), '--trial: expected with "rebuild" alone');
});

withPart('jobs/annexes/hooks', test)(
  'G13, H3: should call the hook of the settings once, and none for a trial or with an empty variable',
  async () => {
    const hook = await startFeedServer(always(204, ''));
    const target = temporaryFolder();
    const env = {
      ALMANAKK_SOURCE: sourceOfEvents(3),
      ALMANAKK_SNAPSHOTS: target,
      ALMANAKK_HOOKS: hook.url,
      ALMANAKK_ALLOW_PRIVATE_FEEDS: 'true',
    };
    const requestsAfter = async (
      args: readonly string[],
      settings: Readonly<Record<string, string>> = {},
    ) => {
      const now = ['--now', '2026-01-01T12:00:00Z', '--force'];
      const { code, stderr } = await spawned([...args, ...now], { env: { ...env, ...settings } });
      assert.is(code, 0, stderr);
      return hook.requests.length;
    };
    try {
      assert.is(await requestsAfter(['--trial', temporaryFolder()]), 0, 'requests for --trial');
      const empty = { ALMANAKK_SNAPSHOTS: temporaryFolder(), ALMANAKK_HOOKS: '' };
      assert.is(await requestsAfter([], empty), 0, 'requests for an empty setting');
      assert.is(await requestsAfter([]), 1, 'requests for the folder of the settings');
    } finally {
      await hook.close();
    }
  },
);

test.run();
