import { KEYS, MAIL } from '../../../src/annexes/common/settings.ts';
import type { SettingsOf } from '../../../src/settings/kinds.ts';
import type { BuildAnnex } from '../../annex.ts';

/** The key file has the recipients. */
const SETTINGS = { ...KEYS, ...MAIL } as const;

/** K3: mails about planned changes. */
export const announce = {
  name: 'announce',
  settings: SETTINGS,
  command: () => import('./command.ts'),
} as const satisfies BuildAnnex<SettingsOf<typeof SETTINGS>>;
