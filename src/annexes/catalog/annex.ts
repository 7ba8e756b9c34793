import type { ServeAnnex } from '../../serve/annex.ts';
import { type CatalogSettings, SETTINGS } from './settings.ts';

/** I8, descriptions for machines: descriptions of this server for programs. */
export const catalog = {
  name: 'catalog',
  settings: SETTINGS,
  load: () => import('./catalog.ts'),
} as const satisfies ServeAnnex<CatalogSettings>;
