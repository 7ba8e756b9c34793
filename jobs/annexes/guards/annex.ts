import type { BuildAnnex } from '../../annex.ts';

/** G3, G4: a build that would empty a calendar which people use is refused. */
export const guards = {
  name: 'guards',
  settings: {},
  load: () => import('./guards.ts'),
} as const satisfies BuildAnnex;
