import { orNone, path, type SettingsOf, type SettingsTable } from '../../../src/settings/kinds.ts';
import type { BuildAnnex } from '../../annex.ts';

const SETTINGS = {
  signingKey: {
    name: 'ALMANAKK_SIGNING_KEY',
    description: 'File of the private key that a builder signs its manifests with.',
    ...orNone(path()),
  },
} as const satisfies SettingsTable;

/** J3: a builder that signs its manifests. */
export const signing = {
  name: 'signing',
  settings: SETTINGS,
  load: ({ signingKey }) => (signingKey === null ? null : import('./signing.ts')),
} as const satisfies BuildAnnex<SettingsOf<typeof SETTINGS>>;
