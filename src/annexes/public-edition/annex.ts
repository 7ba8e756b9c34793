import type { ServeAnnex } from '../../serve/annex.ts';

/** J5: offers the public edition to everybody. */
export const publicEdition = {
  name: 'public-edition',
  load: () => import('./public-edition.ts'),
} as const satisfies ServeAnnex;
