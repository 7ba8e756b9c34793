import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { signing as makeKeys } from '../../../jobs/annexes/keys/commands.ts';
import { copySnapshot, fetchManifest, readOriginManifest } from '../../../jobs/annexes/pull/copy.ts';
import { readSigningKey, readTrust, type Trust } from '../../../jobs/kit/signature.ts';
import { publish, type Sign, unfinishedPath } from '../../../jobs/publish.ts';
import { writeSnapshot } from '../../../jobs/write.ts';
import { MANIFEST, type Manifest, parseManifest, renderManifest } from '../../../src/snapshot/folder.ts';
import { built, sourceOf } from '../../helpers/build.ts';
import { makeCalendar, NOW } from '../../helpers/calendar.ts';
import { rejects } from '../../helpers/errors.ts';
import { contentOf, publishCalendar, temporaryFolder } from '../../helpers/folder.ts';
import { verifyHere } from '../../helpers/keeper.ts';
import { LICENCE } from '../../helpers/native-source.ts';
import { type Origin, startOrigin } from '../../helpers/origin.ts';
import { scriptOf, startProgram } from '../../helpers/program.ts';

const signatures = suite<{ origins: Origin[] }>('signatures', { origins: [] });

signatures.after.each(async ({ origins }) => {
  for (const origin of origins.splice(0)) await origin.close();
});

interface Keys {
  /** Of the private one. */
  readonly file: string;
  readonly id: string;
  readonly sign: Sign;
}

async function newKeys(): Promise<Keys> {
  const file = join(temporaryFolder(), 'signing.pem');
  const [line = ''] = await makeKeys(['--out', file]);
  return { file, id: line.replace('key ', ''), sign: readSigningKey(file) };
}

const trustIn = (...keys: readonly Keys[]): Trust | null => readTrust(keys.map(({ file }) => `${file}.pub`));

const ours = await newKeys();
const WEEK = 7 * 86_400;

interface Made {
  readonly name: string;
  readonly builtAt?: number;
  readonly sign?: Sign;
}

/** Builds and publishes as a builder with that key does. */
async function publishSigned(folder: string, { name, builtAt, sign = ours.sign }: Made): Promise<Manifest> {
  const file = unfinishedPath(folder, 'calendar.sqlite');
  await writeSnapshot(file, contentOf(makeCalendar({ name }), builtAt));
  return publish({ folder, file, sign });
}

interface Scene {
  readonly theirs: string;
  readonly replica: string;
  readonly origin: Origin;
  readonly pull: (trust?: Trust | null, folder?: string) => Promise<Manifest>;
}

async function scene({ origins }: { origins: Origin[] }): Promise<Scene> {
  const theirs = temporaryFolder();
  const replica = temporaryFolder();
  const origin = await startOrigin(theirs);
  origins.push(origin);
  const { signal } = new AbortController();
  const common = { origin: origin.url, signal, allowPrivate: false, verify: verifyHere };
  const pull = async (trust: Trust | null = trustIn(ours), folder = replica) => {
    origin.asked.length = 0;
    const options = { ...common, folder, trust };
    return copySnapshot(options, await readOriginManifest(await fetchManifest(options), options));
  };
  return { theirs, replica, origin, pull };
}

const manifestIn = (folder: string) => parseManifest(readFileSync(join(folder, MANIFEST), 'utf8'));

signatures(
  'J3: should make a pair of keys, the private one for its owner alone, and never write over one',
  async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'key');
    const env = { ALMANAKK_KEYS: join(folder, 'keys.json') };
    const run = async () => {
      const program = startProgram({
        script: scriptOf('jobs/cli'),
        args: ['keys', 'signing', '--out', file],
        env,
      });
      return { ...(await program.ended), said: program.lines.join('\n') };
    };
    const { code, said } = await run();
    assert.is(code, 0, said);
    assert.match(said, /^key [0-9a-f]{16}\n.*ALMANAKK_SIGNING_KEY.*\n.*key\.pub: .*ALMANAKK_TRUST$/);
    assert.equal(readdirSync(folder).sort(), ['key', 'key.pub']);
    assert.is(statSync(file).mode & 0o777, 0o600);
    assert.match(readFileSync(file, 'utf8'), /^-----BEGIN PRIVATE KEY-----\n/);
    assert.match(readFileSync(`${file}.pub`, 'utf8'), /^-----BEGIN PUBLIC KEY-----\n/);
    const before = readFileSync(file, 'utf8');
    await rejects(makeKeys(['--out', file]), 'INVALID_SETTING', /key: EEXIST/);
    await rejects(makeKeys([]), 'INVALID_SETTING', /expected --out FILE, found none/);
    assert.is(readFileSync(file, 'utf8'), before);
  },
);

signatures(
  'J3: a replica should take what a key has signed that it trusts, and hand the signature on',
  async (context) => {
    const { theirs, replica, pull } = await scene(context);
    const manifest = await publishSigned(theirs, { name: 'Signert' });
    assert.is(manifest.signature?.key, ours.id);
    assert.is(manifest.licence, manifestIn(theirs).licence);
    await pull();
    assert.equal(manifestIn(replica).signature, manifest.signature);
    const behind = await startOrigin(replica);
    context.origins.push(behind);
    const next = temporaryFolder();
    const options = {
      origin: behind.url,
      signal: new AbortController().signal,
      allowPrivate: false,
      folder: next,
    };
    await readOriginManifest(await fetchManifest(options), { ...options, trust: trustIn(ours) });
  },
);

signatures('J3: keys should be rotated: a replica that trusts two takes from either', async (context) => {
  const { theirs, pull } = await scene(context);
  const next = await newKeys();
  const both = trustIn(ours, next);
  await publishSigned(theirs, { name: 'Gammel nøkkel' });
  await pull(both);
  const { id } = await publishSigned(theirs, { name: 'Ny nøkkel', sign: next.sign, builtAt: NOW + 60 });
  assert.is((await pull(both)).id, id);
  await rejects(pull(), 'ORIGIN_UNUSABLE', new RegExp(`a signature by ${ours.id}, found one by ${next.id}$`));
});

/** What is changed of a good manifest. */
const CHANGES: Readonly<Record<string, (manifest: Manifest) => Partial<Manifest>>> = {
  'SHA-256': ({ sha256 }) => ({ sha256: flippedIn(sha256, 'hex') }),
  bytes: ({ bytes }) => ({ bytes: bytes ^ 1 }),
  'build time': ({ builtAt }) => ({ builtAt: builtAt.replace('00Z', '01Z') }),
  licence: ({ licence = '' }) => ({ licence: flippedIn(licence, 'latin1') }),
  signature: ({ signature = { key: '', value: '' } }) => ({
    signature: { ...signature, value: flippedIn(signature.value, 'base64') },
  }),
};

for (const [what, change] of Object.entries(CHANGES)) {
  signatures(
    `J3: a manifest whose ${what} was changed by one bit MUST be refused before the file is fetched`,
    async (context) => {
      const { theirs, replica, origin, pull } = await scene(context);
      const manifest = await publishSigned(theirs, { name: 'Endret' });
      writeFileSync(join(theirs, MANIFEST), renderManifest({ ...manifest, ...change(manifest) }));
      const expected = `expected what ${ours.id} has signed, found something else: it was changed on the way`;
      await rejects(pull(), 'ORIGIN_UNUSABLE', new RegExp(`^manifest\\.json: ${expected}$`));
      assert.equal(origin.asked, [MANIFEST]);
      assert.equal(readdirSync(replica), []);
    },
  );
}

signatures(
  'J3: a manifest by nobody, or by a stranger, MUST be refused before the file is fetched',
  async (context) => {
    const { theirs, origin, pull } = await scene(context);
    const stranger = await newKeys();
    await publishCalendar(theirs, { name: 'Usignert' });
    await rejects(pull(), 'ORIGIN_UNUSABLE', new RegExp(`expected a signature by ${ours.id}, found none$`));
    await publishSigned(theirs, { name: 'Fremmed', sign: stranger.sign });
    await rejects(
      pull(),
      'ORIGIN_UNUSABLE',
      new RegExp(`a signature by ${ours.id}, found one by ${stranger.id}$`),
    );
    const { signature } = manifestIn(theirs);
    const lie = { ...manifestIn(theirs), signature: { key: ours.id, value: signature?.value ?? '' } };
    writeFileSync(join(theirs, MANIFEST), renderManifest(lie));
    await rejects(pull(), 'ORIGIN_UNUSABLE', /found something else: it was changed on the way$/);
    assert.equal(origin.asked, [MANIFEST]);
  },
);

signatures('J3: what was good last week MUST NOT come back', async (context) => {
  const { theirs, replica, origin, pull } = await scene(context);
  const old = await publishSigned(theirs, { name: 'Forrige uke', builtAt: NOW - WEEK });
  await pull();
  const current = await publishSigned(theirs, { name: 'I dag' });
  await pull();
  writeFileSync(join(theirs, MANIFEST), renderManifest(old));
  const expected = `expected no older calendar than that of ${current.builtAt}, found one of ${old.builtAt}`;
  await rejects(pull(), 'ORIGIN_UNUSABLE', new RegExp(`^manifest\\.json: ${expected}$`));
  assert.equal(origin.asked, [MANIFEST]);
  assert.is(manifestIn(replica).id, current.id);
});

signatures('J3: another licence’s calendar MUST be refused, by whom ever it is signed', async (context) => {
  const { theirs, replica, origin, pull } = await scene(context);
  const target = temporaryFolder();
  await publishSigned(theirs, { name: 'Vår' });
  await pull();
  const licence = { ...LICENCE, id: 'nabobyen' };
  await built(sourceOf(3, { 'licence.json': licence }), target, { sign: ours.sign, now: NOW + 600 });
  writeFileSync(join(theirs, MANIFEST), readFileSync(join(target, MANIFEST)));
  const refusal = /^manifest\.json: expected the calendar test, found nabobyen, another licence’s$/;
  await rejects(pull(), 'ORIGIN_UNUSABLE', refusal);
  assert.equal(origin.asked, [MANIFEST]);
  // What was here before there were signatures says in its file whose it is.
  const { licence: _, signature: __, ...unsigned } = manifestIn(replica);
  writeFileSync(join(replica, MANIFEST), renderManifest(unsigned));
  await rejects(pull(), 'ORIGIN_UNUSABLE', refusal);
});

signatures('J3: a file of another licence than its manifest says should not be taken', async (context) => {
  const { theirs, pull } = await scene(context);
  const manifest = await publishCalendar(theirs, { name: 'Vår' });
  const lie = { ...manifest, licence: 'nabobyen' };
  writeFileSync(
    join(theirs, MANIFEST),
    renderManifest({ ...lie, signature: ours.sign(lie) ?? undefined } as Manifest),
  );
  await rejects(pull(), 'SNAPSHOT_UNUSABLE', /expected the licence nabobyen, found test$/);
});

signatures('J3: a build should sign again what has not changed, when the key has', async () => {
  const target = temporaryFolder();
  const source = sourceOf(3);
  const next = await newKeys();
  await built(source, target);
  assert.is(manifestIn(target).signature, undefined);
  for (const { id, sign } of [ours, next]) {
    const { outcome } = await built(source, target, { sign });
    assert.is(outcome, 'unchanged');
    assert.is(manifestIn(target).signature?.key, id);
  }
});

signatures(
  'J3: a private key that others may read, and what is no such key, should stop the start',
  async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'key.pem');
    const write = (pem: string, mode = 0o600) => {
      writeFileSync(file, pem);
      chmodSync(file, mode);
    };
    const pem = readFileSync(ours.file, 'utf8');
    const refused = (read: () => unknown, message: RegExp) =>
      rejects(Promise.resolve().then(read), 'INVALID_SETTING', message);
    for (const mode of [0o644, 0o640, 0o604]) {
      write(pem, mode);
      const message = new RegExp(
        `ALMANAKK_SIGNING_KEY: expected .* its owner’s alone \\(0600\\), found 0${mode.toString(8)}`,
      );
      await refused(() => readSigningKey(file), message);
    }
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
    write(`${rsa.export({ type: 'pkcs8', format: 'pem' })}`);
    await refused(() => readSigningKey(file), /expected an Ed25519 key in .*, found rsa$/);
    write('not a key');
    await refused(() => readSigningKey(file), /expected an Ed25519 key as PEM in /);
    await refused(() => readTrust([join(folder, 'nowhere')]), /^ALMANAKK_TRUST: .*ENOENT/);
    await refused(() => readTrust([ours.file]), /found a private key: name the file that ends in \.pub$/);
    write(pem, 0o644);
    mkdirSync(join(folder, 'source'));
    const env = { ALMANAKK_SNAPSHOTS: folder, ALMANAKK_SOURCE: join(folder, 'source') };
    const builder = startProgram({
      script: scriptOf('jobs/cli'),
      args: ['rebuild'],
      env: { ...env, ALMANAKK_SIGNING_KEY: file },
    });
    assert.is((await builder.ended).code, 1);
    assert.match(builder.lines.join('\n'), /^ALMANAKK_SIGNING_KEY: expected/);
  },
);

signatures.run();

/** With the lowest bit of its last byte changed. */
function flippedIn(text: string, coding: 'hex' | 'base64' | 'latin1'): string {
  const bytes = Buffer.from(text, coding);
  bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  return bytes.toString(coding);
}
