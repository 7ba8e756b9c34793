import type { BuildAnnex } from '../../annex.ts';

/** G10, what came, went and changed, E: compares a build with the previous snapshot. */
export const comparing = {
  name: 'comparing',
  settings: {},
  load: () => import('./changes.ts'),
} as const satisfies BuildAnnex;
