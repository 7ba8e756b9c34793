import type { BuildAnnex } from '../../annex.ts';

/** G9, one event once; F12, duplicates.json: joins the records of one event from several sources. */
export const duplicates = {
  name: 'duplicates',
  settings: {},
  load: () => import('./duplicates.ts'),
} as const satisfies BuildAnnex;
