import type { BuildPart } from '../../annex.ts';
import { readSigningKey } from '../../kit/signature.ts';
import type { SigningSettings } from './settings.ts';

/** Throws INVALID_SETTING for a key that cannot be read. */
export function create({ signingKey }: SigningSettings): BuildPart {
  return signingKey === null ? {} : { sign: readSigningKey(signingKey) };
}
