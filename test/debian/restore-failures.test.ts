/** almanakk-restore: each of its steps may fail, and the machine is then as it was. */
import { copyFileSync, existsSync, lchownSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { contentsOf, mustRun, runScript, save, saveProgram, scriptIn } from '../helpers/debian-root.ts';
import { when } from '../helpers/when.ts';
import {
  type Context,
  FAKES,
  fakeOf,
  log,
  NOT_OF_MACHINE,
  prepare,
  SERVICES,
  SETTINGS,
  STATE,
  saveStandIns,
  sha256Of,
  tryRestore,
  withTar,
} from './restore-machine.ts';

interface WithBefore extends Context {
  /** What the machine has before anything fails. */
  before: Readonly<Record<string, string>>;
}

/** Undoes what tests change on a machine: its programs, its settings, and a folder that the settings name. */
function mend(root: string): void {
  for (const name of ['bin', 'log', 'deliveries']) rmSync(join(root, name), { recursive: true, force: true });
  saveStandIns(root);
  save(join(root, 'etc/almanakk/.env'), SETTINGS);
}

/** One machine, on which one step after the other fails. */
const failing = withTar(suite<WithBefore>('almanakk-restore: a step that fails'));

failing.before(async (context) => {
  await prepare(context);
  context.before = contentsOf(context.root, NOT_OF_MACHINE);
});
failing.before.each(({ root }) => mend(root));

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

/** Makes the program fail the first time that it is called with these arguments. */
function failOnce(root: string, { program, on, isDone = false }: Failure): void {
  const real = `PATH="${process.env.PATH}" ${program} "$@"`;
  const usual = FAKES.includes(program) ? fakeOf(root, program) : real;
  const fails = `if mkdir ${root}/bin/failed 2> /dev/null; then ${isDone ? real : ':'}; exit 7; fi`;
  saveProgram(root, program, `case "$*" in ${on}) ${fails} ;; esac\n${usual}`);
}

/** The services that systemd has been told to start or stop. */
function commandsIn(root: string): readonly string[] {
  const log = join(root, 'log');
  return existsSync(log) ? (readFileSync(log, 'utf8').match(/^systemctl st.*$/gm) ?? []) : [];
}

for (const failure of FAILURES) {
  const { what, said } = failure;
  failing(`H14: should leave the machine as it was, and start it again, if ${what}`, async (context) => {
    const { root, archive, before } = context;
    failOnce(root, failure);
    const { code, stderr } = await tryRestore(root, archive);
    assert.is(code, 1);
    assert.match(stderr, said);
    assert.match(stderr, /: the previous files are in place, and the services have been started\n$/);
    assert.equal(contentsOf(root, NOT_OF_MACHINE), before);
    assert.is(commandsIn(root).at(-1), `systemctl start ${SERVICES}`);
  });
}

failing('H14: should leave the machine as it was if no service can be started again', async (context) => {
  const { root, archive, before } = context;
  saveProgram(root, 'systemctl', `${log(root, 'systemctl')}\ntest "$1" != start`);
  const { stderr } = await tryRestore(root, archive);
  assert.match(stderr, `are in place, but the services did not start: systemctl start ${SERVICES}\n`);
  assert.equal(contentsOf(root, NOT_OF_MACHINE), before);
});

/** Its files stay where they were put aside, so it is the last test of this machine. */
failing(
  'H14: should say where the previous files are if they cannot be put back',
  async ({ root, archive }) => {
    const mv = `PATH="${process.env.PATH}" mv "$@"`;
    saveProgram(root, 'mv', `case "$1" in --no-clobber) exit 1 ;; esac\n${mv}`);
    saveProgram(root, 'curl', 'exit 22');
    const { stderr } = await tryRestore(root, archive);
    const [, aside = ''] =
      / Files that are not in place are in \/(\S+): move them back, and then\n/.exec(stderr) ?? [];
    assert.match(stderr, `start the services: systemctl start ${SERVICES}\n`);
    assert.is(readFileSync(join(root, aside, 'srv/almanakk/events.json'), 'utf8'), 'of this machine');
  },
);

failing.run();

/** One machine, which refuses one archive after the other. */
const refusing = withTar(suite<Context>('almanakk-restore: an archive or a machine'));

refusing.before(prepare);
refusing.before.each(({ root }) => mend(root));

interface Refusal {
  readonly what: string;
  /** A shell's command that makes it so; `$1` is a copy of the archive. */
  readonly change: string;
  readonly said: string;
}

const REFUSALS: readonly Refusal[] = [
  {
    what: 'the archive is cut off',
    change: 'head --bytes 200 "$1" > cut && mv cut "$1"',
    said: 'is damaged',
  },
  {
    what: 'the archive has no settings',
    change: 'tar --create --gzip --file "$1" srv',
    said: 'expected settings in the archive',
  },
  {
    what: 'the archive has no manifest',
    change: 'tar --create --gzip --file "$1" etc',
    said: 'expected manifest.json in the archive',
  },
  {
    what: 'the archive has no snapshot',
    change: `tar --create --gzip --file "$1" etc ${STATE}/manifest.json`,
    said: 'expected the snapshot calendar-2.sqlite in the archive, found none',
  },
  {
    what: 'the manifest names no files',
    change: `echo x > x && tar --create --gzip --file "$1" --transform 's|^x$|${STATE}/manifest.json|' etc x; rm x`,
    said: `expected names and hashes of files in /${STATE}/manifest.json in the archive, found none`,
  },
  {
    what: 'the snapshot is another one than the manifest names',
    change: `echo x > x && tar --create --gzip --file "$1" --transform 's|^x$|${STATE}/calendar-2.sqlite|' etc x ${STATE}/manifest.json; rm x`,
    said: `expected the SHA-256 ${sha256Of('of this machine')} of /${STATE}/calendar-2.sqlite in the archive, found ${sha256Of('x\n')}`,
  },
  {
    what: 'a setting of the archive names no folder of a source',
    change: 'echo ALMANAKK_SOURCE=/srv/.. > etc/almanakk/.env && tar --create --gzip --file "$1" etc var/lib',
    said: 'expected a folder in ALMANAKK_SOURCE',
  },
  {
    what: 'the disk has too little room',
    change: 'printf "#!/bin/sh\necho Avail; echo 4096" > bin/df; chmod +x bin/df',
    said: ' bytes on the disk with /var/backups, found 4096',
  },
  {
    what: 'a folder of the settings is a link to another one',
    change: 'mkdir deliveries && ln -s ../etc/nginx deliveries/kirken',
    said: 'expected no link in the path /deliveries/kirken, found that it leads to ',
  },
  {
    what: 'no service is enabled',
    change: 'printf "#!/bin/sh\nexit 1" > bin/systemctl',
    said: 'expected services that are enabled, found none',
  },
];

for (const { what, change, said } of REFUSALS) {
  refusing(`H14: should be refused without any change if ${what}`, async ({ root, archive }) => {
    const copy = join(root, 'bin/copy.tar.gz');
    copyFileSync(archive, copy);
    await mustRun(change, { root, args: [copy] });
    const before = contentsOf(root, NOT_OF_MACHINE);
    const { code, stderr } = await tryRestore(root, copy);
    assert.is(code, 1);
    assert.match(stderr, said);
    assert.match(stderr, /^almanakk-restore: .*\. Nothing has been changed\n$/m);
    assert.equal(contentsOf(root, NOT_OF_MACHINE), before);
    assert.equal(commandsIn(root), [], 'no service is stopped');
  });
}

const asRoot = when(process.getuid?.() === 0, 'only root may give links to others', refusing);

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

refusing.run();
