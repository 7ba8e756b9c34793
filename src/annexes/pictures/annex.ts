import type { ServeAnnex } from '../../serve/annex.ts';

/** F3: pictures of events that are in the source folder. */
export const pictures = {
  name: 'pictures',
  load: () => import('./pictures.ts'),
} as const satisfies ServeAnnex;
