/**
 * H14: checks the file of the current snapshot again, after a sign of damage and once a day, because a disk can spoil a file that was good.
 */
import { messageOf } from '../calendar/errors.ts';
import { type FileStamp, stampOf } from './files.ts';
import { Unverified } from './unusable.ts';
import type { Thoroughness } from './verify.ts';

/** The file of the current snapshot. */
export interface ServedFile {
  readonly path: string;
  /** Its stamp when it was verified. */
  readonly stamp: FileStamp;
  /** When it was hashed last. */
  hashedAt: number;
  /** Why it may be damaged; null if nothing says so. */
  doubt: string | null;
}

interface RehashOptions {
  /** Throws Unverified if it cannot tell, and any other error for a damaged file. */
  readonly verify: (path: string, thoroughness: Thoroughness) => Promise<unknown>;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export interface Damage {
  readonly kind: 'damaged';
  /** The stamp of the bytes that are damaged. */
  readonly stamp: FileStamp;
  readonly reason: string;
}

type Rehash =
  | { readonly kind: 'not due' }
  | { readonly kind: 'sound'; readonly isDoubted: boolean }
  /** No process could verify the file, which is still open. */
  | { readonly kind: 'unverified'; readonly isDoubted: boolean; readonly reason: string }
  | Damage;

/** Why and how a file is hashed. */
interface Reason {
  readonly stamp: FileStamp;
  /** Null if a day has passed. */
  readonly doubt: string | null;
  readonly thoroughness: Thoroughness;
}

/** The function hashes a file if that is due, and returns what it found. It does not throw. */
export function createRehash({ verify, clock }: RehashOptions): (file: ServedFile) => Promise<Rehash> {
  /** No doubt is examined before this time. */
  let nextDoubtAt = 0;

  async function rehash(file: ServedFile): Promise<Rehash> {
    const stamp = await stampOf(file.path);
    // A file that was removed or replaced is still open, and as good as it was.
    const isThere = stamp.inode === file.stamp.inode;
    const isChanged = isThere && stamp.text !== file.stamp.text;
    if (isChanged) file.doubt ??= 'expected it not to change, found that it did';
    const now = clock();
    // A doubt is examined row by row: a right hash does not prove that the texts match their checksums. The daily look only hashes.
    if (file.doubt !== null && now >= nextDoubtAt)
      return hash(file, { stamp, doubt: file.doubt, thoroughness: { isThorough: true } });
    const isDayOver = now >= file.hashedAt + DAY_MS;
    if (isThere && isDayOver) return hash(file, { stamp, doubt: null, thoroughness: { isSlow: true } });
    return { kind: 'not due' };
  }

  async function hash(file: ServedFile, { stamp, doubt, thoroughness }: Reason): Promise<Rehash> {
    const isDoubted = doubt !== null;
    file.hashedAt = clock();
    let unverified: Unverified | null = null;
    try {
      await verify(file.path, thoroughness);
    } catch (cause) {
      // The doubt says more about the fault than the hash does.
      if (!(cause instanceof Unverified))
        return { kind: 'damaged', stamp, reason: doubt ?? messageOf(cause) };
      unverified = cause;
    }
    if (isDoubted) nextDoubtAt = clock() + DOUBT_MS;
    if (unverified === null) return { kind: 'sound', isDoubted };
    return { kind: 'unverified', isDoubted, reason: unverified.message };
  }

  return rehash;
}

const DAY_MS = 86_400_000;
/** Milliseconds after a doubt without reason, in which no other one is examined. */
const DOUBT_MS = 60_000;
