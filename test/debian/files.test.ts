/** The other files of docs/debian: scripts in a folder that looks like the machine’s root, units and settings; test/heavy/debian.test.ts installs all of them. */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSettings } from '../../jobs/settings.ts';
import { packagePath } from '../../src/package.ts';
import { assertAbove } from '../helpers/assertions.ts';
import { debianFile, debianPaths } from '../helpers/debian-files.ts';
import { mustRun, runScript, save, saveProgram } from '../helpers/debian-root.ts';
import { startFeedServer } from '../helpers/feed-server.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { isExpected, when } from '../helpers/when.ts';
import { theBlock } from '../readme/blocks.ts';
import { readPage } from '../readme/document.ts';

const files = suite('docs/debian');
/** Seconds since 1970, of a file that is newer than any start of a script. */
const YEAR_2100 = 4_102_444_800;
const withProgram = (name: string) => when(isExpected(name), `${name} is not installed here`, files);

files('F13: should hide an event until that is undone, and say why if readers still see it', async () => {
  const root = temporaryFolder();
  const corrections = join(root, 'srv/corrections.json');
  let hidden = /"where":\{"id":"kulturhuset:7"\}/;
  const server = await startFeedServer(async (request, response) => {
    const { variables } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const isShown = variables.slug === 'sanddans' || variables.id === 'kulturhuset:7';
    const event = isShown && !hidden.test(readFileSync(corrections, 'utf8')) ? { id: 'kulturhuset:7' } : null;
    response.end(JSON.stringify({ data: { eventByID: null, eventBySlug: event } }));
  });
  const own = '[\n  { "where": { "tag": "stengt" },\n    "hide": true }\n]\n';
  save(corrections, own);
  save(join(root, '.env'), `ALMANAKK_SOURCE="${root}/srv"\nALMANAKK_SNAPSHOTS=${root}/snapshots`);
  const { port } = new URL(server.url);
  save(join(root, `${port}.conf`), 'RUN=serve');
  saveProgram(root, 'runuser', 'shift 3\nexec "$@"');
  saveProgram(root, 'systemctl', '');
  const text = debianFile('usr/local/sbin/almanakk-hide')
    .replace('cd /etc/almanakk', `cd ${root}`)
    .replace('patience=300', 'patience=0');
  const hide = (...args: readonly string[]) => runScript(text, { root, args });
  const page = 'https://kalender.example/events/sanddans.html?date=2031-02-16';
  assert.match((await hide(page)).stdout, /^hide: kulturhuset:7, after \d+ s\./);
  const once = readFileSync(corrections, 'utf8');
  assert.equal(
    JSON.parse(once).map(({ where, hide }: Record<string, unknown>) => ({ where, hide })),
    [
      { where: { tag: 'stengt' }, hide: true },
      { where: { id: 'kulturhuset:7' }, hide: true },
    ],
  );
  assert.match((await hide('kulturhuset:7')).stdout, 'hide: kulturhuset:7');
  assert.is(readFileSync(corrections, 'utf8'), once, 'hidden twice');
  assert.match(
    (await hide('kulturhuset:8')).stderr,
    'of a coming event in the calendar, found kulturhuset:8',
  );
  // A shell without quotation marks starts the script with the part before the first &.
  const cutOff = (await hide('https://avisen.example/?page_id=7')).stderr;
  assert.match(
    cutOff,
    'found https://avisen.example/?page_id=7. If the address goes on after that, a shell has ended it at &',
  );
  assert.match(cutOff, "\nalmanakk-hide 'ADDRESS', or ssh ");
  for (const whole of ['https://avisen.example/?page_id=7&arrangement=fest', 'https://avisen.example/fest'])
    assert.match((await hide(whole)).stderr, `found ${whole}\n`);
  assert.match((await hide('--undo', page)).stdout, 'undo: kulturhuset:7');
  assert.is(readFileSync(corrections, 'utf8'), own, 'undone');
  assert.match((await hide('--undo', page)).stderr, 'expected an entry of this script');
  save(join(root, `${port}.conf`), `ALMANAKK_SOURCE=${root}/srv\nALMANAKK_SNAPSHOTS=${root}/snapshots`);
  assert.match((await hide(page)).stderr, 'expected a running server of this calendar');
  assert.match((await hide('--calendar', port, page)).stdout, 'hide: kulturhuset:7', 'a further calendar');
  assert.match((await hide('--calendar', '4999', page)).stderr, '4999.conf, found none');
  save(join(root, `${port}.conf`), 'RUN=serve');
  save(join(root, 'replicas'), '127.0.0.1\n');
  const withReplica = (await hide(page)).stdout;
  assert.match(withReplica, /, after \d+ s here and \d+ s on the replicas\. /);
  // Nothing was published.
  const seconds = String.raw`\(\d+ s\)`;
  const waited = `Waited for http://127.0.0.1:${port} ${seconds}, http://127.0.0.1:${port} ${seconds}\n`;
  assert.match(withReplica, new RegExp(`^${waited}$`, 'm'));
  save(join(root, 'snapshots/manifest.json'), '{}');
  utimesSync(join(root, 'snapshots/manifest.json'), YEAR_2100, YEAR_2100);
  assert.match((await hide(page)).stdout, /^Waited for the build \(\d+ s\), http/m);
  save(join(root, 'replicas'), '127.0.0.1\n127.0.0.2\n');
  assert.match((await hide(page)).stderr, `the replica http://127.0.0.2:${port} has not followed`);
  hidden = /never/;
  const ofPlainSite = 'https://avisen.example/?page_id=7&arrangement=sanddans&dato=2031-02-16';
  assert.match((await hide(ofPlainSite)).stderr, 'has not followed within 0 s');
  save(join(root, 'snapshots/.held'), 'restored');
  assert.match((await hide(page)).stderr, 'builds are paused');
  save(corrections, '{');
  const damaged = await hide(page);
  assert.match(damaged.stderr, `expected a list of corrections in ${corrections}, found another text`);
  assert.is(readFileSync(corrections, 'utf8'), '{');
  await server.close();
});

const WORKBOOKS = 'var/lib/almanakk-workbooks';

withProgram('rclone')('should copy workbooks with rclone, each in one step and all or none', async () => {
  const root = temporaryFolder();
  const at = (path: string) => join(root, WORKBOOKS, path);
  const there = (path: string) => join(root, 'sky/Kalender', path);
  save(at('rclone.conf'), `[desk]\ntype = alias\nremote = ${root}/sky\n`);
  const text = debianFile('usr/local/sbin/almanakk-workbooks').replace('cd /var', `cd ${root}/var`);
  const [, FROM = ''] = /^FROM=(.*)$/m.exec(debianFile('etc/default/almanakk-workbooks')) ?? [];
  const run = (from = FROM, settings = {}) =>
    runScript(text, { root, env: { FROM: from, HOME: root, ...settings } });
  const copied = () => readdirSync(at('files')).sort();
  const never = await run('desk:Borte');
  assert.is(never.code, 1, never.stdout);
  for (const name of ['program.xlsx', 'Kino.CSV', '~$program.xlsx', 'notat.docx', 'arkiv/gammel.csv'])
    save(there(name), `first ${name}`);
  assert.is((await run()).code, 0);
  assert.equal(copied(), ['Kino.CSV', 'program.xlsx']);
  const before = openSync(at('files/program.xlsx'), 'r');
  const [kino, mode] = [statSync(at('files/Kino.CSV')).ino, statSync(at('files/program.xlsx')).mode & 0o777];
  assert.is(mode, 0o666 & ~process.umask());
  save(there('program.xlsx'), 'second program, and longer');
  const changed = await run();
  assert.equal([changed.code, changed.stdout], [0, 'copied: program.xlsx\n'], changed.stderr);
  assert.is(
    readFileSync(before, 'utf8'),
    'first program.xlsx',
    'for a build that reads the file at that time',
  );
  closeSync(before);
  assert.is(readFileSync(at('files/program.xlsx'), 'utf8'), 'second program, and longer');
  assert.is(statSync(at('files/Kino.CSV')).ino, kino, 'an unchanged file stays');

  save(there('stor.csv'), 'x'.repeat(5_000));
  const { stdout, stderr } = await run(FROM, { MOST: '4Ki' });
  assert.match(`${stdout}${stderr}`, /transfer limit/, 'more bytes than a run may copy');
  assert.equal(copied(), ['Kino.CSV', 'program.xlsx']);
  rmSync(there('stor.csv'));

  saveProgram(root, 'rclone', `printf half > incoming/program.xlsx\nexit 1`);
  assert.is((await run()).code, 0, 'a failure within the hour');
  assert.is(readFileSync(at('files/program.xlsx'), 'utf8'), 'second program, and longer');
  await mustRun(`touch --date '61 minutes ago' ${at('copied')}`, { root });
  assert.is((await run()).code, 1, 'after the hour');
  rmSync(join(root, 'bin/rclone'));

  rmSync(there('Kino.CSV'));
  const removed = await run();
  assert.match(removed.stdout, 'removed, because it is no longer in desk:Kalender: Kino.CSV\n');
  assert.equal(copied(), ['program.xlsx']);
  assert.is(readFileSync(at('files/program.xlsx'), 'utf8'), 'second program, and longer');
});

withProgram('gpg-agent')('should trust a file with the key of NodeSource alone', async () => {
  const root = temporaryFolder();
  const { text } = theBlock({ language: 'sh', says: /nodesource-repo/ });
  const [, fingerprint = ''] = /= ([0-9A-F]{40}) && cp/.exec(text) ?? [];
  const lines = text.slice(text.indexOf('fingerprints=')).replace('/etc/apt/keyrings', 'keyrings');
  const env = { GNUPGHOME: join(root, 'gnupg') };
  mkdirSync(env.GNUPGHOME, { mode: 0o700 });
  mkdirSync(join(root, 'keyrings'));
  const { stdout } = await mustRun(
    `for name in one two; do
      gpg --quiet --batch --passphrase '' --quick-generate-key $name ed25519
      gpg --armor --export $name > $name.asc
      gpg --list-keys --with-colons $name | awk -F: '/^fpr/ { print $10 }'
    done`,
    { root, env },
  );
  const [own = ''] = stdout.split('\n');
  const copied: string[] = [];
  for (const file of ['two.asc', 'one.asc two.asc', 'two.asc one.asc', 'none.asc', 'one.asc']) {
    const command = `cat ${file} > nodesource.asc\n${lines.replace(fingerprint, own)}`;
    await runScript(command, { root, env });
    if (existsSync(join(root, 'keyrings/nodesource.asc'))) copied.push(file);
  }
  assert.equal(copied, ['one.asc']);
});

withProgram('systemd-analyze')('should have units that systemd accepts', () => {
  const begin = 'etc/systemd/system/';
  const units = debianPaths().filter((path) => path.startsWith(begin));
  const folder = temporaryFolder();
  for (const path of units) {
    // Its program is not on this machine.
    const text = debianFile(path).replaceAll(/^(Exec\w+)=\+?\/usr\/local\/sbin\/.*/gm, '$1=/bin/true');
    save(join(folder, path.slice(begin.length)), text);
  }
  for (const path of units) {
    // A drop-in is read with its unit.
    const unit = path.slice(begin.length).replace(/\.d\/.*/, '');
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(folder, unit)], {
      encoding: 'utf8',
    });
    assert.equal([stderr, status], ['', 0], path);
  }
});

/** Files that call ssh or scp, or have a line for a timer that does. */
const CALLERS = [
  ...debianPaths().map((path) => `docs/debian/${path}`),
  'docs/compose-backup.sh',
  'docs/containers.md',
  'docs/operating.md',
];

files('should notice within a minute that a machine on the other side has lost its power', () => {
  const calls = CALLERS.flatMap((path) => {
    const text = readFileSync(packagePath(path), 'utf8').replaceAll(/\\\n\s*/g, '');
    return [...text.matchAll(/\b(?:ssh|scp) -.*/g)].map(([call]) => `${path}: ${call}`);
  });
  assert.is(calls.length, 6, calls.join('\n'));
  for (const call of calls) assert.match(call, / -o ConnectTimeout=10 -o ServerAliveInterval=15 /);
});

files('should have a time limit for each unit that systemd would otherwise wait for forever', () => {
  const units = debianPaths().filter((path) => path.endsWith('.service'));
  const oneshot = units.filter((path) => debianFile(path).includes('Type=oneshot\n'));
  assertAbove(oneshot.length, 5, 'units');
  for (const path of oneshot) assert.match(debianFile(path), /^TimeoutStartSec=\d+(?:min|h)$/m, path);
});

files('should have settings that are known, with valid values', () => {
  const { warnings } = readSettings(parseEnv(debianFile('etc/almanakk/.env')), temporaryFolder());
  assert.equal(warnings, []);
});

files('should have each file in the table of docs/operating.md, and scripts that can be run', () => {
  const linked = [...readPage('docs/operating.md').matchAll(/\]\(debian\/([^)]+)\)/g)].map(
    ([, path]) => path,
  );
  assert.equal(linked.sort(), [...debianPaths()].sort());
  for (const path of debianPaths()) {
    const isScript = (statSync(packagePath(`docs/debian/${path}`)).mode & 0o100) > 0;
    assert.is(isScript, path.startsWith('usr/local/sbin/'), path);
  }
});

files.run();
