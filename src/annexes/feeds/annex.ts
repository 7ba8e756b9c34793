import type { ServeAnnex } from '../../serve/annex.ts';

/** I1, parameters and HTTP; I6, plain lists: the calendar as iCalendar, RSS and JSON-LD, and as plain JSON, GeoJSON and CSV. */
export const feeds = {
  name: 'feeds',
  load: () => import('./feeds.ts'),
} as const satisfies ServeAnnex;
