import type { ServeAnnex } from '../../serve/annex.ts';

/** I10: the calendar as a page without a script, and oEmbed for addresses of it. */
export const listing = {
  name: 'listing',
  settings: {},
  load: () => import('./listing.ts'),
} as const satisfies ServeAnnex;
