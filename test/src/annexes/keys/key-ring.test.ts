/** K1: the keys that a server accepts: their form, and the file of keys, which is read again when it changes. */
import { existsSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isWellFormedKey, makeKey } from '../../../../src/annexes/common/keys.ts';
import { type KeyRing, openKeyRing } from '../../../../src/annexes/keys/key-ring.ts';
import { messageOf } from '../../../../src/calendar/errors.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { rejects } from '../../../helpers/errors.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { issueKey, KEYS_ISSUED_AT, randomOf, runKeys } from '../../../helpers/keys.ts';
import { until } from '../../../helpers/until.ts';

interface Context {
  /** The key file. */
  path: string;
  /** `event {"field":"value"}`, a line each. */
  logged: string[];
}

const ring = suite<Context>('key ring');
const closing = closedAfterEach(ring);

ring.before.each((context) => {
  context.path = join(temporaryFolder(), 'keys.json');
  context.logged = [];
});

/** A ring that checks its file when the test calls `refresh`. */
async function open({ path, logged }: Context, clock: () => number = Date.now): Promise<KeyRing> {
  const note = (fields: object, event: string) => logged.push(`${event} ${JSON.stringify(fields)}`);
  const log = { debug: note, info: note, warn: note, error: note };
  return closing(await openKeyRing({ path, log, interval: 1_000_000, clock }));
}

const eventsOf = ({ logged }: Context) => logged.map((line) => line.split(' {')[0]);

ring('K1: should make keys of a fixed prefix and 32 characters, which differ by their random bytes', () => {
  assert.match(makeKey(randomOf(255)), /^alk_z{32}$/);
  assert.is.not(makeKey(randomOf(1)), makeKey(randomOf(2)));
  assert.throws(() => makeKey(new Uint8Array(8)), /expected 32 random bytes/);
});

const KEY = makeKey(randomOf(255));
const WELL_FORMED = [KEY, `${KEY}0123456`];
const MALFORMED = ['', KEY.slice(1), KEY.slice(0, -1), `${KEY}01234567`, KEY.toUpperCase(), `${KEY}\n`];

for (const text of WELL_FORMED)
  ring(`K1: should recognise ${text} as a key`, () => assert.is(isWellFormedKey(text), true));

for (const text of MALFORMED)
  ring(`K1: should not take ${JSON.stringify(text)} for a key`, () =>
    assert.is(isWellFormedKey(text), false),
  );

ring('K1: should refuse a malformed key file at its start, and name the place', async (context) => {
  writeFileSync(context.path, JSON.stringify({ keys: [{ id: 'abcd', app: 'A', hash: 'x' }] }));
  await rejects(open(context), 'INVALID_SETTING', /keys\.0\.hash/);
});

ring('K1: should show the day on which a key was last used', async (context) => {
  const { path } = context;
  const { key, id } = await issueKey(path, 'A', 1);
  const revoked = await issueKey(path, 'B', 2);
  await runKeys(path, `revoke ${revoked.id}`);
  // A quarter to one at night in Norway, where it is the second of June already.
  let now = Date.parse('2026-06-01T22:45:00Z');
  const opened = await open(context, () => now);
  const listed = async () => (await runKeys(path, 'list')).map((line) => line.split('  ')[3]);
  assert.equal(await listed(), ['never seen', 'never seen']);
  opened.applicationOf(key);
  opened.applicationOf(revoked.key);
  const file = join(`${path}.seen`, id);
  await until('the first day', () => existsSync(file) && readFileSync(file, 'utf8') === '2026-06-02\n');
  assert.equal(await listed(), ['seen 2026-06-02', 'never seen']);
  now += 24 * 3_600_000;
  await opened.refresh();
  assert.equal(await listed(), ['seen 2026-06-02', 'never seen'], 'a day without a call');
  opened.applicationOf(key);
  await until('the second day', () => readFileSync(file, 'utf8') === '2026-06-03\n');
  assert.equal(await listed(), ['seen 2026-06-03', 'never seen']);
  rmSync(file);
  symlinkSync(id, file);
  const unknown = await listed().then(String, messageOf);
  assert.match(unknown, /^ELOOP: /, 'a day that the machine cannot read');
});

ring('K1: should accept keys whose last use cannot be recorded, and log that once', async (context) => {
  const one = await issueKey(context.path, 'A', 1);
  const other = await issueKey(context.path, 'B', 2);
  writeFileSync(`${context.path}.seen`, 'a file in the place of the folder');
  const opened = await open(context);
  assert.is(opened.applicationOf(one.key), 'A');
  assert.is(opened.applicationOf(other.key), 'B');
  await until('a line', () => context.logged.length > 0);
  await opened.refresh();
  assert.equal(eventsOf(context), ['last use of keys not saved']);
});

ring('K1: should accept a new key, and refuse it once it is revoked, without a restart', async (context) => {
  const opened = await open(context);
  const { key, id } = await issueKey(context.path, 'A', 1);
  await opened.refresh();
  assert.is(opened.applicationOf(key), 'A');
  assert.is(opened.applicationOf(key), 'A', 'the second time too');
  await runKeys(context.path, `revoke ${id}`);
  await opened.refresh();
  assert.is(opened.applicationOf(key), undefined);
  assert.equal(context.logged.at(-1), 'keys read {"keys":0}');
});

for (const other of [makeKey(randomOf(2)), 'alk_garbage', 'toString'])
  ring(`K1: should refuse ${other}, which is no issued key`, async (context) => {
    await issueKey(context.path, 'A', 1);
    const opened = await open(context);
    assert.is(opened.applicationOf(other), undefined);
  });

ring('K1: should keep the last good keys while the file is damaged, and log it once', async (context) => {
  const { key } = await issueKey(context.path, 'A', 1);
  const good = readFileSync(context.path, 'utf8');
  const opened = await open(context);
  writeFileSync(context.path, '{"keys":[');
  await opened.refresh();
  await opened.refresh();
  assert.is(opened.applicationOf(key), 'A');
  assert.equal(eventsOf(context), ['keys not read; the last good ones stay valid']);
  assert.not.match(context.logged.join(), key);
  writeFileSync(context.path, good.replace('"A"', '"Renamed"'));
  await opened.refresh();
  assert.is(opened.applicationOf(key), 'Renamed');
});

ring(
  'K1: should read a revocation that was unreadable at first, though the stamp of the file is the same',
  async (context) => {
    const { key, id } = await issueKey(context.path, 'A', 1);
    const opened = await open(context);
    await runKeys(context.path, `revoke ${id}`);
    const revoked = readFileSync(context.path, 'utf8');
    // The same size, inode and time: by its stamp, the file does not change when the fault passes.
    const write = (text: string) => {
      writeFileSync(context.path, text);
      utimesSync(context.path, KEYS_ISSUED_AT, KEYS_ISSUED_AT);
    };
    write(revoked.replaceAll('"', "'"));
    await opened.refresh();
    await opened.refresh();
    assert.is(opened.applicationOf(key), 'A', 'the last good key');
    write(revoked);
    await opened.refresh();
    assert.is(opened.applicationOf(key), undefined);
    assert.equal(eventsOf(context), ['keys not read; the last good ones stay valid', 'keys read']);
  },
);

ring.run();
