import { orNone, path, type SettingsOf, type SettingsTable } from '../../../src/settings/kinds.ts';

export const SETTINGS = {
  signingKey: {
    name: 'ALMANAKK_SIGNING_KEY',
    description: 'File of the private key that a builder signs its manifests with.',
    ...orNone(path()),
  },
} as const satisfies SettingsTable;

export type SigningSettings = SettingsOf<typeof SETTINGS>;
