import type { BuildAnnex } from '../../annex.ts';

/** K2, planned changes; G4, taxonomy: planned changes of the calendar, and ids of categories that never get another meaning. */
export const notices = {
  name: 'notices',
  settings: {},
  load: () => import('./notices.ts'),
} as const satisfies BuildAnnex;
