import type { ServeAnnex } from '../../serve/annex.ts';

/** D1: names the place where a body stops being JSON, and suggests replacements for unknown arguments. */
export const explain = {
  name: 'explain',
  load: () => import('./explain.ts'),
} as const satisfies ServeAnnex;
