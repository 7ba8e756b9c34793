import type { ServeAnnex } from '../../serve/annex.ts';

/** I10, the plain page: the calendar as a page without scripts, and oEmbed for its addresses. */
export const listing = {
  name: 'listing',
  load: () => import('./listing.ts'),
} as const satisfies ServeAnnex;
