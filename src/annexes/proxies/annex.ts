import { isIP } from 'node:net';
import type { ServeAnnex } from '../../serve/annex.ts';
import type { Optional, SettingsOf, SettingsTable } from '../../settings/kinds.ts';

const SETTINGS = {
  /** Addresses, and networks as an address, a slash and a number of bits. */
  trustProxy: {
    name: 'ALMANAKK_TRUST_PROXY',
    description: 'Proxies whose `X-Forwarded-For` is trusted: addresses or CIDR ranges, separated by commas.',
    ...networks(),
  },
} as const satisfies SettingsTable;

/** Addresses of callers that come through proxies. */
export const proxies = {
  name: 'proxies',
  settings: SETTINGS,
  load: () => import('./proxies.ts'),
} as const satisfies ServeAnnex<SettingsOf<typeof SETTINGS>>;

/** Empty if it is unset. */
function networks(): Optional<readonly string[]> {
  return {
    fallback: '',
    expected: 'addresses or CIDR ranges such as 127.0.0.1, 10.0.0.0/8, 2001:db8::/32',
    parse(text) {
      const list = text === '' ? [] : text.split(',').map((network) => network.trim());
      return list.every(isNetwork) ? list : undefined;
    },
  };
}

function isNetwork(text: string): boolean {
  const [, address = '', bits] = /^([\da-f:.]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const family = isIP(address);
  return family !== 0 && Number(bits ?? 0) <= (family === 4 ? 32 : 128);
}
