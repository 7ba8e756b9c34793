/** F1, G4: licences with their categories, and retired categories. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isCalendarError } from '../../../src/calendar/errors.ts';
import { LICENCE, validated, validatedEvents } from '../../helpers/native-source.ts';

const test = suite('licence and taxonomy');

const ART = { id: 'ART', name_nb: 'Kunst', name_en: 'Art' };

async function refusal(licence: unknown): Promise<string> {
  try {
    await validated({ 'licence.json': licence });
  } catch (error) {
    if (!isCalendarError(error)) throw error;
    assert.is(error.code, 'INVALID_SOURCE');
    return error.message;
  }
  throw new Error('expected the licence to be refused');
}

test('F1: should read a licence and fill in what it leaves out', async () => {
  const { records, findings } = await validated({});
  assert.equal(findings, []);
  const { id, name, siteUrl } = LICENCE;
  const none = {
    portalUrl: null,
    privacyUrl: null,
    specialEvent: null,
    dataLicence: null,
    attribution: null,
    contact: null,
  };
  assert.equal(records.licence, { id, name, siteUrl, registration: false, language: 'nb', ...none });
  assert.equal(records.retired, []);
});

test('F1: should order categories with children after their parent, and derive slugs from names', async () => {
  const categories = [
    { id: 'FOOD', name_nb: 'Mat og drikke', name_en: 'Food', slug_nb: 'mat', slug_en: '', visible: null },
    { ...LICENCE.categories[0], visible: false },
    { id: 'ÆØ', name_nb: 'Blåbær & Ære', name_en: '', subcategories: [] },
  ];
  const event = { id: 'e', title_nb: 'E', isSuperEvent: true, categories: ['MUSIC'] };
  const files = { 'licence.json': { ...LICENCE, categories } };
  const { records, events, findings } = await validatedEvents([event], files);
  // A hidden category is a valid one.
  assert.equal([events[0]?.categories, findings], [['MUSIC'], []]);
  assert.equal(
    records.categories.map(({ id, slug_nb, slug_en, visible, parent }) =>
      [id, slug_nb, slug_en, visible, parent].join(),
    ),
    [
      'FOOD,mat,food,true,-1',
      'MUSIC,musikk,music,false,-1',
      'JAZZ,jazz,jazz,true,1',
      'ÆØ,blabaer-aere,,true,-1',
    ],
  );
});

/** Faults of a licence that stop the build, each with its message. */
const REFUSED: readonly (readonly [own: object, message: string])[] = [
  [{ id: '' }, 'id: expected a string that is not blank, found ""'],
  [{ name: undefined }, 'name: expected a string that is not blank, found nothing'],
  [{ siteUrl: 'town.example' }, 'siteUrl: expected an http or https URL, found "town.example"'],
  [{ portalUrl: 'data:x' }, 'portalUrl: expected an http or https URL, found "data:x"'],
  [{ privacyUrl: '/personvern' }, 'privacyUrl: expected an http or https URL, found "/personvern"'],
  ...[
    'https://avisen.example/',
    'avisen.example/{slug}',
    'https://{slug}.avisen.example/',
    'https://avisen.example/{slug}/{id}',
    'https://avisen.example/{date}/{slug}',
  ].map((template): readonly [object, string] => [
    { eventPages: [template] },
    `eventPages[0]: expected an http or https URL with one {slug} or {id} after its host, and with {date} only as a parameter, found "${template}"`,
  ]),
  ...[
    'https://avisen.example/',
    'https://avisen.example/{id}',
    'https://avisen.example/?slug={slug}',
  ].flatMap((template): readonly (readonly [object, string])[] => {
    const expected = 'an http or https URL whose path ends with /{slug}, and with {date} only as a parameter';
    return [
      [{ eventPages: template }, `eventPages: expected ${expected}, found "${template}"`],
      [
        { eventPages: { Lillevik: template } },
        `eventPages.Lillevik: expected ${expected}, found "${template}"`,
      ],
    ];
  }),
  [
    { eventPages: 5 },
    'eventPages: expected an address, an object with addresses by municipality, or a list of addresses, found 5',
  ],
  [
    { registration: 'yes', specialEvent: 5 },
    'specialEvent: expected a string, found 5; registration: expected true or false, found "yes"',
  ],
  [{ categories: {} }, 'categories: expected a list of categories, found {}'],
  [{ categories: [{ id: 'A', name_nb: 'A' }] }, 'categories[0].name_en: expected a string, found nothing'],
  [
    { categories: [{ ...ART, subcategories: ['B'] }] },
    'categories[0].subcategories[0]: expected an object, found "B"',
  ],
  [{ retiredCategories: { OLD: 'ART' } }, 'retiredCategories.OLD: expected a list of strings, found "ART"'],
  [{ categories: [ART, ART] }, 'categories: expected each id once, found "ART" twice'],
  // G4
  [
    { retiredCategories: { JAZZ: ['ART'] } },
    'expected a category to be either current or retired, found "JAZZ" in both categories and ' +
      'retiredCategories; a retired id is never used again, so give the category a new one',
  ],
];

test('G3, G4: should name each wrong field of a licence that it refuses', async () => {
  assert.is(await refusal([]), 'licence.json: expected an object, found []');
  for (const [own, message] of REFUSED)
    assert.is(await refusal({ ...LICENCE, ...own }), `licence.json: ${message}`, JSON.stringify(own));
});

const RETIRED = {
  CONCERT: ['MUSIC'],
  SHOWS: ['ART', 'MUSIC'],
  GIGS: ['CONCERT', 'SHOWS'],
  LOST: ['NOWHERE'],
  HALF: ['NOWHERE', 'ART'],
  NOTHING: [],
  ROUND: ['AND_ROUND'],
  AND_ROUND: ['ROUND'],
};

/** Categories of an event, and those that replace them. */
const MIGRATIONS: readonly (readonly [categories: string, migrated: string])[] = [
  ['ART JAZZ', 'ART JAZZ'],
  ['CONCERT', 'MUSIC'],
  ['JAZZ SHOWS MUSIC', 'JAZZ ART MUSIC'],
  ['GIGS', 'MUSIC ART'],
  ['CONCERT SHOWS', 'MUSIC ART'],
  ['HALF', 'ART'],
  ['LOST NOTHING ROUND', ''],
];

async function migrated(categories: readonly string[]) {
  const event = { id: 'e', title_nb: 'E', isSuperEvent: true, categories };
  return validatedEvents([event], { 'licence.json': { ...LICENCE, retiredCategories: RETIRED } });
}

test('G4: should replace retired categories, also by ones that were retired later', async () => {
  for (const [categories, expected] of MIGRATIONS) {
    const { events, records } = await migrated(categories.split(' '));
    assert.is(events[0]?.categories.join(' '), expected, categories);
    assert.equal(records.retired, Object.keys(RETIRED));
  }
});

test('G4: should report each migration, each lost category, and an undefined replacement', async () => {
  const { findings } = await migrated(['GIGS', 'CONCERT', 'MUSIC', 'LOST', 'ROUND', 'CONCERT', 'NOBODYS']);
  const replaced = 'a category of the licence (this one is retired, and no existing category replaces it)';
  const defined = 'a category of the licence (for a retired one, name its replacements in retiredCategories)';
  assert.equal(
    findings.map(({ action, field, expected, found }) => [action, field, expected, found]),
    [
      // The finding about the licence comes once.
      ...['LOST', 'HALF'].map((id) => {
        const field = `retiredCategories.${id}[0]`;
        return ['dropped reference', field, 'a category of the licence', '"NOWHERE"'];
      }),
      ['migrated category', 'categories[0]', '"MUSIC" and "ART" in its place', '"GIGS"'],
      ['migrated category', 'categories[1]', '"MUSIC" in its place', '"CONCERT"'],
      ['dropped reference', 'categories[3]', replaced, '"LOST"'],
      ['dropped reference', 'categories[4]', replaced, '"ROUND"'],
      ['dropped reference', 'categories[5]', 'each category once', '"CONCERT"'],
      ['dropped reference', 'categories[6]', defined, '"NOBODYS"'],
    ],
  );
});

test.run();
