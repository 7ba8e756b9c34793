import type { BuildAnnex } from '../../annex.ts';
import { type HookSettings, SETTINGS } from './settings.ts';

/** H10, hooks: notifies other servers of a published snapshot. */
export const hooks = {
  name: 'hooks',
  settings: SETTINGS,
  load: ({ hooks: urls }) => (urls.length === 0 ? null : import('./hooks.ts')),
} as const satisfies BuildAnnex<HookSettings>;
