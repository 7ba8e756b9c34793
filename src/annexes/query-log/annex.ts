import type { ServeAnnex } from '../../serve/annex.ts';
import { type QueryLogSettings, SETTINGS } from './settings.ts';

/** The text and variables of executed queries in the log. */
export const queryLog = {
  name: 'query-log',
  settings: SETTINGS,
  load: () => import('./query-log.ts'),
} as const satisfies ServeAnnex<QueryLogSettings>;
