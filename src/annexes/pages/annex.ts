import type { ServeAnnex } from '../../serve/annex.ts';

/** The developers' page and the changelog. */
export const pages = {
  name: 'pages',
  optional: {
    name: 'developers',
    what: '`/developers`, `/docs/`, `/changelog` and `/changelog.rss`',
  },
  load: () => import('./pages.ts'),
} as const satisfies ServeAnnex;
