import { storeUrl } from '../../../src/annexes/common/settings.ts';
import { orNone, type SettingsOf, type SettingsTable } from '../../../src/settings/kinds.ts';
import type { BuildAnnex } from '../../annex.ts';
import { deriveS3, type InStore, S3_SETTINGS } from '../../kit/s3-settings.ts';

const SETTINGS = {
  publish: {
    name: 'ALMANAKK_PUBLISH',
    description: 'Where to copy each snapshot after its build: `s3://bucket/prefix`.',
    ...orNone(storeUrl()),
  },
  ...S3_SETTINGS,
} as const satisfies SettingsTable;

/** J1: a builder that publishes to an object store. */
export const store = {
  name: 'store',
  settings: SETTINGS,
  derive: deriveS3,
  load: ({ publish }) => (publish === null ? null : import('./store.ts')),
} as const satisfies BuildAnnex<SettingsOf<typeof SETTINGS> & InStore>;
