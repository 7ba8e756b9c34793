/** F13: the recipes of docs/, each tried on the town of that page and two more of its sources. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isObject } from '../../../src/calendar/json.ts';
import { NOW } from '../../helpers/calendar.ts';
import { shownAfter } from '../../helpers/corrections.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { startServer } from '../../helpers/running.ts';
import { withPart } from '../../helpers/when.ts';
import { type Block, blocksOf } from '../../readme/blocks.ts';
import { allPages } from '../../readme/document.ts';

type Shown = Awaited<ReturnType<typeof shownAfter>>;

interface Tried {
  /** Folder of the snapshots. */
  target: string;
  /** The calendar without recipes. */
  before: Shown;
}

/** One of the feeds of the page is a web page. */
const test = withPart('jobs/annexes/feeds/jsonld', suite<Tried>('F13: recipes'));

const entry = (uid: string, start: string, title: string, place: string) => [
  'BEGIN:VEVENT',
  `UID:${uid}@kulturhuset.example`,
  'DTSTAMP:20261001T080000Z',
  `DTSTART;TZID=Europe/Oslo:${start}`,
  `SUMMARY:${title}`,
  `LOCATION:${place}`,
  'END:VEVENT',
];
const KULTURHUSET = [
  'BEGIN:VCALENDAR',
  ...entry('71', '20310201T100000', 'Busy', 'Kulturbrygga'),
  ...entry('72', '20310202T100000', 'Busy', 'Kulturbrygga'),
  ...entry('73', '20310309T190000', 'Salmer og sanger', 'Lillevik kirke\\, Kirkegata 9\\, 7170 Lillevik'),
  ...entry('74', '20310214T180000', 'Fakkeltog', 'Torget\\, Torget 1\\, 7170 Lillevik'),
  ...entry('75', '20310320T190000', 'Konsert med Åse', 'Kulturbrygga'),
  ...entry('76', '20310321T190000', 'Styremøte', 'Kulturbrygga'),
  'END:VCALENDAR',
].join('\r\n');

/** The feeds of the page, as it has them last. */
function town(blocks: readonly Block[]) {
  const files = new Map(blocks.map(({ file, text }) => [file?.replace('my-town/', '') ?? '', text]));
  const licence: unknown = JSON.parse(files.get('licence.json') ?? '');
  const sources: unknown = JSON.parse(files.get('sources.json') ?? '');
  if (!isObject(licence) || !Array.isArray(sources))
    throw new Error('expected an object in licence.json and a list in sources.json, found others');
  const kulturhuset = { id: 'kulturhuset', kind: 'ical', file: 'kulturhuset.ics' };
  return {
    'licence.json': { ...licence, duplicates: 'merge' },
    'sources.json': [...sources.filter(isOfRecords), kulturhuset],
    'venues.json': [{ id: 'brygga', name: 'Kulturbrygga, Storsalen', address: 'Havnegata 2, 7170 Lillevik' }],
    'events.json': [],
    'kirken.ics': files.get('kirken.ics'),
    'vinterfest.csv': files.get('vinterfest.csv'),
    'arrangementer.html': files.get('arrangementer.html'),
    'kulturhuset.ics': KULTURHUSET,
  };
}

/** The page's correction sheet would change what its recipes change. */
function isOfRecords(feed: unknown): boolean {
  return isObject(feed) && feed.kind !== 'corrections';
}

const BLOCKS = allPages()
  .flatMap(blocksOf)
  .filter(({ file }) => file?.startsWith('my-town/'));
const isRecipe = ({ file }: Block) => /\/(?:corrections|duplicates)\.json$/.test(file ?? '');
const KORKVELD = 'kirken:korkveld@kirken.example';
const ofKulturhuset = (number: number) => `kulturhuset:${number}@kulturhuset.example`;
const eventOf = ({ ids, event }: Shown, title: string) => {
  const found = ids.map(event).find(({ title_nb }) => title_nb === title);
  if (found === undefined) throw new Error(`expected ${title} among ${ids}`);
  return found;
};
const datesOf = (shown: Shown, title: string) => shown.dates(eventOf(shown, title).id);

const idsWithout = (without: readonly string[], { ids }: Shown) => ids.filter((id) => !without.includes(id));

interface Recipe {
  /** Words of its text. */
  readonly says: string;
  readonly check: (shown: Shown, before: Shown) => void;
}

const RECIPES: readonly Recipe[] = [
  {
    says: 'an internal meeting',
    check: ({ ids }, before) => assert.equal(idsWithout(ids, before), [71, 72, 76].map(ofKulturhuset)),
  },
  {
    says: 'jentekoret',
    check: ({ event }, before) => {
      const { title_nb, title_en, event_slug } = event(KORKVELD);
      assert.equal([title_nb, title_en], ['Korkveld med jentekoret', "An evening with the girls' choir"]);
      assert.is(event_slug, before.event(KORKVELD).event_slug);
    },
  },
  {
    says: '"17:30"',
    check: (shown, before) => {
      const times = (lines: readonly string[]) => new Set(lines.map((line) => line.slice(6, 17)));
      assert.equal(times(datesOf(before, 'Språkkafé')), new Set(['17:00–18:30']));
      assert.equal(times(datesOf(shown, 'Språkkafé')), new Set(['17:30–19:00']));
      assert.is(datesOf(shown, 'Språkkafé').length, datesOf(before, 'Språkkafé').length);
      assert.equal(
        datesOf(shown, 'Sanddans').map((line) => line.slice(0, 11)),
        ['02-15 20:00', '02-17 18:00'],
      );
    },
  },
  {
    says: '"brygga"',
    check: (shown, before) => {
      assert.match(datesOf(before, 'Sanddans').join(), /Kulturbrygga,.*Kulturbrygga$/);
      assert.match(datesOf(shown, 'Sanddans').join(), /Kulturbrygga, Storsalen,.*Kulturbrygga, Storsalen$/);
    },
  },
  {
    says: 'salmesang',
    check: (shown, before) => {
      assert.equal(before.event(ofKulturhuset(75)).categories, []);
      assert.equal(shown.event(ofKulturhuset(75)).categories, ['MUSIC']);
      const { categories, tags } = shown.event(ofKulturhuset(73));
      assert.equal([categories, tags], [['MUSIC'], ['salmesang']]);
    },
  },
  {
    says: '"same"',
    check: ({ ids }, before) => assert.equal(idsWithout(ids, before), [ofKulturhuset(73)]),
  },
  {
    says: '"different"',
    check: (shown, before) => assert.equal(idsWithout(before.ids, shown), [ofKulturhuset(74)]),
  },
  {
    says: '"CANCELLED"',
    check: (shown) => {
      assert.equal(
        datesOf(shown, 'Språkkafé').filter((line) => line.endsWith('CANCELLED')),
        ['02-17 17:00–18:30 Lillevik bibliotek CANCELLED'],
      );
      assert.equal(
        shown.ids.filter((id) => shown.event(id).isFeaturedEvent),
        [KORKVELD],
      );
    },
  },
];

const FILES = town(BLOCKS.filter((block) => !isRecipe(block)));
const WRITTEN = BLOCKS.filter(isRecipe);

test.before(async (context) => {
  context.target = temporaryFolder();
  context.before = await shownAfter(FILES, { target: context.target });
});

interface Linked {
  readonly eventByID: { readonly eventLink: string };
}

test('I11: should serve the pages to which the events of the guide link', async ({ target }) => {
  const { ask, send, close } = await startServer({ snapshots: target, clock: () => NOW * 1000 });
  try {
    const { eventByID } = await ask<Linked>(`{ eventByID(eventID: "${KORKVELD}") { eventLink } }`);
    const { origin, pathname } = new URL(eventByID.eventLink);
    assert.is(origin, 'http://localhost:4000');
    const page = await send(pathname);
    assert.is(page.status, 200);
    assert.match(page.text, '<title>Korkveld');
  } finally {
    await close();
  }
});

for (const { file, text, heading } of WRITTEN) {
  test(`F13: should have the effect of the recipe "${heading}"`, async ({ target, before }) => {
    const name = file?.replace('my-town/', '') ?? '';
    const shown = await shownAfter({ ...FILES, [name]: text }, { target, force: true });
    const [finding] = shown.lines.filter((line) => /^(?:corrections|duplicates)\.json/.test(line));
    assert.is(finding, undefined);
    const checks = RECIPES.filter(({ says }) => text.includes(says));
    assert.is(checks.length, 1, 'expected one check of the recipe');
    for (const { check } of checks) check(shown, before);
  });
}

test('F13: should have a check for each recipe of docs/', () => {
  assert.equal(
    RECIPES.filter(({ says }) => !WRITTEN.some(({ text }) => text.includes(says))).map(({ says }) => says),
    [],
  );
  assert.is(WRITTEN.length, RECIPES.length);
});

test.run();
