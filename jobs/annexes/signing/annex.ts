import type { BuildAnnex } from '../../annex.ts';
import { SETTINGS, type SigningSettings } from './settings.ts';

/** J3, signatures: a builder that signs its manifests. */
export const signing = {
  name: 'signing',
  settings: SETTINGS,
  load: ({ signingKey }) => (signingKey === null ? null : import('./signing.ts')),
} as const satisfies BuildAnnex<SigningSettings>;
