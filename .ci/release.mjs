// Checks that this checkout can be released, tests it, and makes what a release has into release/: the package (`npm pack`), the context
// of the image (`podman build`) as a tar, a list of all packages in CycloneDX (with those of which browsers get copies), and the SHA-256
// of these three. The package also has this list, and the SHA-256 of sqlite3's published binaries, which this script downloads.
//
//   node .ci/release.mjs [--dry-run] [--tested] [--date YYYY-MM-DD] [folder]
//
//   --dry-run  only the checks, without .ci/run
//   --tested   .ci/run has passed on this commit already, and is not run again
//   --date     the day of the release, where it is not today in Norway
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { parse } from 'yaml';
import { changesSince, recordedRuns } from './records.mjs';

/** What the Containerfile copies besides the package, and the Containerfile. */
const IMAGE_FILES = ['.npmrc', 'Containerfile'];
/** The binaries of sqlite3, and the path of one in its archive and in its package. */
const BINARIES = 'https://github.com/TryGhost/node-sqlite3/releases/download';
const BINARY = 'build/Release/node_sqlite3.node';
/** The heading of a version, with its date, or `Unreleased`. */
const VERSION = /^## \[(\d+\.\d+\.\d+(?:-[\w.]+)?)\](?: - (.+))?$/m;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'dry-run': { type: 'boolean', default: false },
    tested: { type: 'boolean', default: false },
    date: { type: 'string', default: new Intl.DateTimeFormat('sv', { timeZone: 'Europe/Oslo' }).format() },
  },
});
const root = resolve(positionals[0] ?? fileURLToPath(new URL('..', import.meta.url)));
const { name, version, repository, dependencies, devDependencies } = JSON.parse(read('package.json'));

const findings = check();
if (findings.length > 0) fail(findings);
else if (options['dry-run']) console.log(`${name} ${version} of ${options.date}: ready for release`);
else if (!options.tested && spawnSync('bash', ['.ci/run'], { cwd: root, stdio: 'inherit' }).status !== 0) {
  fail(['.ci/run: expected it to pass']);
} else if (status() !== '') fail([`.ci/run: expected it to leave the work tree clean, found ${status()}`]);
else make();

/** All that stands against it, each with what was expected and found. */
function check() {
  const changelog = read('CHANGELOG.md');
  const [, newest = 'none', day = 'none'] = VERSION.exec(changelog) ?? [];
  const lock = JSON.parse(read('package-lock.json'));
  const locked = lock.packages?.[''] ?? {};
  const catalogue = parse(read('publiccode.yml'));
  const tagged = git('for-each-ref', '--format=%(objectname) %(*objectname)', `refs/tags/v${version}`);
  const isElsewhere = tagged !== '' && !tagged.split(' ').includes(git('rev-parse', 'HEAD'));
  return [
    ['the branch', 'main', git('branch', '--show-current') || 'none'],
    ['changes that are not committed', 'none', status() || 'none'],
    [`the tag v${version} on another commit`, 'none', isElsewhere ? tagged : 'none'],
    ['CHANGELOG.md, the newest version', version, newest],
    [`CHANGELOG.md, the date of [${newest}]`, options.date, day],
    [
      'CHANGELOG.md, below [Unreleased]',
      'none',
      linesOf(changelog, 'Unreleased').join('\n').trim() || 'none',
    ],
    ...checkPublished(changelog),
    ['package-lock.json, version', version, lock.version],
    ["package-lock.json, packages[''].version", version, locked.version],
    ['package-lock.json, dependencies', dependencies, locked.dependencies],
    ['package-lock.json, devDependencies', devDependencies, locked.devDependencies],
    ['publiccode.yml, softwareVersion', version, catalogue?.softwareVersion],
    ['publiccode.yml, releaseDate', options.date, catalogue?.releaseDate],
    ['publiccode.yml, url', repository?.url.replace(/^git\+/, ''), catalogue?.url],
    ...recordedRuns(root).map(checkRun),
  ]
    .filter(([, expected, found]) => !isDeepStrictEqual(expected, found))
    .map(([what, expected, found]) => `${what}: expected ${shown(expected)}, found ${shown(found)}`);
}

/** The lines of an entry, without its heading. */
function linesOf(changelog, version) {
  const [, ...parts] = changelog.split(/^## \[/m);
  const [, ...lines] = parts.find((part) => part.startsWith(`${version}]`))?.split('\n') ?? [];
  return lines;
}

/** What a published entry says of the schema and the form of files: a change of these belongs into a new one. */
function checkPublished(changelog) {
  const fingerprints = (text, entry) =>
    linesOf(text, entry).filter((line) => /^- (Schema|Snapshot format): /.test(line));
  const tags = git('tag', '--list', 'v*').split('\n');
  return tags.filter(Boolean).map((tag) => {
    const entry = tag.slice(1);
    const published = fingerprints(git('show', `${tag}:CHANGELOG.md`), entry);
    return [
      `CHANGELOG.md, fingerprints of the published [${entry}]`,
      published,
      fingerprints(changelog, entry),
    ];
  });
}

/** A release promises that its setup has run as it is. */
function checkRun(run) {
  const { record, commit, script } = run;
  const changes = changesSince(run, root);
  const found = changes === null ? 'a history without this commit' : changes.join(', ') || 'none';
  return [`${record}, changes since its commit ${commit} (repeat it with ${script})`, 'none', found];
}

function make() {
  const binaries = hashBinaries();
  const folder = join(root, 'release');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const list = listPackages(join(folder, name));
  const tarball = pack(folder, { 'sqlite3.sha256': binaries, 'packages.cdx.json': list });
  const image = `${name}-${version}-image.tar`;
  // The same bytes for the same commit, wherever it is made.
  const same = ['--mode=644', '--owner=0', '--group=0', '--numeric-owner'];
  const time = `--mtime=@${git('log', '-1', '--format=%ct')}`;
  run('tar', '--create', '--file', join(folder, image), ...same, time, ...IMAGE_FILES, '-C', folder, tarball);
  const packages = `${name}-${version}.cdx.json`;
  writeFileSync(join(folder, packages), list);
  const sums = [tarball, image, packages].map((file) => `${hashOf(join(folder, file))}  ${file}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  console.log(`release/ has ${name} ${version}:\n${sums.join('')}Tag the commit v${version}.`);
}

/** Gives the name of the package, which has these files besides those of the checkout. */
function pack(folder, files) {
  for (const [file, text] of Object.entries(files)) writeFileSync(join(root, file), text);
  try {
    return basename(run('npm', 'pack', '--silent', '--pack-destination', folder).trim());
  } finally {
    for (const file of Object.keys(files)) rmSync(join(root, file));
  }
}

/**
 * The SHA-256 of sqlite3's published binaries for Linux, as sha256sum writes them: docs/install-sqlite3.sh compares them with what it
 * downloads. The tests have run with one of them, on this machine. The workflow tries the other in the image for its architecture.
 */
function hashBinaries() {
  const lock = JSON.parse(read('package-lock.json'));
  const { version } = lock.packages['node_modules/sqlite3'];
  const host = process.env.npm_config_sqlite3_binary_host ?? BINARIES;
  const folder = mkdtempSync(join(tmpdir(), 'sqlite3-'));
  try {
    const lines = ['x64', 'arm64'].map((architecture) => {
      const name = `sqlite3-v${version}-napi-v6-linux-${architecture}.tar.gz`;
      const file = join(folder, name);
      const address = `${host}/v${version}/${name}`;
      run('curl', '--fail', '--silent', '--show-error', '--location', '--output', file, address);
      if (architecture === process.arch) expectTested(file, folder);
      return `${hashOf(file)}  ${name}\n`;
    });
    return lines.join('');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Refuses an archive with another binary than that of the tests, which npm may have compiled. */
function expectTested(archive, folder) {
  run('tar', '--extract', '--file', archive, '--directory', folder, BINARY);
  const [published, tested] = [join(folder, BINARY), join(root, 'node_modules/sqlite3', BINARY)].map(hashOf);
  if (published !== tested)
    throw new Error(
      `node_modules/sqlite3/${BINARY}: expected the published binary, ${published}, found ${tested}`,
    );
}

function hashOf(file) {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/**
 * All that runs, in CycloneDX: what an installation has and what the bundle is made of, by npm; and what browsers get a copy of. For npm the latter are packages of
 * development, so it gets a package.json in which they are none, in a folder for a while, whose name it takes for the program's.
 */
function listPackages(folder) {
  const bundled = JSON.parse(read('dist/packages.json'));
  const isBundled = ([name]) => bundled.includes(`node_modules/${name}`);
  const { devDependencies: tools, scripts: _, ...project } = JSON.parse(read('package.json'));
  project.dependencies = { ...dependencies, ...Object.fromEntries(Object.entries(tools).filter(isBundled)) };
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(project));
  writeFileSync(join(folder, 'package-lock.json'), read('package-lock.json'));
  // Takes the packages of development out of the lockfile, and leaves the others at their versions.
  run('npm', '--prefix', folder, 'install', '--package-lock-only', '--offline', '--no-audit', '--no-fund');
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'];
  // npm gives each list another number and the time, which would change the package.
  const { serialNumber: _number, ...list } = JSON.parse(run('npm', '--prefix', folder, ...args));
  list.metadata.timestamp = new Date(git('log', '-1', '--format=%cI')).toISOString();
  rmSync(folder, { recursive: true });
  const listed = new Set(list.components.map((found) => `${found.name}@${found.version}`));
  const { packages } = JSON.parse(read('package-lock.json'));
  const installed = Object.keys(packages).filter((path) => path !== '' && !packages[path].dev);
  for (const path of [...installed, ...bundled]) {
    const found = `${path.split('node_modules/').at(-1)}@${packages[path].version}`;
    if (!listed.has(found)) throw new Error(`npm sbom: expected ${found}, found none`);
  }
  const copies = copiedPackages();
  list.components.push(...copies);
  const root = list.dependencies.find(({ ref }) => ref === list.metadata.component['bom-ref']);
  root.dependsOn.push(...copies.map((copy) => copy['bom-ref']));
  list.dependencies.push(...copies.map((copy) => ({ ref: copy['bom-ref'], dependsOn: [] })));
  return `${JSON.stringify(list, null, 2)}\n`;
}

/** Packages whose files browsers get, unchanged, from a folder `vendor`: npm does not know of them. */
function copiedPackages() {
  const lists = git('ls-files', ':(glob)src/**/vendor/packages.json').split('\n').filter(Boolean);
  return lists.flatMap((path) =>
    JSON.parse(read(path)).map(({ files, contains = [], ...copied }) => ({
      ...packageComponent(copied),
      components: [
        ...Object.keys(files).map((file) => fileComponent(join(dirname(path), file))),
        ...contains.map(packageComponent),
      ],
    })),
  );
}

function packageComponent({ name, version, license }) {
  return {
    'bom-ref': `${name}@${version}, copied`,
    type: 'library',
    name,
    version,
    scope: 'required',
    purl: `pkg:npm/${name}@${version}`,
    licenses: [{ license: { id: license } }],
  };
}

function fileComponent(path) {
  return { type: 'file', name: path, hashes: [{ alg: 'SHA-256', content: hashOf(join(root, path)) }] };
}

function read(file) {
  return readFileSync(join(root, file), 'utf8');
}

function status() {
  return git('status', '--porcelain');
}

function git(...args) {
  return run('git', ...args).trim();
}

/** Gives what the program prints. */
function run(program, ...args) {
  const done = spawnSync(program, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  if (done.status === 0) return done.stdout;
  const said = done.error?.message ?? done.stderr.trim();
  throw new Error(`${program} ${args.join(' ')}: expected exit code 0, found ${done.status}\n${said}`);
}

function shown(value) {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none');
  return text.length > 200 ? `${text.slice(0, 200)} …` : text;
}

function fail(lines) {
  for (const line of lines) console.error(line);
  process.exitCode = 1;
}
