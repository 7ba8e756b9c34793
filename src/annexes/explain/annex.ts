import type { ServeAnnex } from '../../serve/annex.ts';

/** D1: names the place where a body stops being JSON, and suggests arguments in place of unknown ones. */
export const explain = {
  name: 'explain',
  load: () => import('./explain.ts'),
} as const satisfies ServeAnnex;
