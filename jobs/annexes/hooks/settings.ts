/** The settings of hooks. */
import { httpUrls, orNone, type SettingsOf, type SettingsTable, token } from '../../../src/settings/kinds.ts';
import { PRIVATE_FEEDS } from '../../../src/settings/shared.ts';

export const SETTINGS = {
  ...PRIVATE_FEEDS,
  hooks: {
    name: 'ALMANAKK_HOOKS',
    description: 'URLs that get a POST after each publish that changed something, separated by commas.',
    // A URL may hold a secret.
    isSecret: true,
    ...httpUrls(),
  },
  hookSecret: {
    name: 'ALMANAKK_HOOK_SECRET',
    description:
      'What these POSTs are signed with, in `X-Almanakk-Signature`; without it they are not signed.',
    isSecret: true,
    ...orNone(token()),
  },
} as const satisfies SettingsTable;

export type HookSettings = SettingsOf<typeof SETTINGS>;
