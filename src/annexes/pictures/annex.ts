import type { ServeAnnex } from '../../serve/annex.ts';
import { type PictureSettings, SETTINGS } from './settings.ts';

/** F3: pictures of events that are in the source folder. I17: addresses of resized copies of all others. */
export const pictures = {
  name: 'pictures',
  settings: SETTINGS,
  load: () => import('./pictures.ts'),
} as const satisfies ServeAnnex<PictureSettings>;
