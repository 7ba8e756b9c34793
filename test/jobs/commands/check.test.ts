/** H13: `almanakk check`. */
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCheck } from '../../../jobs/commands/check.ts';
import { annexSteps } from '../../helpers/annex.ts';
import { built, events, invalidEvents, MONTHS, sourceOfEvents } from '../../helpers/build.ts';
import { BUILD_SETTINGS } from '../../helpers/build-choices.ts';
import { NOW } from '../../helpers/calendar.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { sourceFolder } from '../../helpers/native-source.ts';
import { listening } from '../../helpers/port.ts';
import { scriptOf, startProgram } from '../../helpers/program.ts';

const test = suite('H13: check');

async function checked(source: string, target: string, args: readonly string[] = []) {
  let stdout = '';
  let stderr = '';
  const code = await runCheck(args, {
    defaults: { ...BUILD_SETTINGS, source, target, horizonMonths: MONTHS, ...(await annexSteps()) },
    now: NOW,
    clock: Date.now,
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => {
      stderr += text;
    },
  });
  return { code, stdout, stderr };
}

/** Names, sizes and times: whatever is written changes one of them. */
const contentOf = (folder: string) =>
  readdirSync(folder).map((name) => {
    const { mtimeMs, size } = statSync(join(folder, name));
    return { name, mtimeMs, size };
  });

test('H13: should exit with 0 for an unchanged source, and write nothing', async () => {
  const [source, target] = [sourceOfEvents(3), temporaryFolder()];
  await built(source, target);
  const before = contentOf(target);
  const { code, stdout } = await checked(source, target);
  assert.is(code, 0);
  assert.match(stdout, /^3 events with 3 dates would be published\. Nothing was dropped or left out\.\n/);
  assert.match(stdout, 'since the last build: 0 added, 0 removed, 0 changed');
  assert.match(stdout, /checked, nothing published: 3 events, 3 occurrences\n$/);
  assert.equal(contentOf(target), before);
});

test('H13: should print the singular for one event with one occurrence', async () => {
  const { stdout } = await checked(sourceOfEvents(1), temporaryFolder());
  assert.match(stdout, /checked, nothing published: 1 event, 1 occurrence\n$/);
});

test('H13: should exit with 1 if records are left out, and print the changes', async () => {
  const target = temporaryFolder();
  await built(sourceOfEvents(8), target);
  const source = sourceFolder({ 'events.json': [...events(9), { id: 'bad' }] });
  const { code, stdout } = await checked(source, target, ['--json']);
  const { outcome, counts, changes, report } = JSON.parse(stdout);
  assert.equal([code, outcome, counts.events, changes.added], [1, 'checked', 9, 1]);
  assert.is(report.findings[0].id, 'bad');
});

test('H13: should exit with 2 if the source cannot be built, or a guard refuses it', async () => {
  const target = temporaryFolder();
  await built(sourceOfEvents(20), target);
  const before = contentOf(target);
  for (const source of [sourceOfEvents(2), sourceFolder({ 'events.json': invalidEvents(3) }), '/nowhere']) {
    const { code, stderr } = await checked(source, target);
    assert.is(code, 2, source);
    assert.match(stderr, /^The source cannot be built\. expected/, source);
  }
  assert.equal(contentOf(target), before);
});

test('H13: should exit with 1 if a feed cannot be read, with and without earlier records', async () => {
  const feeds = (file: string) => ({
    'sources.json': [{ id: 'f', kind: 'csv', file }],
    'f.csv': 'Tittel;Start\nKor;2026-02-14\n',
  });
  const target = temporaryFolder();
  assert.is((await checked(sourceOfEvents(3, feeds('g.csv')), target)).code, 1);
  await built(sourceOfEvents(3, feeds('f.csv')), target);
  const before = contentOf(join(target, 'feeds'));
  assert.is((await checked(sourceOfEvents(3, feeds('f.csv')), target)).code, 0);
  assert.is((await checked(sourceOfEvents(3, feeds('h.csv')), target)).code, 1);
  assert.equal(contentOf(join(target, 'feeds')), before);
});

test('H13: should refuse an unknown option, and print its own usage', async () => {
  const [source, target] = [sourceOfEvents(1), temporaryFolder()];
  assert.is((await checked(source, target, ['--sauce'])).code, 2);
  assert.match((await checked(source, target, ['--help'])).stdout, /^Usage: npm run check:source/);
});

test('H13: should remove its temporary folder when it is interrupted', async () => {
  const silent = createServer();
  const port = await listening(silent);
  const feed = { id: 'f', kind: 'csv', url: `http://127.0.0.1:${port}/f.csv` };
  const place = temporaryFolder();
  const foldersOfCheck = () => readdirSync(place).filter((name) => name.startsWith('almanakk-check-'));
  const requested = once(silent, 'request');
  const check = startProgram({
    script: scriptOf('jobs/cli'),
    args: ['check', '--source', sourceOfEvents(3, { 'sources.json': [feed] })],
    env: { TMPDIR: place, ALMANAKK_ALLOW_PRIVATE_FEEDS: 'true' },
  });
  try {
    await requested;
    assert.is(foldersOfCheck().length, 1);
    check.kill('SIGINT');
    assert.equal(await check.ended, { code: null, signal: 'SIGINT' });
    assert.equal(foldersOfCheck(), []);
  } finally {
    silent.closeAllConnections();
    silent.close();
  }
});

test.run();
