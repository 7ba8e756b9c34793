/** J3: keys for signatures, and what a builder refuses to start with. */
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readSigningKey, readTrust } from '../../../../jobs/kit/signature.ts';
import { built, sourceOfEvents } from '../../../helpers/build.ts';
import { rejects } from '../../../helpers/errors.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { scriptOf, startProgram } from '../../../helpers/program.ts';
import { makeKeys, manifestIn, newKeys } from './signing.ts';

const signatures = suite('signatures');

const ours = await newKeys();

signatures('J3: should make a pair of keys, the private one for its owner alone', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'key');
  const output = (await makeKeys(['--out', file])).join('\n');
  assert.match(
    output,
    /^key [0-9a-f]{16}\n.*ALMANAKK_SIGNING_KEY.*\n.*key\.pub: .*ALMANAKK_TRUST\n.*: install -o \w+ -m 600 \S+key \/etc\/almanakk\/key$/,
  );
  assert.equal(readdirSync(folder).sort(), ['key', 'key.pub']);
  assert.is(statSync(file).mode & 0o777, 0o600);
  assert.match(readFileSync(file, 'utf8'), /^-----BEGIN PRIVATE KEY-----\n/);
  assert.match(readFileSync(`${file}.pub`, 'utf8'), /^-----BEGIN PUBLIC KEY-----\n/);
});

signatures(
  'J3: should make keys for a user without a name, as in a container that sets only a number',
  async () => {
    const { userInfo } = os;
    os.userInfo = () => {
      throw new Error('uv_os_get_passwd returned ENOENT');
    };
    syncBuiltinESMExports();
    try {
      const lines = await makeKeys(['--out', join(temporaryFolder(), 'key')]);
      assert.match(lines.at(-1) ?? '', `install -o ${process.getuid?.()} -m 600 `);
    } finally {
      os.userInfo = userInfo;
      syncBuiltinESMExports();
    }
  },
);

signatures('J3: should not overwrite a key', async () => {
  const file = join(temporaryFolder(), 'key');
  await makeKeys(['--out', file]);
  const before = readFileSync(file, 'utf8');
  await rejects(makeKeys(['--out', file]), 'INVALID_SETTING', /key: EEXIST/);
  assert.is(readFileSync(file, 'utf8'), before);
});

signatures('J3: should need --out to make keys', async () => {
  await rejects(makeKeys([]), 'INVALID_SETTING', /expected --out FILE, found none/);
});

signatures('J3: a build should sign an unchanged snapshot again with a new key', async () => {
  const target = temporaryFolder();
  const source = sourceOfEvents(3);
  const next = await newKeys();
  await built(source, target);
  assert.is(manifestIn(target).signature, undefined);
  for (const { id, sign } of [ours, next]) {
    const { outcome } = await built(source, target, { sign });
    assert.is(outcome, 'unchanged');
    assert.is(manifestIn(target).signature?.key, id);
  }
});

const PEM = readFileSync(ours.file, 'utf8');
const RSA = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
const OPEN = 'ALMANAKK_SIGNING_KEY: expected only the owner to have access to .* \\(0600\\), found ';

for (const { what, text, mode, message } of [
  { what: 'that all may read', text: PEM, mode: 0o644, message: `${OPEN}0644` },
  { what: 'that a group may read', text: PEM, mode: 0o640, message: `${OPEN}0640` },
  { what: 'that strangers may read', text: PEM, mode: 0o604, message: `${OPEN}0604` },
  {
    what: 'of another kind',
    text: `${RSA.export({ type: 'pkcs8', format: 'pem' })}`,
    mode: 0o600,
    message: 'expected an Ed25519 key in .*, found rsa$',
  },
  {
    what: 'in another format',
    text: 'not a key',
    mode: 0o600,
    message: 'expected an Ed25519 key as PEM in ',
  },
]) {
  signatures(`J3: should not start with a private key ${what}`, async () => {
    const file = join(temporaryFolder(), 'key.pem');
    writeFileSync(file, text);
    chmodSync(file, mode);
    await rejects((async () => readSigningKey(file))(), 'INVALID_SETTING', new RegExp(message));
  });
}

for (const { what, trusted, message } of [
  {
    what: 'a file that does not exist',
    trusted: join(temporaryFolder(), 'nowhere'),
    message: /^ALMANAKK_TRUST: .*ENOENT/,
  },
  {
    what: 'a private key',
    trusted: ours.file,
    message: /found a private key: name the file that ends in \.pub$/,
  },
]) {
  signatures(`J3: should not trust ${what}`, async () => {
    await rejects((async () => readTrust([trusted]))(), 'INVALID_SETTING', message);
  });
}

signatures('J3: a build should not start with a file that is not a key', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'key.pem');
  writeFileSync(file, 'not a key', { mode: 0o600 });
  const env = { ALMANAKK_SNAPSHOTS: folder, ALMANAKK_SOURCE: folder, ALMANAKK_SIGNING_KEY: file };
  const builder = startProgram({ script: scriptOf('jobs/cli'), args: ['rebuild'], env });
  assert.is((await builder.ended).code, 1);
  assert.match(builder.lines.join('\n'), /^ALMANAKK_SIGNING_KEY: expected/);
});

signatures.run();
