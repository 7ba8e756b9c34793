import { isIP } from 'node:net';
import type { ServeAnnex } from '../../serve/annex.ts';
import type { SettingsOf, SettingsTable } from '../../settings/kinds.ts';
import { severalOf } from '../common/settings.ts';

const SETTINGS = {
  /** Addresses, and networks as an address, a slash and a number of bits. */
  trustProxy: {
    name: 'ALMANAKK_TRUST_PROXY',
    description: 'Proxies whose `X-Forwarded-For` is trusted: addresses or CIDR ranges, separated by commas.',
    ...severalOf('addresses or CIDR ranges such as 127.0.0.1, 10.0.0.0/8, 2001:db8::/32', (text) =>
      isNetwork(text) ? text : undefined,
    ),
  },
} as const satisfies SettingsTable;

/** Addresses of callers that come through proxies. */
export const proxies = {
  name: 'proxies',
  settings: SETTINGS,
  load: () => import('./proxies.ts'),
} as const satisfies ServeAnnex<SettingsOf<typeof SETTINGS>>;

function isNetwork(text: string): boolean {
  const [, address = '', bits] = /^([\da-f:.]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(bits ?? 0) <= (family === 4 ? 32 : 128);
}
