import type { BuildAnnex } from '../../annex.ts';

/** G3, G4: refuses a build that would empty a calendar in use. */
export const guards = {
  name: 'guards',
  settings: {},
  load: () => import('./guards.ts'),
} as const satisfies BuildAnnex;
