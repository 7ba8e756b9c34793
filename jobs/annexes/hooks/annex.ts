import { httpUrls, PRIVATE_FEEDS, secret } from '../../../src/annexes/common/settings.ts';
import { orNone, type SettingsOf, type SettingsTable } from '../../../src/settings/kinds.ts';
import type { BuildAnnex } from '../../annex.ts';

const SETTINGS = {
  ...PRIVATE_FEEDS,
  hooks: {
    name: 'ALMANAKK_HOOKS',
    description: 'URLs that get a POST when a changed snapshot is published, separated by commas.',
    // A URL may hold a secret.
    isSecret: true,
    ...httpUrls(),
  },
  hookSecret: {
    name: 'ALMANAKK_HOOK_SECRET',
    description:
      'Secret for signing these POSTs, in `X-Almanakk-Signature`; without one, they are not signed.',
    isSecret: true,
    ...orNone(secret()),
  },
} as const satisfies SettingsTable;

/** H10: notifies other servers of a published snapshot. */
export const hooks = {
  name: 'hooks',
  settings: SETTINGS,
  load: ({ hooks: urls }) => (urls.length === 0 ? null : import('./hooks.ts')),
} as const satisfies BuildAnnex<SettingsOf<typeof SETTINGS>>;
