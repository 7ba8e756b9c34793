import type { BuildAnnex } from '../../annex.ts';

/** G3, what stops a build; G4, taxonomy: refuses a build that would empty a calendar in use. */
export const guards = {
  name: 'guards',
  settings: {},
  load: () => import('./guards.ts'),
} as const satisfies BuildAnnex;
