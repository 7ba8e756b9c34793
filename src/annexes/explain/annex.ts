import type { ServeAnnex } from '../../serve/annex.ts';

/** D1: names the place where a body stops being JSON. */
export const explain = {
  name: 'explain',
  settings: {},
  load: () => import('./json-fault.ts'),
} as const satisfies ServeAnnex;
