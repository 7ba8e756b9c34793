import type { ServeAnnex } from '../../serve/annex.ts';
import { type AlertSettings, SETTINGS } from './settings.ts';

/** H12, alerts: mails about concerns that an operator should look into. */
export const alerts = {
  name: 'alerts',
  settings: SETTINGS,
  load: () => import('./alerts.ts'),
} as const satisfies ServeAnnex<AlertSettings>;
