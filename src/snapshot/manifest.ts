/** The manifest of a snapshot folder (H5): which file is published, with the facts that a server checks, and the texts that a builder signs (J3). */
import { join } from 'node:path';
import * as z from 'zod';
import { CalendarError, isCalendarError, isMissing, messageOf } from '../calendar/errors.ts';
import { parsedJson } from '../calendar/json.ts';
import {
  compressedFile,
  MANIFEST,
  openRegular,
  PUBLIC_FILE,
  publicFile,
  SNAPSHOT_FILE,
  snapshotFile,
  snapshotId,
} from './files.ts';
import { isCounts, isIsoInstant, type SnapshotCounts } from './meta.ts';
import { unusable } from './unusable.ts';

const textLike = (pattern: RegExp, expected: string) => z.string(expected).regex(pattern, expected);

const COUNT = z.int('a whole number').min(0, 'a whole number');
const ID = textLike(/^[0-9a-f]{16}$/, '16 hex digits');
const SHA_256 = textLike(/^[0-9a-f]{64}$/, '64 hex digits');
const NAME = textLike(/./s, 'a text');

/** J4: a compressed copy of the file, for transfer. `file`: the snapshot's name and `.br`. */
const COMPRESSED = z.object({ file: NAME, bytes: COUNT, sha256: SHA_256 }, 'an object');

/** J3: it signs all other fields. */
const SIGNATURE = z.object(
  {
    /** The beginning of the public key's SHA-256: it identifies the key. */
    key: ID,
    /** Ed25519. */
    value: textLike(/^[A-Za-z0-9+/]{86}==$/, 'Base64 of 64 bytes'),
  },
  'an object',
);

/** J5: the public edition that was made with the snapshot. Its signature is for those who fetch it alone. */
const PUBLIC = z.object(
  {
    file: textLike(PUBLIC_FILE, 'public-<id>.sqlite'),
    bytes: COUNT,
    sha256: SHA_256,
    compressed: COMPRESSED.optional(),
    signature: SIGNATURE.optional(),
  },
  'an object',
);

const FIELDS = z.object(
  {
    format: COUNT,
    id: ID,
    /** A name within the folder: `calendar-<id>.sqlite`. */
    file: textLike(SNAPSHOT_FILE, 'calendar-<id>.sqlite'),
    bytes: COUNT,
    sha256: SHA_256,
    builtAt: z.custom<string>(isIsoInstant, 'an ISO 8601 moment in UTC'),
    counts: z.custom<SnapshotCounts>(isCounts, 'counts by name'),
    /** Id of the calendar's licence. Builds before signatures existed did not write it. */
    licence: NAME.optional(),
    compressed: COMPRESSED.optional(),
    public: PUBLIC.optional(),
    signature: SIGNATURE.optional(),
  },
  'an object',
);

export type PublicFile = Readonly<z.infer<typeof PUBLIC>>;
export type Manifest = Readonly<z.infer<typeof FIELDS>>;
export type CompressedCopy = Readonly<z.infer<typeof COMPRESSED>>;
export type Signature = Readonly<z.infer<typeof SIGNATURE>>;

/** Bytes: ten times a usual manifest. */
export const LONGEST_MANIFEST = 8_192;

/** The manifest's text as it is, or null if there is none. `name`: that of another format's manifest. */
export async function readManifestText(folder: string, name = MANIFEST): Promise<string | null> {
  const path = join(folder, name);
  try {
    const file = await openRegular(path);
    try {
      const { size } = await file.stat();
      if (size <= LONGEST_MANIFEST) return await file.readFile('utf8');
      throw unusableManifest(`${LONGEST_MANIFEST} bytes at most`, size);
    } finally {
      await file.close();
    }
  } catch (cause) {
    if (isMissing(cause)) return null;
    if (isCalendarError(cause)) throw cause;
    throw new CalendarError('SNAPSHOT_UNUSABLE', `${MANIFEST}: ${messageOf(cause)}`, { cause });
  }
}

/** Throws SNAPSHOT_UNUSABLE for half a manifest, garbage, and names that would lead out of the folder. */
export function parseManifest(text: string): Manifest {
  const value = parsedJson(text);
  if (value === undefined) throw unusableManifest('JSON', text);
  const { data: manifest, error } = FIELDS.safeParse(value, { reportInput: true });
  if (manifest === undefined) {
    const [issue] = error.issues;
    const where = issue?.path.length ? `"${issue.path.join('.')}" to be ` : '';
    throw unusableManifest(`${where}${issue?.message}`, issue?.input);
  }
  const { id, file, sha256, compressed } = manifest;
  if (file !== snapshotFile(id)) throw unusableManifest(`"file" to be ${snapshotFile(id)}`, file);
  if (!sha256.startsWith(id)) throw unusableManifest('"sha256" to begin with the id', sha256);
  if (compressed !== undefined && compressed.file !== compressedFile(id))
    throw unusableManifest(`"compressed.file" to be ${compressedFile(id)}`, compressed.file);
  if (manifest.public !== undefined) checkPublic(manifest.public);
  return manifest;
}

function checkPublic({ file, sha256, compressed }: PublicFile): void {
  const expected = publicFile(snapshotId(sha256));
  if (file !== expected) throw unusableManifest(`"public.file" to be ${expected}`, file);
  if (compressed !== undefined && compressed.file !== `${expected}.br`)
    throw unusableManifest(`"public.compressed.file" to be ${expected}.br`, compressed.file);
}

export function renderManifest(manifest: Manifest): string {
  const { format, id, file, bytes, sha256, builtAt, counts, licence, compressed, signature } = manifest;
  const ordered = {
    format,
    id,
    file,
    bytes,
    sha256,
    builtAt,
    counts,
    licence,
    compressed,
    public: manifest.public,
    signature,
  };
  return `${JSON.stringify(ordered, null, 2)}\n`;
}

/**
 * J3: the text that a builder signs. It begins with its purpose, so that no other text signed by the key can be mistaken for it. The public
 * edition is part of it only where there is one: replicas of version 1.0.0 know the first seven values.
 */
export function signedText(manifest: Omit<Manifest, 'signature'>): string {
  const { id, sha256, bytes, builtAt, format, licence } = manifest;
  const ofPublic = manifest.public === undefined ? [] : [manifest.public.file, manifest.public.sha256];
  return JSON.stringify(['almanakk manifest', id, sha256, bytes, builtAt, format, licence, ...ofPublic]);
}

/** J5: the same for the public edition alone. */
export function signedPublicText(
  { file, sha256, bytes }: PublicFile,
  { builtAt, licence }: Pick<Manifest, 'builtAt' | 'licence'>,
): string {
  return JSON.stringify(['almanakk public file', file, sha256, bytes, builtAt, licence]);
}

function unusableManifest(expected: string, found: unknown): CalendarError {
  return unusable(MANIFEST, expected, typeof found === 'string' ? found.trim() || 'an empty file' : found);
}
