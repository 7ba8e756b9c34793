import type { BuildAnnex } from '../../annex.ts';
import { deriveS3 } from '../../kit/s3-settings.ts';
import { SETTINGS, type StoreSettings } from './settings.ts';

/** J1, publishing to an object store: a builder that publishes to an object store. */
export const store = {
  name: 'store',
  settings: SETTINGS,
  derive: deriveS3,
  load: ({ publish }) => (publish === null ? null : import('./store.ts')),
} as const satisfies BuildAnnex<StoreSettings>;
