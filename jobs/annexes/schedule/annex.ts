import type { BuildAnnex } from '../../annex.ts';
import { type ScheduleSettings, SETTINGS } from './settings.ts';

/** G7, unchanged; H2, commands: builds on a schedule, and at the request of another annex. */
export const schedule = {
  name: 'schedule',
  settings: SETTINGS,
  follow: () => import('./builds.ts'),
} as const satisfies BuildAnnex<ScheduleSettings>;
