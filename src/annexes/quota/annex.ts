import type { ServeAnnex } from '../../serve/annex.ts';
import { type QuotaSettings, SETTINGS } from './settings.ts';

/** K4: how many requests a minute a caller may send. */
export const quota = {
  name: 'quota',
  settings: SETTINGS,
  load: () => import('./quota.ts'),
} as const satisfies ServeAnnex<QuotaSettings>;
