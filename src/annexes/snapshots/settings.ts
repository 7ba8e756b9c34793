import { type SettingsOf, type SettingsTable, yesOrNo } from '../../settings/kinds.ts';
import { SNAPSHOTS_TOKEN } from '../common/settings.ts';

export const SETTINGS = {
  ...SNAPSHOTS_TOKEN,
  serveSnapshots: {
    name: 'ALMANAKK_SERVE_SNAPSHOTS',
    fallback: 'false',
    description:
      'Whether to offer the snapshot folder, which also holds what is not published yet, under `/snapshots/` and `/calendar.sqlite`.',
    ...yesOrNo(),
  },
} as const satisfies SettingsTable;

export type SnapshotsSettings = SettingsOf<typeof SETTINGS>;
