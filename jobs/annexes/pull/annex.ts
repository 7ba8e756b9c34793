import {
  eitherOf,
  PRIVATE_FEEDS,
  paths,
  SNAPSHOTS_TOKEN,
  storeUrl,
} from '../../../src/annexes/common/settings.ts';
import { httpUrl, orNone, type SettingsOf, type SettingsTable } from '../../../src/settings/kinds.ts';
import type { BuildAnnex } from '../../annex.ts';
import { deriveS3, type InStore, S3_SETTINGS } from '../../kit/s3-settings.ts';

const SETTINGS = {
  origin: {
    name: 'ALMANAKK_ORIGIN',
    description:
      'URL of a snapshot folder to copy from, or `s3://bucket/prefix`, instead of building from a source.',
    ...orNone(eitherOf(httpUrl(), storeUrl())),
  },
  trust: {
    name: 'ALMANAKK_TRUST',
    description: 'Files with the public keys whose signatures a replica accepts, separated by commas.',
    ...paths(),
  },
  ...PRIVATE_FEEDS,
  ...SNAPSHOTS_TOKEN,
  ...S3_SETTINGS,
} as const satisfies SettingsTable;

/** H6: a replica, which copies the snapshots of an origin. */
export const pull = {
  name: 'pull',
  settings: SETTINGS,
  derive: deriveS3,
  load: () => import('./previous.ts'),
  follow: ({ origin }) => (origin === null ? null : import('./pull.ts')),
  command: () => import('./pull.ts'),
} as const satisfies BuildAnnex<SettingsOf<typeof SETTINGS> & InStore>;
