import type { ServeAnnex } from '../../serve/annex.ts';

/** I5: a custom element that shows the calendar in a page of another site. */
export const embed = {
  name: 'embed',
  optional: {
    name: 'embed',
    what: '`/embed.js`, the element that shows the calendar on other pages, and its list `/embed.json`',
  },
  load: () => import('./embed.ts'),
} as const satisfies ServeAnnex;
