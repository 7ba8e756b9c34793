import type { ServeAnnex } from '../../serve/annex.ts';

/** I7: the changes of builds, for clients with a copy of the calendar. */
export const changes = {
  name: 'changes',
  load: () => import('./changes.ts'),
} as const satisfies ServeAnnex;
