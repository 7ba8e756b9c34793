/** `npm run release` in a repository of its own: its refusals, and the files that it makes. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/package.ts';
import { assertExists, assertMissing } from './helpers/assertions.ts';
import { temporaryFolder } from './helpers/folder.ts';

const DATE = '2026-12-01';
const DEPENDENCIES = {
  dependencies: { sqlite3: '^1.0.0' },
  devDependencies: { bundled: '^4.0.0', tool: '^2.0.0' },
};
const HOME = 'https://forge.example/small.git';
const PACKAGE = {
  name: 'small',
  version: '1.2.0',
  license: 'MIT',
  repository: { type: 'git', url: `git+${HOME}` },
  files: ['CHANGELOG.md', 'packages.cdx.json', 'sqlite3.sha256'],
  ...DEPENDENCIES,
};
const BOTH = { dependencies: { both: '^3.0.0' } };

const FILES: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify(PACKAGE),
  'package-lock.json': JSON.stringify({
    name: 'small',
    version: '1.2.0',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name: 'small', version: '1.2.0', license: 'MIT', ...DEPENDENCIES },
      'node_modules/bundled': {
        version: '4.0.1',
        dev: true,
        license: 'MIT',
        dependencies: { types: '^5.0.0' },
      },
      'node_modules/types': { version: '5.0.1', dev: true, license: 'MIT' },
      'node_modules/tool': { version: '2.0.1', dev: true, license: 'MIT', ...BOTH },
      'node_modules/sqlite3': { version: '1.0.1', license: 'MIT', ...BOTH },
      'node_modules/both': { version: '3.0.1', license: 'MIT' },
    },
  }),
  'CHANGELOG.md': `# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - ${DATE}\n\n- More.\n\n## [1.1.0] - 2026-11-01\n\n- Schema: one\n`,
  'publiccode.yml': `softwareVersion: "1.2.0"\nreleaseDate: "${DATE}"\nurl: ${HOME}\n`,
  'dist/packages.json': '["node_modules/bundled"]',
  'src/box/vendor/packages.json': JSON.stringify([
    {
      name: 'copied',
      version: '6.0.1',
      license: 'MIT',
      files: { 'copied.js': 'another hash' },
      contains: [{ name: 'inner', version: '7.0.1', license: 'ISC' }],
    },
  ]),
  'src/box/vendor/copied.js': 'let copied;\n',
  '.npmrc': 'fund=false\n',
  '.gitignore': 'release/\nnode_modules/\n',
  Containerfile: 'FROM scratch\n',
  '.ci/run': 'echo tried > tried; exit 3\n',
};

/** A repository on main with these files committed. */
function repository(): string {
  const folder = temporaryFolder();
  for (const [file, text] of Object.entries(FILES)) write(folder, file, () => text);
  git(folder, 'init', '--quiet', '--initial-branch=main');
  commit(folder);
  return folder;
}

function write(folder: string, file: string, change: (text: string) => string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), change(FILES[file] ?? ''));
}

function git(folder: string, ...args: readonly string[]): string {
  const author = ['-c', 'user.name=A', '-c', 'user.email=a@lillevik.example', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...author, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'utf8',
  }).trim();
}

function commit(folder: string): void {
  git(folder, 'add', '--all');
  git(folder, 'commit', '--message=All of it');
}

/** Runs the script, and returns its findings, one a line. */
function release(folder: string, ...args: readonly string[]): readonly string[] {
  const run = runRelease(folder, args);
  const findings = run.stderr.split('\n').filter((line) => line !== '');
  assert.is(run.status, findings.length === 0 ? 0 : 1, run.stderr);
  return findings;
}

function runRelease(folder: string, args: readonly string[]) {
  const script = packagePath('.ci/release.mjs');
  const env = { ...process.env, npm_config_sqlite3_binary_host: `file://${BINARIES.folder}` };
  return spawnSync(process.execPath, [script, `--date=${DATE}`, ...args, folder], { encoding: 'utf8', env });
}

const BINARY = 'build/Release/node_sqlite3.node';

/** Archives as sqlite3 publishes them, for two architectures, and their hashes. */
function publishBinaries() {
  const folder = temporaryFolder();
  const lines = ['x64', 'arm64'].map((architecture) => {
    const name = `sqlite3-v1.0.1-napi-v6-linux-${architecture}.tar.gz`;
    const archive = join(folder, 'v1.0.1', name);
    for (const path of [archive, join(folder, BINARY)]) mkdirSync(dirname(path), { recursive: true });
    writeFileSync(join(folder, BINARY), `published for ${architecture}`);
    execFileSync('tar', ['--create', '--gzip', '--file', archive, '--directory', folder, 'build']);
    return `${createHash('sha256').update(readFileSync(archive)).digest('hex')}  ${name}\n`;
  });
  return { folder, hashes: lines.join('') };
}

const BINARIES = publishBinaries();

/** Puts a binary where npm installs it. */
function installBinary(folder: string, text: string): void {
  const path = join(folder, 'node_modules/sqlite3', BINARY);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const releases = suite('npm run release');

releases('should write nothing with --dry-run', () => {
  const folder = repository();
  git(folder, 'tag', '--annotate', '--message=1.2.0', 'v1.2.0');
  assert.equal(release(folder, '--dry-run'), []);
  assertMissing(join(folder, 'release'));
});

releases(
  'should refuse a release with faults, name each with what was expected and found, and write nothing',
  () => {
    const folder = repository();
    const tried = git(folder, 'rev-parse', '--short=8', 'HEAD');
    git(folder, 'tag', 'v1.1.0');
    git(folder, 'tag', '--annotate', '--message=1.2.0', 'v1.2.0');
    git(folder, 'switch', '--create', 'next');
    write(folder, 'CHANGELOG.md', (text) =>
      text
        .replace(`[1.2.0] - ${DATE}`, '[1.1.1] - Unreleased')
        .replace('[Unreleased]\n', '[Unreleased]\n\n- **Interface**: new.\n')
        .replace('Schema: one', 'Schema: two'),
    );
    write(folder, 'package-lock.json', (text) =>
      text.replaceAll('1.2.0', '1.1.0').replace('^1.0.0', '^1.1.0'),
    );
    write(folder, 'publiccode.yml', (text) =>
      text.replace('1.2.0', '1.1.0').replace(DATE, '2026-11-30').replace('small', 'other'),
    );
    write(folder, 'docs/debian/new', () => '');
    for (const [release, hash] of Object.entries({ 12: tried, 13: '0123abcd' }))
      write(folder, `test/heavy/debian-run-${release}.md`, () => `| package | \`1.2.0 (${hash})\` |\n`);
    commit(folder);
    write(folder, 'new.txt', () => '');
    const hashes = /[0-9a-f]{40} [0-9a-f]{40}/;
    assert.equal(
      release(folder, '--tested').map((line) => line.replace(hashes, 'HASHES')),
      [
        'the branch: expected main, found next',
        'changes that are not committed: expected none, found ?? new.txt',
        'the tag v1.2.0 on another commit: expected none, found HASHES',
        'CHANGELOG.md, the newest version: expected 1.2.0, found 1.1.1',
        `CHANGELOG.md, the date of [1.1.1]: expected ${DATE}, found Unreleased`,
        'CHANGELOG.md, below [Unreleased]: expected none, found - **Interface**: new.',
        'CHANGELOG.md, fingerprints of the published [1.1.0]: expected ["- Schema: one"], found ["- Schema: two"]',
        'package-lock.json, version: expected 1.2.0, found 1.1.0',
        "package-lock.json, packages[''].version: expected 1.2.0, found 1.1.0",
        'package-lock.json, dependencies: expected {"sqlite3":"^1.0.0"}, found {"sqlite3":"^1.1.0"}',
        'publiccode.yml, softwareVersion: expected 1.2.0, found 1.1.0',
        `publiccode.yml, releaseDate: expected ${DATE}, found 2026-11-30`,
        `publiccode.yml, url: expected ${HOME}, found ${HOME.replace('small', 'other')}`,
        `test/heavy/debian-run-12.md, changes since its commit ${tried} (repeat it with .ci/debian.sh): expected none, found docs/debian/new`,
        'test/heavy/debian-run-13.md, changes since its commit 0123abcd (repeat it with .ci/debian.sh): expected none, found a history without this commit',
      ],
    );
    assertMissing(join(folder, 'release'));
  },
);

releases('should run the tests first, and make nothing when they fail or leave a file behind', () => {
  const folder = repository();
  assert.equal(release(folder), ['.ci/run: expected it to pass']);
  assertExists(join(folder, 'tried'));
  write(folder, '.ci/run', (text) => text.replace('exit 3', 'echo more > left'));
  commit(folder);
  assert.equal(release(folder), ['.ci/run: expected it to leave the work tree clean, found ?? left']);
  assertMissing(join(folder, 'release'));
});

releases(
  'should make nothing if the tests have run with a binary of sqlite3 that is not the published one',
  () => {
    const folder = repository();
    installBinary(folder, 'compiled here');
    const { status, stderr } = runRelease(folder, ['--tested']);
    assert.is(status, 1);
    assert.match(stderr, `node_modules/sqlite3/${BINARY}: expected the published binary, `);
    assertMissing(join(folder, 'release'));
  },
);

releases.run();

const FILE_NAMES = ['small-1.2.0.tgz', 'small-1.2.0-image.tar', 'small-1.2.0.cdx.json'] as const;
const [TARBALL, IMAGE, PACKAGES] = FILE_NAMES;

const made = suite<{ folder: string; release: string }>('files of a release');

made.before((context) => {
  context.folder = repository();
  context.release = join(context.folder, 'release');
  installBinary(context.folder, `published for ${process.arch}`);
  assert.equal(release(context.folder, '--tested'), []);
});

/** Lines that tar prints about an archive of a release. */
const tar = (folder: string, ...args: readonly string[]): readonly string[] =>
  execFileSync('tar', [...args], { cwd: folder, encoding: 'utf8' })
    .trimEnd()
    .split('\n');

const hashOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

made('should be the package, the context of its image, and the list of its packages', (context) => {
  const { folder, release } = context;
  assert.equal(readdirSync(release).sort(), ['SHA256SUMS', ...FILE_NAMES].sort());
  assert.equal(tar(release, '-tzf', TARBALL).toSorted(), [
    'package/CHANGELOG.md',
    'package/package.json',
    'package/packages.cdx.json',
    'package/sqlite3.sha256',
  ]);
  assert.equal(tar(release, '-tf', IMAGE), ['.npmrc', 'Containerfile', TARBALL]);
  const hashes = tar(release, '-xzOf', TARBALL, 'package/sqlite3.sha256');
  assert.is(hashes.join('\n'), BINARIES.hashes.trimEnd());
  assertMissing(join(folder, 'sqlite3.sha256'));
});

made('should list the same packages beside the package and in it, with the time of the commit', (context) => {
  const { folder, release } = context;
  const list = readFileSync(join(release, PACKAGES), 'utf8');
  const packed = tar(release, '-xzOf', TARBALL, 'package/packages.cdx.json');
  assert.is(packed.join('\n'), list.trimEnd());
  const { bomFormat, metadata } = JSON.parse(list);
  const { name, version } = metadata.component;
  assert.equal([bomFormat, name, version], ['CycloneDX', 'small', '1.2.0']);
  const committed = execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: folder, encoding: 'utf8' });
  assert.is(Date.parse(metadata.timestamp), Number(committed) * 1_000, 'the same bytes for the same commit');
  assert.not.match(list, 'serialNumber');
});

made('should list the packages of the program, and those whose files are copied into it', (context) => {
  const { folder, release } = context;
  const { components, dependencies } = JSON.parse(readFileSync(join(release, PACKAGES), 'utf8'));
  const named = components.map(({ name, version }: typeof PACKAGE) => `${name}@${version}`);
  assert.equal(named, ['both@3.0.1', 'bundled@4.0.1', 'sqlite3@1.0.1', 'types@5.0.1', 'copied@6.0.1']);
  const copied = components.at(-1);
  assert.equal([copied.purl, copied.licenses], ['pkg:npm/copied@6.0.1', [{ license: { id: 'MIT' } }]]);
  const copiedFile = 'src/box/vendor/copied.js';
  const [file, inner] = copied.components;
  assert.equal(file, {
    type: 'file',
    name: copiedFile,
    hashes: [{ alg: 'SHA-256', content: hashOf(join(folder, copiedFile)) }],
  });
  assert.is(inner.purl, 'pkg:npm/inner@7.0.1');
  assert.ok(dependencies[0].dependsOn.includes(copied['bom-ref']), 'as a part of the program');
});

made('should have a list of their hashes', ({ release }) => {
  const sums = FILE_NAMES.map((file) => `${hashOf(join(release, file))}  ${file}\n`);
  assert.is(readFileSync(join(release, 'SHA256SUMS'), 'utf8'), sums.join(''));
});

made.run();
