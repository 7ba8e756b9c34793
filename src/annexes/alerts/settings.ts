/** The alerts' settings. */
import type { SettingsOf, SettingsTable } from '../../settings/kinds.ts';
import { KEYS, MAIL, mailboxes } from '../common/settings.ts';

export const SETTINGS = {
  ...KEYS,
  ...MAIL,
  alertTo: {
    name: 'ALMANAKK_ALERT_TO',
    description:
      'Addresses that get a mail when something needs to be looked into, and when it is over, separated by commas.',
    ...mailboxes(),
  },
} as const satisfies SettingsTable;

export type AlertSettings = SettingsOf<typeof SETTINGS>;
