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

function git(folder: string, ...args: readonly string[]): void {
  const author = ['-c', 'user.name=A', '-c', 'user.email=a@lillevik.example', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...author, ...args], { cwd: folder, stdio: 'ignore' });
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
  'should make the package, the context of its image, the list of its packages, and their hashes',
  () => {
    const folder = repository();
    installBinary(folder, `published for ${process.arch}`);
    assert.equal(release(folder, '--tested'), []);
    const made = join(folder, 'release');
    const files = ['small-1.2.0.tgz', 'small-1.2.0-image.tar', 'small-1.2.0.cdx.json'] as const;
    const [tarball, image, packages] = files;
    assert.equal(readdirSync(made).sort(), ['SHA256SUMS', ...files].sort());
    const listed = (...args: readonly string[]) =>
      execFileSync('tar', [...args], { cwd: made, encoding: 'utf8' })
        .trimEnd()
        .split('\n');
    assert.equal(listed('-tzf', tarball).sort(), [
      'package/CHANGELOG.md',
      'package/package.json',
      'package/packages.cdx.json',
      'package/sqlite3.sha256',
    ]);
    assert.is(listed('-xzOf', tarball, 'package/sqlite3.sha256').join('\n'), BINARIES.hashes.trimEnd());
    assertMissing(join(folder, 'sqlite3.sha256'));
    assert.equal(listed('-tf', image), ['.npmrc', 'Containerfile', tarball]);
    const { bomFormat, metadata, components, dependencies } = JSON.parse(
      readFileSync(join(made, packages), 'utf8'),
    );
    const { name, version } = metadata.component;
    assert.equal([bomFormat, name, version], ['CycloneDX', 'small', '1.2.0']);
    const packed = listed('-xzOf', tarball, 'package/packages.cdx.json').join('\n');
    assert.is(packed, readFileSync(join(made, packages), 'utf8').trimEnd());
    const committed = execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: folder, encoding: 'utf8' });
    assert.is(
      Date.parse(metadata.timestamp),
      Number(committed) * 1_000,
      'the same bytes for the same commit',
    );
    assert.not.match(packed, 'serialNumber');
    const named = components.map(({ name, version }: typeof PACKAGE) => `${name}@${version}`);
    assert.equal(named, ['both@3.0.1', 'bundled@4.0.1', 'sqlite3@1.0.1', 'types@5.0.1', 'copied@6.0.1']);
    const hashOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
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
    const sums = files.map((file) => `${hashOf(join(made, file))}  ${file}\n`);
    assert.is(readFileSync(join(made, 'SHA256SUMS'), 'utf8'), sums.join(''));
  },
);

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
