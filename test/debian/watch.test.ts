/** `almanakk-watchdog`, `almanakk-node` and `almanakk-failed` of docs/debian: servers that hang or crash, an old Node, and emails about units that failed. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import { makeCertificate } from '../helpers/certificate.ts';
import { debianFile } from '../helpers/debian-files.ts';
import { mustRun, runScript, save, saveProgram } from '../helpers/debian-root.ts';
import { always, startFeedServer } from '../helpers/feed-server.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { startMailServer } from '../helpers/mail-server.ts';
import { freePort } from '../helpers/nginx.ts';
import { startSilentServer } from '../helpers/silent-server.ts';
import { isExpected, when } from '../helpers/when.ts';
import { readPage, tableIn } from '../readme/document.ts';

const scripts = suite('almanakk-watchdog, almanakk-node and almanakk-failed');
const withProgram = (name: string) => when(isExpected(name), `${name} is not installed here`, scripts);

/** What listens on the port, and whether it is killed. */
const SERVERS: readonly (readonly [what: string, open: () => Promise<Listening>, isKilled: boolean])[] = [
  ['a server that answers nobody', startSilentServer, true],
  ['a server without a calendar', () => startAnswering(503), false],
  ['a server that is well', () => startAnswering(200), false],
  [
    'nothing, as a server starts',
    async () => ({ port: await freePort(), close: async () => undefined }),
    false,
  ],
];

interface Listening {
  readonly port: number;
  readonly close: () => Promise<void>;
}

async function startAnswering(status: number): Promise<Listening> {
  const { url, close } = await startFeedServer(always(status, '{}'));
  return { port: Number(new URL(url).port), close };
}

withProgram('curl')('should kill a server that hangs and send an email, and kill no other', async () => {
  const text = debianFile('usr/local/sbin/almanakk-watchdog');
  const soon = text.replace('--max-time 30', '--max-time 0.5');
  assert.is.not(soon, text);
  const inRoot = (root: string) => soon.replaceAll('=/run/', `=${root}/`);
  for (const [what, open, isKilled] of SERVERS) {
    const { port, close } = await open();
    const root = temporaryFolder();
    saveProgram(root, 'systemctl', 'echo "$@" >> systemctl.log');
    saveProgram(root, 'almanakk-failed', 'echo mail "$@" >> systemctl.log');
    await mustRun(inRoot(root), { root, args: [`${port}`] });
    if (isKilled) await assertMailedHourly(root, inRoot(root), port);
    await close();
    const asked = `is-active almanakk@${port}\n`;
    const mail = `mail almanakk@${port} almanakk-watchdog@${port}\n`;
    const killed = isKilled ? `kill --signal=SIGKILL almanakk@${port}\n${mail}` : '';
    assert.is(readFileSync(join(root, 'systemctl.log'), 'utf8'), asked + killed, what);
  }
});

withProgram('curl')('should send an email about a server that crashes again and again', async () => {
  const root = temporaryFolder();
  const text = debianFile('usr/local/sbin/almanakk-watchdog').replaceAll('=/run/', `=${root}/`);
  saveProgram(root, 'almanakk-failed', 'echo mail "$@" >> mails');
  const port = await freePort();
  const mails = async (state: string) => {
    rmSync(join(root, 'mails'), { force: true });
    saveProgram(root, 'systemctl', `echo ${state}`);
    await mustRun(text, { root, args: [`${port}`] });
    return existsSync(join(root, 'mails')) ? readFileSync(join(root, 'mails'), 'utf8') : '';
  };
  const age = (name: string, minutes: number) =>
    mustRun(`touch --date '${minutes} minutes ago' almanakk-watchdog@${port}.${name}`, { root });
  const mail = `mail almanakk@${port} almanakk-watchdog@${port}\n`;
  assert.is(await mails('activating'), '', 'the first time');
  await age('down', 8);
  assert.is(await mails('activating'), '', 'after eight minutes');
  await age('down', 11);
  assert.is(await mails('inactive'), '', 'stopped by the operator');
  assert.is(await mails('active'), '', 'started again');
  await age('down', 11);
  assert.is(await mails('activating'), mail);
  assert.is(await mails('failed'), '', 'within the hour');
  await age('mailed', 61);
  assert.is(await mails('failed'), mail, 'after the hour');
  const server = await startAnswering(503);
  await mustRun(text.replaceAll('http://127.0.0.1:$port', `http://127.0.0.1:${server.port}`), {
    root,
    args: [`${port}`],
  });
  await server.close();
  await age('mailed', 61);
  assert.is(await mails('activating'), '', 'after it has answered');
});

/** The same server hangs again within the hour, and after it. */
async function assertMailedHourly(root: string, text: string, port: number): Promise<void> {
  const log = join(root, 'systemctl.log');
  const before = readFileSync(log, 'utf8');
  await mustRun(text, { root, args: [`${port}`] });
  const again = readFileSync(log, 'utf8').slice(before.length);
  assert.equal([/^kill /m.test(again), /^mail /m.test(again)], [true, false]);
  await mustRun(`touch --date '2 hours ago' almanakk-watchdog@${port}.mailed`, { root });
  await mustRun(text, { root, args: [`${port}`] });
  assert.match(readFileSync(log, 'utf8').slice(before.length + again.length), /^mail /m);
  writeFileSync(log, before);
}

const NODE = debianFile('usr/local/sbin/almanakk-node');

/** A machine, and what the script says before it fails. */
const VERSIONS: readonly {
  readonly machine: Readonly<Record<string, string>>;
  readonly said?: RegExp;
}[] = [
  { machine: { version: 'v24.21.0', today: '2028-02-29' } },
  { machine: { version: 'v24.21.0', today: '2028-03-02' }, said: /supports Node 24 until 20280430\. Move/ },
  { machine: { version: 'v20.19.2', today: '2026-11-30' } },
  { machine: { version: 'v18.20.8' }, said: /expected a version of Node .*, found v18\.20\.8/ },
  {
    machine: { candidate: '24.22.0-1' },
    said: /nodejs 24\.22\.0-1, found 24\.21\.0-1: apt-get install --only-upgrade nodejs, /,
  },
  { machine: { running: '/usr/bin/node (deleted)' }, said: /has been replaced: almanakk-restart/ },
];

scripts(
  'should warn if Node is too old, if apt-get has a newer one, or if a service runs another',
  async () => {
    const root = temporaryFolder();
    saveProgram(root, 'node', 'cat version');
    saveProgram(root, 'date', 'PATH=/usr/bin:/bin; shift 2; exec date --date "$(cat today) 60 days" "$@"');
    saveProgram(root, 'apt-get', 'echo "$@" >> apt-get.log');
    saveProgram(
      root,
      'apt-cache',
      'printf "nodejs:\\n  Installed: 24.21.0-1\\n  Candidate: %s\\n" "$(cat candidate)"',
    );
    saveProgram(root, 'systemctl', 'printf "0\\n\\n77\\n"');
    saveProgram(root, 'readlink', 'test "$1" = /proc/77/exe && cat running');
    saveProgram(root, 'dpkg', 'echo "nodejs: $2"');
    const node = join(root, 'bin/node');
    const run = async (machine: Readonly<Record<string, string>>) => {
      const files = {
        version: 'v24.21.0',
        today: '2026-11-30',
        candidate: '24.21.0-1',
        running: node,
        ...machine,
      };
      for (const [name, text] of Object.entries(files)) save(join(root, name), text);
      return runScript(NODE, { root });
    };
    for (const { machine, said } of VERSIONS) {
      const { code, stderr } = await run(machine);
      const what = JSON.stringify(machine);
      assert.is(code, said === undefined ? 0 : 1, `${what}\n${stderr}`);
      if (said === undefined) assert.is(stderr, '', what);
      else assert.match(stderr, said, what);
    }
    assert.match(readFileSync(join(root, 'apt-get.log'), 'utf8'), /^--quiet --quiet update\n/);
    saveProgram(root, 'dpkg', 'exit 1');
    const { code, stdout } = await run({ candidate: '24.22.0-1' });
    assert.equal([code, /^not checked: newer versions/m.test(stdout)], [0, true], 'not from a package');
  },
);

scripts('should have the last days of docs/releases.md on which Node versions are supported', () => {
  const rows = tableIn(readPage('docs/releases.md'), 'Which Node versions are supported')
    .split('\n')
    .slice(2);
  const days = rows.filter(Boolean).map((row) => {
    const [version = '', , day = ''] = row
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    return `${Number.parseInt(version, 10)} ${new Date(`${day} UTC`).toISOString().slice(0, 10).replaceAll('-', '')}`;
  });
  assert.is(/supported='([^']*)'/.exec(NODE)?.[1], days.join('\n'));
});

/** Mail servers that the settings allow, and addresses as they may be written. */
const MAILED = [
  { server: 'secured', to: 'drift@kalender.example' },
  { server: 'plain', to: 'Drift <drift@kalender.example>, vakt@kalender.example' },
] as const;

for (const { server, to } of MAILED) {
  scripts(`should send an email about a unit that failed, to ${to}`, async () => {
    const certificate = makeCertificate();
    const isSecured = server === 'secured';
    const secured = { certificate, user: 'navn', password: 'hemmelig' };
    const { port, mails, close } = await startMailServer(isSecured ? { secured } : {});
    const root = temporaryFolder();
    const settings = `ALMANAKK_SMTP_URL=smtp://${isSecured ? 'navn:hemmelig@' : ''}localhost:${port}
ALMANAKK_MAIL_FROM=Kalenderen <kalender@kalender.example>
ALMANAKK_ALERT_TO=${to}
`;
    save(join(root, 'etc/almanakk/.env'), settings);
    saveProgram(root, 'journalctl', 'shift 3; echo "tar: disk full, says $*"');
    // The script of that name does the same as another user.
    const command = `"${process.execPath}" "${packagePath('dist/jobs/cli.js')}" "$@"`;
    saveProgram(root, 'almanakk', `cd "${root}/etc/almanakk" && exec ${command}`);
    const env = { NODE_EXTRA_CA_CERTS: certificate.file };
    const text = debianFile('usr/local/sbin/almanakk-failed');
    await mustRun(text, { root, env, args: ['almanakk-backup.service', 'other'] }).finally(close);
    const addresses = to.match(/[\w.]+@[\w.]+/g) ?? [];
    assert.equal(
      mails.map((mail) => mail.to),
      addresses.map((address) => [address]),
    );
    for (const { from, user, secure, raw } of mails) {
      const expected = ['kalender@kalender.example', isSecured ? 'navn' : undefined, isSecured];
      assert.equal([from, user, secure], expected);
      assert.match(raw, `Subject: almanakk-backup.service failed on ${hostname()}\r\n`);
      assert.match(raw, 'tar: disk full, says --unit almanakk-backup.service --unit other\r\n');
    }
  });
}

scripts(
  'should send an email about a unit that fails every hour once a day, and again after a success',
  async () => {
    const root = temporaryFolder();
    const text = debianFile('usr/local/sbin/almanakk-failed').replace('=/run/', `=${root}/`);
    saveProgram(root, 'journalctl', 'echo "$*"');
    saveProgram(root, 'almanakk', 'cat >> mails');
    const mailsAfter = async (result: string, hoursAgo = 0) => {
      rmSync(join(root, 'mails'), { force: true });
      const age = `find . -name 'almanakk-failed.*' -exec touch --date '${hoursAgo} hours ago' {} +`;
      await mustRun(age, { root });
      await mustRun(text, {
        root,
        env: { SERVICE_RESULT: result },
        args: ['--daily', 'almanakk-sync@one.service'],
      });
      return existsSync(join(root, 'mails'));
    };
    const found = [
      await mailsAfter('success'),
      await mailsAfter('exit-code'),
      await mailsAfter('exit-code', 1),
      await mailsAfter('timeout', 23),
      await mailsAfter('exit-code', 24),
      await mailsAfter('success'),
      await mailsAfter('exit-code'),
    ];
    assert.equal(found, [false, true, false, false, true, false, true]);
    saveProgram(root, 'almanakk', 'exit 1');
    await mailsAfter('success');
    const { code } = await runScript(text, {
      root,
      env: { SERVICE_RESULT: 'signal' },
      args: ['--daily', 'a'],
    });
    assert.is(code, 1, 'the mail server is down');
    assert.not.ok(existsSync(join(root, 'almanakk-failed.a')), 'the next run tries again');
  },
);

scripts.run();
