import type { ServeAnnex } from '../../serve/annex.ts';
import { orNone, type SettingsOf, type SettingsTable, wholeNumber } from '../../settings/kinds.ts';

/** Null for no limit. */
const REQUESTS_A_MINUTE = orNone(wholeNumber(1, 999_999));

const SETTINGS = {
  quota: {
    name: 'ALMANAKK_QUOTA',
    description: 'Requests a minute that one address may send without a valid key; by default unlimited.',
    ...REQUESTS_A_MINUTE,
  },
  quotaKeyed: {
    name: 'ALMANAKK_QUOTA_KEYED',
    description: 'Requests a minute that one application may send with its keys; by default unlimited.',
    ...REQUESTS_A_MINUTE,
  },
} as const satisfies SettingsTable;

/** K4: limits the requests a minute of a caller. */
export const quota = {
  name: 'quota',
  settings: SETTINGS,
  load: () => import('./quota.ts'),
} as const satisfies ServeAnnex<SettingsOf<typeof SETTINGS>>;
