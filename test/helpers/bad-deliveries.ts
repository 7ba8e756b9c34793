/** Faulty deliveries of snapshots into a folder, each with the message of the refusal. */
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { snapshotFile, snapshotId } from '../../src/snapshot/files.ts';
import { type Manifest, parseManifest, renderManifest } from '../../src/snapshot/manifest.ts';

interface Delivery {
  readonly bytes: Buffer;
  readonly manifest: Manifest;
}

/** Makes a delivery faulty. Null for bytes stands for a file that is not delivered. */
type Spoil = (delivery: Delivery) => { readonly bytes: Buffer | null; readonly manifest: string | Manifest };

interface BadDelivery {
  readonly what: string;
  /** The message in the log and on `/readyz`. */
  readonly finding: RegExp;
  readonly spoil: Spoil;
}

const cut =
  (length: number): Spoil =>
  ({ bytes, manifest }) => ({ manifest, bytes: bytes.subarray(0, length) });

/** Changes a byte, and states the hash and the name of the changed file. */
const changed =
  (at: number, byte: number): Spoil =>
  ({ bytes, manifest: { compressed: _, ...manifest } }) => {
    const copy = Buffer.from(bytes);
    copy.writeUInt8(byte, at);
    const sha256 = createHash('sha256').update(copy).digest('hex');
    const id = snapshotId(sha256);
    return { bytes: copy, manifest: { ...manifest, id, sha256, file: snapshotFile(id) } };
  };

const saying =
  (other: (manifest: Manifest) => Partial<Manifest>): Spoil =>
  ({ bytes, manifest }) => ({ bytes, manifest: { ...manifest, ...other(manifest) } });

export const NEWER_FORMAT: BadDelivery = {
  what: 'a whole file of a newer format, in a manifest that does not say so',
  finding: /expected format \d+, found 9: this program is older than the build/,
  spoil: changed(63, 9),
};

export const BAD_DELIVERIES: readonly BadDelivery[] = [
  { what: 'a truncated file', finding: /\.sqlite: expected \d+ bytes, found 8192/, spoil: cut(8_192) },
  {
    what: 'a file with one bit flipped',
    finding: /\.sqlite: expected SHA-256 \w{64}, found \w{64}/,
    spoil: ({ bytes, manifest }) => {
      const copy = Buffer.from(bytes);
      copy.writeUInt8(copy.readUInt8(9_000) ^ 1, 9_000);
      return { manifest, bytes: copy };
    },
  },
  { what: 'an empty file', finding: /\.sqlite: expected \d+ bytes, found 0/, spoil: cut(0) },
  {
    what: 'a whole file with another application_id',
    finding: /expected application_id 1634495841, found 1634495744/,
    spoil: changed(71, 0),
  },
  NEWER_FORMAT,
  {
    what: 'a manifest that names a missing file',
    finding: /\.sqlite: expected a file, found none/,
    spoil: ({ manifest }) => ({ manifest, bytes: null }),
  },
  {
    what: 'half a manifest',
    finding: /manifest\.json: expected JSON, found \{/,
    spoil: ({ bytes, manifest }) => ({ bytes, manifest: renderManifest(manifest).slice(0, 100) }),
  },
  {
    what: 'a manifest with another SHA-256',
    finding: /\.sqlite: expected SHA-256 \w{16}0{48}, found/,
    spoil: saying(({ id }) => ({ sha256: id + '0'.repeat(48) })),
  },
  {
    what: 'a manifest with another size',
    finding: /\.sqlite: expected (\d+)1 bytes, found \1/,
    spoil: saying(({ bytes }) => ({ bytes: bytes * 10 + 1 })),
  },
  {
    what: 'a manifest with other counts',
    finding: /\.sqlite: expected counts .*events\\*":0.*, found/,
    spoil: saying(({ counts }) => ({ counts: { ...counts, events: 0 } })),
  },
];

/** Delivers the snapshot of one folder into another one, with a fault. */
export function deliverSpoiled(from: string, to: string, { spoil }: BadDelivery): void {
  const manifest = parseManifest(readFileSync(join(from, 'manifest.json'), 'utf8'));
  const spoiled = spoil({ bytes: readFileSync(join(from, manifest.file)), manifest });
  const place = (name: string, content: Buffer | string) => {
    writeFileSync(join(to, `draft-of-${name}`), content);
    renameSync(join(to, `draft-of-${name}`), join(to, name));
  };
  const isText = typeof spoiled.manifest === 'string';
  const { file } = isText ? manifest : spoiled.manifest;
  if (spoiled.bytes !== null) place(file, spoiled.bytes);
  place('manifest.json', isText ? spoiled.manifest : renderManifest(spoiled.manifest));
}
