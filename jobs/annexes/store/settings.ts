import { storeUrl } from '../../../src/annexes/common/settings.ts';
import { orNone, type SettingsOf, type SettingsTable } from '../../../src/settings/kinds.ts';
import { type InStore, S3_SETTINGS } from '../../kit/s3-settings.ts';

export const SETTINGS = {
  /** Ends in a slash; null for a builder that publishes to no store. */
  publish: {
    name: 'ALMANAKK_PUBLISH',
    description: 'Where to copy each snapshot after its build: `s3://bucket/prefix`.',
    ...orNone(storeUrl()),
  },
  ...S3_SETTINGS,
} as const satisfies SettingsTable;

export type StoreSettings = SettingsOf<typeof SETTINGS> & InStore;
