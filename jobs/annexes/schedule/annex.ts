import type { BuildAnnex } from '../../annex.ts';
import { type ScheduleSettings, SETTINGS } from './settings.ts';

/** G7, H2: builds on a schedule, and when another annex asks for it. */
export const schedule = {
  name: 'schedule',
  settings: SETTINGS,
  follow: () => import('./builds.ts'),
} as const satisfies BuildAnnex<ScheduleSettings>;
