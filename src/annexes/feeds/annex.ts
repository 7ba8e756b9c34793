import type { ServeAnnex } from '../../serve/annex.ts';

/** I1: the calendar as iCalendar, RSS and JSON-LD. */
export const feeds = {
  name: 'feeds',
  settings: {},
  load: () => import('./feeds.ts'),
} as const satisfies ServeAnnex;
