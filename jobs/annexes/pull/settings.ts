import {
  eitherOf,
  PRIVATE_FEEDS,
  paths,
  SNAPSHOTS_TOKEN,
  storeUrl,
} from '../../../src/annexes/common/settings.ts';
import { httpUrl, orNone, type SettingsOf, type SettingsTable } from '../../../src/settings/kinds.ts';
import { type InStore, S3_SETTINGS } from '../../kit/s3-settings.ts';

export const SETTINGS = {
  /** Ends in a slash; null for a machine that builds itself. */
  origin: {
    name: 'ALMANAKK_ORIGIN',
    description:
      'URL of a snapshot folder to copy from, or `s3://bucket/prefix`, instead of building from a source.',
    ...orNone(eitherOf(httpUrl(), storeUrl())),
  },
  trust: {
    name: 'ALMANAKK_TRUST',
    description: 'Files of the public keys whose manifests a replica takes, separated by commas.',
    ...paths(),
  },
  ...PRIVATE_FEEDS,
  ...SNAPSHOTS_TOKEN,
  ...S3_SETTINGS,
} as const satisfies SettingsTable;

export type PullSettings = SettingsOf<typeof SETTINGS> & InStore;
