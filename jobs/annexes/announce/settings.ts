/** The settings of mails about planned changes. */
import type { SettingsOf } from '../../../src/settings/kinds.ts';
import { MAIL } from '../../../src/settings/shared.ts';

export const SETTINGS = MAIL;

export type MailSettings = SettingsOf<typeof SETTINGS>;
