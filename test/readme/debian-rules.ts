/** Scripts of docs/operating.md that run here, too, in a folder that looks like the machine's root. */
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as assert from 'uvu/assert';
import { runRestore } from '../../jobs/restore.ts';
import { createKeeper } from '../../src/snapshot/keeper.ts';
import { parseManifest, readManifestText } from '../../src/snapshot/manifest.ts';
import { built, MONTHS, sourceOf } from '../helpers/build.ts';
import { NOW } from '../helpers/calendar.ts';
import { makeCertificate } from '../helpers/certificate.ts';
import { always, startFeedServer } from '../helpers/feed-server.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { logInto, verifyHere } from '../helpers/keeper.ts';
import { startMailServer, startSilentServer } from '../helpers/mail-server.ts';
import { freePort } from '../helpers/nginx.ts';
import { runCommand } from '../helpers/program.ts';
import type { Check, Rule } from './checks.ts';
import type { Block } from './document.ts';

const STATE = 'var/lib/almanakk/snapshots';

/** Files that no build makes. Some have names that snapshots, or other files of a builder, have. */
const KEPT = [
  'etc/almanakk/.env',
  'srv/almanakk/builder.json',
  'srv/almanakk/calendar-2027.csv',
  'srv/almanakk/manifest.json',
  'srv/almanakk/pictures/calendar-uke 1\\2.jpg',
  'srv/almanakk/public-events.ics',
  'var/lib/almanakk/keys.json',
  `${STATE}/feeds/calendar-kirken.json`,
];

/** Beside the snapshots of other builds. */
const LEFT_OUT = [
  `${STATE}/.unfinished-7-calendar.sqlite`,
  `${STATE}/builder.json`,
  'var/lib/almanakk/trial/feeds/kirken.json',
];

/** H14: an older snapshot is served than the newest file. A machine that is restored from the archive must serve the same one. */
const archivesServed: Check = async (block) => {
  const root = temporaryFolder();
  const folder = join(root, STATE);
  mkdirSync(folder, { recursive: true });
  const older = await built(sourceOf(3), folder, { isPublic: true });
  const newer = await built(sourceOf(4), folder, { isPublic: true, now: NOW + 60 });
  await putBack(older.id, folder);
  for (const path of [...KEPT, ...LEFT_OUT]) save(join(root, path), path);
  const text = block.text.replace('/var/backups', `${root}/var/backups`).replace(/^cd \/$/m, `cd ${root}`);
  assert.match(text, `cd ${root}`);
  await runs(text, { root });
  const list = 'tar --list --gzip --quoting-style=literal --file var/backups/almanakk/*.tar.gz';
  const names = (await runs(list, { root })).stdout.trim().split('\n');
  const { file, compressed, public: edition } = parseManifest((await readManifestText(folder)) ?? '');
  const served = [
    'manifest.json',
    '.held',
    '.lock',
    file,
    compressed?.file,
    edition?.file,
    edition?.compressed?.file,
  ];
  assert.equal(names.sort(), [...KEPT, ...served.map((name) => `${STATE}/${name}`)].sort());
  rmSync(folder, { recursive: true });
  await runs('tar --extract --file var/backups/almanakk/*.tar.gz', { root });
  const keeper = await createKeeper({ folder, log: logInto([]), pollMs: 60_000, verify: verifyHere });
  assert.is(keeper.state().current?.id, older.id, `not ${newer.id}`);
  await keeper.close();
};

async function putBack(id: string, target: string): Promise<void> {
  const quiet = () => undefined;
  const defaults = { source: '/nowhere', target, horizonMonths: MONTHS, isPublic: true };
  await runRestore([id], { defaults, now: NOW + 120, clock: Date.now, stdout: quiet, stderr: quiet });
}

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

const killsWhatHangs: Check = async ({ text }) => {
  const soon = text.replace('--max-time 30', '--max-time 0.5');
  assert.is.not(soon, text);
  for (const [what, open, isKilled] of SERVERS) {
    const { port, close } = await open();
    const root = temporaryFolder();
    saveProgram(root, 'systemctl', 'echo "$@" >> systemctl.log');
    await runs(soon, { root, args: [`${port}`] }).finally(close);
    const asked = `is-active --quiet almanakk@${port}\n`;
    const killed = isKilled ? `kill --signal=SIGKILL almanakk@${port}\n` : '';
    assert.is(readFileSync(join(root, 'systemctl.log'), 'utf8'), asked + killed, what);
  }
  const root = temporaryFolder();
  saveProgram(root, 'systemctl', 'exit 3');
  const { stdout } = await runs(soon, { root, args: ['1'] });
  assert.is(stdout, '', 'a service that is stopped');
};

/** Services of the script, whether each is enabled, and the port that does not become ready. */
const RESTARTS: readonly (readonly [enabled: string, silent: string, restarted: readonly string[]])[] = [
  ['4000 4001 build', 'none', ['4000', '4001', 'build']],
  ['4000 build', 'none', ['4000', 'build']],
  ['4000', 'none', ['4000']],
  ['4000 4001 build', '4000', ['4000']],
];

const restartsInTurn: Check = async ({ text }) => {
  for (const [enabled, silent, restarted] of RESTARTS) {
    const root = temporaryFolder();
    const isEnabled = `case " ${enabled} " in *" \${3#almanakk@} "*) exit 0 ;; *) exit 1 ;; esac`;
    saveProgram(root, 'systemctl', `case $1 in is-enabled) ${isEnabled} ;; *) echo "$@" >> log ;; esac`);
    saveProgram(
      root,
      'curl',
      `for url; do :; done; echo "$url" >> log; case $url in *:${silent}/*) exit 22 ;; esac`,
    );
    const env = { PATH: `${root}/bin:${process.env.PATH}` };
    const { code } = await runCommand('sh', ['-c', text], { cwd: root, env });
    const lines = restarted.flatMap((name) => {
      const restart = `restart almanakk@${name}\n`;
      return name === 'build' ? [restart] : [restart, `http://127.0.0.1:${name}/readyz\n`];
    });
    assert.is(readFileSync(join(root, 'log'), 'utf8'), lines.join(''), enabled);
    assert.is(code === 0, silent === 'none', enabled);
  }
};

const mailsFailure: Check = async ({ text }) => {
  const certificate = makeCertificate();
  const secured = { certificate, user: 'navn', password: 'hemmelig' };
  const { port, mails, close } = await startMailServer({ secured });
  const root = temporaryFolder();
  const settings = `ALMANAKK_SMTP_URL=smtp://navn:hemmelig@localhost:${port}
ALMANAKK_MAIL_FROM=Kalenderen <kalender@kalender.example>
ALMANAKK_ALERT_TO=drift@kalender.example
`;
  save(join(root, 'etc/almanakk/.env'), settings);
  mkdirSync(join(root, 'run'));
  saveProgram(root, 'journalctl', 'echo "tar: disk full, says $5"');
  const here = text.replaceAll(/ \/(etc|run)\//g, ` ${root}/$1/`);
  const env = { CURL_CA_BUNDLE: certificate.file };
  await runs(here, { root, env, args: ['almanakk-backup.service'] }).finally(close);
  const [mail] = mails;
  assert.equal(
    [mail?.from, mail?.to, mail?.user, mail?.secure],
    ['kalender@kalender.example', ['drift@kalender.example'], 'navn', true],
  );
  const head = 'From: Kalenderen <kalender@kalender.example>\r\nTo: drift@kalender.example\r\n';
  assert.match(mail?.raw ?? '', `${head}Subject: almanakk-backup.service failed\r\n\r\n`);
  assert.match(mail?.raw ?? '', 'tar: disk full, says almanakk-backup.service\r\n');
};

function save(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Puts a program into the folder that stands before all others in the path. */
function saveProgram(root: string, name: string, text: string): void {
  const path = join(root, 'bin', name);
  save(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
}

interface Machine {
  readonly root: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

/** Runs a script there. It must succeed. */
async function runs(text: Block['text'], { root, env = {}, args = [] }: Machine) {
  const PATH = `${root}/bin:${process.env.PATH}`;
  const done = await runCommand('sh', ['-c', text, 'script', ...args], { cwd: root, env: { ...env, PATH } });
  assert.is(done.code, 0, `${text}\n${done.stdout}${done.stderr}`);
  return done;
}

export const DEBIAN_RULES: readonly Rule[] = [
  { shape: { file: /\/almanakk-backup$/ }, check: archivesServed, needs: 'tar' },
  { shape: { file: /\/almanakk-watchdog$/ }, check: killsWhatHangs, needs: 'curl' },
  { shape: { file: /\/almanakk-restart$/ }, check: restartsInTurn },
  { shape: { file: /\/almanakk-failed$/ }, check: mailsFailure, needs: 'curl' },
];
