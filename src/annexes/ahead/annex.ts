import type { ServeAnnex } from '../../serve/annex.ts';

/** Events of a new snapshot in memory before they are requested. */
export const ahead = {
  name: 'ahead',
  settings: {},
  load: () => import('./ahead.ts'),
} as const satisfies ServeAnnex;
