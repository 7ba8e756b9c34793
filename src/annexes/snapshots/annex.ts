import type { ServeAnnex } from '../../serve/annex.ts';
import { SETTINGS, type SnapshotsSettings } from './settings.ts';

/** D8, other paths; H6, replicas: offers the snapshot folder to replicas, and to people who query it by SQL. */
export const snapshots = {
  name: 'snapshots',
  settings: SETTINGS,
  load: () => import('./snapshots.ts'),
} as const satisfies ServeAnnex<SnapshotsSettings>;
