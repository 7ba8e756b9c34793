import { type SettingsOf, type SettingsTable, yesOrNo } from '../../../src/settings/kinds.ts';
import type { BuildAnnex } from '../../annex.ts';

const SETTINGS = {
  watch: {
    name: 'ALMANAKK_WATCH',
    fallback: 'true',
    description:
      'Whether a change in the source folder starts a build at once; feeds are still fetched on schedule only.',
    ...yesOrNo(),
  },
} as const satisfies SettingsTable;

/** H11: a change in the source folder starts a build. */
export const watch = {
  name: 'watch',
  settings: SETTINGS,
  load: ({ watch: isWanted }) => (isWanted ? import('./watch.ts') : null),
} as const satisfies BuildAnnex<SettingsOf<typeof SETTINGS>>;
