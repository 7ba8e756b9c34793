/** The settings of mails about planned changes. */

import { MAIL } from '../../../src/annexes/common/settings.ts';
import type { SettingsOf } from '../../../src/settings/kinds.ts';

export const SETTINGS = MAIL;

export type MailSettings = SettingsOf<typeof SETTINGS>;
