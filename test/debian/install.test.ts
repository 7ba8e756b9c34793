/** almanakk-install, almanakk-prepare and almanakk-add-calendar: a run that was cut off is continued, and one that has ended is not done again. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSettings, SETTINGS } from '../../jobs/settings.ts';
import { assertIncludes } from '../helpers/assertions.ts';
import { debianFile, debianPaths } from '../helpers/debian-files.ts';
import { contentsOf, mustRun, runScript, save, saveProgram } from '../helpers/debian-root.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { eachIn } from '../helpers/html.ts';
import { hasPart, isExpected, when } from '../helpers/when.ts';
import { theBlock } from '../readme/blocks.ts';

const scripts = when(isExpected('openssl'), 'openssl is not installed here', suite('installation'));

/** A script that works in this folder in place of `/`. */
const scriptAt = (root: string, name: string) =>
  debianFile(`usr/local/sbin/${name}`).replaceAll(
    /(?<![\w.$}/:])\/(?=(?:opt|etc|var\/lib)\/|srv\b|\$)/g,
    `${root}/`,
  );

/** Puts a package with this line in it into the folder, with a program that activates it. */
async function makePackage(root: string, line: string): Promise<void> {
  save(join(root, 'package/line'), line);
  save(join(root, 'package/docs/install-sqlite3.sh'), 'test -e "$1/node_modules"\n');
  const activate = scriptAt(root, 'almanakk-activate').replace(
    /^is_complete\(\) \{[^}]+\}/m,
    'is_complete() { true; }',
  );
  save(join(root, 'package/docs/debian/usr/local/sbin/almanakk-activate'), activate);
  await mustRun('tar --create --gzip --file almanakk-1.tgz package', { root });
}

scripts(
  'H17: should start over with a version whose installation was interrupted, and leave a complete one',
  async () => {
    const root = temporaryFolder();
    const text = scriptAt(root, 'almanakk-install');
    const install = (...args: readonly string[]) => runScript(text, { root, args });
    const folder = join(root, 'opt/almanakk');
    await makePackage(root, 'first');
    saveProgram(root, 'npm', 'echo "$*" >> npm.log; shift 6; mkdir "$1/node_modules"; test -e online');
    assert.is((await install('almanakk-1.tgz')).code, 1, 'without a network');
    assert.not.ok(existsSync(join(folder, 'current')));
    save(join(root, 'online'), '');
    const { code, stdout, stderr } = await install('almanakk-1.tgz');
    assert.equal([code, stdout], [0, 'installed, and active: almanakk-1\n'], stderr);
    assert.is(readlinkSync(join(folder, 'current')), 'almanakk-1');
    assert.equal(readdirSync(folder).sort(), ['almanakk-1', 'current']);
    const before = contentsOf(folder, /^$/);
    assert.is((await install('almanakk-1.tgz')).stdout, stdout);
    assert.is(readFileSync(join(root, 'npm.log'), 'utf8').split('\n').length, 3, 'npm ran twice');

    await makePackage(root, 'another');
    const another = await install('almanakk-1.tgz');
    assert.is(another.code, 1);
    assert.match(another.stderr, 'expected the package that ');
    save(join(folder, 'almanakk-0/line'), 'without a note of its package');
    save(join(root, 'almanakk-0.tgz'), '');
    assert.match(
      (await install('almanakk-0.tgz')).stderr,
      'was installed by an earlier version of this script',
    );
    rmSync(join(folder, 'almanakk-0'), { recursive: true });
    for (const args of [[], ['almanakk-2.tgz'], ['almanakk-1.tgz', 'almanakk-2.tgz']]) {
      const refused = await install(...args);
      assert.is(refused.code, 1, `arguments ${args}`);
      assert.match(
        refused.stderr,
        `expected a package, such as almanakk-2.0.0.tgz, found: ${args.join(' ')}\n`,
      );
    }
    assert.equal(contentsOf(folder, /^$/), before);

    renameSync(join(root, 'almanakk-1.tgz'), join(root, 'almanakk-2.tgz'));
    const { stdout: next } = await install('almanakk-2.tgz');
    assert.is(readlinkSync(join(folder, 'current')), 'almanakk-1');
    const commands = next
      .replaceAll(root, '')
      .split('\n')
      .filter((line) => line.startsWith('  '));
    const { text: documented } = theBlock({ language: 'sh', says: /^AT=\S+ almanakk rebuild --trial /m });
    assertIncludes(documented.replaceAll('NEXT', '2'), `${commands.shift()?.trim()}\n`);
    assert.equal(commands, ['  almanakk-setup almanakk-2', '  almanakk-switch almanakk-2']);
  },
);

/** A machine with an active version whose files name themselves, and the programs that the scripts need. */
function machine(): string {
  const root = temporaryFolder();
  const active = join(root, 'opt/almanakk/current');
  for (const path of debianPaths())
    save(
      join(active, 'docs/debian', path),
      path.startsWith('etc/') ? debianFile(path) : `# ${path}: kalender.example\n`,
    );
  save(join(active, 'data/sample/licence.json'), '{}');
  mkdirSync(join(root, 'srv'));
  saveProgram(root, 'chgrp', 'true');
  // No program listens there, whatever listens on this machine.
  saveProgram(root, 'ss', 'true');
  saveProgram(root, 'getent', `test -e ${root}/users`);
  saveProgram(root, 'useradd', `test ! -e ${root}/users && echo "$*" > ${root}/users`);
  // The user is not on this machine.
  saveProgram(
    root,
    'install',
    `PATH="${process.env.PATH}"; install $(echo "$*" | sed 's/--owner almanakk //; s/--group almanakk //')`,
  );
  return root;
}

/** Files of the setup that name the machine. */
const WITH_DOMAIN = ['etc/almanakk/.env', 'etc/nginx/conf.d/almanakk.conf'];

scripts(
  'H17: should create the files of the setup that are missing, and change none that exists',
  async () => {
    const root = machine();
    const text = scriptAt(root, 'almanakk-prepare');
    const prepare = (...args: readonly string[]) => runScript(text, { root, args });
    const settings = join(root, 'etc/almanakk/.env');
    saveProgram(root, 'openssl', 'exit 1');
    assert.is((await prepare('kalender.lillevik.example')).code, 1, 'without a random token');
    assert.not.ok(existsSync(settings));
    rmSync(join(root, 'bin/openssl'));
    // Cut off at the third file.
    saveProgram(
      root,
      'mv',
      `echo >> ${root}/moved; test "$(wc -l < ${root}/moved)" != 3 && exec /bin/mv "$@"`,
    );
    assert.is((await prepare('kalender.lillevik.example')).code, 1);
    assert.not.ok(existsSync(join(root, 'srv/almanakk')));
    const first = readFileSync(settings, 'utf8');
    const { code, stdout, stderr } = await prepare('kalender.lillevik.example');
    assert.is(code, 0, stderr);
    assert.match(stdout, 'not created yet: the files in ');
    assert.not.ok(existsSync(join(root, 'etc/nginx')));
    assert.is(readFileSync(settings, 'utf8'), first);
    assert.match(first, /^ALMANAKK_ADMIN_TOKEN=([0-9a-f]{48})\nALMANAKK_METRICS_TOKEN=(?!\1)[0-9a-f]{48}$/m);
    assert.is(statSync(settings).mode & 0o777, 0o640);
    assert.is(statSync(join(root, 'usr/local/sbin/almanakk')).mode & 0o777, 0o755);
    assert.is(statSync(join(root, 'var/lib/almanakk')).mode & 0o777, 0o750);
    assert.match(readFileSync(join(root, 'users'), 'utf8'), /--shell \/usr\/sbin\/nologin almanakk$/m);

    save(join(root, 'etc/letsencrypt/live/kalender.lillevik.example/fullchain.pem'), '');
    save(settings, 'of the operator');
    save(join(root, 'srv/almanakk/events.json'), 'of the operator');
    const before = contentsOf(root, /^(?:etc\/nginx|moved)/);
    const { stdout: said } = await prepare('kalender.lillevik.example');
    assert.match(said, /^(?:created: \S+\/etc\/nginx\/\S+\n)+$/);
    assert.equal(contentsOf(root, /^(?:etc\/nginx|moved)/), before);
    for (const path of debianPaths()) {
      const there = readFileSync(join(root, path), 'utf8');
      if (path === 'etc/almanakk/.env') assert.is(there, 'of the operator');
      else if (WITH_DOMAIN.includes(path)) assert.match(there, 'server_name kalender.lillevik.example;');
      else
        assert.is(there, path.startsWith('etc/') ? debianFile(path) : `# ${path}: kalender.example\n`, path);
    }
    assert.is((await prepare('kalender.lillevik.example')).stdout, '');

    for (const domain of ['', 'https://kalender.example', 'kalender', '../etc', 'a b.example']) {
      const refused = await prepare(domain);
      assert.is(refused.code, 1, domain);
      assert.match(refused.stderr, `almanakk-prepare: expected a domain name`);
    }
  },
);

scripts(
  'H17, H19: should continue to add a calendar after a run that was killed, with settings that are its own',
  async () => {
    const root = machine();
    const text = scriptAt(root, 'almanakk-add-calendar');
    const add = (...args: readonly string[]) => runScript(text, { root, args });
    const calendar = ['lillevik', 'lillevik.example', '4010'] as const;
    save(join(root, 'etc/letsencrypt/live/lillevik.example/fullchain.pem'), '');
    for (const folder of ['etc/nginx/conf.d', 'etc/almanakk', 'var/lib/almanakk'])
      mkdirSync(join(root, folder), { recursive: true });
    save(join(root, 'etc/almanakk/build.conf'), 'RUN=schedule\n');
    for (const name of ['nginx', 'curl']) saveProgram(root, name, 'true');
    saveProgram(root, 'systemctl', 'echo "$*" >> systemctl.log; test "$1" != is-enabled || test -e enabled');
    // The second file is the folder with the sample. The shell is killed before it moves there.
    saveProgram(
      root,
      'mv',
      `echo >> ${root}/moved; if [ "$(wc -l < ${root}/moved)" = 2 ]; then kill -9 $PPID; exit; fi; exec /bin/mv "$@"`,
    );
    await add(...calendar);
    const made = () =>
      ['etc/almanakk/4010.conf', 'srv/lillevik', 'etc/nginx/conf.d/almanakk-lillevik.conf'].map((path) =>
        existsSync(join(root, path)),
      );
    assert.equal(made(), [true, false, false], 'killed');
    const settings = readFileSync(join(root, 'etc/almanakk/4010.conf'), 'utf8');
    assertSeparate(settings);

    saveProgram(root, 'nginx', 'exit 1');
    const failed = await add(...calendar);
    assert.is(failed.code, 1);
    assert.equal(made(), [true, false, false], 'the settings are of the run before');
    saveProgram(root, 'nginx', 'true');
    const { code, stdout, stderr } = await add(...calendar);
    assert.is(code, 0, stderr);
    assert.match(stdout, /shows the sample\. What is left to do:\n/);
    assert.equal(made(), [true, true, true]);
    assert.equal(readdirSync(join(root, 'srv')), ['lillevik']);

    save(join(root, 'enabled'), '');
    const before = contentsOf(root, /systemctl\.log/);
    assert.is((await add(...calendar)).stdout, 'https://lillevik.example/ is ready\n');
    assert.equal(contentsOf(root, /systemctl\.log/), before);
    assert.is(readFileSync(join(root, 'etc/almanakk/4010.conf'), 'utf8'), settings);
    const other = await add('lillevik', 'storvik.example', '4010');
    assert.match(other.stderr, /expected no \S+\/etc\/almanakk\/4010\.conf, but it exists/);
    const ordered = () => readFileSync(join(root, 'systemctl.log'), 'utf8');
    assertIncludes(ordered(), 'enable --now almanakk@4010');

    // A second server, at first with a configuration that nginx refuses.
    const site = () => readFileSync(join(root, 'etc/nginx/conf.d/almanakk-lillevik.conf'), 'utf8');
    const withOne = site();
    saveProgram(root, 'nginx', 'exit 1');
    assert.is((await add(...calendar, '4011')).code, 1);
    assert.equal([site(), existsSync(join(root, 'etc/almanakk/4011.conf'))], [withOne, false]);
    saveProgram(root, 'nginx', 'true');
    assert.is((await add(...calendar, '4011')).stdout, 'https://lillevik.example/ is ready\n');
    assert.equal(
      eachIn(site(), /server 127\.0\.0\.1:(\d+) max_fails=0;/g),
      ['4010', '4011'],
      'both servers behind nginx',
    );
    assertIncludes(ordered(), 'enable --now almanakk@4011 almanakk-watchdog@4011.timer');
    const own = '/etc/almanakk/4010.conf';
    for (const [port, files] of [
      ['4010', ['-/run/almanakk-4010.env', own]],
      ['4011', ['-/run/almanakk-4011.env', own, '/etc/almanakk/4011.conf']],
    ] as const) {
      const unit = readFileSync(
        join(root, `etc/systemd/system/almanakk@${port}.service.d/calendar.conf`),
        'utf8',
      ).replaceAll(`${root}/`, '/');
      assert.match(unit, 'User=almanakk-lillevik\n');
      assert.match(unit, '\nStateDirectory=almanakk-lillevik\nStateDirectoryMode=0750\n');
      assert.equal(eachIn(unit, /^EnvironmentFile=(.*)$/gm), ['', ...files]);
    }
    const two = contentsOf(root, /systemctl\.log/);
    assert.is((await add(...calendar, '4011')).code, 0);
    assert.equal(contentsOf(root, /systemctl\.log/), two);

    // As an earlier version made it.
    save(join(root, 'etc/almanakk/4010.conf'), settings.replace('almanakk-lillevik/', 'almanakk/lillevik/'));
    assert.match(
      (await add(...calendar)).stderr,
      /expected a calendar with a user of its own, found another/,
    );
  },
);

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

/** Settings, what nginx then has as the secret, and what the script says if it refuses them. */
const PICTURE_SECRETS = [
  { line: 'ALMANAKK_PICTURE_SECRET=0123456789abcdef', secret: '0123456789abcdef' },
  { line: 'ALMANAKK_PICTURE_SECRET_FILE="/etc/almanakk/pictures"', secret: 'of-a-file_0123456789' },
  { line: 'ALMANAKK_PICTURE_SECRET_FILE=pictures', secret: 'of-a-file_0123456789' },
  {
    line: 'ALMANAKK_PICTURE_SECRET_FILE=none',
    said: /expected the file \S+\/none, which .* names, found none/,
  },
  {
    line: 'ALMANAKK_PICTURE_SECRET=0123456789abcdef\nALMANAKK_PICTURE_SECRET_FILE=pictures',
    said: /expected either ALMANAKK_PICTURE_SECRET or ALMANAKK_PICTURE_SECRET_FILE, found both/,
  },
  { line: 'ALMANAKK_PICTURE_SECRET=0123456789";abcdef', said: /expected 16 or more letters, digits/ },
] as const;

scripts(
  'I17: should give nginx the secret that the settings have or name, and add no other one',
  async () => {
    const root = machine();
    const text = scriptAt(root, 'almanakk-pictures').replace('/usr/lib/nginx', `${root}/usr/lib/nginx`);
    for (const [name, lacking] of [
      ['image_filter', 'js'],
      ['js', null],
    ] as const) {
      save(join(root, `usr/lib/nginx/modules/ngx_http_${name}_module.so`), '');
      if (lacking === null) continue;
      const { stderr } = await runScript(text, { root });
      assert.match(stderr, `found none: apt-get install libnginx-mod-http-${lacking}\n`);
    }
    save(join(root, 'etc/nginx/snippets/almanakk-site.conf'), 'http://unix:/run/almanakk-pictures/http.sock');
    mkdirSync(join(root, 'etc/nginx/conf.d'));
    save(join(root, 'etc/resolv.conf'), 'nameserver 10.0.0.1\n');
    save(join(root, 'etc/almanakk/pictures'), 'of-a-file_0123456789\n');
    for (const name of ['systemctl', 'chgrp', 'almanakk-restart']) saveProgram(root, name, 'true');
    saveProgram(root, 'curl', 'echo 403');
    const folder = join(root, 'etc/nginx/almanakk-pictures.d');
    for (const { line, ...expected } of PICTURE_SECRETS) {
      const settings = `${line.replace('"/etc', `"${root}/etc`)}\n`;
      save(join(root, 'etc/almanakk/.env'), settings);
      const { code, stderr } = await runScript(text, { root });
      assert.is(readFileSync(join(root, 'etc/almanakk/.env'), 'utf8'), settings, line);
      if ('said' in expected) {
        assert.is(code, 1, line);
        assert.match(stderr, expected.said);
        assert.not.ok(existsSync(folder), line);
        continue;
      }
      assert.is(code, 0, stderr);
      assert.match(readFileSync(join(folder, 'machine.conf'), 'utf8'), `default "${expected.secret}";`);
      rmSync(folder, { recursive: true });
    }
    saveProgram(root, 'almanakk-restart', `echo restart >> ${root}/log`);
    /** Whether it restarts the servers, and whether it fails. */
    const ifChanged = async (secret: string) => {
      save(join(root, 'etc/almanakk/.env'), `ALMANAKK_PICTURE_SECRET=${secret}-0123456789\n`);
      save(join(root, 'log'), '');
      const { code } = await runScript(text, { root, args: ['--if-changed'] });
      return [readFileSync(join(root, 'log'), 'utf8') !== '', code !== 0];
    };
    assert.equal(await ifChanged('first'), [false, false], 'a machine without a picture server');
    assert.not.ok(existsSync(folder));
    await runScript(text, { root });
    assert.equal(await ifChanged('first'), [false, false]);
    assert.equal(await ifChanged('second'), [true, false]);
    assert.match(readFileSync(join(folder, 'machine.conf'), 'utf8'), 'default "second-0123456789";');
    saveProgram(root, 'curl', 'echo 502');
    for (const _ of ['first', 'again']) assert.equal(await ifChanged('third'), [false, true]);
    saveProgram(root, 'curl', 'echo 403');
    assert.equal(await ifChanged('third'), [true, false], 'after runs that failed');
  },
);

scripts.run();
