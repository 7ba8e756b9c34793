/** J3: Ed25519 signatures of manifests, so that replicas need not trust the servers between them and their builder. */
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signBytes,
  verify as verifyBytes,
} from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { CalendarError, invalidSetting, isCalendarError, messageOf } from '../../src/calendar/errors.ts';
import { MANIFEST } from '../../src/snapshot/files.ts';
import { type Manifest, signedText } from '../../src/snapshot/manifest.ts';
import type { Sign } from '../publish/publish.ts';

/** Public keys by their ids. */
export type Trust = ReadonlyMap<string, KeyObject>;

/** The latest snapshot of a replica, which an older one never replaces. */
export type Accepted = Required<Pick<Manifest, 'licence' | 'builtAt'>>;

/**
 * Checks that a trusted key has signed a manifest, and that it is of the same calendar as the latest one and not older. Throws
 * ORIGIN_UNUSABLE with the reason.
 */
export function checkSignature(manifest: Manifest, trust: Trust, latest: Accepted | null): void {
  const { signature, licence, builtAt } = manifest;
  const trusted = [...trust.keys()].join(', ');
  if (signature === undefined) throw refused(`a signature by ${trusted}`, 'none');
  const key = trust.get(signature.key);
  if (key === undefined) throw refused(`a signature by ${trusted}`, `one by ${signature.key}`);
  if (!verifyBytes(null, Buffer.from(signedText(manifest)), key, Buffer.from(signature.value, 'base64')))
    throw refused(`what ${signature.key} has signed`, 'something else: it was changed on the way');
  if (latest === null) return;
  if (licence !== latest.licence)
    throw refused(`the calendar ${latest.licence}`, `${licence}, another licence’s`);
  if (Date.parse(builtAt) < Date.parse(latest.builtAt))
    throw refused(`no older calendar than that of ${latest.builtAt}`, `one of ${builtAt}`);
}

function refused(expected: string, found: string): CalendarError {
  return new CalendarError('ORIGIN_UNUSABLE', `${MANIFEST}: expected ${expected}, found ${found}`);
}

/** Creates the function that signs with a private key. Throws INVALID_SETTING for an invalid key, or for a file that other users may read. */
export function readSigningKey(file: string): Sign {
  const key = readKey('ALMANAKK_SIGNING_KEY', file, createPrivateKey);
  const mode = statSync(file).mode & 0o777;
  if ((mode & 0o077) !== 0) {
    const found = `0${mode.toString(8)}: chmod 600 ${file}`;
    throw invalidSetting('ALMANAKK_SIGNING_KEY', `only the owner to have access to ${file} (0600)`, found);
  }
  const id = idOfKey(createPublicKey(key));
  return (text) => ({ key: id, value: signBytes(null, Buffer.from(text), key).toString('base64') });
}

/** Null without keys: then every manifest is accepted. Throws INVALID_SETTING. */
export function readTrust(files: readonly string[]): Trust | null {
  if (files.length === 0) return null;
  const keys = files.map((file) => readKey('ALMANAKK_TRUST', file, readPublicKey));
  return new Map(keys.map((key) => [idOfKey(key), key]));
}

function readPublicKey(pem: string): KeyObject {
  // Node would derive the public key from a private one, which must not be on a replica.
  if (pem.includes('PRIVATE KEY')) throw new Error('a private key: name the file that ends in .pub');
  return createPublicKey(pem);
}

/** Throws INVALID_SETTING, with the name of the setting, for a file without an Ed25519 key. */
function readKey(setting: string, file: string, read: (pem: string) => KeyObject): KeyObject {
  try {
    const key = read(readFileSync(file, 'utf8'));
    if (key.asymmetricKeyType === 'ed25519') return key;
    throw invalidSetting(setting, `an Ed25519 key in ${file}`, `${key.asymmetricKeyType}`);
  } catch (cause) {
    if (isCalendarError(cause)) throw cause;
    throw invalidSetting(setting, `an Ed25519 key as PEM in ${file}`, messageOf(cause));
  }
}

/** 16 hex digits that identify the key for people and in logs. */
function idOfKey(publicKey: KeyObject): string {
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(der).digest('hex').slice(0, 16);
}

interface SigningKeys {
  /** The id of the public key. */
  readonly id: string;
  /** In PEM. */
  readonly privateKey: string;
  readonly publicKey: string;
}

/** A new key pair. */
export function makeSigningKeys(): SigningKeys {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return {
    id: idOfKey(publicKey),
    privateKey: `${privateKey.export({ type: 'pkcs8', format: 'pem' })}`,
    publicKey: `${publicKey.export({ type: 'spki', format: 'pem' })}`,
  };
}
