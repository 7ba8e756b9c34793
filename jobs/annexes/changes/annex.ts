import type { BuildAnnex } from '../../annex.ts';

/** G10, E: a build is compared with the snapshot before it. */
export const comparing = {
  name: 'comparing',
  settings: {},
  load: () => import('./changes.ts'),
} as const satisfies BuildAnnex;
