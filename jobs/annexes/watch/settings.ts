import { type SettingsOf, type SettingsTable, yesOrNo } from '../../../src/settings/kinds.ts';

export const SETTINGS = {
  watch: {
    name: 'ALMANAKK_WATCH',
    fallback: 'true',
    description: 'Whether a change in the source folder starts a build at once; feeds stay on the schedule.',
    ...yesOrNo(),
  },
} as const satisfies SettingsTable;

export type WatchSettings = SettingsOf<typeof SETTINGS>;
