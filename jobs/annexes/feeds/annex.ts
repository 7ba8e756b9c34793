import { PRIVATE_FEEDS, paths } from '../../../src/annexes/common/settings.ts';
import type { SettingsOf, SettingsTable } from '../../../src/settings/kinds.ts';
import type { BuildAnnex } from '../../annex.ts';

const SETTINGS = {
  ...PRIVATE_FEEDS,
  sourceFiles: {
    name: 'ALMANAKK_SOURCE_FILES',
    description:
      'Folders, besides the source folder, that a `file` in `sources.json` may be in, separated by commas.',
    ...paths(),
  },
} as const satisfies SettingsTable;

/** F8, L1, L2: records of calendars, tables, pages and endpoints of others, which `sources.json` names. */
export const feeds = {
  name: 'feeds',
  settings: SETTINGS,
  load: () => import('./merge.ts'),
} as const satisfies BuildAnnex<SettingsOf<typeof SETTINGS>>;
