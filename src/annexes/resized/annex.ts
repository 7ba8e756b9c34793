import type { ServeAnnex } from '../../serve/annex.ts';
import { orNone, type SettingKind, type SettingsOf, type SettingsTable } from '../../settings/kinds.ts';

const SETTINGS = {
  pictureSecret: {
    name: 'ALMANAKK_PICTURE_SECRET',
    description:
      'Secret shared with the picture server; visitors then load pictures of events from this site, resized, instead of from the organizers’ servers. Needs `ALMANAKK_PUBLIC_URL`.',
    ...orNone(signingSecret()),
    isSecret: true,
  },
} as const satisfies SettingsTable;

/** nginx has it in its configuration, where other characters would need quotes. */
function signingSecret(): SettingKind<string> {
  return {
    expected: '16 or more letters, digits, hyphens or underscores',
    parse: (text) => (/^[\w-]{16,}$/.test(text) ? text : undefined),
  };
}

/** I17: addresses of resized copies of pictures. */
export const resized = {
  name: 'resized',
  settings: SETTINGS,
  load: () => import('./resized.ts'),
} as const satisfies ServeAnnex<SettingsOf<typeof SETTINGS>>;
