/** The package that `npm pack` makes, installed into an empty folder without a clone. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { clientOf } from '../helpers/client.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { freePort } from '../helpers/nginx.ts';
import { packInto } from '../helpers/pack.ts';
import { endPrograms, ROOT, startProgram } from '../helpers/program.ts';
import { eventually } from '../helpers/until.ts';

const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const installed = suite<{ folder: string; script: string }>('an installed package');

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  assert.is(status, 0, `${command} ${args.join(' ')}\n${stdout}\n${stderr}`);
  return stdout;
}

installed.before((context) => {
  const folder = temporaryFolder();
  const tarball = packInto(folder);
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  run('npm', ['install', '--silent', '--prefer-offline', '--ignore-scripts', join('..', tarball)], empty);
  // What its install script would compile for minutes.
  cpSync(join(ROOT, 'node_modules/sqlite3/build'), join(empty, 'node_modules/sqlite3/build'), {
    recursive: true,
  });
  context.folder = empty;
  context.script = join(empty, 'node_modules/.bin/almanakk');
});

installed.after.each(endPrograms);

installed('should bring no packages of development, and no sources', ({ folder }) => {
  const packages = readdirSync(join(folder, 'node_modules'));
  assert.ok(packages.includes('graphql-helix'));
  for (const name of ['typescript', 'tsx', 'uvu', 'esbuild']) assert.not(packages.includes(name), name);
  const files = readdirSync(join(folder, 'node_modules/almanakk'), { recursive: true, encoding: 'utf8' });
  assert.equal(
    files.filter((file) => file.endsWith('.ts') || file.startsWith('test')),
    [],
  );
});

installed('should say its version, and list its commands', ({ folder, script }) => {
  assert.is(run(script, ['--version'], folder), `${VERSION}\n`);
  assert.match(run(script, ['--help'], folder), /^Usage: almanakk COMMAND/);
});

installed('H2: should have all pages that operators need, and say where', ({ folder, script }) => {
  const [where = '', ...pages] = run(script, ['docs'], folder).trimEnd().split('\n');
  for (const name of [
    'operating.md',
    'watching.md',
    'scaling.md',
    'sources.md',
    'feeds.md',
    'alerts.yml',
    'scrape.yml',
    'events.schema.json',
  ])
    assert.ok(pages.includes(`  ${name}`) && existsSync(join(where, name)), name);
});

installed('H2: should build and serve its sample, and write beside where it is run', async (context) => {
  const port = await freePort();
  const { says, kill, ended } = startProgram({
    script: context.script,
    args: ['start', '--port', `${port}`],
    env: { HOST: '127.0.0.1', ALMANAKK_SNAPSHOTS: join(context.folder, 'snapshots') },
  });
  await says(/the sample is built/);
  const { send, ask } = clientOf(`http://127.0.0.1:${port}`);
  await eventually('it is ready', async () => (await send('/readyz')).status === 200);
  const { events } = await ask<{ readonly events: { readonly totalCount: number } }>('{events{totalCount}}');
  assert.ok(events.totalCount > 0);
  for (const path of ['/', '/embed.js', '/openapi.json']) assert.is((await send(path)).status, 200, path);
  assert.ok(existsSync(join(context.folder, 'snapshots')));
  kill('SIGTERM');
  assert.is((await ended).code, 0);
});

installed.run();
