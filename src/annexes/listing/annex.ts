import type { ServeAnnex } from '../../serve/annex.ts';

/** I10, I11: the calendar's own site, a plain page without scripts, and oEmbed for their addresses. */
export const listing = {
  name: 'listing',
  load: () => import('./listing.ts'),
} as const satisfies ServeAnnex;
