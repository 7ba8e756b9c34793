import { ALERT_TO, KEYS, MAIL } from '../../../src/annexes/common/settings.ts';
import type { SettingsOf } from '../../../src/settings/kinds.ts';
import type { BuildAnnex } from '../../annex.ts';

/** The key file has the recipients. */
const SETTINGS = { ...KEYS, ...MAIL, ...ALERT_TO } as const;

/** K3: mails about planned changes, and mails of scripts to operators. */
export const announce = {
  name: 'announce',
  settings: SETTINGS,
  command: () => import('./command.ts'),
} as const satisfies BuildAnnex<SettingsOf<typeof SETTINGS>>;
