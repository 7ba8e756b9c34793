import { KEYS } from '../../../src/annexes/common/settings.ts';
import type { SettingsOf } from '../../../src/settings/kinds.ts';
import type { BuildAnnex } from '../../annex.ts';

/** K1: the keys of applications, and the key pair that signs manifests. */
export const keys = {
  name: 'keys',
  settings: KEYS,
  command: () => import('./commands.ts'),
} as const satisfies BuildAnnex<SettingsOf<typeof KEYS>>;
