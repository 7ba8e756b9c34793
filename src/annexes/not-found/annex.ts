import type { ServeAnnex } from '../../serve/annex.ts';

/** D1: the page for a browser at a path that does not exist. */
export const notFound = {
  name: 'not-found',
  load: () => import('./not-found.ts'),
} as const satisfies ServeAnnex;
