import type { ServeAnnex } from '../../serve/annex.ts';

/** I8: what this server offers, described for programs. */
export const catalog = {
  name: 'catalog',
  settings: {},
  load: () => import('./catalog.ts'),
} as const satisfies ServeAnnex;
