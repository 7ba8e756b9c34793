/** almanakk-add-calendar: a further calendar of a machine, with its own user, settings and site, and with the settings of the machine. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSettings, SETTINGS } from '../../jobs/settings.ts';
import { assertIncludes } from '../helpers/assertions.ts';
import { debianFile } from '../helpers/debian-files.ts';
import { contentsOf, mustRun, runScript, save, saveProgram } from '../helpers/debian-root.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { eachIn } from '../helpers/html.ts';
import { hasPart, isExpected, when } from '../helpers/when.ts';
import { createMachine, scriptAt } from './active-machine.ts';

interface Context {
  /** With the calendar and one server of it. */
  readonly added: Addition;
}

const scripts = when(isExpected('openssl'), 'openssl is not installed here', suite<Context>('calendars'));

scripts.before(async (context) => {
  const added = createAddition();
  await added.add();
  // systemd says then that the services are enabled.
  save(join(added.root, 'enabled'), '');
  Object.assign(context, { added });
});

const NAME = 'lillevik';
const SITE = 'etc/nginx/conf.d/almanakk-lillevik.conf';
const OWN_SETTINGS = 'etc/almanakk/4010.conf';
const SECOND_SETTINGS = 'etc/almanakk/4011.conf';
const READY = 'https://lillevik.example/ is ready\n';

type Addition = ReturnType<typeof createAddition>;

/** A machine with a certificate for the calendar `lillevik`, and the script that adds it with these further arguments. */
function createAddition() {
  const root = createMachine();
  save(join(root, 'etc/letsencrypt/live/lillevik.example/fullchain.pem'), '');
  for (const folder of ['etc/nginx/conf.d', 'etc/almanakk', 'var/lib/almanakk'])
    mkdirSync(join(root, folder), { recursive: true });
  save(join(root, 'etc/almanakk/build.conf'), 'RUN=schedule\n');
  for (const name of ['nginx', 'curl']) saveProgram(root, name, 'true');
  saveProgram(root, 'systemctl', 'echo "$*" >> systemctl.log; test "$1" != is-enabled || test -e enabled');
  const text = scriptAt(root, 'almanakk-add-calendar');
  const run = (...args: readonly string[]) => runScript(text, { root, args });
  return {
    root,
    run,
    add: (...second: readonly string[]) => run(NAME, 'lillevik.example', '4010', ...second),
    read: (path: string) => readFileSync(join(root, path), 'utf8'),
    has: (path: string) => existsSync(join(root, path)),
    /** All files but the log of what was ordered from systemd. */
    contents: () => contentsOf(root, /systemctl\.log/),
    refuseByNginx: () => saveProgram(root, 'nginx', 'exit 1'),
    acceptByNginx: () => saveProgram(root, 'nginx', 'true'),
  };
}

scripts(
  'H17, H19: should continue to add a calendar after a run that was killed, with settings that are its own',
  async () => {
    const { root, add, read, has, refuseByNginx, acceptByNginx } = createAddition();
    // The second file is the folder with the sample. The shell is killed before it moves there.
    saveProgram(
      root,
      'mv',
      `echo >> ${root}/moved; if [ "$(wc -l < ${root}/moved)" = 2 ]; then kill -9 $PPID; exit; fi; exec /bin/mv "$@"`,
    );
    const made = () => [OWN_SETTINGS, `srv/${NAME}`, SITE].map(has);
    await add();
    assert.equal(made(), [true, false, false], 'killed');
    const settings = read(OWN_SETTINGS);
    assertSeparate(settings);

    refuseByNginx();
    assert.is((await add()).code, 1);
    assert.equal(made(), [true, false, false], 'the settings are of the run before');
    acceptByNginx();
    const { code, stdout, stderr } = await add();
    assert.is(code, 0, stderr);
    assert.match(stdout, /shows the sample\. What is left to do:\n/);
    assert.equal(made(), [true, true, true]);
    assert.equal(readdirSync(join(root, 'srv')), [NAME]);
    assert.is(read(OWN_SETTINGS), settings);
    assertIncludes(read('systemctl.log'), 'enable --now almanakk@4010');
  },
);

scripts('H17: should change nothing of a calendar that is added again', async ({ added }) => {
  const { add, contents } = added;
  const before = contents();
  assert.is((await add()).stdout, READY);
  assert.equal(contents(), before);
});

scripts('H19: should refuse a calendar on the port of another one', async ({ added }) => {
  const { stderr } = await added.run(NAME, 'storvik.example', '4010');
  assert.match(stderr, /expected no \S+\/etc\/almanakk\/4010\.conf, but it exists/);
});

scripts(
  'H19: should refuse a calendar of an earlier version, which has no user of its own',
  async ({ added }) => {
    const { root, add } = createAddition();
    const settings = added.read(OWN_SETTINGS).replaceAll(added.root, root);
    save(join(root, OWN_SETTINGS), settings.replace('almanakk-lillevik/', 'almanakk/lillevik/'));
    assert.match((await add()).stderr, /expected a calendar with a user of its own, found another/);
  },
);

scripts('H17: should add a second server of a calendar, unless nginx refuses it', async ({ added }) => {
  const { add, read, has, contents, refuseByNginx, acceptByNginx } = added;
  const withOne = read(SITE);
  refuseByNginx();
  assert.is((await add('4011')).code, 1);
  assert.equal([read(SITE), has(SECOND_SETTINGS)], [withOne, false], 'refused by nginx');
  acceptByNginx();
  assert.is((await add('4011')).stdout, READY);
  const ports = eachIn(read(SITE), /server 127\.0\.0\.1:(\d+) max_fails=0;/g);
  assert.equal(ports, ['4010', '4011'], 'both servers behind nginx');
  assertIncludes(read('systemctl.log'), 'enable --now almanakk@4011 almanakk-watchdog@4011.timer');
  assertUnit(added, '4010', [`/${OWN_SETTINGS}`]);
  assertUnit(added, '4011', [`/${OWN_SETTINGS}`, `/${SECOND_SETTINGS}`]);
  const withTwo = contents();
  assert.is((await add('4011')).code, 0);
  assert.equal(contents(), withTwo, 'added again');
});

/** Expects that a server runs as the user of the calendar, with these settings. */
function assertUnit({ root, read }: Addition, port: string, settings: readonly string[]): void {
  const unit = read(`etc/systemd/system/almanakk@${port}.service.d/calendar.conf`).replaceAll(
    `${root}/`,
    '/',
  );
  assert.match(unit, 'User=almanakk-lillevik\n');
  assert.match(unit, '\nStateDirectory=almanakk-lillevik\nStateDirectoryMode=0750\n');
  const files = ['', `-/run/almanakk-${port}.env`, ...settings];
  assert.equal(eachIn(unit, /^EnvironmentFile=(.*)$/gm), files, port);
}

/** Settings of the machine: further calendars take them from `.env`. All others belong to one calendar. */
const OF_MACHINE: ReadonlySet<string> = new Set([
  'HOST',
  'ALMANAKK_ADMIN_HOST',
  'ALMANAKK_ALERT_TO',
  'ALMANAKK_ALLOW_PRIVATE_FEEDS',
  'ALMANAKK_BACKUP_MARK',
  'ALMANAKK_BUILD_TIMEOUT',
  'ALMANAKK_CACHE_MB',
  'ALMANAKK_HORIZON_MONTHS',
  'ALMANAKK_KEEP_DAYS',
  'ALMANAKK_LOG_FORMAT',
  'ALMANAKK_LOG_LEVEL',
  'ALMANAKK_LOG_QUERIES',
  'ALMANAKK_MAIL_FROM',
  'ALMANAKK_MAX_AGE',
  'ALMANAKK_MAX_CONNECTIONS',
  'ALMANAKK_MEMORY_MB',
  'ALMANAKK_METRICS_TOKEN',
  'ALMANAKK_PICTURE_SECRET',
  'ALMANAKK_POLL_SECONDS',
  'ALMANAKK_QUOTA',
  'ALMANAKK_QUOTA_KEYED',
  'ALMANAKK_S3_ENDPOINT',
  'ALMANAKK_SIGNING_KEY',
  'ALMANAKK_SMTP_URL',
  'ALMANAKK_STOP_DELAY',
  'ALMANAKK_TRUST',
  'ALMANAKK_TRUST_PROXY',
  'ALMANAKK_WATCH',
  'ALMANAKK_WORKERS',
]);

scripts('H19: should give further calendars the settings of the machine, and none of the first', async () => {
  const root = temporaryFolder();
  const lines = [...OF_MACHINE, 'ALMANAKK_ADMIN_TOKEN', 'FEED_KEY'].map(
    (name) => `${name}="of ${name}" # text`,
  );
  save(join(root, '.env'), [...lines, 'AWS_REGION=oslo', 'AWS_SECRET_ACCESS_KEY_FILE=store'].join('\n'));
  save(join(root, 'store'), 'of-the-store\n');
  // Node finds no package in this folder, so it reads the script as Debian's does.
  const script = join(root, 'script');
  save(
    script,
    debianFile('usr/local/sbin/almanakk-machine-settings').replace("'/etc/almanakk'", `'${root}'`),
  );
  const { code, stdout, stderr } = await mustRun(`node ${script}`, { root });
  assert.is(code, 0, stderr);
  // Each calendar signs with a key of its own, which only its user may read.
  const names = [...OF_MACHINE].filter((name) => name !== 'ALMANAKK_SIGNING_KEY');
  assert.equal(
    stdout.trim().split('\n').sort(),
    [
      'AWS_REGION=oslo',
      'AWS_SECRET_ACCESS_KEY=of-the-store',
      ...names.map((name) => `${name}=of ${name}`),
    ].sort(),
  );
  save(join(root, '.env'), 'ALMANAKK_SMTP_URL=smtp://a:b\\c@mail.example\n');
  const refused = await runScript(`node ${script}`, { root });
  assert.is(refused.code, 1);
  assert.match(refused.stderr, 'ALMANAKK_SMTP_URL: expected one line without a backslash');
});

/** Settings of a calendar whose part may be taken away. The script sets them nevertheless. */
const OF_PARTS: Readonly<Record<string, readonly string[]>> = {
  'jobs/annexes/hooks': ['ALMANAKK_HOOKS', 'ALMANAKK_HOOK_SECRET'],
  'jobs/annexes/pull': ['ALMANAKK_ORIGIN'],
  'jobs/annexes/store': ['ALMANAKK_PUBLISH', 'ALMANAKK_PUBLISH_PUBLIC'],
};

/** H19: whatever `.env` has, a calendar with these settings has its own value, or the default, wherever a setting belongs to one calendar. */
function assertSeparate(text: string): void {
  const environment = parseEnv(text);
  const ofCalendar = Object.entries(SETTINGS).filter(([, { name }]) => !OF_MACHINE.has(name));
  const written = Object.keys(environment).filter(
    (name) => !name.endsWith('_FILE') || name === 'ALMANAKK_PUBLIC_FILE',
  );
  const lost = Object.entries(OF_PARTS).flatMap(([part, names]) => (hasPart(part) ? [] : names));
  const names = ofCalendar.map(([, { name }]) => name).filter((name) => name !== 'PORT');
  assert.equal(
    written.sort(),
    ['RUN', ...names, ...lost].sort(),
    'each setting belongs to the machine or to a calendar',
  );
  assert.match(environment.RUN ?? '', / --port 4010$/, 'the port of the calendar');
  const machine = temporaryFolder();
  const ofFirst = temporaryFolder();
  save(join(machine, 'secret'), 'first:0123456789abcdef');
  for (const [variant, line] of FIRST_CALENDAR) {
    const lines = written.filter((name) => name !== 'RUN').map((name) => line(name));
    save(join(ofFirst, '.env'), lines.join('\n').replaceAll('SECRET', join(machine, 'secret')));
    const { settings } = readSettings(environment, ofFirst);
    for (const [key, { name, fallback, parse }] of ofCalendar) {
      if (name === 'PORT') continue;
      const own = parse(environment[name] || fallback, ofFirst);
      assert.equal(settings[key as keyof typeof settings], own, `${name}, ${variant}`);
    }
  }
}

/** Each line that the first calendar may have in `.env` for a setting. */
const FIRST_CALENDAR: readonly (readonly [string, (name: string) => string])[] = [
  ['as a value', (name) => `${name}=first:0123456789abcdef`],
  ['in a file', (name) => (/(?:TOKENS?|SECRET|HOOKS)$/.test(name) ? `${name}_FILE=SECRET` : '')],
];

scripts.run();
