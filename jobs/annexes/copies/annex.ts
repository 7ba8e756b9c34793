import type { BuildAnnex } from '../../annex.ts';

/** J4, compressed copies: a compressed copy beside each snapshot, for others to fetch. */
export const copies = {
  name: 'copies',
  settings: {},
  load: () => import('./compress.ts'),
} as const satisfies BuildAnnex;
