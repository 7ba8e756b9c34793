/** G2: words of feeds and records that are read as categories, and the suggestions for others. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { categoryNamesOf } from '../../../jobs/validate/taxonomy.ts';
import { createNearestId } from '../../../jobs/validate/unknown-fields.ts';
import { builtWithFeeds, type FeedBuild } from '../../helpers/feeds.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { LICENCE, sourceFolder, validatedEvents } from '../../helpers/native-source.ts';
import { editionRows } from '../../helpers/snapshot-rows.ts';

const test = suite('G2: words for categories');

const TOWN = {
  ...LICENCE,
  categories: [
    { id: 'CONCERT', name_nb: 'Konserter', name_en: 'Concerts', slug_nb: 'konsert' },
    { id: 'TALK', name_nb: 'Foredrag og debatt', name_en: 'Talks and debates' },
    { id: 'FAMILY', name_nb: 'Barn og familie', name_en: 'Family' },
  ],
  retiredCategories: { GIG: ['CONCERT'] },
};

/** A word, and the category that it was likely meant for. */
const NEAREST: readonly (readonly [word: string, id: string | null])[] = [
  ['Konsrt', 'CONCERT'],
  ['KONSERT', 'CONCERT'],
  ['Concrets', 'CONCERT'],
  ['foredrag', 'TALK'],
  ['Debat', null],
  ['Debatt', 'TALK'],
  ['Familie', 'FAMILY'],
  ['Politikk', null],
  ['', null],
  ['x', null],
  ['k'.repeat(5_000), null],
];

test('G2: should suggest a category for a misspelled name or a word of its name, and none otherwise', () => {
  const nearest = createNearestId(Object.entries(categoryNamesOf(TOWN)));
  for (const [word, id] of NEAREST) assert.is(nearest(word), id, word.slice(0, 20));
});

test('G2: should report an unknown category id with the nearest one', async () => {
  const categories = ['CONSERT', 'Konserter', 'POLITICS'];
  const events = [{ id: 'e', title_nb: 'Kor', categories, dates: [{ start: '2026-12-01 19:30' }] }];
  const { findings } = await validatedEvents(events, { 'licence.json': TOWN });
  const retired = '(for a retired one, name its replacements in retiredCategories)';
  const near = '; the nearest is "CONCERT"';
  assert.equal(
    findings.map(({ action, field, expected }) => `${action} ${field} ${expected}`),
    [near, near, ''].map(
      (like, at) => `dropped reference categories[${at}] a category of the licence${like} ${retired}`,
    ),
  );
});

const TABLE = `Id,Tittel,Start,Kategori
a,Vårkonsert,2026-04-01 19:00,Konserter
b,Korkveld,2026-04-02 19:00,konsert
c,Bandkveld,2026-04-03 19:00,gig
d,Slurv,2026-04-04 19:00,Konsrt
e,Valget,2026-04-05 19:00,Politikk
f,Kåseri,2026-04-06 19:00,Foredrag
g,Ingenting,2026-04-07 19:00,
h,Over,2025-04-07 19:00,
`;

/** A build of the table into a folder. */
const build = (own: object = {}, licence: object = TOWN, target = temporaryFolder()) => {
  const feeds = [{ id: 't', kind: 'csv', file: 'table.csv', ...own }];
  const files = { 'licence.json': licence, 'events.json': [], 'table.csv': TABLE, 'sources.json': feeds };
  return builtWithFeeds(sourceFolder(files), target);
};

const categoriesIn = (target: string) =>
  editionRows(
    target,
    "select event_id || ' ' || category_id as text from event_category where is_own order by event_id",
  );

const unknownIn = ({ report }: FeedBuild) =>
  report.findings.flatMap(({ action, found }) => (action === 'kept as tag' ? [found] : []));

test('L1: should recognise categories by id, name and slug', async () => {
  const target = temporaryFolder();
  await build({}, TOWN, target);
  assert.equal(await categoriesIn(target), ['t:a CONCERT', 't:b CONCERT', 't:c CONCERT']);
});

test('G2: should report words that are no category, and events that have none', async () => {
  const { report, all } = await build();
  assert.equal(
    report.findings.map(({ action, id, expected, found }) => `${action} ${id}: ${expected}, ${found}`),
    [
      'kept as tag t:d: a category of the licence; the nearest is "CONCERT", "Konsrt"',
      'kept as tag t:e: a category of the licence, "Politikk"',
      'kept as tag t:f: a category of the licence; the nearest is "TALK", "Foredrag"',
      'migrated category t:c: "CONCERT" in its place, "GIG"',
      'over t:h: a future date, the last one on 2025-04-07',
    ],
  );
  // Events without a category are one finding for each word. `alike` counts all of them in the first.
  const lost = all.findings.filter(({ action }) => action === 'no category');
  assert.equal(
    lost.map(({ id, alike }) => `${id} ${alike}`),
    ['t:d 4', 't:e undefined', 't:f undefined'],
  );
  assert.is(all.actions['no category'], 4);
});

test('L1: should prefer the map of a feed to the names of the licence', async () => {
  const target = temporaryFolder();
  const map = { konserter: 'FAMILY', Politikk: 'TALK' };
  assert.equal(unknownIn(await build({ map }, TOWN, target)), ['"Konsrt"', '"Foredrag"']);
  assert.equal(await categoriesIn(target), ['t:a FAMILY', 't:b CONCERT', 't:c CONCERT', 't:e TALK']);
});

test('G2: should use the names of a changed licence for an unchanged feed', async () => {
  const target = temporaryFolder();
  await build({}, TOWN, target);
  const politics = { id: 'POLITICS', name_nb: 'Politikk', name_en: 'Politics' };
  const licence = { ...TOWN, categories: [...TOWN.categories, politics] };
  assert.equal(unknownIn(await build({}, licence, target)), ['"Konsrt"', '"Foredrag"']);
});

test.run();
