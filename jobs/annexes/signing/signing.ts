/** J3: signs the manifest of each publication. */
import type { BuildPart } from '../../annex.ts';
import { readSigningKey } from '../../kit/signature.ts';

/** Throws INVALID_SETTING for a key that cannot be read. */
export function create({ signingKey }: { readonly signingKey: string | null }): BuildPart {
  return signingKey === null ? {} : { sign: readSigningKey(signingKey) };
}
