import { eitherOf, folderUrl, storeUrl } from '../../../src/annexes/common/settings.ts';
import { orNone, type SettingsOf, type SettingsTable } from '../../../src/settings/kinds.ts';
import type { BuildAnnex } from '../../annex.ts';
import { deriveS3, type InStore, S3_SETTINGS } from '../../kit/s3-settings.ts';

const TARGET = eitherOf(storeUrl(), folderUrl());

const SETTINGS = {
  publish: {
    name: 'ALMANAKK_PUBLISH',
    description:
      'Where each build copies its snapshot to: `s3://bucket/prefix`, or a folder such as `file:///srv/kalender`.',
    ...orNone(TARGET),
  },
  publishPublic: {
    name: 'ALMANAKK_PUBLISH_PUBLIC',
    description:
      'Target for the public edition alone, in the same format; for example, a web root. Needs `ALMANAKK_PUBLIC_FILE=true`.',
    ...orNone(TARGET),
  },
  ...S3_SETTINGS,
} as const satisfies SettingsTable;

/** J1, J5, J6: a builder that publishes to an object store, or to folders. */
export const store = {
  name: 'store',
  settings: SETTINGS,
  derive: deriveS3,
  load: ({ publish, publishPublic }) =>
    publish === null && publishPublic === null ? null : import('./store.ts'),
} as const satisfies BuildAnnex<SettingsOf<typeof SETTINGS> & InStore>;
