/** The package that `npm pack` makes, installed into an empty folder without a clone. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  assertAbove,
  assertAtMost,
  assertExists,
  assertIncludes,
  assertMissing,
} from '../helpers/assertions.ts';
import { clientOf } from '../helpers/client.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { freePort } from '../helpers/nginx.ts';
import { packInto } from '../helpers/pack.ts';
import { endPrograms, ROOT, startProgram } from '../helpers/program.ts';
import { eventually } from '../helpers/until.ts';
import { withPart } from '../helpers/when.ts';

const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** The path of a link that is no picture, without its fragment: neither on the web nor above docs/. */
const LINK_WITHIN_DOCS = /(?<!!\[[^\]]*)\]\((?!https?:|#|\.\.\/)([^)#]+)/g;

const installed = suite<{ folder: string; script: string }>('an installed package');

function run(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  assert.is(status, 0, `${command} ${args.join(' ')}\n${stdout}\n${stderr}`);
  return stdout;
}

installed.before(async (context) => {
  const folder = temporaryFolder();
  const tarball = await packInto(folder);
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  // npm would otherwise install into a folder above that has a node_modules, even an empty one.
  const here = ['--prefix', empty];
  run('npm', ['install', ...here, '--prefer-offline', '--ignore-scripts', join('..', tarball)], empty);
  // The binary that its install script would fetch, or compile for minutes.
  const binary = 'node_modules/sqlite3/build/Release/node_sqlite3.node';
  cpSync(join(ROOT, binary), join(empty, binary));
  context.folder = empty;
  context.script = join(empty, 'node_modules/.bin/almanakk');
});

installed.after.each(endPrograms);

installed('H2: should need no package but sqlite3 and its own packages', ({ folder }) => {
  const packages = readdirSync(join(folder, 'node_modules'));
  assertIncludes(packages, 'sqlite3');
  for (const name of ['koa', 'graphql', '@smithy', 'typescript']) assert.not(packages.includes(name), name);
});

installed('H2: should have no sources and no tests', ({ folder }) => {
  const files = readdirSync(join(folder, 'node_modules/almanakk'), { recursive: true, encoding: 'utf8' });
  assert.equal(
    files.filter((file) => file.endsWith('.ts') || file.startsWith('test')),
    [],
  );
});

withPart('docs/kubernetes.yaml', installed)(
  'H2: should bring the files of docs/ to which its pages link',
  ({ folder }) => {
    const docs = join(folder, 'node_modules/almanakk/docs');
    const pages = readdirSync(docs).filter((name) => name.endsWith('.md'));
    assert.ok(pages.includes('clients.md'));
    for (const page of pages) {
      for (const [, path = ''] of readFileSync(join(docs, page), 'utf8').matchAll(LINK_WITHIN_DOCS))
        assertExists(join(docs, path));
    }
  },
);

installed('H2: should take at most 30 MB', ({ folder }) => {
  const kilobytes = Number(run('du', ['-sk', 'node_modules'], folder).split('\t')[0]);
  assertAtMost(kilobytes, 30_000, 'kB');
});

installed('H2: should bring the lockfile, by which npm installs it in its own folder', ({ folder }) => {
  const own = join(folder, 'node_modules/almanakk');
  const lock = readFileSync(join(own, 'npm-shrinkwrap.json'), 'utf8');
  assert.is(lock, readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  run('npm', ['ci', '--omit=dev', '--dry-run', '--offline', '--ignore-scripts'], own);
  assertMissing(join(ROOT, 'npm-shrinkwrap.json'));
});

installed('H2: should have the licences of all packages that are in its programs', ({ folder }) => {
  const dist = join(folder, 'node_modules/almanakk/dist');
  const paths: readonly string[] = JSON.parse(readFileSync(join(dist, 'packages.json'), 'utf8'));
  const licences = readFileSync(join(dist, 'licences.txt'), 'utf8');
  for (const path of ['node_modules/koa', 'node_modules/graphql', 'node_modules/highlight.js'])
    assertIncludes(paths, path);
  for (const path of paths) {
    const { name, version } = JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8'));
    assert.match(licences, `\n${name} ${version}\n\n`, path);
  }
});

installed('H2: should list its commands under its version', ({ folder, script }) => {
  const [version, commit] = run(script, ['--version'], folder).trimEnd().split(' ');
  assert.is(version, VERSION);
  // Without a repository of its own, as in an archive, there is no commit to name.
  const above = spawnSync('git', ['rev-parse', '--show-cdup'], { cwd: ROOT, encoding: 'utf8' });
  const isInRepository = above.status === 0 && above.stdout.trim() === '';
  if (isInRepository) assert.match(commit ?? '', /^\([0-9a-f]{8,}\+?\)$/);
  else assert.is(commit, undefined);
  assert.match(run(script, ['--help'], folder), /^Usage: almanakk COMMAND/);
});

withPart('docs/alerts.yml', installed)(
  'H2: should have all pages that operators need, and print their folder',
  ({ folder, script }) => {
    const [where = '', ...pages] = run(script, ['docs'], folder).trimEnd().split('\n');
    for (const name of [
      'operating.md',
      'upgrading.md',
      'watching.md',
      'scaling.md',
      'sources.md',
      'feeds.md',
      'alerts.yml',
      'scrape.yml',
      'scrape-machines.yml',
      'blackbox.yml',
      'events.schema.json',
      'debian',
    ]) {
      assertIncludes(pages, `  ${name}`);
      assertExists(join(where, name));
    }
  },
);

installed(
  'H2: should build and serve its sample, and write into the folder of the setting',
  async (context) => {
    const port = await freePort();
    const { says, kill, ended } = startProgram({
      script: context.script,
      args: ['start', '--port', `${port}`],
      env: { HOST: '127.0.0.1', ALMANAKK_SNAPSHOTS: join(context.folder, 'snapshots') },
    });
    await says(/building the sample/);
    const { send, ask } = clientOf(`http://127.0.0.1:${port}`);
    await eventually('it is ready', async () => (await send('/readyz')).status === 200);
    const { events } = await ask<{ readonly events: { readonly totalCount: number } }>(
      '{events{totalCount}}',
    );
    assertAbove(events.totalCount, 0, 'events');
    for (const path of ['/', '/embed.js', '/openapi.json']) assert.is((await send(path)).status, 200, path);
    assertExists(join(context.folder, 'snapshots'));
    kill('SIGTERM');
    assert.is((await ended).code, 0);
  },
);

installed.run();
