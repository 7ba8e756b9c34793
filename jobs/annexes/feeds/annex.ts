import { PRIVATE_FEEDS } from '../../../src/annexes/common/settings.ts';
import type { SettingsOf } from '../../../src/settings/kinds.ts';
import type { BuildAnnex } from '../../annex.ts';

/**
 * F8, postal codes and municipalities; L1, tables; L2, pages: records of calendars, tables, pages and endpoints of others, which
 * `sources.json` names.
 */
export const feedsIn = {
  name: 'feedsIn',
  settings: PRIVATE_FEEDS,
  load: () => import('./merge.ts'),
} as const satisfies BuildAnnex<SettingsOf<typeof PRIVATE_FEEDS>>;
