/** G13: a build into another folder notifies nobody, and a trial begins with the last snapshot. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CommandContext } from '../../jobs/build-command.ts';
import { runCheck } from '../../jobs/check.ts';
import { runRebuild } from '../../jobs/rebuild.ts';
import { annexSteps } from '../helpers/annex.ts';
import { assertExists } from '../helpers/assertions.ts';
import { MONTHS, sourceOf } from '../helpers/build.ts';
import { NOW } from '../helpers/calendar.ts';
import { always, startFeedServer } from '../helpers/feed-server.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { spawned } from '../helpers/rebuild.ts';

const test = suite('trial');

/** `rebuild` with a hook and a store that note the folders which they are told of. */
async function scene() {
  const source = sourceOf(3);
  const target = temporaryFolder();
  const notified: string[] = [];
  const out: string[] = [];
  const afterBuild = async (folder: string) => {
    notified.push(folder);
    return null;
  };
  const context: CommandContext = {
    defaults: { source, target, horizonMonths: MONTHS, ...(await annexSteps()) },
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
  const { target, notified, rebuild } = await scene();
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

test('G13: should know the target of the settings by any path that leads there', async () => {
  const { target, notified, rebuild } = await scene();
  const link = join(temporaryFolder(), 'link');
  symlinkSync(target, link);
  for (const path of [link, `${target}/`, join(target, '..', target.split('/').at(-1) ?? '')]) {
    notified.length = 0;
    await rebuild('--target', path, '--force');
    assert.equal(notified, [resolve(path), resolve(path)]);
  }
});

test('G13: should begin a trial with the last snapshot and the records of feeds, and publish nothing', async () => {
  const { target, notified, rebuild } = await scene();
  await rebuild();
  notified.length = 0;
  mkdirSync(join(target, 'feeds'));
  writeFileSync(join(target, 'feeds', 'kirke.json'), '{}');
  const before = readdirSync(target).sort();
  const trial = join(temporaryFolder(), 'new', 'trial');
  const { code, output } = await rebuild('--trial', trial);
  assert.is(code, 0, output);
  assert.equal(notified, []);
  assert.match(output, /nothing sent \(hooks, store\)/);
  assert.equal(readdirSync(target).sort(), before);
  const { id } = JSON.parse(readFileSync(join(target, 'manifest.json'), 'utf8'));
  assertExists(join(trial, `calendar-${id}.sqlite`));
  // Compared with the snapshot that is served: nothing is new.
  assert.match((await rebuild('--trial', trial, '--json')).output, '"outcome":"unchanged"');
});

test('G13: should refuse a trial in the folder itself, with a target, or of a check', async () => {
  const { target, rebuild, context, out } = await scene();
  const link = join(temporaryFolder(), 'link');
  symlinkSync(target, link);
  const itself = await rebuild('--trial', link);
  assert.is(itself.code, 1);
  assert.match(itself.output, /--trial: expected a separate folder, found the snapshot folder/);
  assert.match(
    (await rebuild('--trial', 'a', '--target', 'b')).output,
    'expected --target or --trial, found both',
  );
  out.length = 0;
  assert.is(await runCheck(['--trial', 'a'], context), 2);
  assert.match(out.join(''), '--trial: expected with "rebuild" alone');
});

test('G13, H3: should call the hook of the settings once, and none for a trial or with an empty variable', async () => {
  const hook = await startFeedServer(always(204, ''));
  const target = temporaryFolder();
  const env = {
    ALMANAKK_SOURCE: sourceOf(3),
    ALMANAKK_SNAPSHOTS: target,
    ALMANAKK_HOOKS: hook.url,
    ALMANAKK_ALLOW_PRIVATE_FEEDS: 'true',
  };
  const requestsAfter = async (args: readonly string[], settings: Readonly<Record<string, string>> = {}) => {
    const now = ['--now', '2026-01-01T12:00:00Z', '--force'];
    const { code, stderr } = await spawned([...args, ...now], { env: { ...env, ...settings } });
    assert.is(code, 0, stderr);
    return hook.requests.length;
  };
  try {
    assert.is(await requestsAfter(['--trial', temporaryFolder()]), 0, 'requests for --trial');
    assert.is(await requestsAfter(['--target', temporaryFolder()]), 0, 'requests for --target');
    const empty = { ALMANAKK_SNAPSHOTS: temporaryFolder(), ALMANAKK_HOOKS: '' };
    assert.is(await requestsAfter([], empty), 0, 'requests for an empty setting');
    assert.is(await requestsAfter([]), 1, 'requests for the folder of the settings');
  } finally {
    await hook.close();
  }
});

test.run();
