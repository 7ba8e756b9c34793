import { hostName, orNone, type SettingsOf, type SettingsTable, wholeNumber } from '../../settings/kinds.ts';
import { KEYS, MAIL, mailboxes, token } from '../common/settings.ts';

export const SETTINGS = {
  adminPort: {
    name: 'ALMANAKK_ADMIN_PORT',
    description: 'Port of its own for `/status` and `/metrics`; without one they stand beside the endpoint.',
    ...orNone(wholeNumber(0, 65_535)),
  },
  adminHost: {
    name: 'ALMANAKK_ADMIN_HOST',
    description: 'Address to listen on at that port; `0.0.0.0` for every address of the machine.',
    ...orNone(hostName()),
    fallback: '127.0.0.1',
  },
  adminToken: {
    name: 'ALMANAKK_ADMIN_TOKEN',
    description:
      'What `/status` and `/metrics` ask for, as Bearer token or as password; without one they are open.',
    ...orNone(token()),
    isSecret: true,
  },
  ...KEYS,
  ...MAIL,
  alertTo: {
    name: 'ALMANAKK_ALERT_TO',
    description:
      'Addresses that get a mail when something needs to be looked into, and when it is over, separated by commas.',
    ...mailboxes(),
  },
} as const satisfies SettingsTable;

export type OperatorSettings = SettingsOf<typeof SETTINGS>;
