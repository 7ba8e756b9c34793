import { type SettingsOf, type SettingsTable, yesOrNo } from '../../settings/kinds.ts';

export const SETTINGS = {
  logQueries: {
    name: 'ALMANAKK_LOG_QUERIES',
    fallback: 'false',
    description: 'Logs executed queries and variables; they may contain personal data.',
    ...yesOrNo(),
  },
} as const satisfies SettingsTable;

export type QueryLogSettings = SettingsOf<typeof SETTINGS>;
