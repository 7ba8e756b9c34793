/** `npm run release` in a repository of its own: what stands against a release, and what it makes. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/package.ts';
import { temporaryFolder } from './helpers/folder.ts';

const DATE = '2026-12-01';
const DEPENDENCIES = { dependencies: { used: '^1.0.0' }, devDependencies: { tool: '^2.0.0' } };
const PACKAGE = { name: 'small', version: '1.2.0', license: 'MIT', files: ['CHANGELOG.md'], ...DEPENDENCIES };

const FILES: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify(PACKAGE),
  'package-lock.json': JSON.stringify({
    name: 'small',
    version: '1.2.0',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name: 'small', version: '1.2.0', license: 'MIT', ...DEPENDENCIES },
      'node_modules/tool': { version: '2.0.1', dev: true, license: 'MIT', dependencies: { both: '^3.0.0' } },
      'node_modules/used': { version: '1.0.1', license: 'MIT', dependencies: { both: '^3.0.0' } },
      'node_modules/both': { version: '3.0.1', license: 'MIT' },
    },
  }),
  'CHANGELOG.md': `# Changelog\n\n## [Unreleased]\n\n## [1.2.0] - ${DATE}\n\n- More.\n\n## [1.1.0] - 2026-11-01\n\n- Schema: one\n`,
  'publiccode.yml': `softwareVersion: "1.2.0"\nreleaseDate: "${DATE}"\n`,
  '.npmrc': 'fund=false\n',
  '.gitignore': 'release/\n',
  Containerfile: 'FROM scratch\n',
  '.ci/run': 'echo tried > tried; exit 3\n',
};

/** A repository on main with these files committed, some of them in another form. */
function repository(changed: Readonly<Record<string, (text: string) => string>> = {}): string {
  const folder = temporaryFolder();
  for (const [file, text] of Object.entries(FILES)) write(folder, file, changed[file]?.(text) ?? text);
  git(folder, 'init', '--quiet', '--initial-branch=main');
  commit(folder);
  return folder;
}

function write(folder: string, file: string, text: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), text);
}

function git(folder: string, ...args: readonly string[]): void {
  const author = ['-c', 'user.name=A', '-c', 'user.email=a@lillevik.example', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...author, ...args], { cwd: folder, stdio: 'ignore' });
}

function commit(folder: string): void {
  git(folder, 'add', '--all');
  git(folder, 'commit', '--message=All of it');
}

function release(folder: string, ...args: readonly string[]) {
  const script = packagePath('.ci/release.mjs');
  return spawnSync(process.execPath, [script, `--date=${DATE}`, ...args, folder], { encoding: 'utf8' });
}

const releases = suite('npm run release');

releases('should find nothing against what is right, and make nothing when that is all it shall do', () => {
  const folder = repository();
  const { status, stdout, stderr } = release(folder, '--dry-run');
  assert.equal([status, stderr], [0, '']);
  assert.is(stdout, `small 1.2.0 of ${DATE}: nothing stands against a release\n`);
  assert.equal(readdirSync(folder).sort(), ['.git', '.ci', ...Object.keys(FILES)].filter(isOnTop).sort());
});

const isOnTop = (path: string) => !path.includes('/');

interface Fault {
  readonly changed?: Parameters<typeof repository>[0];
  readonly after?: (folder: string) => void;
  readonly said: readonly string[];
}

const FAULTS: Readonly<Record<string, Fault>> = {
  'a change that is not committed': {
    after: (folder) => write(folder, 'new.txt', ''),
    said: ['changes that are not committed: expected none, found ?? new.txt'],
  },
  'another branch': {
    after: (folder) => git(folder, 'switch', '--create', 'next'),
    said: ['the branch: expected main, found next'],
  },
  'a version that has not got its entry': {
    changed: {
      'CHANGELOG.md': (text) => text.replace('[1.2.0]', '[1.1.1]'),
    },
    said: ['CHANGELOG.md, the newest entry with a date: expected 1.2.0, found 1.1.1'],
  },
  'an entry of another day': {
    changed: { 'CHANGELOG.md': (text) => text.replace(DATE, '2026-11-30') },
    said: [
      `CHANGELOG.md, the date of [1.2.0]: expected ${DATE}, found 2026-11-30`,
      `publiccode.yml, releaseDate: expected 2026-11-30, found ${DATE}`,
    ],
  },
  'entries that are not released': {
    changed: {
      'CHANGELOG.md': (text) => text.replace('[Unreleased]\n', '[Unreleased]\n\n- **Interface**: new.\n'),
    },
    said: ['CHANGELOG.md, below [Unreleased]: expected none, found - **Interface**: new.'],
  },
  'a lockfile of another version, with other dependencies': {
    changed: { 'package-lock.json': (text) => text.replaceAll('1.2.0', '1.1.0').replace('^1.0.0', '^1.1.0') },
    said: [
      'package-lock.json, version: expected 1.2.0, found 1.1.0',
      "package-lock.json, packages[''].version: expected 1.2.0, found 1.1.0",
      'package-lock.json, dependencies: expected {"used":"^1.0.0"}, found {"used":"^1.1.0"}',
    ],
  },
  'a published entry that tells of another schema': {
    after: (folder) => {
      git(folder, 'tag', 'v1.1.0');
      write(folder, 'CHANGELOG.md', (FILES['CHANGELOG.md'] ?? '').replace('Schema: one', 'Schema: two'));
      commit(folder);
    },
    said: [
      'CHANGELOG.md, fingerprints of the published [1.1.0]: expected ["- Schema: one"], found ["- Schema: two"]',
    ],
  },
  'a catalogue entry of another version': {
    changed: { 'publiccode.yml': (text) => text.replace('1.2.0', '1.1.0') },
    said: ['publiccode.yml, softwareVersion: expected 1.2.0, found 1.1.0'],
  },
};

for (const [what, { changed, after, said }] of Object.entries(FAULTS)) {
  releases(`should refuse ${what}`, () => {
    const folder = repository(changed);
    after?.(folder);
    const { status, stderr } = release(folder, '--tested');
    assert.equal(stderr.trimEnd().split('\n'), said);
    assert.is(status, 1);
    assert.not(readdirSync(folder).includes('release'));
  });
}

releases('should refuse a version whose tag stands on another commit', () => {
  const folder = repository();
  git(folder, 'tag', '--annotate', '--message=1.2.0', 'v1.2.0');
  assert.is(release(folder, '--dry-run').status, 0, 'that of this commit');
  write(folder, 'more.txt', '');
  commit(folder);
  const { status, stderr } = release(folder, '--dry-run');
  assert.match(
    stderr,
    /^the tag v1\.2\.0 on another commit: expected none, found [0-9a-f]{40} [0-9a-f]{40}\n$/,
  );
  assert.is(status, 1);
});

releases('should run the tests first, and make nothing when they fail', () => {
  const folder = repository();
  const { status, stderr } = release(folder);
  assert.is(stderr, '.ci/run: expected it to pass\n');
  assert.is(status, 1);
  assert.ok(readdirSync(folder).includes('tried'));
  assert.not(readdirSync(folder).includes('release'));
});

releases('should refuse tests that leave something in the work tree', () => {
  const folder = repository({ '.ci/run': (text) => text.replace('exit 3', 'exit 0') });
  const { stderr } = release(folder);
  assert.is(stderr, '.ci/run: expected it to leave the work tree clean, found ?? tried\n');
});

releases(
  'should make the package, the context of its image, the list of its packages, and their hashes',
  () => {
    const folder = repository();
    const { status, stdout, stderr } = release(folder, '--tested');
    assert.is(status, 0, stderr);
    const made = join(folder, 'release');
    const [tarball, image, packages] = [
      'small-1.2.0.tgz',
      'small-1.2.0-image.tar',
      'small-1.2.0.cdx.json',
    ] as const;
    assert.equal(readdirSync(made).sort(), ['SHA256SUMS', image, packages, tarball].sort());
    const listed = (...args: readonly string[]) =>
      execFileSync('tar', [...args], { cwd: made, encoding: 'utf8' })
        .trimEnd()
        .split('\n');
    assert.equal(listed('-tzf', tarball).sort(), ['package/CHANGELOG.md', 'package/package.json']);
    assert.equal(listed('-tf', image), ['.npmrc', 'Containerfile', 'package-lock.json', tarball]);
    const { bomFormat, metadata, components } = JSON.parse(readFileSync(join(made, packages), 'utf8'));
    assert.equal(
      [bomFormat, metadata.component.name, metadata.component.version],
      ['CycloneDX', 'small', '1.2.0'],
    );
    assert.equal(
      components.map(({ name, version }: Readonly<Record<string, string>>) => `${name}@${version}`),
      ['both@3.0.1', 'used@1.0.1'],
    );
    const sums = [tarball, image, packages].map((file) => {
      const hash = createHash('sha256').update(readFileSync(join(made, file)));
      return `${hash.digest('hex')}  ${file}\n`;
    });
    assert.is(readFileSync(join(made, 'SHA256SUMS'), 'utf8'), sums.join(''));
    assert.match(stdout, sums.join(''));
  },
);

releases.run();
