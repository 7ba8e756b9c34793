import type { ServeAnnex } from '../../serve/annex.ts';
import { type ProxySettings, SETTINGS } from './settings.ts';

/** Addresses of callers that come through proxies. */
export const proxies = {
  name: 'proxies',
  settings: SETTINGS,
  load: () => import('./proxies.ts'),
} as const satisfies ServeAnnex<ProxySettings>;
