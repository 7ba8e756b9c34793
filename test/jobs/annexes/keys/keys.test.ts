/** K1: the commands that issue, list and revoke keys of applications, and the file in which they keep them. */
import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hashKey } from '../../../../src/annexes/common/keys.ts';
import { assertMissing } from '../../../helpers/assertions.ts';
import { rejects } from '../../../helpers/errors.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { issueKey, KEYS_ISSUED_AT, runKeys } from '../../../helpers/keys.ts';
import { makeSmallDisk } from '../../../helpers/small-disk.ts';
import { when } from '../../../helpers/when.ts';

const NEXT_DAY = new Date('2026-06-02T10:00:00Z');
const DAY_AFTER = new Date('2026-06-03T10:00:00Z');

interface Context {
  folder: string;
  /** The key file. */
  path: string;
}

const keys = suite<Context>('keys');

keys.before.each((context) => {
  context.folder = temporaryFolder();
  context.path = join(context.folder, 'keys.json');
});

const disk = makeSmallDisk(1);
keys.after(() => disk?.remove());

when(
  disk !== null,
  'only root may mount a file system',
  keys,
)('K1: should report a full disk, and leave no half of a key', async ({ path }) => {
  const { folder = '', leave } = disk ?? {};
  const pathOnDisk = join(folder, 'keys.json');
  leave?.(0);
  await rejects(
    runKeys(pathOnDisk, 'issue --app Avisen'),
    'DISK_FULL',
    /keys\.json: ENOSPC.*: free some space on this disk$/,
  );
  const signing = join(folder, 'signing.pem');
  await rejects(
    runKeys(path, `signing --out ${signing}`),
    'DISK_FULL',
    /signing\.pem: ENOSPC.*: free some space on this disk$/,
  );
  for (const file of [pathOnDisk, signing, `${signing}.pub`]) assertMissing(file);
  leave?.(null);
  await runKeys(path, `signing --out ${signing}`);
});

keys('H8: should show a key once, and keep its hash in a file for its own user', async ({ path }) => {
  writeFileSync(path, '{"keys":[]}', { mode: 0o644 });
  const { key, id } = await issueKey(path, 'Kulturapp', 7);
  assert.is(statSync(path).mode & 0o777, 0o600);
  const text = readFileSync(path, 'utf8');
  assert.not.match(text, key);
  const created = KEYS_ISSUED_AT.toISOString();
  const entry = { id, app: 'Kulturapp', hash: hashKey(key), created, revoked: null };
  assert.equal(JSON.parse(text), { keys: [entry] });
  assertMissing(`${path}.next`);
});

keys('K1: should say that there are no keys', async ({ path }) => {
  assert.equal(await runKeys(path, 'list'), [`no keys in ${path}`]);
});

keys('K1: should list keys with application, address and state, and never the key', async ({ path }) => {
  const revoked = await issueKey(path, 'A', 1);
  const valid = await issueKey(path, 'B --email post@blåbær.example', 2);
  await runKeys(path, `revoke ${revoked.id}`, { now: NEXT_DAY });
  assert.equal(await runKeys(path, 'list'), [
    `${revoked.id}  2026-06-01T10:00:00.000Z  revoked 2026-06-02T10:00:00.000Z  never seen  A  no address`,
    `${valid.id}  2026-06-01T10:00:00.000Z  valid  never seen  B  <post@xn--blbr-roah.example>`,
  ]);
});

keys('K1: should keep the time of the first revocation if a key is revoked again', async ({ path }) => {
  const { id } = await issueKey(path, 'A', 1);
  const expected = [`${id} (A) was revoked at ${NEXT_DAY.toISOString()}`];
  assert.equal(await runKeys(path, `revoke ${id}`, { now: NEXT_DAY }), expected);
  assert.equal(await runKeys(path, `revoke ${id}`, { now: DAY_AFTER }), expected, 'the second time');
});

keys('K1: should add, change and remove the address of a key', async ({ path }) => {
  const { id } = await issueKey(path, 'A', 1);
  const listedAddress = async () => (await runKeys(path, 'list'))[0]?.split('  ').at(-1);
  assert.equal(await runKeys(path, `contact ${id} --email a@b.example`), [
    `${id} (A) is reached at a@b.example`,
  ]);
  assert.is(await listedAddress(), '<a@b.example>');
  await runKeys(path, `contact ${id} --email c@d.example`);
  assert.is(await listedAddress(), '<c@d.example>');
  assert.equal(await runKeys(path, `contact ${id} --no-email`), [`${id} (A) has no address now`]);
  assert.is(await listedAddress(), 'no address');
});

for (const args of ['--help', 'issue --help'])
  keys(`K1: should list its commands for ${args}`, async ({ path }) => {
    const [usage = ''] = await runKeys(path, args);
    for (const command of ['issue --app', 'contact KEY-ID', 'list', 'revoke KEY-ID'])
      assert.match(usage, command);
  });

interface WrongCommand {
  readonly args: string;
  readonly message: RegExp;
}

const WRONG: readonly WrongCommand[] = [
  { args: 'shred', message: /expected a command, found "shred"\nUsage/ },
  { args: 'issue', message: /expected --app NAME/ },
  { args: 'issue --app', message: /argument missing\nUsage/ },
  {
    args: 'issue --app B --email nobody',
    message: /expected an address such as post@avis\.example, found "nobody"/,
  },
  { args: 'issue --app B --no-email', message: /Unknown option '--no-email'/ },
  { args: 'issue --app B\nC', message: /expected --app NAME/ },
  { args: 'contact abcd', message: /expected --email ADDRESS or --no-email/ },
  { args: 'revoke 0000', message: /expected the id of a key .* found "0000"/ },
  { args: 'revoke 0000 --email a@b.example', message: /Unknown option '--email'/ },
  { args: 'revoke', message: /expected one KEY-ID/ },
  { args: 'list all', message: /expected no arguments after list/ },
  { args: 'issue --app B', message: /is taken/ },
];

const refused = (attempt: Promise<unknown>, message: RegExp) => rejects(attempt, 'INVALID_SETTING', message);

for (const { args, message } of WRONG)
  keys(`K1: should refuse ${JSON.stringify(args)}, and change nothing`, async ({ path }) => {
    await issueKey(path, 'A', 1);
    await issueKey(path, 'B', 2);
    const before = readFileSync(path, 'utf8');
    const { ino } = statSync(path);
    await refused(runKeys(path, args), message);
    assert.is(readFileSync(path, 'utf8'), before);
    assert.is(statSync(path).ino, ino, 'the same file, which was not written again');
    assertMissing(`${path}.next`);
  });

keys(
  'K1: should refuse a second change at the same time, and remove the file of a killed one',
  async ({ path }) => {
    const unfinished = `${path}.next`;
    writeFileSync(unfinished, '');
    utimesSync(unfinished, KEYS_ISSUED_AT, KEYS_ISSUED_AT);
    await refused(runKeys(path, 'issue --app A'), /expected no other change in progress/);
    await runKeys(path, 'issue --app A', { now: NEXT_DAY });
    assert.is((await runKeys(path, 'list')).length, 1);
  },
);

/** A file, and a folder to which no user may write, not even root. */
for (const folder of ['a-file', '/proc'])
  keys(
    `K1: should say that ${folder} takes no key file, and not that another change is in progress`,
    async (context) => {
      writeFileSync(join(context.folder, 'a-file'), '');
      const path = resolve(context.folder, folder, 'keys.json');
      const expected = 'expected a folder that this user may write to, found E';
      await refused(runKeys(path, 'issue --app A'), new RegExp(`^${path}: ${expected}`));
    },
  );

keys('K1: should refuse a key file that is not JSON', async ({ path }) => {
  writeFileSync(path, '{');
  await refused(runKeys(path, 'list'), /keys\.json: expected JSON/);
});

keys('K1: should refuse a malformed key file, and name the place', async ({ path }) => {
  writeFileSync(path, JSON.stringify({ keys: [{ id: 'abcd', app: 'A', hash: 'x' }] }));
  await refused(runKeys(path, 'list'), /keys\.0\.hash/);
});

keys.run();
