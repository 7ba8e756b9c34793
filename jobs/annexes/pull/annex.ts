import type { BuildAnnex } from '../../annex.ts';
import { deriveS3 } from '../../kit/s3-settings.ts';
import { type PullSettings, SETTINGS } from './settings.ts';

/** H6, replicas: a replica, which copies the snapshots of an origin. */
export const pull = {
  name: 'pull',
  settings: SETTINGS,
  derive: deriveS3,
  follow: ({ origin }) => (origin === null ? null : import('./pull.ts')),
  command: () => import('./pull.ts'),
} as const satisfies BuildAnnex<PullSettings>;
