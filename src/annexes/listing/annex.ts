import type { ServeAnnex } from '../../serve/annex.ts';

/** I10, I11: the calendar's own site, a plain page without scripts, and oEmbed for the pages' addresses. */
export const listing = {
  name: 'listing',
  optional: {
    name: 'site',
    what: 'the calendar’s own website with its plain page: `/`, `/events.html`, `/events/SLUG.html`, `/oembed`, `/sitemap.xml`, `/robots.txt` and its icons',
  },
  load: () => import('./listing.ts'),
} as const satisfies ServeAnnex;
