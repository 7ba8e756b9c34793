import { invalidSetting } from '../../calendar/errors.ts';
import type { ServeAnnex } from '../../serve/annex.ts';
import type { SettingsOf, SettingsTable } from '../../settings/kinds.ts';
import { severalOf } from '../common/settings.ts';

const SETTINGS = {
  without: {
    name: 'ALMANAKK_WITHOUT',
    description: 'Parts of the server that are switched off, separated by commas, such as `mcp,sandbox`.',
    ...severalOf('names', (text) => text),
  },
} as const satisfies SettingsTable;

type Settings = SettingsOf<typeof SETTINGS>;

/** H16: the parts that this server goes without. */
export const without = {
  name: 'without',
  settings: SETTINGS,
  leftOut: ({ without: given }, names) => {
    const unknown = given.filter((name) => !names.includes(name));
    if (unknown.length === 0) return given;
    const expected = `names among ${names.toSorted().join(', ')}`;
    throw invalidSetting(
      'ALMANAKK_WITHOUT',
      expected,
      unknown.map((name) => JSON.stringify(name)).join(', '),
    );
  },
  load: () => import('./without.ts'),
} as const satisfies ServeAnnex<Settings>;
