/** J5: makes the public edition of a finished snapshot, and its entry in the manifest. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { publicFile, snapshotId } from '../../src/snapshot/files.ts';
import { type Signature, signedPublicText } from '../../src/snapshot/manifest.ts';
import { compress } from '../publish/compress.ts';
import type { PublicDraft, Sign } from '../publish/publish.ts';
import { flushToDisk, unfinishedPath } from '../publish/unfinished.ts';
import { writePublicEdition } from './write.ts';

interface EditionOptions {
  /** The snapshot folder. */
  readonly folder: string;
  /** A finished snapshot. */
  readonly snapshot: string;
  /** Instant, whole seconds. Events that become public later are left out. */
  readonly now: number;
  /** The server's own address. */
  readonly address: string | null;
  readonly sign?: Sign | undefined;
}

/** Leaves unfinished files in the folder, which `publish` puts in their places. */
export async function makePublicEdition(options: EditionOptions): Promise<PublicDraft> {
  const { folder, snapshot, now, address, sign } = options;
  const path = unfinishedPath(folder, 'public.sqlite');
  const copy = unfinishedPath(folder, 'public.sqlite.br');
  const stated = await writePublicEdition({ snapshot, to: path, now, address });
  const [compressed, sha256] = await Promise.all([compress(path, copy), hashOfFile(path), flushToDisk(path)]);
  const file = publicFile(snapshotId(sha256));
  const plain = { file, bytes: (await stat(path)).size, sha256 };
  const named = compressed === null ? plain : { ...plain, compressed: { file: `${file}.br`, ...compressed } };
  const signature: Signature | undefined = sign?.(signedPublicText(named, stated));
  return { path, copy: compressed === null ? null : copy, entry: { ...named, signature } };
}

async function hashOfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1_024 })) hash.update(chunk);
  return hash.digest('hex');
}
