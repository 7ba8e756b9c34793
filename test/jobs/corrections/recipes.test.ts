/** F13: the recipes of docs/sources.md, each tried on the town of that page and two more of its sources. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isObject } from '../../../src/calendar/json.ts';
import { shownAfter } from '../../helpers/corrections.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { type Block, blocksIn, readPage } from '../../readme/document.ts';

const test = suite('F13: recipes');

type Shown = Awaited<ReturnType<typeof shownAfter>>;

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
  assert.ok(isObject(licence) && Array.isArray(sources));
  const kulturhuset = { id: 'kulturhuset', kind: 'ical', file: 'kulturhuset.ics' };
  return {
    'licence.json': { ...licence, duplicates: 'merge' },
    'sources.json': [...sources, kulturhuset],
    'venues.json': [{ id: 'brygga', name: 'Kulturbrygga, Storsalen', address: 'Havnegata 2, 7170 Lillevik' }],
    'events.json': [],
    'kirken.ics': files.get('kirken.ics'),
    'vinterfest.csv': files.get('vinterfest.csv'),
    'arrangementer.html': files.get('arrangementer.html'),
    'kulturhuset.ics': KULTURHUSET,
  };
}

const BLOCKS = blocksIn(readPage('docs/sources.md'));
const KORKVELD = 'kirken:korkveld@kirken.example';
const ofKulturhuset = (number: number) => `kulturhuset:${number}@kulturhuset.example`;
const eventOf = ({ ids, event }: Shown, title: string) => {
  const [found] = ids.map(event).filter(({ title_nb }) => title_nb === title);
  if (found === undefined) throw new Error(`expected ${title} among ${ids}`);
  return found;
};
const datesOf = (shown: Shown, title: string) => shown.dates(eventOf(shown, title).id);

/** By the headings of the page: what a recipe changes. */
const RECIPES: Readonly<Record<string, (shown: Shown, before: Shown) => void>> = {
  'Hide one event': ({ ids }, before) => {
    assert.equal(
      before.ids.filter((id) => !ids.includes(id)),
      [ofKulturhuset(76)],
    );
  },
  'Hide all that says “Busy”': ({ ids }, before) => {
    assert.equal(
      before.ids.filter((id) => !ids.includes(id)),
      [ofKulturhuset(71), ofKulturhuset(72)],
    );
  },
  'Put a title right': ({ event }, before) => {
    const { title_nb, title_en, event_slug } = event(KORKVELD);
    assert.equal([title_nb, title_en], ['Korkveld med jentekoret', "An evening with the girls' choir"]);
    assert.is(event_slug, before.event(KORKVELD).event_slug);
  },
  'Put a time right': (shown, before) => {
    const times = (lines: readonly string[]) => new Set(lines.map((line) => line.slice(6, 17)));
    assert.equal(times(datesOf(before, 'Språkkafé')), new Set(['17:00–18:30']));
    assert.equal(times(datesOf(shown, 'Språkkafé')), new Set(['17:30–19:00']));
    assert.is(datesOf(shown, 'Språkkafé').length, datesOf(before, 'Språkkafé').length);
    assert.equal(
      datesOf(shown, 'Sanddans').map((line) => line.slice(0, 11)),
      ['02-15 20:00', '02-17 18:00'],
    );
  },
  'Put a place right': (shown, before) => {
    assert.match(datesOf(before, 'Sanddans').join(), /Kulturbrygga,.*Kulturbrygga$/);
    assert.match(datesOf(shown, 'Sanddans').join(), /Kulturbrygga, Storsalen,.*Kulturbrygga, Storsalen$/);
  },
  'Give concerts their category': (shown, before) => {
    assert.equal(before.event(ofKulturhuset(75)).categories, []);
    assert.equal(shown.event(ofKulturhuset(75)).categories, ['MUSIC']);
    const { categories, tags } = shown.event(ofKulturhuset(73));
    assert.equal([categories, tags], [['MUSIC'], ['salmesang']]);
  },
  'Make two events one': ({ ids }, before) => {
    assert.equal(
      before.ids.filter((id) => !ids.includes(id)),
      [ofKulturhuset(73)],
    );
  },
  'Make two of one': ({ ids }, before) => {
    assert.equal(
      ids.filter((id) => !before.ids.includes(id)),
      [ofKulturhuset(74)],
    );
  },
  'Cancel one date': (shown) => {
    assert.equal(
      datesOf(shown, 'Språkkafé').filter((line) => line.endsWith('CANCELLED')),
      ['02-17 17:00–18:30 Lillevik bibliotek CANCELLED'],
    );
  },
  'Feature an event': ({ event, ids }) => {
    assert.equal(
      ids.filter((id) => event(id).isFeaturedEvent),
      [KORKVELD],
    );
  },
};

test('F13: should be what the recipes of docs/sources.md say', async () => {
  const files = town(BLOCKS.filter(({ heading }) => RECIPES[heading] === undefined));
  const target = temporaryFolder();
  const before = await shownAfter(files, { target });
  for (const [heading, check] of Object.entries(RECIPES)) {
    const block = BLOCKS.find((one) => one.heading === heading && one.language === 'json');
    assert.ok(block?.file, heading);
    const shown = await shownAfter(
      { ...files, [block.file.replace('my-town/', '')]: block.text },
      { target, force: true },
    );
    const [first] = shown.lines.filter((line) => /^(?:corrections|duplicates)\.json/.test(line));
    assert.is(first, undefined, heading);
    check(shown, before);
  }
});

test.run();
