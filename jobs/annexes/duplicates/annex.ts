import type { BuildAnnex } from '../../annex.ts';

/** G9, F12: an event that several sources have becomes one. */
export const duplicates = {
  name: 'duplicates',
  settings: {},
  load: () => import('./duplicates.ts'),
} as const satisfies BuildAnnex;
