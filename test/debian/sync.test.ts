/** almanakk-sync: a replica gets the keys, certificates, shared settings and source of its builder, and keeps what is its own. */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SETTINGS } from '../../jobs/settings.ts';
import { runScript, save, saveProgram } from '../helpers/debian-root.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import {
  KEYS,
  LIVE,
  MARK,
  type Machines,
  MERGED,
  machines,
  OF_BUILDER,
  OF_REPLICA,
  SCRIPT,
  saveCertificate,
  stateOf,
} from './sync-machines.ts';

interface Context {
  pair: Machines;
  first: Awaited<ReturnType<Machines['sync']>>;
}

/** The first run on a replica. The tests look at what it has copied. */
const copying = suite<Context>('almanakk-sync: the first run');

copying.before(async (context) => {
  context.pair = machines();
  context.first = await context.pair.sync();
});

copying('H18: should succeed, and leave a mark, without which servers warn', ({ pair, first }) => {
  assert.is(first.code, 0, first.stdout + first.stderr);
  assert.ok(existsSync(join(pair.root, MARK)));
});

copying('H18: should ask the builder by ssh, without a question to anybody', ({ pair }) => {
  assert.match(
    pair.read('ssh.log'),
    /^-n .* -o BatchMode=yes .* almanakk-sync@10\.0\.0\.11 almanakk-sync --send\n$/,
  );
});

copying(
  'H18: should take the settings and secrets that both share, and no key for signatures',
  ({ pair }) => {
    const { root, read } = pair;
    assert.is(read('etc/almanakk/.env'), MERGED);
    assert.is(read('etc/almanakk/admin-token'), 'of-operators');
    for (const path of ['etc/almanakk/.env', 'etc/almanakk/admin-token'])
      assert.is(statSync(join(root, path)).mode & 0o777, 0o640, path);
    assert.not.ok(existsSync(join(root, 'etc/almanakk/signing.pem')));
  },
);

copying('H18: should take the keys of the calendars that the replica has, as their users', ({ pair }) => {
  const { root, read } = pair;
  assert.is(read(KEYS), '{"keys":["new"]}');
  assert.is(statSync(join(root, KEYS)).mode & 0o777, 0o600);
  // almanakk-restore --keep-newer compares it with that of an archive.
  assert.is(statSync(join(root, KEYS)).mtimeMs, 4_000_000);
  assert.is(read('var/lib/almanakk-lillevik/keys.json'), '{"keys":["2"]}');
  for (const name of ['almanakk/storvik', 'almanakk-storvik'])
    assert.not.ok(existsSync(join(root, 'var/lib', name)), 'this machine lacks that calendar');
  assert.is(read('runuser.log').split('\n').sort().join(' '), ' almanakk almanakk-lillevik');
});

copying('H18: should take the certificate, reload nginx and restart the servers', ({ pair }) => {
  assert.is(pair.read(LIVE), 'certificate 2');
  assert.is(pair.ordered(), 'nginx -t\nsystemctl reload nginx\nalmanakk-restart \n');
});

copying('H18: should be followed by runs that change nothing but the mark', async ({ pair }) => {
  const { root, sync, ordered } = pair;
  utimesSync(join(root, MARK), 1_000, 1_000);
  ordered();
  const before = stateOf(root);
  const again = await sync();
  assert.equal([again.code, again.stdout, ordered()], [0, '', ''], again.stderr);
  assert.equal(stateOf(root), before);
  assert.ok(statSync(join(root, MARK)).mtimeMs > 1_000_000);
});

copying.run();

const syncing = suite('almanakk-sync');

syncing('H18: should let a replica’s key run one command, as a user who can add no key', async () => {
  const root = temporaryFolder();
  for (const folder of ['etc/sudoers.d', 'var/lib']) mkdirSync(join(root, folder), { recursive: true });
  saveProgram(root, 'getent', `test -e ${root}/user`);
  saveProgram(root, 'useradd', `echo "$*" > ${root}/user`);
  saveProgram(root, 'sudo', 'true');
  const text = SCRIPT.replace('=/var/lib/', `=${root}/var/lib/`).replaceAll(
    / \/(?=etc\/sudoers)/g,
    ` ${root}/`,
  );
  const allow = (key: string) => {
    save(join(root, 'key.pub'), key);
    return runScript(`cd ${root}\n${text}`, { root, args: ['--allow', 'key.pub'] });
  };
  const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOfD root@replica';
  for (const key of ['', 'a key', `${KEY}\n${KEY}\n`, `command="sh" ${KEY}\n`]) {
    const { code, stderr } = await allow(key);
    assert.is(code, 1, key);
    assert.match(stderr, 'almanakk-sync: expected one public ssh key in key.pub, found another text\n');
  }
  for (const _ of ['first', 'again']) {
    const { code, stderr } = await allow(`${KEY}\n`);
    assert.is(code, 0, stderr);
  }
  const command = 'sudo --non-interactive /usr/local/sbin/almanakk-sync --send';
  const authorized = join(root, 'var/lib/almanakk-sync/.ssh/authorized_keys');
  assert.is(readFileSync(authorized, 'utf8'), `restrict,command="${command}" ${KEY}\n`);
  assert.is(statSync(authorized).mode & 0o777, 0o644);
  const rule = join(root, 'etc/sudoers.d/almanakk-sync');
  assert.is(
    readFileSync(rule, 'utf8'),
    `almanakk-sync ALL=(root) NOPASSWD: ${command.replace('sudo --non-interactive ', '')}\n`,
  );
  assert.is(statSync(rule).mode & 0o777, 0o440);
  assert.match(readFileSync(join(root, 'user'), 'utf8'), /--system .* almanakk-sync$/m);
});

/** What is wrong, and what the script says. The replica is then as it was. */
const REFUSED = [
  {
    what: 'the connection ends early',
    spoil: ({ builder, saveSsh }: Machines) => saveSsh(`sh ${builder}/script --send | head --bytes 100`),
    said: /unexpected end of file/,
  },
  {
    what: 'the builder has no settings',
    spoil: ({ builder }: Machines) => save(join(builder, 'etc/almanakk/.env'), 'HOST=::\n'),
    said: /expected settings in \/etc\/almanakk\/\.env, found none/,
  },
  {
    what: 'a secret is elsewhere',
    spoil: ({ builder }: Machines) =>
      save(join(builder, 'etc/almanakk/.env'), 'ALMANAKK_ADMIN_TOKEN_FILE=/etc/almanakk/../shadow\n'),
    said: /expected secrets in files of \/etc\/almanakk, found \/etc\/almanakk\/\.\.\/shadow/,
  },
  {
    what: 'a secret is missing',
    spoil: ({ builder }: Machines) => rmSync(join(builder, 'etc/almanakk/admin-token')),
    said: /expected the file \/etc\/almanakk\/admin-token, which a setting names, found none/,
  },
  {
    what: 'only this machine has one of the certificates',
    spoil: ({ root }: Machines) => save(join(root, LIVE.replace('kalender', 'annen')), 'of this machine'),
    said: /expected the certificate annen\.example of this machine on 10\.0\.0\.11 too, found none/,
  },
  {
    what: 'this machine builds',
    spoil: ({ root }: Machines) => save(join(root, 'etc/almanakk/.env'), OF_BUILDER),
    said: /expected a replica, whose \.env has ALMANAKK_ORIGIN, found none/,
  },
];

for (const { what, spoil, said } of REFUSED) {
  syncing(`H18: should change nothing if ${what}`, async () => {
    const both = machines();
    spoil(both);
    const before = stateOf(both.root);
    const { code, stderr } = await both.sync();
    assert.is.not(code, 0);
    assert.match(stderr, said);
    assert.equal([stateOf(both.root), both.ordered()], [before, '']);
  });
}

syncing('H18: should reload nginx after a run that was killed before', async () => {
  const { root, read, sync, ordered } = machines();
  saveProgram(root, 'nginx', 'kill -KILL "$PPID"');
  assert.is.not((await sync()).code, 0);
  saveProgram(root, 'nginx', 'exit 1');
  assert.is((await sync()).code, 1);
  assert.is(read(LIVE), 'certificate 1');
  saveProgram(root, 'nginx', 'kill -KILL "$PPID"');
  assert.is.not((await sync()).code, 0);
  saveProgram(root, 'nginx', 'true');
  const { code, stderr } = await sync();
  assert.is(code, 0, stderr);
  assert.is(read(LIVE), 'certificate 2');
  assert.is(ordered(), 'systemctl reload nginx\nalmanakk-restart \n');
  assert.is((await sync()).code, 0);
  assert.is(ordered(), '');
});

syncing('H18: should keep what nginx or a server refuses, and a certificate that is newer here', async () => {
  const { root, read, sync, ordered } = machines();
  save(join(root, 'nginx-fails'), '');
  assert.is((await sync()).code, 1);
  assert.equal([read(LIVE), read('etc/almanakk/.env')], ['certificate 1', OF_REPLICA]);
  rmSync(join(root, 'nginx-fails'));
  saveCertificate(root, 3, 3_000);
  save(join(root, 'almanakk-restart-fails'), '');
  ordered();
  const { code, stdout, stderr } = await sync();
  assert.is(code, 1);
  assert.match(stdout, 'because this machine has a newer certificate');
  assert.match(stderr, 'the previous settings and secrets are in ');
  assert.equal([read(LIVE), read('etc/almanakk/.env')], ['certificate 3', OF_REPLICA]);
  assert.is(ordered(), 'almanakk-restart \n');
});

syncing('H18: should take no options for tar from the names of folders on the builder', async () => {
  const { root, builder, read, sync } = machines();
  const hostile = 'x --checkpoint=1 --checkpoint-action=exec=id>owned ';
  save(join(builder, 'var/lib/almanakk', hostile, 'keys.json'), '{}');
  save(join(builder, 'var/lib/almanakk/i sommer/keys.json'), '{"keys":["of summer"]}');
  mkdirSync(join(root, 'var/lib/almanakk/i sommer'));
  const { code, stderr } = await sync();
  assert.not.ok(existsSync(join(builder, 'owned')), 'the command in the name ran');
  assert.is(code, 0, stderr);
  assert.is(read('var/lib/almanakk/i sommer/keys.json'), '{"keys":["of summer"]}');
});

syncing('H18: should not follow a link that the archive has in place of the keys', async () => {
  const { root, builder, read, sync, saveSsh } = machines();
  save(join(root, 'root-only'), 'a secret of root');
  rmSync(join(builder, KEYS));
  symlinkSync(join(root, 'root-only'), join(builder, KEYS));
  save(join(builder, 'settings'), 'ALMANAKK_PUBLIC_URL=https://kalender.example/\n');
  saveSsh(`cd ${builder}; tar --create --gzip var settings`);
  const { code, stderr } = await sync();
  assert.is(code, 0, stderr);
  assert.is(read(KEYS), '{"keys":["old"]}');
});

syncing('H18: should copy secrets with relative paths and from links, and no other file', async () => {
  const { root, builder, read, sync, saveSsh } = machines();
  const settings = 'ALMANAKK_ADMIN_TOKEN_FILE=admin.token\nALMANAKK_SMTP_URL_FILE=/etc/almanakk/smtp-url\n';
  save(join(builder, 'etc/almanakk/.env'), settings);
  save(join(builder, 'etc/almanakk/admin.token'), 'relative');
  save(join(builder, 'srv/secret'), 'of a link');
  symlinkSync('../../srv/secret', join(builder, 'etc/almanakk/smtp-url'));
  const { code, stderr } = await sync();
  assert.is(code, 0, stderr);
  assert.equal([read('etc/almanakk/admin.token'), read('etc/almanakk/smtp-url')], ['relative', 'of a link']);

  save(join(builder, 'etc/almanakk/4000.conf'), 'RUN=build\n');
  save(join(builder, 'settings'), `${settings}HOST=127.0.0.1\n`);
  saveSsh(`cd ${builder}; tar --create --gzip --dereference settings etc/almanakk 'srv/uke-100%d'`);
  const before = stateOf(root);
  const again = await sync();
  assert.is(again.code, 0, again.stderr);
  assert.is(again.stdout, 'not copied, because this version does not share it: HOST\n');
  assert.equal(stateOf(root), before);
});

syncing('H18: should give the picture server the secret that the settings have', async () => {
  const { root, sync, ordered } = machines();
  saveProgram(root, 'almanakk-pictures', `echo "almanakk-pictures $*" >> ${root}/log; exit 1`);
  assert.is((await sync()).code, 1);
  assert.match(ordered(), /^almanakk-restart \nalmanakk-pictures --if-changed\n$/m);
});

syncing('H18: should restart after a run that was killed, and put all files back if that fails', async () => {
  const { root, read, sync, ordered } = machines();
  save(join(root, 'etc/almanakk/admin-token'), 'of before');
  saveProgram(root, 'almanakk-restart', 'kill -KILL "$PPID"');
  assert.is.not((await sync()).code, 0);
  assert.is(read('etc/almanakk/.env'), MERGED);
  ordered();
  saveProgram(root, 'almanakk-restart', `echo restart >> ${root}/log; exit 1`);
  assert.is((await sync()).code, 1);
  assert.is(ordered(), 'restart\n');
  assert.equal([read('etc/almanakk/.env'), read('etc/almanakk/admin-token')], [OF_REPLICA, 'of before']);
  saveProgram(root, 'almanakk-restart', `echo restart >> ${root}/log`);
  assert.is((await sync()).code, 0);
  assert.equal([ordered(), read('etc/almanakk/.env')], ['restart\n', MERGED]);
  assert.is((await sync()).code, 0);
  assert.is(ordered(), '');
});

/** Settings that the script leaves to each machine: places, sizes, proxies, builds and their deliveries. */
const OWN =
  /^(?:HOST|PORT|AWS_\w+|ALMANAKK_(?:SOURCE|SOURCE_FILES|SNAPSHOTS|KEYS|CRON|ORIGIN|TRUST|TRUST_PROXY|MEMORY_MB|CACHE_MB|WORKERS|MAX_CONNECTIONS|STOP_DELAY|POLL_SECONDS|LOG_LEVEL|LOG_FORMAT|HORIZON_MONTHS|BUILD_TIMEOUT|KEEP_DAYS|WATCH|ALLOW_PRIVATE_FEEDS|HOOKS|HOOK_SECRET|S3_ENDPOINT|SIGNING_KEY|PUBLISH|PUBLISH_PUBLIC|ADMIN_PORT|ADMIN_HOST|BACKUP_MARK|STATUS_URL|SERVE_SNAPSHOTS))$/;

syncing('H18: should know of each setting whether both machines share it', () => {
  const shared = /^shared='([^']+)'/m.exec(SCRIPT)?.[1]?.split(/\s+/) ?? [];
  const names: readonly string[] = Object.values(SETTINGS).map(({ name }) => name);
  const unknown = names.filter((name) => !OWN.test(name) && !shared.includes(name.replace('ALMANAKK_', '')));
  assert.equal(unknown, [], 'expected them in `shared` of almanakk-sync, or in OWN of this test');
  for (const name of shared) assert.ok(names.includes(`ALMANAKK_${name}`), name);
});

syncing.run();
