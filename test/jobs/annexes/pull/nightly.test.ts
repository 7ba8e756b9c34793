/** J6, G14: the nightly job of docs/examples. Each run has a new, empty folder, as on a machine of a CI service. */
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { packagePath } from '../../../../src/package.ts';
import { assertAbove } from '../../../helpers/assertions.ts';
import { events, sourceOfEvents } from '../../../helpers/build.ts';
import { filesIn, temporaryFolder } from '../../../helpers/folder.ts';
import { runCommand, SHORT_LIVED, scriptOf } from '../../../helpers/program.ts';

const SCRIPT = packagePath('docs/examples/nightly.sh');
const WORKFLOW = parse(readFileSync(packagePath('docs/examples/nightly.yml'), 'utf8'));

interface Step {
  readonly name?: string;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const steps: readonly Step[] = WORKFLOW.jobs.calendar.steps;
const linesOf = (wanted: string) => steps.find(({ name }) => name === wanted)?.run ?? '';

/** `npx` as it runs a package that is installed, and nothing else. */
const programs = temporaryFolder();
writeFileSync(
  join(programs, 'npx'),
  `#!/bin/sh\nshift\nexec '${process.execPath}' ${SHORT_LIVED.join(' ')} '${scriptOf('jobs/cli')}' "$@"\n`,
);
chmodSync(join(programs, 'npx'), 0o755);

/** Runs lines in a folder with nothing but the repository's files. */
async function onNewMachine(lines: string, source: string, env: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  cpSync(SCRIPT, join(folder, 'nightly.sh'));
  cpSync(source, join(folder, 'calendar'), { recursive: true });
  const variables = { PATH: `${programs}:${process.env.PATH}`, HOME: folder, ...env };
  const ran = await runCommand('sh', ['-e', '-c', lines], { cwd: folder, env: variables });
  return { ...ran, folder };
}

const build = linesOf('Build and publish');
const soon = () => new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10);
const sourceWith = (count: number) =>
  sourceOfEvents(0, {
    'events.json': events(count).map((event) => ({ ...event, dates: [{ start: `${soon()} 19:00` }] })),
  });

const test = suite('a machine that keeps nothing');

/** A published calendar of 30 events, for the tests after the first. */
const published = join(temporaryFolder(), 'calendar');
mkdirSync(published);
const PUBLISHING = { ALMANAKK_PUBLISH: `file://${published}`, ALMANAKK_PUBLIC_FILE: 'true' };
const manifestText = () => readFileSync(join(published, 'manifest.json'), 'utf8');

test.before(async () => {
  const first = await onNewMachine(build, sourceWith(30), { ...PUBLISHING, FIRST: 'yes' });
  assert.is(first.code, 0, first.stdout);
  assert.match(readFileSync(join(first.folder, 'report.txt'), 'utf8'), /^published: calendar-\w+\.sqlite/m);
});

test('G14: should refuse a first build without FIRST, because there is nothing to compare it with', async () => {
  const empty = temporaryFolder();
  const { code } = await onNewMachine(build, sourceWith(30), { ALMANAKK_PUBLISH: `file://${empty}` });
  assert.is.not(code, 0, 'exit code');
  assert.equal(filesIn(empty), []);
});

test('J6: should publish the snapshot, the public edition, their copies and a manifest', () => {
  const { file, compressed, public: edition } = JSON.parse(manifestText());
  const whole = [compressed.file, file, edition.file, edition.compressed.file, 'manifest.json'];
  assert.equal(filesIn(published), whole.sort());
});

test('J6, G7: should keep the files and the manifest of an unchanged calendar', async () => {
  const before = { manifest: manifestText(), files: filesIn(published) };
  const same = await onNewMachine(build, sourceWith(30), PUBLISHING);
  assert.is(same.code, 0, same.stdout);
  assert.match(same.stdout, /^unchanged:/m);
  assert.equal({ manifest: manifestText(), files: filesIn(published) }, before);
});

test('J6, G14: should compare the next build with the published calendar', async () => {
  const before = manifestText();
  const second = await onNewMachine(build, sourceWith(31), PUBLISHING);
  assert.is(second.code, 0, second.stdout);
  assert.match(second.stdout, /1 added|added: 1/i);
  assert.is.not(manifestText(), before);
});

test('J6, G14: should publish nothing if most events are gone', async () => {
  const before = manifestText();
  const lost = await onNewMachine(build, sourceWith(5), PUBLISHING);
  assert.is(lost.code, 1);
  assert.match(readFileSync(join(lost.folder, 'report.txt'), 'utf8'), 'Nothing was published.');
  assert.is(manifestText(), before);
});

test('J6: should not publish the last good records of feeds', async () => {
  const place = temporaryFolder();
  const feed = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:t', 'BEGIN:VEVENT', 'UID:x', 'SUMMARY:Allsang'];
  const day = soon().replaceAll('-', '');
  const text = [...feed, `DTSTART:${day}T190000`, 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');
  const source = sourceOfEvents(0, {
    'sources.json': [{ id: 'koret', kind: 'ical', file: 'koret.ics', language: 'nb' }],
    'koret.ics': text,
    'events.json': [],
  });
  const env = { ALMANAKK_PUBLISH: `file://${place}`, FIRST: 'yes' };
  const { code, stdout, folder } = await onNewMachine(build, source, env);
  assert.is(code, 0, stdout);
  assertAbove(readdirSync(join(folder, 'snapshots/feeds')).length, 0, 'files');
  assert.equal(
    filesIn(place).filter((name) => !/^(calendar-\w+\.sqlite(\.br)?|manifest\.json)$/.test(name)),
    [],
  );
});

test('H13: should accept a pull request with good records, and refuse one with bad records', async () => {
  const lines = linesOf('Check');
  assert.is((await onNewMachine(lines, sourceWith(3), {})).code, 0, 'exit code for good records');
  const wrong = await onNewMachine(lines, sourceOfEvents(0, { 'events.json': [{ id: 'a' }] }), {});
  assert.is.not(wrong.code, 0, 'exit code for bad records');
});

test('J6: should keep the report of failed builds, and set only known variables', () => {
  const report = steps.find(({ name }) => name === 'Keep the report');
  assert.match(report?.if ?? '', 'always()');
  for (const name of Object.keys(steps.find(({ run }) => run === build)?.env ?? {}))
    assert.match(name, /^(FIRST|ALMANAKK_\w+|AWS_\w+)$/, name);
});

test.run();
