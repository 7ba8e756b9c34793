import { orNone, path, type SettingsOf, type SettingsTable } from '../../../src/settings/kinds.ts';
import type { BuildAnnex } from '../../annex.ts';

const SETTINGS = {
  signingKey: {
    name: 'ALMANAKK_SIGNING_KEY',
    description: 'File with the private key that a builder uses to sign its manifests.',
    ...orNone(path()),
  },
} as const satisfies SettingsTable;

/** J3: a builder that signs its manifests. */
export const signing = {
  name: 'signing',
  settings: SETTINGS,
  load: ({ signingKey }) => (signingKey === null ? null : import('./signing.ts')),
} as const satisfies BuildAnnex<SettingsOf<typeof SETTINGS>>;
