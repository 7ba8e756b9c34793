import { hostName, orNone, type SettingsOf, type SettingsTable, wholeNumber } from '../../settings/kinds.ts';
import { KEYS, MAIL, mailboxes, token } from '../common/settings.ts';

export const SETTINGS = {
  adminPort: {
    name: 'ALMANAKK_ADMIN_PORT',
    description:
      'Separate port for `/status` and `/metrics`; without one they use the same port as the endpoint.',
    ...orNone(wholeNumber(0, 65_535)),
  },
  adminHost: {
    name: 'ALMANAKK_ADMIN_HOST',
    description: 'Address to listen on at that port; `0.0.0.0` for every address of the machine.',
    fallback: '127.0.0.1',
    ...hostName(),
  },
  adminToken: {
    name: 'ALMANAKK_ADMIN_TOKEN',
    description:
      'Token that `/status` and `/metrics` require, as Bearer token or as password; without one they are open.',
    ...orNone(token()),
    isSecret: true,
  },
  ...KEYS,
  ...MAIL,
  alertTo: {
    name: 'ALMANAKK_ALERT_TO',
    description:
      'Addresses that get a mail when a problem begins and when it is resolved, separated by commas.',
    ...mailboxes(),
  },
} as const satisfies SettingsTable;

export type OperatorSettings = SettingsOf<typeof SETTINGS>;
