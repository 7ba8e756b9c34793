/** G1, H2: the command `rebuild`: its options, output and exit codes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sourceOfEvents } from '../../helpers/build.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { sourceFolder } from '../../helpers/native-source.ts';
import { ran, spawned } from '../../helpers/rebuild.ts';

const test = suite('rebuild');

test('H2: should print one JSON document with --json, of the folders in the settings', async () => {
  const [source, target] = [sourceOfEvents(3), temporaryFolder()];
  const { code, stdout } = await ran(['--json'], { source, target });
  const document = JSON.parse(stdout);
  assert.is(code, 0);
  assert.is(document.outcome, 'published');
  assert.is(document.counts.events, 3);
  assert.is(document.report.lists.events.kept, 3);
  const failed = await ran(['--json', '--source', '/nowhere', '--target', target]);
  assert.is(failed.code, 1);
  assert.is(JSON.parse(failed.stdout).outcome, 'failed');
  assert.is(JSON.parse(failed.stdout).code, 'INVALID_SOURCE');
});

/** Files that stop a build with an error that quotes them. */
const SECRETS: readonly (readonly [name: string, content: string])[] = [
  ['events.json', '[{"title_nb": "hemmelig" "id": "a"}]'],
  ['events.json', '{"title_nb": "hemmelig"}'],
  ['events.ndjson', '{"id": "a"}\n{"title_nb": "hemmelig'],
  ['venues.json', '"hemmelig"'],
  ['corrections.json', '["hemmelig"]'],
  ['duplicates.json', '"hemmelig"'],
  ['sources.json', '[{"id": "huset", "kind": "hemmelig"}]'],
];

test('H9: should print the reason of a stopped build also without values of records', async () => {
  for (const [name, content] of SECRETS) {
    const events = name.startsWith('events.') ? {} : { 'events.json': [] };
    const source = sourceFolder({ ...events, [name]: content });
    const { stdout } = await ran(['--json', '--source', source, '--target', temporaryFolder()]);
    const { message, publicMessage } = JSON.parse(stdout);
    assert.match(message, 'hemmelig', name);
    assert.not.match(publicMessage, 'hemmelig', name);
    assert.match(
      publicMessage,
      new RegExp(`^${name}.*: expected .*; look at the source in /.*, then build again$`),
    );
  }
});

const MOMENTS: Readonly<Record<string, string>> = {
  '2026-05-17 12:00:00+02:00': '2026-05-17T10:00:00Z',
  '2026-05-17 12:00:00+0200': '2026-05-17T10:00:00Z',
  '2026-05-17T10:00:00Z': '2026-05-17T10:00:00Z',
  '2026-05-17T10:00:00.999Z': '2026-05-17T10:00:00Z',
  '2026-05-17T12:00+02': '2026-05-17T10:00:00Z',
};

test('H2: should build for the moment of --now, in each form with an offset', async () => {
  const dates = [{ start: '2026-06-01 19:00' }];
  const source = sourceFolder({ 'events.json': [{ id: 'e', title_nb: 'Sent', dates }] });
  for (const [text, builtAt] of Object.entries(MOMENTS)) {
    const args = ['--json', '--now', text, '--source', source, '--target', temporaryFolder()];
    assert.is(JSON.parse((await ran(args)).stdout).builtAt, builtAt, text);
  }
});

test('H2: should print its usage', async () => {
  const { code, stdout } = await ran(['--help']);
  assert.is(code, 0);
  for (const option of ['--source DIR', '--target FOLDER', '--now INSTANT', '--force', '--json']) {
    assert.match(stdout, option);
  }
});

test('H3: should read its settings, and refuse wrong ones with one line each and no stack', async () => {
  const [source, target] = [sourceOfEvents(3), temporaryFolder()];
  const settings = { ALMANAKK_SOURCE: source, ALMANAKK_SNAPSHOTS: target, ALMANAKK_HORIZON_MONTHS: '6' };
  const good = await spawned(['--now', '2026-01-01T12:00:00Z'], { env: settings });
  assert.is(good.code, 0, good.stderr);
  const wrong = await spawned([], { env: { ...settings, ALMANAKK_HORIZON_MONTHS: 'many', PORT: 'x' } });
  assert.is(wrong.code, 1);
  assert.is(
    wrong.stderr,
    'PORT: expected a whole number from 0 to 65535, found "x"\n' +
      'ALMANAKK_HORIZON_MONTHS: expected a whole number from 1 to 120, found "many"\n',
  );
});

test.run();
