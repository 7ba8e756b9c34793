import type { ServeAnnex } from '../../serve/annex.ts';

/** D11: automatic persisted queries. */
export const persisted = {
  name: 'persisted',
  load: () => import('./persisted.ts'),
} as const satisfies ServeAnnex;
