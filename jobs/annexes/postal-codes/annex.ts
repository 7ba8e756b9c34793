import type { BuildAnnex } from '../../annex.ts';

/** F8, postal codes and municipalities; F10, names in capitals: municipalities of venues by the national register of postal codes. */
export const postalCodes = {
  name: 'postal-codes',
  settings: {},
  load: () => import('./register.ts'),
} as const satisfies BuildAnnex;
