import type { ServeAnnex } from '../../serve/annex.ts';
import { type QuotaSettings, SETTINGS } from './settings.ts';

/** K4, quota: limits the requests a minute of a caller. */
export const quota = {
  name: 'quota',
  settings: SETTINGS,
  load: () => import('./quota.ts'),
} as const satisfies ServeAnnex<QuotaSettings>;
