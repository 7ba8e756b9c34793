import type { ServeAnnex } from '../../serve/annex.ts';
import { orNone, type SettingsOf, type SettingsTable } from '../../settings/kinds.ts';

const SETTINGS = {
  organization: {
    name: 'ALMANAKK_ORGANIZATION',
    description:
      'Organization number of the publisher, for open-data catalogues; without one, the catalogues show the publisher’s website.',
    ...orNone({
      expected: 'a Norwegian organization number: nine digits, the last of which checks the others',
      parse(text) {
        const digits = text.replaceAll(' ', '');
        return /^\d{9}$/.test(digits) && isChecked(digits) ? digits : undefined;
      },
    }),
  },
} as const satisfies SettingsTable;

/** I8: descriptions of this server for programs. */
export const catalog = {
  name: 'catalog',
  settings: SETTINGS,
  optional: {
    name: 'catalog',
    what: '`/openapi.json`, `/catalog.jsonld` and `/llms.txt`: descriptions for programs and open-data catalogues',
  },
  load: () => import('./catalog.ts'),
} as const satisfies ServeAnnex<SettingsOf<typeof SETTINGS>>;

/** The check digit modulo 11 of the register of legal entities. */
function isChecked(digits: string): boolean {
  const sum = WEIGHTS.reduce((total, weight, index) => total + weight * Number(digits[index]), 0);
  return sum % 11 === 0;
}

const WEIGHTS = [3, 2, 7, 6, 5, 4, 3, 2, 1];
