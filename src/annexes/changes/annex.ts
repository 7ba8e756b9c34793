import type { ServeAnnex } from '../../serve/annex.ts';

/** I7: what builds changed, for those who keep a copy of the calendar. */
export const changes = {
  name: 'changes',
  settings: {},
  load: () => import('./changes.ts'),
} as const satisfies ServeAnnex;
