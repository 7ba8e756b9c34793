import type { ServeAnnex } from '../../serve/annex.ts';
import { type SettingsOf, type SettingsTable, yesOrNo } from '../../settings/kinds.ts';

const SETTINGS = {
  logQueries: {
    name: 'ALMANAKK_LOG_QUERIES',
    fallback: 'false',
    description: 'Whether to log executed queries and variables, which may contain personal data.',
    ...yesOrNo(),
  },
} as const satisfies SettingsTable;

/** The text and variables of executed queries in the log. */
export const queryLog = {
  name: 'query-log',
  settings: SETTINGS,
  load: () => import('./query-log.ts'),
} as const satisfies ServeAnnex<SettingsOf<typeof SETTINGS>>;
