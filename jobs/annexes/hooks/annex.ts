import type { BuildAnnex } from '../../annex.ts';
import { type HookSettings, SETTINGS } from './settings.ts';

/** H10: tells others that a snapshot was published. */
export const hooks = {
  name: 'hooks',
  settings: SETTINGS,
  load: ({ hooks: urls }) => (urls.length === 0 ? null : import('./hooks.ts')),
} as const satisfies BuildAnnex<HookSettings>;
