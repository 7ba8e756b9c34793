/** J6, G14: the nightly job of docs/scaling.md, as it is printed, in an empty folder each time. */
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { assertAbove, assertMissing } from '../../../helpers/assertions.ts';
import { events, sourceOf } from '../../../helpers/build.ts';
import { filesIn, temporaryFolder } from '../../../helpers/folder.ts';
import { runCommand, scriptOf } from '../../../helpers/program.ts';
import { theBlock } from '../../../readme/document.ts';

const SCRIPT = theBlock({ file: /^nightly\.sh$/ }).text;
const WORKFLOW = parse(theBlock({ file: /^\.github\/workflows\// }).text);

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
  `#!/bin/sh\nshift\nexec '${process.execPath}' '${scriptOf('jobs/cli')}' "$@"\n`,
);
chmodSync(join(programs, 'npx'), 0o755);

/** Runs lines in a folder with nothing but the repository's files. */
async function onNewMachine(lines: string, source: string, env: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'nightly.sh'), SCRIPT);
  cpSync(source, join(folder, 'calendar'), { recursive: true });
  const variables = { PATH: `${programs}:${process.env.PATH}`, HOME: folder, ...env };
  const ran = await runCommand('sh', ['-e', '-c', lines], { cwd: folder, env: variables });
  return { ...ran, folder };
}

const build = linesOf('Build and publish');
const soon = () => new Date(Date.now() + 40 * 86_400_000).toISOString().slice(0, 10);
const sourceWith = (count: number) =>
  sourceOf(0, {
    'events.json': events(count).map((event) => ({ ...event, dates: [{ start: `${soon()} 19:00` }] })),
  });

const test = suite('a machine that keeps nothing');

test('J6, G14: should publish from an empty folder, go on from it in another, and hold the guards against it', async () => {
  const published = join(temporaryFolder(), 'calendar');
  mkdirSync(published);
  const env = { ALMANAKK_PUBLISH: `file://${published}`, ALMANAKK_PUBLIC_FILE: 'true' };
  const manifest = () => readFileSync(join(published, 'manifest.json'), 'utf8');

  const early = await onNewMachine(build, sourceWith(30), env);
  assert.is.not(early.code, 0, 'nothing to compare with');
  const first = await onNewMachine(build, sourceWith(30), { ...env, FIRST: 'yes' });
  assert.is(first.code, 0, first.stdout);
  assert.match(readFileSync(join(first.folder, 'report.txt'), 'utf8'), /^published: calendar-\w+\.sqlite/m);
  const { file, compressed, public: edition } = JSON.parse(manifest());
  const whole = [compressed.file, file, edition.file, edition.compressed.file, 'manifest.json'];
  assert.equal(filesIn(published), whole.sort());

  // Unchanged files keep their copies and their manifest.
  const [before, names] = [manifest(), filesIn(published)];
  const same = await onNewMachine(build, sourceWith(30), env);
  assert.is(same.code, 0, same.stdout);
  assert.match(same.stdout, /^unchanged:/m);
  assert.equal([manifest(), filesIn(published)], [before, names]);

  const second = await onNewMachine(build, sourceWith(31), env);
  assert.is(second.code, 0, second.stdout);
  assert.match(second.stdout, /1 added|added: 1/i);
  assert.is.not(manifest(), before);

  const after = manifest();
  const lost = await onNewMachine(build, sourceWith(5), env);
  assert.is(lost.code, 1);
  assert.match(readFileSync(join(lost.folder, 'report.txt'), 'utf8'), 'Nothing was published.');
  assert.is(manifest(), after);
  assertMissing(join(published, 'feeds'));
});

test('J6: should never publish the records of feeds that the folder keeps', async () => {
  const published = temporaryFolder();
  const feed = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:t', 'BEGIN:VEVENT', 'UID:x', 'SUMMARY:Allsang'];
  const day = soon().replaceAll('-', '');
  const text = [...feed, `DTSTART:${day}T190000`, 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');
  const source = sourceOf(0, {
    'sources.json': [{ id: 'koret', kind: 'ical', file: 'koret.ics', language: 'nb' }],
    'koret.ics': text,
    'events.json': [],
  });
  const env = { ALMANAKK_PUBLISH: `file://${published}`, FIRST: 'yes' };
  const { code, stdout, folder } = await onNewMachine(build, source, env);
  assert.is(code, 0, stdout);
  assertAbove(readdirSync(join(folder, 'snapshots/feeds')).length, 0, 'files');
  assert.equal(
    filesIn(published).filter((name) => !/^(calendar-\w+\.sqlite(\.br)?|manifest\.json)$/.test(name)),
    [],
  );
});

test('should check a pull request without publishing, and keep the report whatever happens', async () => {
  const lines = linesOf('Check');
  assert.is((await onNewMachine(lines, sourceWith(3), {})).code, 0);
  const wrong = await onNewMachine(lines, sourceOf(0, { 'events.json': [{ id: 'a' }] }), {});
  assert.is.not(wrong.code, 0);
  const report = steps.find(({ name }) => name === 'Keep the report');
  assert.match(report?.if ?? '', 'always()');
  for (const name of Object.keys(steps.find(({ run }) => run === build)?.env ?? {}))
    assert.match(name, /^(FIRST|ALMANAKK_\w+|AWS_\w+)$/, name);
});

test.run();
