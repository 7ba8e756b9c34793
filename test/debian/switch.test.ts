/** almanakk-restart and almanakk-switch: which services run which version, whatever fails. */
import { existsSync, mkdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { debianFile } from '../helpers/debian-files.ts';
import { runScript, save, saveProgram } from '../helpers/debian-root.ts';
import { temporaryFolder } from '../helpers/folder.ts';

const scripts = suite('almanakk-restart and almanakk-switch');

interface Restart {
  readonly enabled: string;
  /** The ports that do not become ready. */
  readonly unready?: readonly string[];
  /** A service that systemd does not start. */
  readonly failing?: string;
  /** What the builder does in place of reporting itself and staying up: commands of the shell. */
  readonly builder?: string;
  readonly restarted: readonly string[];
  readonly said?: string;
  readonly builderSaid?: string;
}

/** The builder writes its state. */
const REPORTS = "touch --date '+1 second' snapshots/builder.json";
/** It has another process each time that systemd is asked. */
const CRASHES = 'touch crashes';
/** It neither ends nor writes its state. */
const HANGS = 'true';

const LOGS = 'Read the log: journalctl';
const BUILDER_DOWN =
  'almanakk-restart: expected the builder to report within a minute and to stay up: almanakk@build. ' +
  `The servers keep the last snapshot. ${LOGS} --unit almanakk@build\n`;
const LEFT = 'almanakk-restart: not restarted, so that they go on as before:';

/** The services with the ports 4010, with 4011 as its second server, and 4020 are those of further calendars. */
const RESTARTS: readonly Restart[] = [
  { enabled: '4000 4001 build', restarted: ['4000', '4001', 'build'] },
  { enabled: '4000 4010 build', restarted: ['4000', '4010', 'build'] },
  { enabled: '4000', restarted: ['4000'] },
  {
    enabled: '4000 4001 4010 build',
    unready: ['4000'],
    restarted: ['4000', '4010'],
    said: `almanakk@4000. ${LOGS} --unit almanakk@4000\n${LEFT} almanakk@4001 almanakk@build\n`,
  },
  {
    enabled: '4000 4001 4010 4020 build',
    unready: ['4010', '4020'],
    restarted: ['4000', '4001', '4010', '4020', 'build'],
    said: `almanakk@4010 almanakk@4020. ${LOGS} --unit almanakk@4010 --unit almanakk@4020\n`,
  },
  {
    enabled: '4000 4010 4011 4020 build',
    unready: ['4010'],
    restarted: ['4000', '4010', '4020', 'build'],
    said: `almanakk@4010. ${LOGS} --unit almanakk@4010\n${LEFT} almanakk@4011\n`,
  },
  {
    enabled: '4000 4010 build',
    failing: '4010',
    restarted: ['4000', '4010', 'build'],
    said: `almanakk@4010. ${LOGS} --unit almanakk@4010\n`,
  },
  { enabled: '4000 build', failing: 'build', restarted: ['4000', 'build'], builderSaid: BUILDER_DOWN },
  // It ends at once, and systemd starts it again: another process.
  { enabled: '4000 build', builder: CRASHES, restarted: ['4000', 'build'], builderSaid: BUILDER_DOWN },
  {
    enabled: '4000 build',
    builder: `${REPORTS}\n${CRASHES}`,
    restarted: ['4000', 'build'],
    builderSaid: BUILDER_DOWN,
  },
  { enabled: '4000 build', builder: HANGS, restarted: ['4000', 'build'], builderSaid: BUILDER_DOWN },
  {
    enabled: '4000 4010 build',
    unready: ['4010'],
    builder: CRASHES,
    restarted: ['4000', '4010', 'build'],
    said: `almanakk@4010. ${LOGS} --unit almanakk@4010\n`,
    builderSaid: BUILDER_DOWN,
  },
];

scripts('should restart the services in turn, and name those that do not come up', async () => {
  // A minute has three seconds: each one starts programs.
  const script = debianFile('usr/local/sbin/almanakk-restart').replace('-ge 60 ]', '-ge 3 ]');
  for (const scene of RESTARTS) {
    const {
      enabled,
      unready = [],
      failing = 'none',
      builder = REPORTS,
      restarted,
      said,
      builderSaid,
    } = scene;
    const root = temporaryFolder();
    save(join(root, '.env'), 'ALMANAKK_SNAPSHOTS = "snapshots" # here\n');
    // That of the builder before.
    save(join(root, 'snapshots/builder.json'), '');
    for (const name of ['4000', '4001', 'build']) save(join(root, `${name}.conf`), 'RUN=serve\n');
    for (const name of ['4010', '4020'])
      save(join(root, `${name}.conf`), `ALMANAKK_SNAPSHOTS=/var/lib/almanakk/${name}/snapshots\n`);
    save(join(root, '4011.conf'), 'RUN=serve --port 4011\nCALENDAR=4010\n');
    saveProgram(root, 'systemctl', systemctlOf({ enabled, failing, builder }));
    const silent = ['none', ...unready].map((port) => `*:${port}/*`).join(' | ');
    saveProgram(
      root,
      'curl',
      `for url; do :; done; echo "$url" >> log; case $url in ${silent}) exit 22 ;; esac`,
    );
    saveProgram(root, 'sleep', '');
    const { code, stderr } = await runScript(script.replace('/etc/almanakk', root), { root });
    const lines = restarted.flatMap((name) => {
      const line = `restart almanakk@${name}\n`;
      return name === 'build' || name === failing ? [line] : [line, `http://127.0.0.1:${name}/readyz\n`];
    });
    assert.is(readFileSync(join(root, 'log'), 'utf8'), lines.join(''), JSON.stringify(scene));
    const unreadySaid = said === undefined ? '' : `almanakk-restart: not ready after a minute: ${said}`;
    const expected = `${unreadySaid}${builderSaid ?? ''}`;
    assert.equal([code, stderr], [expected === '' ? 0 : 1, expected], JSON.stringify(scene));
  }
});

/** A systemd that starts a builder that crashes again, each time that it is asked about it. */
function systemctlOf({
  enabled,
  failing,
  builder,
}: Pick<Required<Restart>, 'enabled' | 'failing' | 'builder'>): string {
  return `start() { date --utc '+%a %F %T.%6N UTC' > started; }
case "$1 $2" in
is-enabled*) case " ${enabled} " in *" \${3#almanakk@} "*) exit ;; *) exit 1 ;; esac ;;
is-active*) exit ;;
show*) if [ -e crashes ]; then start; fi; cat started; exit ;;
esac
echo "$@" >> log
test "$2" != almanakk@${failing} || exit 1
if [ "$2" = almanakk@build ]; then
start
${builder}
fi`;
}

/** Commands that fail, with those that the script gives, and what it says at last. */
interface Switch {
  readonly what: string;
  /** A pattern of the shell: the commands that fail, the first time. */
  readonly fails: string;
  readonly next?: string;
  /** Lines of `.env`, and of the file of the calendar with port 4010. */
  readonly settings?: readonly [env: string, ofCalendar: string];
  readonly ordered: readonly string[];
  readonly active: string;
  readonly said: string;
}

const STOP = 'systemctl stop almanakk@build';
const START = 'systemctl start almanakk@build';
const BUILDS = [
  'almanakk rebuild --wait 60 with almanakk-2 for ',
  'almanakk rebuild --wait 60 with almanakk-2 for 4010',
];
const PULLS = ['almanakk pull with almanakk-2 for ', 'almanakk pull with almanakk-2 for 4010'];
const ORIGIN = 'ALMANAKK_ORIGIN=https://builder.example/snapshots/';
const NEVER = 'never';
const SETUP = 'almanakk-setup almanakk-1';
const BACK = [SETUP, 'almanakk-activate almanakk-1', 'almanakk-restart'];
const RETURNED = '. Returning to almanakk-1\n[\\s\\S]*almanakk-switch: almanakk-1 is active\n$';

const SWITCHES: readonly Switch[] = [
  {
    what: 'all is well',
    fails: NEVER,
    ordered: [STOP, ...BUILDS, 'almanakk-activate almanakk-2', 'almanakk-restart'],
    active: 'almanakk-2',
    said: '^almanakk-2 is active\\. To return to the previous version: almanakk-setup almanakk-1 && ',
  },
  {
    what: 'the first calendar is copied from another machine',
    fails: NEVER,
    settings: [` ALMANAKK_ORIGIN = "https://builder.example/snapshots/"`, 'ALMANAKK_ORIGIN='],
    ordered: [
      STOP,
      ...PULLS.slice(0, 1),
      ...BUILDS.slice(1),
      'almanakk-activate almanakk-2',
      'almanakk-restart',
    ],
    active: 'almanakk-2',
    said: '^almanakk-2 is active\\.',
  },
  {
    what: 'the further calendar is copied',
    fails: NEVER,
    settings: ['ALMANAKK_ORIGIN= # none', ORIGIN],
    ordered: [
      STOP,
      ...BUILDS.slice(0, 1),
      ...PULLS.slice(1),
      'almanakk-activate almanakk-2',
      'almanakk-restart',
    ],
    active: 'almanakk-2',
    said: '^almanakk-2 is active\\.',
  },
  {
    what: 'the origin of both is down',
    fails: '*pull*',
    settings: [ORIGIN, ''],
    ordered: [STOP, ...PULLS, 'almanakk-activate almanakk-2', 'almanakk-restart'],
    active: 'almanakk-2',
    said: '^almanakk-2 is active\\.',
  },
  {
    what: 'the builder does not stop',
    fails: '*stop*',
    ordered: [STOP, SETUP, START],
    active: 'almanakk-1',
    said: `the builder did not stop, see above${RETURNED}`,
  },
  {
    what: 'the first build is refused',
    fails: '*rebuild*',
    ordered: [STOP, ...BUILDS.slice(0, 1), SETUP, START],
    active: 'almanakk-1',
    said: `almanakk-2 refused the source, see above${RETURNED}`,
  },
  {
    what: 'the build of a further calendar is refused',
    fails: '*4010',
    ordered: [STOP, ...BUILDS, SETUP, START],
    active: 'almanakk-1',
    said: `almanakk-2 refused the source of the calendar with port 4010, see above${RETURNED}`,
  },
  {
    what: 'the version is not complete',
    fails: '*activate*',
    ordered: [STOP, ...BUILDS, 'almanakk-activate almanakk-2', SETUP, START],
    active: 'almanakk-1',
    said: `almanakk-2 could not be activated, see above${RETURNED}`,
  },
  {
    what: 'a service does not come up',
    fails: 'almanakk-restart*',
    ordered: [STOP, ...BUILDS, 'almanakk-activate almanakk-2', 'almanakk-restart', ...BACK, START],
    active: 'almanakk-1',
    said: `a service did not come up, see above${RETURNED}`,
  },
  {
    what: 'the version is active',
    fails: NEVER,
    next: 'almanakk-1',
    ordered: [],
    active: 'almanakk-1',
    said: 'almanakk-1 is already active',
  },
  {
    what: 'the version is not installed',
    fails: NEVER,
    next: 'almanakk-3',
    ordered: [],
    active: 'almanakk-1',
    said: 'expected an installed version, found none in .*/opt/almanakk/almanakk-3: almanakk-install almanakk-3.tgz',
  },
];

const ARCHIVES = 'var/backups/almanakk';
const PUT_ASIDE = 'var/backups/almanakk-before-upgrade/almanakk-1.tar.gz';

/** A machine with the versions 1 and 2, of which 1 is active, and with archives of two days. */
interface Machine {
  readonly fails: string;
  readonly settings?: Switch['settings'] | undefined;
  /** What a command that matches `fails` does, once, in place of its work. */
  readonly does?: string;
}

function machineWith({ fails, settings: [env, ofCalendar] = ['', ''], does = 'exit 1' }: Machine): string {
  const root = temporaryFolder();
  for (const name of ['almanakk-1', 'almanakk-2'])
    save(join(root, 'opt/almanakk', name, 'dist/jobs/cli.js'), '');
  symlinkSync('almanakk-1', join(root, 'opt/almanakk/current'));
  save(join(root, 'etc/almanakk/.env'), `${env}\n`);
  save(join(root, 'etc/almanakk/build.conf'), 'RUN=schedule\n');
  for (const name of ['4010', '4020'])
    save(
      join(root, `etc/almanakk/${name}.conf`),
      `${ofCalendar}\nALMANAKK_SNAPSHOTS=/var/lib/almanakk/lillevik/snapshots`,
    );
  mkdirSync(join(root, 'var/lib/almanakk/trial'), { recursive: true });
  for (const day of ['27', '28']) save(join(root, `${ARCHIVES}/2026-11-${day}.tar.gz`), day);
  const log = (words: string) =>
    `order="${words}"; echo "$order" >> ${root}/log
case "$order" in ${fails}) if mkdir ${root}/failed 2> /dev/null; then ${does}; fi ;; esac`;
  const isEnabled = 'if [ "$1" = is-enabled ]; then test "$3" != almanakk@4020; exit; fi';
  saveProgram(root, 'systemctl', `${isEnabled}\n${log('systemctl $*')}`);
  saveProgram(root, 'almanakk', log('almanakk $* with $AT for $CALENDAR'));
  for (const name of ['almanakk-setup', 'almanakk-restart']) saveProgram(root, name, log(`${name} $*`));
  saveProgram(
    root,
    'almanakk-activate',
    `${log('almanakk-activate $*')}\nln -sfn "$1" ${root}/opt/almanakk/current`,
  );
  return root;
}

function runSwitch(root: string, next = 'almanakk-2') {
  const script = debianFile('usr/local/sbin/almanakk-switch');
  const text = script.replaceAll(/\/(?=opt\/almanakk|etc\/almanakk|var\/(?:lib|backups))/g, `${root}/`);
  return runScript(text, { root, args: [next] });
}

/** The commands that the script has given, in their order. */
function ordersIn(root: string): readonly string[] {
  const log = join(root, 'log');
  const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
  return lines.map((line) => line.trimEnd());
}

scripts('should build with another version and run it, or return to the active one', async () => {
  for (const { what, fails, next, settings, ordered, active, said } of SWITCHES) {
    const root = machineWith({ fails, settings });
    const { code, stdout, stderr } = await runSwitch(root, next);
    const isSwitched = active === 'almanakk-2';
    assert.is(code, isSwitched ? 0 : 1, `${what}: ${stderr}`);
    assert.match(isSwitched ? stdout : stderr, new RegExp(said, 'm'), what);
    assert.equal(
      ordersIn(root),
      ordered.map((line) => line.trimEnd()),
      what,
    );
    assert.is(readlinkSync(join(root, 'opt/almanakk/current')), active, what);
    assert.is(existsSync(join(root, 'var/lib/almanakk/trial')), !isSwitched, what);
    assert.not.match(stderr, 'archive', what);
    if (isSwitched) assert.is(readFileSync(join(root, PUT_ASIDE), 'utf8'), '28', what);
  }
});

scripts('should say so if it has no archive of the last day to put aside, except on a replica', async () => {
  const [older, newer] = ['27', '28'].map((day) => `${ARCHIVES}/2026-11-${day}.tar.gz`) as [string, string];
  const remedy =
    'press Ctrl+C, and run: systemctl start almanakk-backup && almanakk-setup almanakk-2 && almanakk-switch almanakk-2\n';
  for (const { found, kept, settings } of [
    { found: 'only 2026-11-28.tar.gz, which is older', kept: '28' },
    { found: 'none', kept: null },
    { found: null, kept: null, settings: [ORIGIN, ''] as const },
  ]) {
    const root = machineWith({ fails: NEVER, settings });
    utimesSync(join(root, newer), Date.now() / 1_000, Date.now() / 1_000 - 90_000);
    if (kept === null) for (const path of [older, newer]) rmSync(join(root, path));
    const { code, stderr } = await runSwitch(root);
    assert.is(code, 0, stderr);
    assert.is(found === null, stderr === '', stderr);
    if (found !== null) {
      assert.match(stderr, /^almanakk-switch: expected an archive of the last 24 hours in \S+, found /);
      assert.match(stderr, `, found ${found}. To go back to almanakk-1 after more than a week, you need one`);
      assert.match(stderr, remedy);
    }
    const path = join(root, PUT_ASIDE);
    assert.is(existsSync(path) ? readFileSync(path, 'utf8') : null, kept);
  }
});

scripts('should leave the servers running if it is killed at any step, and then run again', async () => {
  const steps = (SWITCHES[0] as Switch).ordered.map((line) => line.trimEnd());
  for (const [index, step] of steps.entries()) {
    const root = machineWith({ fails: `"${step}"*`, does: 'kill -KILL $PPID; exit 1' });
    assert.is.not((await runSwitch(root)).code, 0, step);
    // It stops the builder. Only almanakk-restart restarts servers, one at a time.
    assert.equal(ordersIn(root), steps.slice(0, index + 1), step);
    const { code, stderr } = await runSwitch(root);
    const wasActivated = step === 'almanakk-restart';
    assert.is(code, wasActivated ? 1 : 0, `${step}: ${stderr}`);
    if (wasActivated)
      assert.match(stderr, 'almanakk-2 is already active. To restart the services, run almanakk-restart');
    assert.is(readlinkSync(join(root, 'opt/almanakk/current')), 'almanakk-2', step);
  }
});

scripts.run();
