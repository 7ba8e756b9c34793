import type { BuildAnnex } from '../../annex.ts';

/**
 * G2, as little as possible is dropped, and it is named: what `npm run rebuild` prints for people. Without this annex it prints its JSON
 * document.
 */
export const reportText = {
  name: 'report-text',
  settings: {},
  load: () => import('./text.ts'),
} as const satisfies BuildAnnex;
