import type { BuildAnnex } from '../../annex.ts';
import { type MailSettings, SETTINGS } from './settings.ts';

/** K3, mails: mails about planned changes. */
export const announce = {
  name: 'announce',
  settings: SETTINGS,
  command: () => import('./command.ts'),
} as const satisfies BuildAnnex<MailSettings>;
