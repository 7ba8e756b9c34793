import type { ServeAnnex } from '../../serve/annex.ts';

/** The developers' page and the changelog. */
export const pages = {
  name: 'pages',
  load: () => import('./pages.ts'),
} as const satisfies ServeAnnex;
