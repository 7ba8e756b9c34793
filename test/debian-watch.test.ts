/** `almanakk-watchdog` and `almanakk-failed` of docs/debian: servers that hang or crash, and emails about units that failed. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/package.ts';
import { makeCertificate } from './helpers/certificate.ts';
import { debianFile } from './helpers/debian-files.ts';
import { mustRun, runScript, save, saveProgram } from './helpers/debian-root.ts';
import { always, startFeedServer } from './helpers/feed-server.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { startMailServer } from './helpers/mail-server.ts';
import { freePort } from './helpers/nginx.ts';
import { startSilentServer } from './helpers/silent-server.ts';
import { isExpected, when } from './helpers/when.ts';

const scripts = suite('almanakk-watchdog and almanakk-failed');
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
