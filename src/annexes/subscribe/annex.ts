import type { ServeAnnex } from '../../serve/annex.ts';

/** I9: the page that builds addresses of subscriptions, and markup for other sites. */
export const subscribe = {
  name: 'subscribe',
  optional: {
    name: 'subscribe',
    what: '`/subscribe`, which creates links to lists',
  },
  load: () => import('./subscribe.ts'),
} as const satisfies ServeAnnex;
