import type { SettingsOf, SettingsTable } from '../../../src/settings/kinds.ts';
import type { BuildAnnex } from '../../annex.ts';

/** Checks the form only: `cron.ts` checks the values when builds begin. Months and weekdays may be names, such as `JAN` and `MON-FRI`. */
const FIVE_FIELDS = /^[\d*][\d*,/-]*( +[\dA-Za-z*][\dA-Za-z*,/-]*){4}$/;

const SETTINGS = {
  cron: {
    name: 'ALMANAKK_CRON',
    fallback: '*/15 * * * *',
    description: 'Build schedule, as a cron expression in UTC.',
    expected: 'a cron expression of five fields',
    parse: (text) => (FIVE_FIELDS.test(text) ? text : undefined),
  },
} as const satisfies SettingsTable;

/** G7, H2: builds on a schedule, and at the request of another annex. */
export const schedule = {
  name: 'schedule',
  settings: SETTINGS,
  follow: () => import('./builds.ts'),
} as const satisfies BuildAnnex<SettingsOf<typeof SETTINGS>>;
