import type { ServeAnnex } from '../../serve/annex.ts';

/** I1, I6: the calendar as iCalendar, RSS and JSON-LD, and as plain JSON, GeoJSON and CSV. */
export const feeds = {
  name: 'feeds',
  optional: {
    name: 'feeds',
    what: '`/events.ics`, `.rss`, `.json`, `.jsonld`, `.geojson` and `.csv`',
  },
  load: () => import('./feeds.ts'),
} as const satisfies ServeAnnex;
