import type { SettingsOf, SettingsTable } from '../../../src/settings/kinds.ts';

export type ScheduleSettings = SettingsOf<typeof SETTINGS>;

export const SETTINGS = {
  cron: {
    name: 'ALMANAKK_CRON',
    fallback: '*/15 * * * *',
    description: 'When to build, as a cron expression in UTC.',
    expected: 'a cron expression of five fields',
    parse: (text) => (/^[\d*][\d*,/-]*( +[\dA-Za-z*][\dA-Za-z*,/-]*){4}$/.test(text) ? text : undefined),
  },
} as const satisfies SettingsTable;
