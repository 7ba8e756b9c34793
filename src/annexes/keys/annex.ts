import type { ServeAnnex } from '../../serve/annex.ts';
import type { SettingsOf } from '../../settings/kinds.ts';
import { KEYS } from '../common/settings.ts';

/** D4: finds the application of a call's key. */
export const keyRing = {
  name: 'keys',
  settings: KEYS,
  load: () => import('./key-ring.ts'),
} as const satisfies ServeAnnex<SettingsOf<typeof KEYS>>;
