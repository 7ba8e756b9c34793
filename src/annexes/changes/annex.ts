import type { ServeAnnex } from '../../serve/annex.ts';

/** I7: the changes of builds, for clients with a copy of the calendar. */
export const changes = {
  name: 'changes',
  optional: {
    name: 'changes',
    what: '`/changes.json`; the GraphQL field `changes` stays',
  },
  load: () => import('./changes.ts'),
} as const satisfies ServeAnnex;
