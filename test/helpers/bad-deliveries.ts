/** What can become of a good delivery on its way into a snapshot folder, and what has to be said of it then. */
import { createHash } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Manifest,
  parseManifest,
  renderManifest,
  snapshotFile,
  snapshotId,
} from '../../src/snapshot/folder.ts';

export interface BadDelivery {
  readonly what: string;
  /** Of the log and of `/readyz`. */
  readonly finding: RegExp;
  readonly spoil: (delivery: Delivery) => Spoiled;
}

interface Delivery {
  readonly bytes: Buffer;
  readonly manifest: Manifest;
}

interface Spoiled {
  /** Null: the file does not come. */
  readonly bytes: Buffer | null;
  readonly manifest: string;
  readonly file: string;
}

export const BAD_DELIVERIES: readonly BadDelivery[] = [
  {
    what: 'a truncated file',
    finding: /calendar-\w+\.sqlite: expected \d+ bytes, found 8192/,
    spoil: ({ bytes, manifest }) => as(manifest, bytes.subarray(0, 8_192)),
  },
  {
    what: 'a file with one bit flipped',
    finding: /calendar-\w+\.sqlite: expected SHA-256 \w{64}, found \w{64}/,
    spoil: ({ bytes, manifest }) =>
      as(
        manifest,
        changed(bytes, Math.floor(bytes.length / 2), (byte) => byte ^ 1),
      ),
  },
  {
    what: 'an empty file',
    finding: /calendar-\w+\.sqlite: expected \d+ bytes, found 0/,
    spoil: ({ bytes, manifest }) => as(manifest, bytes.subarray(0, 0)),
  },
  {
    what: 'a whole file with another application_id',
    finding: /expected application_id 0x616c6d61, found 0x616c6d00/,
    spoil: ({ bytes, manifest }) =>
      renamed(
        manifest,
        changed(bytes, 71, () => 0),
      ),
  },
  {
    what: 'a whole file of a newer format, in a manifest that does not say so',
    finding: /expected format \d+, found 9: this program is older than the build/,
    spoil: ({ bytes, manifest }) =>
      renamed(
        manifest,
        changed(bytes, 63, () => 9),
      ),
  },
  {
    what: 'a manifest of a newer format',
    finding: /manifest\.json: expected format \d+, found 9: this program is older than the build/,
    spoil: ({ bytes, manifest }) => as({ ...manifest, format: 9 }, bytes),
  },
  {
    what: 'a manifest that names a missing file',
    finding: /calendar-\w+\.sqlite: expected a file, found none/,
    spoil: ({ manifest }) => as(manifest, null),
  },
  {
    what: 'half a manifest',
    finding: /manifest\.json: expected JSON, found \{/,
    spoil: ({ bytes, manifest }) => {
      const text = renderManifest(manifest);
      return { bytes, file: manifest.file, manifest: text.slice(0, text.length / 2) };
    },
  },
  {
    what: 'a manifest with another SHA-256',
    finding: /calendar-\w+\.sqlite: expected SHA-256 \w{16}0{48}, found/,
    spoil: ({ bytes, manifest }) => as({ ...manifest, sha256: manifest.id + '0'.repeat(48) }, bytes),
  },
  {
    what: 'a manifest with another size',
    finding: /calendar-\w+\.sqlite: expected (\d+)1 bytes, found \1/,
    spoil: ({ bytes, manifest }) => as({ ...manifest, bytes: manifest.bytes * 10 + 1 }, bytes),
  },
  {
    what: 'a manifest with other counts',
    finding: /calendar-\w+\.sqlite: expected counts .*events\\*":0.*, found/,
    spoil: ({ bytes, manifest }) => as({ ...manifest, counts: { ...manifest.counts, events: 0 } }, bytes),
  },
];

/** Moves what was built into one folder to another, spoiled on the way. */
export function deliverSpoiled(from: string, to: string, { spoil }: BadDelivery): void {
  const manifest = parseManifest(readFileSync(join(from, 'manifest.json'), 'utf8'));
  const spoiled = spoil({ bytes: readFileSync(join(from, manifest.file)), manifest });
  if (spoiled.bytes !== null) place(to, spoiled.file, spoiled.bytes);
  place(to, 'manifest.json', spoiled.manifest);
}

function place(folder: string, name: string, content: Buffer | string): void {
  const draft = join(folder, `draft-of-${name}`);
  writeFileSync(draft, content);
  renameSync(draft, join(folder, name));
}

function as(manifest: Manifest, bytes: Buffer | null): Spoiled {
  return { bytes, file: manifest.file, manifest: renderManifest(manifest) };
}

/** With a name and a hash that are its own: only the file itself can tell. */
function renamed(manifest: Manifest, bytes: Buffer): Spoiled {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const id = snapshotId(sha256);
  const { compressed: _, ...plain } = manifest;
  return as({ ...plain, id, sha256, file: snapshotFile(id) }, bytes);
}

function changed(bytes: Buffer, at: number, change: (byte: number) => number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(change(copy.readUInt8(at)), at);
  return copy;
}
