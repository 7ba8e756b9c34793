import type { BuildAnnex } from '../../annex.ts';
import { SETTINGS, type WatchSettings } from './settings.ts';

/** H11, watching: a change in the source folder starts a build. */
export const watch = {
  name: 'watch',
  settings: SETTINGS,
  load: ({ watch: isWanted }) => (isWanted ? import('./watch.ts') : null),
} as const satisfies BuildAnnex<WatchSettings>;
