/** K1: keys of applications: the commands that issue, list and revoke them, and the server that reads them. */
import { existsSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runKeysCommand } from '../../../../jobs/annexes/keys/commands.ts';
import { hashKey, isWellFormedKey, KEY_ENTROPY, makeKey } from '../../../../src/annexes/common/keys.ts';
import { type KeyRing, openKeyRing } from '../../../../src/annexes/keys/key-ring.ts';
import { assertMissing } from '../../../helpers/assertions.ts';
import { rejects } from '../../../helpers/errors.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { makeSmallDisk } from '../../../helpers/small-disk.ts';
import { until } from '../../../helpers/until.ts';
import { when } from '../../../helpers/when.ts';

const NOW = new Date('2026-06-01T10:00:00Z');
const LATER = new Date('2026-06-02T10:00:00Z');

const randomOf = (fill: number) => new Uint8Array(KEY_ENTROPY).fill(fill);

interface Context {
  folder: string;
  path: string;
  logged: string[];
  ring: KeyRing | undefined;
}

const keys = suite<Context>('keys');

keys.before.each((context) => {
  context.folder = temporaryFolder();
  context.path = join(context.folder, 'keys.json');
  context.logged = [];
  context.ring = undefined;
});

keys.after.each(({ ring }) => ring?.close());

/** `command`: arguments without blanks in them. */
const run = (command: string, { path }: Context, { now = NOW, fill = 1 } = {}) =>
  runKeysCommand(command.split(' '), { path, now, random: randomOf(fill) });

async function open(context: Context, clock?: () => number): Promise<KeyRing> {
  const note = (fields: object, event: string) => context.logged.push(`${event} ${JSON.stringify(fields)}`);
  const log = { debug: note, info: note, warn: note, error: note };
  const options = { path: context.path, log, interval: 1_000_000, ...(clock && { clock }) };
  context.ring = await openKeyRing(options);
  return context.ring;
}

async function issue(context: Context, app: string, fill: number): Promise<{ key: string; id: string }> {
  const [key = '', line = ''] = await run(`issue --app ${app}`, context, { fill });
  return { key, id: /id (\w+)/.exec(line)?.[1] ?? '' };
}

const disk = makeSmallDisk(1);
keys.after(() => disk?.remove());

when(
  disk !== null,
  'only root may mount a file system',
  keys,
)('K1: should report a full disk, and leave no half of a key', async (context) => {
  const { folder = '', leave } = disk ?? {};
  const path = join(folder, 'keys.json');
  leave?.(0);
  await rejects(
    run('issue --app Avisen', { ...context, path }),
    'DISK_FULL',
    /keys\.json: ENOSPC.*: free some space on this disk$/,
  );
  const signing = join(folder, 'signing.pem');
  await rejects(
    run(`signing --out ${signing}`, context),
    'DISK_FULL',
    /signing\.pem: ENOSPC.*: free some space on this disk$/,
  );
  for (const file of [path, signing, `${signing}.pub`]) assertMissing(file);
  leave?.(null);
  await run(`signing --out ${signing}`, context);
});

keys('K1: should make keys of a fixed prefix and 32 random characters, and recognise their form', () => {
  const key = makeKey(randomOf(255));
  assert.match(key, /^alk_z{32}$/);
  assert.is.not(makeKey(randomOf(1)), makeKey(randomOf(2)));
  assert.throws(() => makeKey(new Uint8Array(8)), /expected 32 random bytes/);
  for (const text of [key, `${key}0123456`]) assert.ok(isWellFormedKey(text), text);
  for (const text of ['', key.slice(1), key.slice(0, -1), `${key}01234567`, key.toUpperCase(), `${key}\n`])
    assert.not(isWellFormedKey(text), JSON.stringify(text));
});

keys('H8: should show a key once, and keep its hash in a file for its own user', async (context) => {
  writeFileSync(context.path, '{"keys":[]}', { mode: 0o644 });
  const { key, id } = await issue(context, 'Kulturapp', 7);
  assert.is(statSync(context.path).mode & 0o777, 0o600);
  const text = readFileSync(context.path, 'utf8');
  assert.not.match(text, key);
  const entry = { id, app: 'Kulturapp', hash: hashKey(key), created: NOW.toISOString(), revoked: null };
  assert.equal(JSON.parse(text), { keys: [entry] });
  assertMissing(`${context.path}.next`);
});

keys('K1: should list keys with application, address and state, and never the key', async (context) => {
  assert.equal(await run('list', context), [`no keys in ${context.path}`]);
  const one = await issue(context, 'A', 1);
  const two = await issue(context, 'B --email post@blåbær.example', 2);
  // The first moment counts.
  for (const now of [LATER, new Date('2026-06-03T10:00:00Z')])
    assert.equal(await run(`revoke ${one.id}`, context, { now }), [
      `${one.id} (A) was revoked at ${LATER.toISOString()}`,
    ]);
  assert.equal(await run('list', context), [
    `${one.id}  2026-06-01T10:00:00.000Z  revoked 2026-06-02T10:00:00.000Z  never seen  A  no address`,
    `${two.id}  2026-06-01T10:00:00.000Z  valid  never seen  B  <post@xn--blbr-roah.example>`,
  ]);
});

keys('K1: should add, change and remove the address of a key', async (context) => {
  const { id } = await issue(context, 'A', 1);
  const addressIn = async () => / {2}([^ ]+|no address)$/.exec((await run('list', context))[0] ?? '')?.[1];
  assert.equal(await run(`contact ${id} --email a@b.example`, context), [
    `${id} (A) is reached at a@b.example`,
  ]);
  assert.is(await addressIn(), '<a@b.example>');
  await run(`contact ${id} --email c@d.example`, context);
  assert.is(await addressIn(), '<c@d.example>');
  assert.equal(await run(`contact ${id} --no-email`, context), [`${id} (A) has no address now`]);
  assert.is(await addressIn(), 'no address');
});

keys('K1: should show the day on which a key was last used', async (context) => {
  const { key, id } = await issue(context, 'A', 1);
  const revoked = await issue(context, 'B', 2);
  await run(`revoke ${revoked.id}`, context);
  // A quarter to one at night in Norway, where it is the second of June already.
  let now = Date.parse('2026-06-01T22:45:00Z');
  const ring = await open(context, () => now);
  const listed = async () => (await run('list', context)).map((line) => line.split('  ')[3]);
  assert.equal(await listed(), ['never seen', 'never seen']);
  ring.applicationOf(key);
  ring.applicationOf(revoked.key);
  const file = join(`${context.path}.seen`, id);
  await until('the first day', () => existsSync(file) && readFileSync(file, 'utf8') === '2026-06-02\n');
  assert.equal(await listed(), ['seen 2026-06-02', 'never seen']);
  now += 24 * 3_600_000;
  await ring.refresh();
  assert.equal(await listed(), ['seen 2026-06-02', 'never seen'], 'a day without a call');
  ring.applicationOf(key);
  await until('the second day', () => readFileSync(file, 'utf8') === '2026-06-03\n');
  assert.equal(await listed(), ['seen 2026-06-03', 'never seen']);
});

keys('K1: should accept keys whose last use cannot be recorded, and log that once', async (context) => {
  const { key } = await issue(context, 'A', 1);
  const other = await issue(context, 'B', 2);
  writeFileSync(`${context.path}.seen`, 'a file in the place of the folder');
  const ring = await open(context);
  assert.is(ring.applicationOf(key), 'A');
  assert.is(ring.applicationOf(other.key), 'B');
  await until('a line', () => context.logged.length > 0);
  await ring.refresh();
  assert.equal(
    context.logged.map((line) => line.split(' {')[0]),
    ['last use of keys not saved'],
  );
});

const WRONG: readonly (readonly [args: string, message: RegExp])[] = [
  ['shred', /expected a command, found "shred"\nUsage/],
  ['issue', /expected --app NAME/],
  ['issue --app', /argument missing\nUsage/],
  ['issue --app B --email nobody', /expected an address such as post@avis\.example, found "nobody"/],
  ['issue --app B\nC', /expected --app NAME/],
  ['contact abcd', /expected --email ADDRESS or --no-email/],
  ['revoke 0000', /expected the id of a key .* found "0000"/],
  ['revoke', /expected one KEY-ID/],
  ['list all', /expected no arguments after list/],
  ['issue --app B', /is taken/],
];

const refused = (work: Promise<unknown>, message: RegExp) => rejects(work, 'INVALID_SETTING', message);

keys('K1: should list its commands', async (context) => {
  for (const args of ['--help', 'issue --help'])
    for (const command of ['issue --app', 'contact KEY-ID', 'list', 'revoke KEY-ID'])
      assert.match((await run(args, context))[0] ?? '', command);
});

for (const [args, message] of WRONG)
  keys(`K1: should refuse ${JSON.stringify(args)}, and change nothing`, async (context) => {
    await issue(context, 'A', 1);
    await issue(context, 'B', 2);
    const before = readFileSync(context.path, 'utf8');
    await refused(run(args, context), message);
    assert.is(readFileSync(context.path, 'utf8'), before);
    assertMissing(`${context.path}.next`);
  });

keys(
  'K1: should refuse a second change at the same time, and remove the file of a killed one',
  async (context) => {
    const beside = `${context.path}.next`;
    writeFileSync(beside, '');
    const startedAt = NOW.getTime() / 1_000;
    utimesSync(beside, startedAt, startedAt);
    await refused(run('issue --app A', context), /expected no other change in progress/);
    await run('issue --app A', context, { now: LATER });
    assert.is((await run('list', context)).length, 1);
  },
);

keys('K1: should report a folder without permissions, and not another change', async (context) => {
  const file = join(context.folder, 'a-file');
  writeFileSync(file, '');
  // No user may write to /proc, not even root.
  for (const path of [join(file, 'keys.json'), '/proc/keys.json']) {
    const expected = 'expected a folder that this user may write to, found E';
    await refused(run('issue --app A', { ...context, path }), new RegExp(`^${path}: ${expected}`));
  }
});

keys('K1: should refuse a malformed key file, and name the place', async (context) => {
  writeFileSync(context.path, '{');
  await refused(run('list', context), /keys\.json: expected JSON/);
  writeFileSync(context.path, JSON.stringify({ keys: [{ id: 'abcd', app: 'A', hash: 'x' }] }));
  await refused(run('list', context), /keys\.0\.hash/);
  await refused(open(context), /keys\.0\.hash/);
});

keys('K1: should accept new keys, and refuse revoked ones, without a restart', async (context) => {
  const ring = await open(context);
  const { key, id } = await issue(context, 'A', 1);
  await ring.refresh();
  assert.is(ring.applicationOf(key), 'A');
  assert.is(ring.applicationOf(key), 'A', 'the second time too');
  for (const other of [makeKey(randomOf(2)), 'alk_garbage', 'toString'])
    assert.is(ring.applicationOf(other), undefined, other);
  await run(`revoke ${id}`, context);
  await ring.refresh();
  assert.is(ring.applicationOf(key), undefined);
  assert.equal(context.logged.at(-1), 'keys read {"keys":0}');
});

keys('K1: should keep the last good keys while the file is damaged, and log it once', async (context) => {
  const { key } = await issue(context, 'A', 1);
  const good = readFileSync(context.path, 'utf8');
  const ring = await open(context);
  writeFileSync(context.path, '{"keys":[');
  await ring.refresh();
  await ring.refresh();
  assert.is(ring.applicationOf(key), 'A');
  const findings = context.logged.filter((line) => line.startsWith('keys not read'));
  assert.is(findings.length, 1);
  assert.not.match(context.logged.join(), key);
  writeFileSync(context.path, good.replace('"A"', '"Renamed"'));
  await ring.refresh();
  assert.is(ring.applicationOf(key), 'Renamed');
});

keys(
  'K1: should read a revocation that was unreadable at first, though the stamp of the file is the same',
  async (context) => {
    const { key, id } = await issue(context, 'A', 1);
    const ring = await open(context);
    await run(`revoke ${id}`, context);
    const revoked = readFileSync(context.path, 'utf8');
    // The same size, inode and time: by its stamp, the file does not change when the fault passes.
    const write = (text: string) => {
      writeFileSync(context.path, text);
      utimesSync(context.path, NOW, NOW);
    };
    write(revoked.replaceAll('"', "'"));
    for (let check = 0; check < 2; check++) await ring.refresh();
    assert.is(ring.applicationOf(key), 'A', 'the last good key');
    write(revoked);
    await ring.refresh();
    assert.is(ring.applicationOf(key), undefined);
    assert.equal(
      context.logged.map((line) => line.split(' {')[0]),
      ['keys not read; the last good ones stay valid', 'keys read'],
    );
  },
);

keys.run();
