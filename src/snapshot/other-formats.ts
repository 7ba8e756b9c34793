/**
 * H5: the last snapshot in each other format. While versions with two formats run, a machine without a snapshot needs one that it can read, so
 * its manifest stays under the name of its format.
 */
import { MANIFEST } from './files.ts';
import { type Manifest, parseManifest } from './manifest.ts';

const NAME = /^manifest-\d{1,9}\.json$/;

export function manifestOfFormat(format: number): string {
  return MANIFEST.replace('.', `-${format}.`);
}

export function isManifestOfFormat(name: string): boolean {
  return NAME.test(name);
}

interface OtherManifest {
  readonly name: string;
  /** Null for one that cannot be read. */
  readonly text: string | null;
}

interface OtherFormats {
  /** Ids of the snapshots that stay. */
  readonly keptIds: readonly string[];
  /** Names of the manifests that go. */
  readonly removedNames: readonly string[];
}

/** Which of these manifests stay beside the current one. */
export function chooseOtherFormats(manifests: readonly OtherManifest[], current: Manifest): OtherFormats {
  const keptIds: string[] = [];
  const removedNames: string[] = [];
  for (const { name, text } of manifests) {
    const manifest = manifestIn(text);
    if (manifest !== null && staysBeside(manifest, current)) keptIds.push(manifest.id);
    else removedNames.push(name);
  }
  return { keptIds, removedNames };
}

/** Milliseconds: machines that run another version for longer than a week are not part of an upgrade. */
const LONGEST_MS = 7 * 86_400_000;

function staysBeside({ format, builtAt }: Manifest, current: Manifest): boolean {
  return format !== current.format && Date.parse(current.builtAt) - Date.parse(builtAt) <= LONGEST_MS;
}

/** Null for a text that is no manifest. */
export function manifestIn(text: string | null): Manifest | null {
  try {
    return parseManifest(text ?? '');
  } catch {
    return null;
  }
}
