import type { ServeAnnex } from '../../serve/annex.ts';
import { orNone, type SettingKind, type SettingsOf, type SettingsTable } from '../../settings/kinds.ts';

const SETTINGS = {
  pictureSecret: {
    name: 'ALMANAKK_PICTURE_SECRET',
    description:
      'Secret that the picture server shares; visitors then load pictures of events from this site, resized, instead of from the organizers’ servers.',
    ...orNone(signingSecret()),
    isSecret: true,
  },
} as const satisfies SettingsTable;

export type PictureSettings = SettingsOf<typeof SETTINGS>;

/** F3: pictures of events that are in the source folder. I16: addresses of resized copies of all others. */
export const pictures = {
  name: 'pictures',
  settings: SETTINGS,
  load: () => import('./pictures.ts'),
} as const satisfies ServeAnnex<PictureSettings>;

/** nginx has it in its configuration, where other characters would need quotes. */
function signingSecret(): SettingKind<string> {
  return {
    expected: '16 or more letters, digits, hyphens or underscores',
    parse: (text) => (/^[\w-]{16,}$/.test(text) ? text : undefined),
  };
}
