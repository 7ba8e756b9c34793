import type { ServeAnnex } from '../../serve/annex.ts';
import { type SettingsOf, type SettingsTable, yesOrNo } from '../../settings/kinds.ts';
import { SNAPSHOTS_TOKEN } from '../common/settings.ts';

const SETTINGS = {
  ...SNAPSHOTS_TOKEN,
  serveSnapshots: {
    name: 'ALMANAKK_SERVE_SNAPSHOTS',
    fallback: 'false',
    description:
      'Whether to offer the snapshot folder to replicas under `/snapshots/`. The folder includes events that are not published yet.',
    ...yesOrNo(),
  },
} as const satisfies SettingsTable;

/** D8, H6: offers the snapshot folder to replicas. */
export const snapshots = {
  name: 'snapshots',
  settings: SETTINGS,
  load: () => import('./snapshots.ts'),
} as const satisfies ServeAnnex<SettingsOf<typeof SETTINGS>>;
