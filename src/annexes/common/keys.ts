/**
 * Application keys, and the file that lists them: only hashes, so that a reader of the file cannot use a key. A
 * key is a fixed prefix and 32 random characters. Keys are case-sensitive.
 */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { CalendarError, ifMissing, isMissing, messageOf } from '../../calendar/errors.ts';
import { parsedJson } from '../../calendar/json.ts';
import { makeFolder } from '../../snapshot/files.ts';

/** Random bytes of a key. Each gives a character of five bits. */
export const KEY_ENTROPY = 32;

/** Crockford's alphabet without letters that are easily confused (i l o u). */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';

/** `random` is KEY_ENTROPY bytes from a source fit for secrets. */
export function makeKey(random: Uint8Array): string {
  if (random.length !== KEY_ENTROPY)
    throw new Error(`expected ${KEY_ENTROPY} random bytes for a key, found ${random.length}`);
  return `alk_${Array.from(random, (byte) => ALPHABET[byte % ALPHABET.length]).join('')}`;
}

/** Whether the text can be a key at all. Keys of earlier versions are seven characters longer. */
export const isWellFormedKey = (text: string): boolean => /^alk_[0-9a-hjkmnp-tv-z]{32,39}$/.test(text);

/**
 * A key is stored as SHA-256 in hex. It has 160 random bits, so it cannot be guessed; a slow, salted hash as for passwords would only
 * slow down the first use of each key.
 */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

const EMAIL = z.email().max(254);

/** Whether it is a usable mail address: ASCII only, because some mail servers accept no more. */
export function isEmail(text: string): boolean {
  return EMAIL.safeParse(text).success;
}

const KEY_ENTRY = z.strictObject({
  /** Public: names the key in lists and in `revoke`. */
  id: z.string().regex(/^[0-9a-z]{4,32}$/),
  /** The application that the key was issued to. */
  app: z.string().min(1).max(100),
  /** SHA-256 of the key, hex. */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  /** Mail address of the key's owner; absent if unknown. */
  email: EMAIL.optional(),
  created: z.iso.datetime(),
  revoked: z.iso.datetime().nullable(),
});

const KEY_FILE = z.strictObject({ keys: z.array(KEY_ENTRY) });

export type KeyEntry = Readonly<z.infer<typeof KEY_ENTRY>>;

/** A missing file means no keys. Throws INVALID_SETTING for an invalid one. */
export async function readKeyFile(path: string): Promise<readonly KeyEntry[]> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    if (isMissing(cause)) return '{"keys":[]}';
    throw invalid(path, messageOf(cause), cause);
  });
  const value = parsedJson(text);
  if (value === undefined)
    throw invalid(path, `expected JSON, found ${text.length} characters of something else`);
  const parsed = KEY_FILE.safeParse(value);
  if (parsed.success) return parsed.data.keys;
  const [issue] = parsed.error.issues;
  const where = issue?.path.join('.') || 'the whole';
  throw invalid(path, `${where}: ${issue?.message}`);
}

function invalid(path: string, message: string, cause?: unknown): CalendarError {
  return new CalendarError('INVALID_SETTING', `${path}: ${message}`, { cause });
}

/**
 * Notes the day on which a key was last used: one file a key, beside the key file, with nothing but the day. Each serving process writes
 * it once a day, in any order, because all write the same text. Nothing more exact is stored. `day` is `YYYY-MM-DD` in Norway; `path` is
 * the key file.
 */
export async function noteSeen(path: string, id: string, day: string): Promise<void> {
  await makeFolder(folderOf(path));
  await writeFile(join(folderOf(path), id), `${day}\n`);
}

/** Null for a key that no process of this machine has seen, or whose file is being written. Rejects if it cannot be known. */
export async function lastSeen(path: string, id: string): Promise<string | null> {
  const text = await readFile(join(folderOf(path), id), 'latin1').catch(ifMissing(''));
  return DAY.exec(text)?.[0] ?? null;
}

const DAY = /^\d{4}-\d{2}-\d{2}(?=\n$)/;

function folderOf(path: string): string {
  return `${path}.seen`;
}
