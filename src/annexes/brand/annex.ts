import type { ServeAnnex } from '../../serve/annex.ts';

/** I15: the colours and the logo that a source folder gives the pages. */
export const brand = {
  name: 'brand',
  load: () => import('./brand.ts'),
} as const satisfies ServeAnnex;
