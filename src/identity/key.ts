/**
 * Application keys (interface, section 5): a fixed prefix, 32 random characters and a check part, so that a key that was
 * cut or mistyped is known for one without a look at any list. Upper and lower case are told apart.
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

const KEY_PREFIX = 'alk_';

/** Bytes of randomness in a key. */
export const KEY_ENTROPY = 20;

/** No letters that are read for one another (i l o u), as Crockford has it. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const RANDOM_LENGTH = (KEY_ENTROPY * 8) / 5;
const CHECK_LENGTH = 7;
const KEY_PATTERN = new RegExp(`^${KEY_PREFIX}[${ALPHABET}]{${RANDOM_LENGTH + CHECK_LENGTH}}$`);

/** `random` is KEY_ENTROPY bytes from a source fit for secrets. */
export function makeKey(random: Uint8Array): string {
  if (random.length !== KEY_ENTROPY) {
    throw new Error(`expected ${KEY_ENTROPY} random bytes for a key, found ${random.length}`);
  }
  const start = `${KEY_PREFIX}${encode(random)}`;
  return `${start}${checkPartOf(start)}`;
}

/** Whether the text can be a key at all. */
export function isWellFormedKey(text: string): boolean {
  if (!KEY_PATTERN.test(text)) return false;
  const start = text.slice(0, -CHECK_LENGTH);
  return text.slice(-CHECK_LENGTH) === checkPartOf(start);
}

/**
 * How a key is stored: SHA-256 in hex. A key has 160 random bits, so nobody can find it by trying, and the slow, salted
 * hashes that passwords need would only slow down every first sight of a key.
 */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function checkPartOf(start: string): string {
  const bytes = Buffer.alloc(5);
  bytes.writeUInt32BE(crc32(start), 1);
  return encode(bytes).slice(-CHECK_LENGTH);
}

/** Five bits a character; the number of bytes is a multiple of five. */
function encode(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(held >>> bits) & 31];
    }
    held &= 31;
  }
  return text;
}
