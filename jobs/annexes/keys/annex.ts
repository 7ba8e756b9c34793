import type { BuildAnnex } from '../../annex.ts';

/** K1: the keys of applications, and the pair that signs manifests. */
export const keys = {
  name: 'keys',
  settings: {},
  command: () => import('./commands.ts'),
} as const satisfies BuildAnnex;
