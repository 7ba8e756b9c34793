import type { BuildAnnex } from '../../annex.ts';
import { type FeedsSettings, SETTINGS } from './settings.ts';

/** F8, L1, L2: records of calendars, tables, pages and endpoints of others, which `sources.json` names. */
export const feedsIn = {
  name: 'feedsIn',
  settings: SETTINGS,
  load: () => import('./merge.ts'),
} as const satisfies BuildAnnex<FeedsSettings>;
