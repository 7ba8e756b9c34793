/** The scripts of the Compose setup, with a folder in place of the volume, and a program in place of Docker. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/package.ts';
import { contentsOf, save, saveProgram } from './helpers/debian-root.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { runCommand } from './helpers/program.ts';
import { isExpected, when } from './helpers/when.ts';

interface Context {
  root: string;
  /** The folder of Compose. */
  folder: string;
}

const compose = suite<Context>('scripts for Compose');

/** The operator's files in that folder. */
const OWN = ['.env', 'almanakk.env', 'compose.override.yaml', 'my-calendar/events.json'];
const SCRIPTS = ['compose-backup.sh', 'compose-restore.sh', 'compose-switch.sh'];
/** Files of the volume, without those that a build writes again. */
const DATA = ['keys.json', 'feeds/kirken.json', 'snapshots/calendar-1.sqlite'];

compose.before.each((context) => {
  const root = temporaryFolder();
  const folder = join(root, 'kalender');
  for (const name of OWN) save(join(folder, name), 'of the archive');
  for (const name of ['compose.yaml', ...SCRIPTS])
    copyFileSync(packagePath(`docs/${name}`), join(folder, name));
  for (const name of DATA) save(join(root, 'data', name), 'of the archive');
  save(join(root, 'data/snapshots/manifest.json'), '{\n  "file": "calendar-1.sqlite",\n  "bytes": 2\n}\n');
  saveDocker(root);
  Object.assign(context, { root, folder });
});

/** Docker for the commands of the scripts. `before` runs first, with the command in `$*`. */
function saveDocker(root: string, before = ''): void {
  saveProgram(
    root,
    'docker',
    `echo "$*" | sed -n 's/ -euc .*//; 1p' >> ${root}/log
case "$*" in *--size) sh ${packagePath('docs/archive.sh')} ${root}/data --size; exit ;; esac
${before}
case "$*" in
  'compose exec --no-TTY almanakk sh docs/archive.sh /data') sh ${packagePath('docs/archive.sh')} ${root}/data ;;
  'compose exec --no-TTY almanakk touch /data/backup.made') touch ${root}/data/backup.made ;;
  'compose exec --no-TTY almanakk rm -rf /data/.before') rm -rf ${root}/data/.before ;;
  'compose run --rm --no-TTY almanakk sh -euc '*' sh /data') shift 7 && sh -euc "$1" sh ${root}/data ;;
  'compose run --rm --no-TTY almanakk node dist/jobs/cli.js rebuild --wait 60') ;;
  'compose stop almanakk' | 'compose up --detach' | 'compose up --detach --wait --wait-timeout 300'*) ;;
  *) exit 1 ;;
esac`,
  );
}

function runScript({ root, folder }: Context, name: string, ...args: readonly string[]) {
  const env = { PATH: `${join(root, 'bin')}:${process.env.PATH}` };
  return runCommand('sh', [join(folder, name), ...args], { env });
}

function archivesIn(folder: string): readonly string[] {
  return readdirSync(join(folder, 'backups'))
    .filter((name) => name.endsWith('.tar.gz'))
    .sort();
}

compose(
  'should add an archive of all that is needed, and keep the earlier ones if Docker fails',
  async (context) => {
    const { root, folder } = context;
    mkdirSync(join(folder, 'backups'));
    save(join(folder, 'before-restore-2020/keys.json'), 'left out');
    for (let day = 10; day < 25; day += 1) save(join(folder, `backups/2020-01-${day}.tar.gz`), 'earlier');
    for (const docker of ['exit 1', 'exit 0', 'echo half of an archive; exit']) {
      saveDocker(root, docker);
      assert.is.not((await runScript(context, 'compose-backup.sh')).code, 0, docker);
      assert.is(archivesIn(folder).length, 15, docker);
      assert.not.ok(readdirSync(join(root, 'data')).includes('backup.made'), docker);
    }
    saveDocker(root, 'touch asked');
    saveProgram(root, 'df', `printf 'Avail\\n    4\\n'`);
    const full = await runScript(context, 'compose-backup.sh');
    assert.is(full.code, 1);
    assert.match(full.stderr, /^compose-backup\.sh: expected room for \d{5,} bytes .*, found 4\. .*\n$/);
    assert.not.ok(existsSync(join(folder, 'asked')), 'with too little room');
    assert.is(readdirSync(join(folder, 'backups')).length, 15);
    rmSync(join(root, 'bin/df'));
    saveDocker(root);
    const { code, stderr } = await runScript(context, 'compose-backup.sh');
    assert.is(code, 0, stderr);
    assert.ok(readdirSync(join(root, 'data')).includes('backup.made'));
    const left = archivesIn(folder);
    assert.equal([left.length, left[0]], [14, '2020-01-12.tar.gz']);
    assert.equal(readdirSync(join(folder, 'backups')).length, 14);
    const inArchive = await namesIn(join(folder, 'backups', left.at(-1) ?? ''));
    assert.equal(
      inArchive,
      [...OWN, ...SCRIPTS, 'compose.yaml', 'data.tar.gz'].map((name) => `./${name}`).sort(),
    );
  },
);

async function namesIn(archive: string): Promise<readonly string[]> {
  const { stdout } = await runCommand('tar', ['--list', '--file', archive], {});
  const names = stdout.trim().split('\n');
  return names.filter((name) => !name.endsWith('/')).sort();
}

when(
  isExpected('age'),
  'age is not installed here',
  compose,
)(
  'should hand a copy that age has encrypted to a command, and count no backup if it fails',
  async (context) => {
    const { root, folder } = context;
    const identity = join(root, 'identity.txt');
    await runCommand('age-keygen', ['--output', identity], {});
    const { stdout } = await runCommand('age-keygen', ['-y', identity], {});
    writeFileSync(join(folder, 'backup-recipients.txt'), stdout);
    const refused = await runScript(context, 'compose-backup.sh', 'false', '{}');
    assert.is.not(refused.code, 0);
    assert.not.ok(readdirSync(join(root, 'data')).includes('backup.made'));
    rmSync(join(folder, 'backups'), { recursive: true });
    const copy = join(root, 'copy of the archive');
    const { code, stderr } = await runScript(context, 'compose-backup.sh', 'cp', '{}', copy);
    assert.is(code, 0, stderr);
    const [archive = '', ...others] = readdirSync(join(folder, 'backups'));
    assert.equal(others, []);
    const decrypted = join(root, 'decrypted');
    await runCommand('age', ['--decrypt', '--identity', identity, '--output', decrypted, copy], {});
    assert.ok(readFileSync(decrypted).equals(readFileSync(join(folder, 'backups', archive))));
  },
);

/** Makes an archive, and then another state of the machine. */
async function prepare(context: Context): Promise<string> {
  const { root, folder } = context;
  const { code, stderr } = await runScript(context, 'compose-backup.sh');
  assert.is(code, 0, stderr);
  for (const path of ['my-calendar', '../data']) rmSync(join(folder, path), { recursive: true });
  for (const path of [...OWN, 'my-calendar/sources.json']) save(join(folder, path), 'of this machine');
  for (const path of ['keys.json', 'snapshots/paused', 'lost+found/1'])
    save(join(root, 'data', path), 'of this machine');
  return join(folder, 'backups', archivesIn(folder)[0] ?? '');
}

const NOT_STATE = /^(?:bin|log|failed|kalender\/backups)(?:\/|$)/;

compose(
  'should restore the settings, the calendar and the volume, also on a new machine',
  async (context) => {
    const { root, folder } = context;
    const before = contentsOf(root, NOT_STATE);
    const archive = await prepare(context);
    const { code, stdout, stderr } = await runScript(context, 'compose-restore.sh', archive);
    assert.is(code, 0, stderr);
    const [, aside = ''] = /^restored\. The previous files are in (\S+)\. /.exec(stdout) ?? [];
    assert.is(readFileSync(join(folder, aside, 'my-calendar/sources.json'), 'utf8'), 'of this machine');
    rmSync(join(folder, aside), { recursive: true });
    rmSync(join(root, 'data/lost+found'), { recursive: true });
    assert.equal(contentsOf(root, NOT_STATE), before);

    copyFileSync(archive, join(root, 'bin/copy'));
    for (const path of ['data', 'kalender', 'log']) rmSync(join(root, path), { recursive: true });
    for (const path of [folder, join(root, 'data')]) mkdirSync(path);
    copyFileSync(packagePath('docs/compose-restore.sh'), join(folder, 'compose-restore.sh'));
    copyFileSync(join(root, 'bin/copy'), join(folder, 'copy.tar.gz'));
    const onNew = await runScript(context, 'compose-restore.sh', join(folder, 'copy.tar.gz'));
    assert.is(onNew.code, 0, onNew.stderr);
    rmSync(join(folder, 'copy.tar.gz'));
    rmSync(join(folder, readdirSync(folder).find((name) => name.startsWith('before')) ?? ''), {
      recursive: true,
    });
    assert.equal(contentsOf(root, NOT_STATE), before);
    assert.not.match(readFileSync(join(root, 'log'), 'utf8'), 'stop');
  },
);

/** A command that fails once, by the shell's pattern, after it has done what it should; and what the script says. */
const FAILURES: readonly (readonly [program: string, on: string, said: string])[] = [
  ['docker', '*stop*', 'the server did not stop, see above. Putting the previous files back\n'],
  ['mv', '*./my-calendar*', 'the previous files could not be moved, see above'],
  ['tar', '*--exclude*', 'the archive could not be unpacked, see above'],
  ['docker', '*run*', 'the volume could not be restored, see above'],
  ['mv', '*.before-unfinished*', 'the volume could not be restored, see above'],
  ['docker', '*--wait*', 'the server did not become ready within five minutes, see above'],
];

compose('should put everything back if a step of a restore fails', async (context) => {
  const { root } = context;
  const archive = await prepare(context);
  const before = contentsOf(root, NOT_STATE);
  for (const [program, on, said] of FAILURES) {
    const what = `${program} ${on}`;
    const real = program === 'docker' ? `${root}/bin/docker.real` : `PATH="${process.env.PATH}" ${program}`;
    saveDocker(root);
    if (program === 'docker') copyFileSync(join(root, 'bin/docker'), join(root, 'bin/docker.real'));
    const fails = `case "$*" in ${on}) if mkdir ${root}/failed 2> /dev/null; then exit 1; fi ;; esac`;
    saveProgram(root, program, `${real} "$@" || exit\n${fails}`);
    const { code, stderr } = await runScript(context, 'compose-restore.sh', archive);
    assert.is(code, 1, what);
    assert.match(stderr, `compose-restore.sh: ${said}`, what);
    assert.match(stderr, /\ncompose-restore\.sh: the previous state is in place\n$/, what);
    assert.equal(contentsOf(root, NOT_STATE), before, what);
    assert.match(readFileSync(join(root, 'log'), 'utf8'), /compose up --detach\n$/, what);
    rmSync(join(root, 'failed'), { recursive: true });
    rmSync(join(root, 'bin', program));
  }
});

compose(
  'should restore after a restore that was killed, and count a leftover as no data',
  async (context) => {
    const { root, folder } = context;
    const archive = await prepare(context);
    for (const name of ['.before-unfinished', '.before'])
      save(join(root, 'data', name, 'keys.json'), 'left behind');
    rmSync(join(root, 'data/keys.json'));
    const { code, stderr } = await runScript(context, 'compose-restore.sh', archive);
    assert.is(code, 0, stderr);
    assert.is(readFileSync(join(root, 'data/keys.json'), 'utf8'), 'of the archive');
    assert.not.match(readdirSync(join(root, 'data')).join(' '), 'before');
    assert.match(readdirSync(folder).join(' '), 'before-restore');
  },
);

/** What happens to the archive or the machine, and what the script says. */
const REFUSALS: readonly (readonly [change: string, said: string])[] = [
  ['head -c 300 "$1" > cut && mv cut "$1"', 'is damaged'],
  ['tar -czf "$1" ./.env ./compose.yaml', 'expected ./data.tar.gz in the archive, found none'],
  [
    'echo damaged > data.tar.gz && tar -czf "$1" ./.env ./compose.yaml ./data.tar.gz && rm data.tar.gz',
    'data.tar.gz in the archive is damaged',
  ],
  [
    'printf "#!/bin/sh\necho Avail; echo 4096" > ../bin/df; chmod +x ../bin/df',
    ' bytes on this disk, found 4096',
  ],
];

compose('should change nothing if it refuses the archive or the machine', async (context) => {
  const { root, folder } = context;
  const archive = await prepare(context);
  const before = contentsOf(root, NOT_STATE);
  rmSync(join(root, 'log'));
  for (const [change, said] of REFUSALS) {
    const copy = join(root, 'bin/copy.tar.gz');
    copyFileSync(archive, copy);
    const changed = await runCommand('sh', ['-c', change, 'sh', copy], { cwd: folder });
    assert.is(changed.code, 0, changed.stderr);
    const { code, stderr } = await runScript(context, 'compose-restore.sh', copy);
    assert.is(code, 1, change);
    assert.match(stderr, said, change);
    assert.match(stderr, /^compose-restore\.sh: .*\. Nothing has been changed\n$/m, change);
    assert.equal(contentsOf(root, NOT_STATE), before, change);
  }
  assert.not.ok(readdirSync(root).includes('log'), 'a command of Docker');
});

/** The commands that fail, by the shell's pattern; the commands of Docker, each after the image in `.env`; and what the script says. */
interface Switch {
  readonly fails: string;
  readonly ordered: readonly string[];
  readonly said: RegExp;
}

const REBUILD = 'two compose run --rm --no-TTY almanakk node dist/jobs/cli.js rebuild --wait 60';
const UP = 'compose up --detach --wait --wait-timeout 300';
/** Replaces the server alone: without its name, Compose would also replace Caddy, which waits until the server is healthy. */
const SERVER = `${UP} almanakk`;

const SWITCHES: readonly Switch[] = [
  { fails: 'none', ordered: [REBUILD, `two ${SERVER}`, `two ${UP}`], said: /^$/ },
  {
    fails: '*rebuild*',
    ordered: [REBUILD],
    said: /^compose-switch\.sh: the new image could not build the calendar, see above\. Returning to the previous image\n$/,
  },
  {
    fails: 'two*up*',
    ordered: [REBUILD, `two ${SERVER}`, `one ${SERVER}`, `one ${UP}`],
    said: /^compose-switch\.sh: the server did not become ready within five minutes, see above\. Returning .*\n$/,
  },
  {
    fails: '*up*',
    ordered: [REBUILD, `two ${SERVER}`, `one ${SERVER}`],
    said: /\ncompose-switch\.sh: the server is not ready with that image either\. .* logs almanakk\n$/,
  },
];

compose('should build with another image and run it, or return to the one before', async (context) => {
  const { root, folder } = context;
  const settings = (image: string) => `DOMAIN=kalender.example\nIMAGE=${image}\nADMIN_TOKEN=a|b&c\n`;
  for (const { fails, ordered, said } of SWITCHES) {
    writeFileSync(join(folder, '.env'), settings('one'));
    rmSync(join(root, 'log'), { force: true });
    saveDocker(
      root,
      `image=$(sed -n s/^IMAGE=//p .env)\ncase "$image $*" in ${fails}) fails=1 ;; esac
sed -i "\\$ s/^/$image /" ${root}/log
\${fails:+exit 1}`,
    );
    const { code, stderr } = await runScript(context, 'compose-switch.sh', 'two');
    assert.match(stderr, said, fails);
    assert.equal(readFileSync(join(root, 'log'), 'utf8').trim().split('\n'), ordered, fails);
    const isSwitched = fails === 'none';
    assert.is(code, isSwitched ? 0 : 1, fails);
    assert.is(readFileSync(join(folder, '.env'), 'utf8'), settings(isSwitched ? 'two' : 'one'), fails);
    assert.equal(
      readdirSync(folder).sort(),
      [...OWN.slice(0, 3), 'compose.yaml', 'my-calendar', ...SCRIPTS].sort(),
    );
  }
  // A switch that was killed, and a line that was added before the next one, which fails.
  writeFileSync(join(folder, '.env'), settings('one'));
  saveDocker(root, 'case "$*" in *rebuild*) kill -9 $PPID ;; esac');
  await runScript(context, 'compose-switch.sh', 'two');
  writeFileSync(join(folder, '.env'), `${settings('two')}SUBNET=172.30.44.0/24\n`);
  saveDocker(root, 'case "$*" in *rebuild*) exit 1 ;; esac');
  await runScript(context, 'compose-switch.sh', 'three');
  assert.is(readFileSync(join(folder, '.env'), 'utf8'), `${settings('one')}SUBNET=172.30.44.0/24\n`);
  saveDocker(root);
  writeFileSync(join(folder, '.env'), settings('one'));
  for (const [line, isBuilt] of [
    ['ALMANAKK_ORIGIN=https://k.example/', false],
    ['ALMANAKK_ORIGIN=', true],
  ] as const) {
    writeFileSync(join(folder, 'almanakk.env'), `${line}\n`);
    rmSync(join(root, 'log'));
    assert.is((await runScript(context, 'compose-switch.sh', 'two')).code, 0);
    assert.is(/ rebuild /.test(readFileSync(join(root, 'log'), 'utf8')), isBuilt, line);
  }
  writeFileSync(join(folder, '.env'), 'DOMAIN=kalender.example\n');
  const { stderr } = await runScript(context, 'compose-switch.sh', 'two');
  assert.match(stderr, 'expected a line with IMAGE in .env, found none');
});

compose.run();
