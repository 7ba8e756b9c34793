/** almanakk-restore: each of its steps may fail, and the machine is then as it was. */
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lchownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  contentsOf,
  mustRun,
  runScript,
  save,
  saveProgram,
  scriptIn,
  textOrMode,
} from '../helpers/debian-root.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { isExpected, when } from '../helpers/when.ts';

const STATE = 'var/lib/almanakk/snapshots';
const PICTURES = 'etc/nginx/almanakk-pictures.d';

/** Settings of a machine whose calendar has only feeds. */
const SETTINGS = `ALMANAKK_SOURCE_FILES=/deliveries
ALMANAKK_HOOK_SECRET_FILE=/srv/secrets/hook
  ALMANAKK_SOURCE = "../../srv/almanakk/"`;

const OF_ARCHIVE = [
  'etc/nginx/nginx.conf',
  'srv/almanakk/sources.json',
  'srv/secrets/hook',
  'var/lib/almanakk/keys.json',
];
/** As an installation leaves it, with the sample. */
const OF_MACHINE = [
  'etc/almanakk/backup-recipients.txt',
  'etc/nginx/nginx.conf',
  'srv/almanakk/events.json',
  'srv/almanakk/pictures/fjord.jpg',
  'srv/almanakk/sources.json',
  'var/lib/almanakk/keys.json',
  'var/lib/almanakk/keys.json.usage',
];

interface Context {
  root: string;
  archive: string;
}

const restore = suite<Context>('almanakk-restore');
const here = when(isExpected('tar') && isExpected('gzip'), 'tar or gzip is not installed here', restore);

restore.before.each(async (context) => {
  context.root = temporaryFolder();
  context.archive = await prepare(context.root);
});

/** Programs that write their arguments to the log, and do nothing else. */
const FAKES = ['systemctl', 'chown', 'curl'];

/** The archive of a machine, and then another machine, with the sample, in the same folder. */
async function prepare(root: string): Promise<string> {
  const at = (path: string) => join(root, path);
  for (const name of FAKES) saveProgram(root, name, fakeOf(root, name));
  saveProgram(root, 'sleep', '');
  saveProgram(root, 'almanakk-pictures', '');
  save(at('etc/almanakk/.env'), SETTINGS);
  for (const name of ['4000', '4001', 'build']) save(at(`etc/almanakk/${name}.conf`), `RUN=${name}\n`);
  save(at(`${STATE}/manifest.json`), manifestOf('calendar-1.sqlite', 'of the archive'));
  save(at(`${STATE}/calendar-1.sqlite`), 'of the archive');
  for (const path of OF_ARCHIVE) save(at(path), 'of the archive');
  save(at(`${PICTURES}/removed/a-mark`), 'bilder.example/konsert.jpg\n');
  chmodSync(at('srv/almanakk'), 0o775);
  const backup = scriptIn(root, 'almanakk-backup');
  const { code, stderr } = await runScript(backup, { root });
  const lack = 'settings name files that do not exist, so the archive lacks them: /deliveries\n';
  assert.equal([code, stderr], [1, `almanakk-backup: ${lack}`]);
  assert.not.ok(existsSync(at('var/backups/almanakk.made')), 'a backup that lacks files');
  save(at('deliveries/kirken/alle.ics'), 'of the archive');
  rmSync(at('var/backups'), { recursive: true });
  await mustRun(backup, { root });
  const [name = ''] = readdirSync(at('var/backups/almanakk')).filter((file) => file.endsWith('.gz'));

  chmodSync(at('srv/almanakk'), 0o755);
  for (const path of ['srv/secrets', 'deliveries', STATE, PICTURES]) rmSync(at(path), { recursive: true });
  for (const path of OF_MACHINE) save(at(path), 'of this machine');
  save(at(`${STATE}/manifest.json`), manifestOf('calendar-2.sqlite', 'of this machine'));
  save(at(`${STATE}/calendar-2.sqlite`), 'of this machine');
  return at(`var/backups/almanakk/${name}`);
}

const manifestOf = (file: string, text: string) =>
  `  "file": "${file}",\n  "sha256": "${sha256Of(text)}",\n  "compressed": {\n  }\n`;

const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex');

/** When systemd has started the builder, that writes its state. */
function fakeOf(root: string, name: string, restarts = 0): string {
  const reports = `if [ "$1" = start ]; then mkdir -p ${STATE} && touch ${STATE}/builder.json; fi`;
  const counts = `if [ "$1" = show ]; then echo ${restarts}; exit; fi`;
  return name === 'systemctl' ? `${counts}\n${reports}\n${log(root, name)}` : log(root, name);
}

function log(root: string, name: string): string {
  return `echo ${name} "$@" >> ${root}/log`;
}

/** Archives, programs of the test, and folders without files that unpacking has made. */
const NOT_OF_MACHINE =
  /^(?:(?:bin|log|var\/lib\/almanakk\/snapshots\/builder\.json|var\/backups\/almanakk(?:\.made)?)(?:\/|$)|(?:deliveries(?:\/kirken)?|srv\/secrets)$)/;

here('H14, H19: should keep a further calendar from others until its user exists', async ({ root }) => {
  const state = 'var/lib/almanakk-lillevik';
  save(
    join(root, 'etc/almanakk/4010.conf'),
    `ALMANAKK_SOURCE=/srv/lillevik\nALMANAKK_SNAPSHOTS=/${state}/snapshots\n`,
  );
  save(join(root, 'srv/lillevik/events.json'), '[]');
  save(join(root, 'srv/secrets/hook'), 'a secret');
  save(join(root, state, 'keys.json'), 'of Lillevik');
  save(join(root, state, 'snapshots/manifest.json'), manifestOf('calendar-3.sqlite', 'of Lillevik'));
  save(join(root, state, 'snapshots/calendar-3.sqlite'), 'of Lillevik');
  save(join(root, 'deliveries/a.ics'), 'of this machine');
  rmSync(join(root, 'var/backups'), { recursive: true });
  await mustRun(scriptIn(root, 'almanakk-backup'), { root });
  const [archive = ''] = readdirSync(join(root, 'var/backups/almanakk')).filter((name) =>
    name.endsWith('.gz'),
  );
  const args = [join(root, 'var/backups/almanakk', archive)];
  for (const [getent, expected] of [
    ['true', `chown --recursive almanakk-lillevik:almanakk-lillevik ${state}\n`],
    ['false', `chown --recursive root:root ${state}\n`],
  ] as const) {
    saveProgram(root, 'getent', getent);
    rmSync(join(root, state), { recursive: true });
    rmSync(join(root, 'log'), { force: true });
    const { stdout } = await mustRun(scriptIn(root, 'almanakk-restore'), { root, args });
    assert.is(readFileSync(join(root, state, 'keys.json'), 'utf8'), 'of Lillevik');
    // Another restore in the same second would have a folder of the same name.
    const [, before = ''] = /previous files are in \/(\S+)\. /.exec(stdout) ?? [];
    rmSync(join(root, before), { recursive: true });
    assert.match(readFileSync(join(root, 'log'), 'utf8'), expected);
  }
  assert.is(textOrMode(join(root, state)), 'mode 700');
});

here('H14: should restore a calendar without the files that the archive lacks', async ({ root, archive }) => {
  // A run that was killed has moved them.
  for (const name of ['.env', '4000.conf', '4001.conf', 'build.conf'])
    rmSync(join(root, 'etc/almanakk', name));
  const { stdout } = await mustRun(scriptIn(root, 'almanakk-restore'), { root, args: [archive] });
  const [, before = ''] = /^restored\. The previous files are in \/(\S+)\. /.exec(stdout) ?? [];
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  const namesIn = (path: string) => readdirSync(join(root, path), { recursive: true }).sort();
  assert.equal(namesIn('srv/almanakk'), ['sources.json']);
  assert.equal(namesIn(STATE), ['builder.json', 'calendar-1.sqlite', 'manifest.json']);
  for (const path of [...OF_ARCHIVE.slice(1), 'deliveries/kirken/alle.ics'])
    assert.is(read(path), 'of the archive', path);
  for (const path of ['etc/nginx/nginx.conf', 'var/lib/almanakk/keys.json.usage'])
    assert.is(read(path), 'of this machine', path);
  const moved = [
    'srv/almanakk/pictures/fjord.jpg',
    `${STATE}/calendar-2.sqlite`,
    'var/lib/almanakk/keys.json',
  ];
  for (const path of moved) assert.is(read(`${before}/${path}`), 'of this machine', path);
  assert.equal(
    [before, 'srv/almanakk'].map((path) => textOrMode(join(root, path))),
    ['mode 700', 'mode 775'],
  );
  const said = read('log').replaceAll(/^(?:curl .* |systemctl is-enabled.*\n|chown --reference.*\n)/gm, '');
  assert.is(
    said,
    `systemctl stop ${SERVICES}
chown --recursive almanakk:almanakk var/lib/almanakk
systemctl start ${SERVICES}
http://127.0.0.1:4000/readyz
http://127.0.0.1:4001/readyz
`,
  );

  assert.is(read(`${PICTURES}/removed/restored`), 'bilder.example/konsert.jpg\n', 'for almanakk-pictures');

  // Another restore in the same second would have a folder of the same name.
  rmSync(join(root, before), { recursive: true });
  save(join(root, PICTURES, 'machine.conf'), '');
  saveProgram(root, 'almanakk-remove-picture', log(root, 'almanakk-remove-picture'));
  saveProgram(root, 'systemctl', fakeOf(root, 'systemctl', 1));
  const again = await runScript(scriptIn(root, 'almanakk-restore'), { root, args: [archive] });
  assert.match(again.stdout, /^restored\. /);
  const isDown =
    'almanakk-restore: expected the builder to report within a minute and to stay up: almanakk@build. ' +
    'The servers use the restored snapshot. Read the log: journalctl --unit almanakk@build\n';
  assert.equal([again.code, again.stderr], [1, isDown], 'a builder that systemd has started again');
  assert.match(read('log'), /\nalmanakk-remove-picture\n/);
});

const KEYS = 'var/lib/almanakk/keys.json';
const CORRECTIONS = 'srv/almanakk/corrections.json';
const EDITED = 'srv/almanakk/venues.json';
const RECORDS = `${STATE}/feeds/kulturhuset.json`;
const VERSION = 'var/backups/almanakk-sync/2026-11-30T09-00-00';

/** In seconds since 1970: of the files of a replica, and whether it keeps them. */
const REPLICAS = [
  { what: 'newer', at: 2_000, keeps: true },
  { what: 'older', at: 500, keeps: false },
] as const;

for (const { what, at, keeps } of REPLICAS) {
  here(
    `H14: should know whether a replica’s copies are newer than the archive: ${what}`,
    async ({ root }) => {
      const saveAt = (path: string, text: string, seconds: number) => {
        save(join(root, path), text);
        utimesSync(join(root, path), seconds, seconds);
      };
      const saveSnapshot = (of: string, seconds: number) => {
        const builtAt = new Date(seconds * 1_000).toISOString();
        const manifest = manifestOf(`calendar-${seconds}.sqlite`, of);
        saveAt(`${STATE}/manifest.json`, `  "builtAt": "${builtAt}",\n${manifest}`, seconds);
        saveAt(`${STATE}/calendar-${seconds}.sqlite`, of, seconds);
      };
      for (const path of [KEYS, CORRECTIONS, RECORDS, `${STATE}/.held`, 'srv/almanakk/removed-since'])
        saveAt(path, 'of the archive', 1_000);
      for (const name of [
        '',
        ...readdirSync(join(root, 'srv/almanakk'), { recursive: true, encoding: 'utf8' }),
      ])
        utimesSync(join(root, 'srv/almanakk', name), 1_000, 1_000);
      saveSnapshot('of the archive', 1_000);
      save(join(root, 'srv/secrets/hook'), 'a secret');
      save(join(root, 'deliveries/a.ics'), 'a feed');
      rmSync(join(root, 'var/backups'), { recursive: true });
      await mustRun(scriptIn(root, 'almanakk-backup'), { root });
      const [name = ''] = readdirSync(join(root, 'var/backups/almanakk')).filter((file) =>
        file.endsWith('.gz'),
      );

      for (const path of ['srv/almanakk', STATE]) rmSync(join(root, path), { recursive: true });
      for (const path of [KEYS, ...[EDITED, CORRECTIONS, RECORDS].map((name) => `${VERSION}/${name}`)])
        saveAt(path, 'of the replica', at);
      save(join(root, VERSION.replace('09-00', '08-55'), EDITED), 'of an earlier version');
      saveSnapshot('of the replica', at);
      chmodSync(join(root, VERSION, CORRECTIONS), 0o640);
      utimesSync(join(root, VERSION), at, at);
      const args = ['--keep-newer', join(root, 'var/backups/almanakk', name)];
      const { stdout } = await mustRun(scriptIn(root, 'almanakk-restore'), { root, args });
      const read = (path: string) => readFileSync(join(root, path), 'utf8');
      const snapshot = `${STATE}/calendar-${keeps ? at : 1_000}.sqlite`;
      const places = [KEYS, snapshot, `${STATE}/manifest.json`, `${VERSION}/srv/almanakk`];
      const said = [...stdout.matchAll(/^kept, because it is newer than the archive: \/(.*)$/gm)];
      assert.equal(
        said.map(([, path]) => path),
        keeps ? places : [],
      );
      const source = `of the ${keeps ? 'replica' : 'archive'}`;
      assert.equal([KEYS, snapshot, CORRECTIONS, RECORDS].map(read), [source, source, source, source]);
      assert.is(existsSync(join(root, EDITED)), keeps);
      assert.is(existsSync(join(root, 'srv/almanakk/removed-since')), !keeps);
      assert.match(read(`${STATE}/manifest.json`), `calendar-${keeps ? at : 1_000}.sqlite`);
      assert.is(existsSync(join(root, STATE, '.held')), !keeps);
      assert.is(statSync(join(root, CORRECTIONS)).mode & 0o777, keeps ? 0o640 : 0o644);
    },
  );
}

const SERVICES = 'almanakk@4000 almanakk@4001 almanakk@build';

/** A program of the machine that fails once, the shell's pattern of the arguments with which it does, and what the script says. */
interface Failure {
  readonly what: string;
  readonly program: string;
  readonly on: string;
  /** Whether the program first does what it is asked to do. */
  readonly isDone?: boolean;
  readonly said: RegExp;
}

const FAILURES: readonly Failure[] = [
  {
    what: 'a service does not stop',
    program: 'systemctl',
    on: '"stop "*',
    said: /^almanakk-restore: the services did not stop, see above\. Putting the previous files back\n/m,
  },
  {
    what: 'a file cannot be moved',
    program: 'mv',
    on: '"var/lib/almanakk/keys.json "*',
    said: /: the previous files could not be moved/,
  },
  {
    what: 'the disk is full in the midst of the archive',
    program: 'tar',
    on: '*--keep-directory-symlink*',
    isDone: true,
    said: /: the archive could not be unpacked/,
  },
  {
    what: 'a service does not start',
    program: 'systemctl',
    on: '"start "*',
    said: /: the services did not start, see above/,
  },
  {
    what: 'a server refuses the settings',
    program: 'curl',
    on: '*:4001/readyz',
    said: /: almanakk@4001 was not ready within five minutes\. .*: journalctl --unit almanakk@4001\. Putting/,
  },
];

here(
  'H14: should leave the machine as it was, and start it again, if a step fails',
  async ({ root, archive }) => {
    const before = contentsOf(root, NOT_OF_MACHINE);
    for (const { what, program, on, isDone = false, said } of FAILURES) {
      writeFileSync(join(root, 'log'), '');
      const real = `PATH="${process.env.PATH}" ${program} "$@"`;
      const usual = FAKES.includes(program) ? fakeOf(root, program) : real;
      const fails = `if mkdir ${root}/bin/failed 2> /dev/null; then ${isDone ? real : ':'}; exit 7; fi`;
      saveProgram(root, program, `case "$*" in ${on}) ${fails} ;; esac\n${usual}`);
      const { code, stderr } = await runScript(scriptIn(root, 'almanakk-restore'), { root, args: [archive] });
      assert.is(code, 1, what);
      assert.match(stderr, said, what);
      assert.match(stderr, /: the previous files are in place, and the services have been started\n$/, what);
      assert.equal(contentsOf(root, NOT_OF_MACHINE), before, what);
      const commands = readFileSync(join(root, 'log'), 'utf8').match(/^systemctl st.*$/gm) ?? [];
      assert.is(commands.at(-1), `systemctl start ${SERVICES}`, what);
      rmSync(join(root, 'bin/failed'), { recursive: true });
      saveProgram(root, program, usual);
    }
    saveProgram(root, 'systemctl', `${log(root, 'systemctl')}\ntest "$1" != start`);
    const { stderr } = await runScript(scriptIn(root, 'almanakk-restore'), { root, args: [archive] });
    assert.match(stderr, `are in place, but the services did not start: systemctl start ${SERVICES}\n`);
    assert.equal(contentsOf(root, NOT_OF_MACHINE), before);
  },
);

here(
  'H14: should restore a replica, and make it the builder with the archive of one',
  async ({ root, archive }) => {
    const at = (path: string) => join(root, path);
    const read = (path: string) => readFileSync(at(path), 'utf8');
    const restored = (name: string) =>
      mustRun(scriptIn(root, 'almanakk-restore'), { root, args: [at(name)] });
    renameSync(archive, at('bin/builder.tar.gz'));
    const settings = 'ALMANAKK_ORIGIN=http://builder.example:4000/snapshots/\n';
    save(at('etc/almanakk/.env'), settings);
    await mustRun(`${scriptIn(root, 'almanakk-backup')}\nmv "$folder"/*.gz bin/replica.tar.gz`, { root });
    save(at('etc/almanakk/.env'), 'ALMANAKK_SOURCE=/srv/almanakk\n');
    await restored('bin/replica.tar.gz');
    assert.equal(
      [read('etc/almanakk/.env'), read('srv/almanakk/sources.json')],
      [settings, 'of this machine'],
    );
    rmSync(at('var/backups'), { recursive: true });
    saveProgram(root, 'systemctl', `${log(root, 'systemctl')}\ntest "$3" != almanakk@build`);
    const { stdout } = await restored('bin/builder.tar.gz');
    assert.equal(
      [read('etc/almanakk/.env'), read('srv/almanakk/sources.json')],
      [SETTINGS, 'of the archive'],
    );
    assert.match(stdout, /^not started, because it is not enabled: almanakk@build$/m);
  },
);

const asRoot = when(process.getuid?.() === 0, 'only root may give links to others', restore);

asRoot(
  'H14: should refuse a folder of the settings that another user has made a link',
  async ({ root, archive }) => {
    symlinkSync('etc', join(root, 'deliveries'));
    lchownSync(join(root, 'deliveries'), 4_001, 4_001);
    const before = contentsOf(root, NOT_OF_MACHINE);
    for (const name of ['almanakk-backup', 'almanakk-restore']) {
      const { code, stderr } = await runScript(scriptIn(root, name), { root, args: [archive] });
      assert.is(code, 1, name);
      assert.match(
        stderr,
        `${name}: expected only links of root in the paths that settings name, found /deliveries of`,
      );
    }
    assert.equal(contentsOf(root, NOT_OF_MACHINE), before);
    lchownSync(join(root, 'deliveries'), 0, 0);
    save(join(root, 'srv/secrets/hook'), '');
    await mustRun(scriptIn(root, 'almanakk-backup'), { root });
  },
);

/** Files of the machine. Earlier versions archived them if an editor had a link to them. */
const LINKED = ['etc/shadow', 'usr/lib/libc.so'];
/** A file of the source. In a list with a name a line, its second line is no path of the source. */
const TWO_LINES = 'srv/almanakk/a\nvar/lib/almanakk/ etc snapshots/manifest.json';
const ADD = `gunzip --stdout "$1" > bin/a.tar
tar --append --file bin/a.tar ${LINKED.join(' ')} '${TWO_LINES}'
gzip --stdout bin/a.tar > "$1"`;

here('H14: should leave files alone that an editor has linked or named into the archive', async (context) => {
  const { root, archive } = context;
  const at = (path: string) => join(root, path);
  for (const path of [...LINKED, TWO_LINES]) save(at(path), 'of the archive');
  await mustRun(ADD, { root, args: [archive] });
  for (const path of LINKED) save(at(path), 'of this machine');
  const { stdout, stderr } = await mustRun(scriptIn(root, 'almanakk-restore'), { root, args: [archive] });
  for (const path of LINKED) {
    assert.is(readFileSync(at(path), 'utf8'), 'of this machine', path);
    assert.match(stderr, `not restored, because it is in no folder of the settings: /${path}\n`);
  }
  assert.is(readFileSync(at(TWO_LINES), 'utf8'), 'of the archive');
  const [, before = ''] = /^restored\. The previous files are in \/(\S+)\. /.exec(stdout) ?? [];
  assert.equal(readdirSync(at(before)).sort(), ['etc', 'srv', 'var']);
  assert.equal(readdirSync(at(`${before}/etc`)), ['almanakk']);
});

/** A link that a setting names, and one in a folder to which others may write. */
const LINKS = {
  'srv/secrets/hook': '../../mnt/hook',
  'deliveries/huset.ics': '../mnt/huset.ics',
  'srv/almanakk/shadow.json': '../../mnt/shadow',
} as const;
const TARGETS = ['mnt/hook', 'mnt/huset.ics', 'mnt/shadow'];

here(
  'H14: should restore the file of a link that settings name, and that of no other link',
  async ({ root }) => {
    const at = (path: string) => join(root, path);
    for (const path of TARGETS) save(at(path), 'of the archive');
    for (const folder of ['srv/secrets', 'deliveries']) mkdirSync(at(folder));
    for (const [path, target] of Object.entries(LINKS)) symlinkSync(target, at(path));
    rmSync(at('var/backups'), { recursive: true });
    const { stderr } = await mustRun(scriptIn(root, 'almanakk-backup'), { root });
    const named = [...stderr.matchAll(/ without the file in another folder to which it leads: \/(.*)\n/g)];
    assert.equal(named.map(([, path]) => path).sort(), ['deliveries/huset.ics', 'srv/almanakk/shadow.json']);
    for (const path of TARGETS) save(at(path), 'of this machine');
    for (const path of Object.keys(LINKS)) rmSync(at(path));
    const [name = ''] = readdirSync(at('var/backups/almanakk')).filter((file) => file.endsWith('.gz'));
    const archive = at(`var/backups/almanakk/${name}`);
    await mustRun(scriptIn(root, 'almanakk-restore'), { root, args: [archive] });
    for (const [path, target] of Object.entries(LINKS)) assert.is(readlinkSync(at(path)), target);
    const expected = ['of the archive', 'of this machine', 'of this machine'];
    assert.equal(
      TARGETS.map((path) => readFileSync(at(path), 'utf8')),
      expected,
    );
  },
);

here('H14: should say where the previous files are if they cannot be put back', async ({ root, archive }) => {
  const mv = `PATH="${process.env.PATH}" mv "$@"`;
  saveProgram(root, 'mv', `case "$1" in --no-clobber) exit 1 ;; esac\n${mv}`);
  saveProgram(root, 'curl', 'exit 22');
  const { stderr } = await runScript(scriptIn(root, 'almanakk-restore'), { root, args: [archive] });
  const [, aside = ''] =
    / Files that are not in place are in \/(\S+): move them back, and then\n/.exec(stderr) ?? [];
  assert.match(stderr, `start the services: systemctl start ${SERVICES}\n`);
  assert.is(readFileSync(join(root, aside, 'srv/almanakk/events.json'), 'utf8'), 'of this machine');
});

/** What is wrong with the archive or with the machine, and what the script says. */
const REFUSALS: readonly (readonly [change: string, said: string])[] = [
  ['head --bytes 200 "$1" > cut && mv cut "$1"', 'is damaged'],
  ['tar --create --gzip --file "$1" srv', 'expected settings in the archive'],
  ['tar --create --gzip --file "$1" etc', 'expected manifest.json in the archive'],
  [
    `tar --create --gzip --file "$1" etc ${STATE}/manifest.json`,
    'expected the snapshot calendar-2.sqlite in the archive, found none',
  ],
  [
    `echo x > x && tar --create --gzip --file "$1" --transform 's|^x$|${STATE}/manifest.json|' etc x; rm x`,
    `expected names and hashes of files in /${STATE}/manifest.json in the archive, found none`,
  ],
  [
    `echo x > x && tar --create --gzip --file "$1" --transform 's|^x$|${STATE}/calendar-2.sqlite|' etc x ${STATE}/manifest.json; rm x`,
    `expected the SHA-256 ${sha256Of('of this machine')} of /${STATE}/calendar-2.sqlite in the archive, found ${sha256Of('x\n')}`,
  ],
  [
    'echo ALMANAKK_SOURCE=/srv/.. > etc/almanakk/.env && tar --create --gzip --file "$1" etc var/lib',
    'expected a folder in ALMANAKK_SOURCE',
  ],
  [
    'printf "#!/bin/sh\necho Avail; echo 4096" > bin/df; chmod +x bin/df',
    ' bytes on the disk with /var/backups, found 4096',
  ],
  [
    'mkdir deliveries && ln -s ../etc/nginx deliveries/kirken',
    'expected no link in the path /deliveries/kirken, found that it leads to ',
  ],
  ['printf "#!/bin/sh\nexit 1" > bin/systemctl', 'expected services that are enabled, found none'],
];

here('H14: should change nothing if it refuses the archive or the machine', async ({ root, archive }) => {
  const copy = join(root, 'bin/copy.tar.gz');
  const systemctl = readFileSync(join(root, 'bin/systemctl'), 'utf8');
  for (const [change, said] of REFUSALS) {
    await mustRun(`cp ${archive} ${copy}`, { root });
    await mustRun(change, { root, args: [copy] });
    const before = contentsOf(root, NOT_OF_MACHINE);
    const { code, stderr } = await runScript(scriptIn(root, 'almanakk-restore'), { root, args: [copy] });
    assert.is(code, 1, change);
    assert.match(stderr, said, change);
    assert.match(stderr, /^almanakk-restore: .*\. Nothing has been changed\n$/m, change);
    assert.equal(contentsOf(root, NOT_OF_MACHINE), before, change);
    for (const path of ['bin/df', 'deliveries']) rmSync(join(root, path), { recursive: true, force: true });
    writeFileSync(join(root, 'bin/systemctl'), systemctl);
    save(join(root, 'etc/almanakk/.env'), SETTINGS);
  }
  assert.not.match(readFileSync(join(root, 'log'), 'utf8'), /^systemctl st/m);
});

restore.run();
