import type { ServeAnnex } from '../../serve/annex.ts';

/** I7: a custom element that shows the calendar in somebody else's page. */
export const embed = {
  name: 'embed',
  settings: {},
  load: () => import('./embed.ts'),
} as const satisfies ServeAnnex;
