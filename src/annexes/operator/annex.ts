import type { ServeAnnex } from '../../serve/annex.ts';
import { type OperatorSettings, SETTINGS } from './settings.ts';

/** D8: `/status` and `/metrics`, for operators. H12: mails about what they should look into. */
export const operator = {
  name: 'operator',
  settings: SETTINGS,
  load: () => import('./operator.ts'),
  loadSupervisor: () => import('./relay.ts'),
} as const satisfies ServeAnnex<OperatorSettings>;
