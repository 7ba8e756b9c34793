import { KEYS, MAIL } from '../../../src/annexes/common/settings.ts';
import type { SettingsOf } from '../../../src/settings/kinds.ts';

export const SETTINGS = { ...KEYS, ...MAIL } as const;

export type MailSettings = SettingsOf<typeof SETTINGS>;
