/** E6: accessibility from each kind of source to answers, filter, facet, feeds and the page. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accessibilityNamed, FEATURES, OTHER_NAMES } from '../../src/annexes/common/accessibility.ts';
import { ACCESSIBILITY } from '../../src/calendar/accessibility.ts';
import { builtWithFeeds, type FeedBuild } from '../helpers/feeds.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { sourceFolder } from '../helpers/native-source.ts';
import { type Running, startServer } from '../helpers/running.ts';

interface Context {
  built: FeedBuild;
  running: Running;
  ask: (query: string) => Promise<Data>;
}

type Data = ReturnType<typeof JSON.parse>;

const test = suite<Context>('accessibility');

const VENUES = [
  { id: 'hall', name: 'Hallen', accessibility: ['accessible_toilet', 'Wheelchair', 'WHEELCHAIR', 'LIFT'] },
  { id: 'barn', name: 'Låven' },
];
const DATES = [
  { start: '2026-02-01 19:00', venue: 'hall' },
  { start: '2026-02-08 19:00', venue: 'barn' },
];
const EVENTS = [
  { id: 'own', title_nb: 'Egen', accessibility: ['subtitles', 'SIGN_LANGUAGE'], dates: DATES },
  { id: 'none', title_nb: 'Ingen', venue: 'barn', dates: [{ start: '2026-02-02 19:00' }] },
];
const TABLE = `Tittel;Start;Sted;Kategori;Tilgjengelighet;Stedets tilgjengelighet
Vise;03.02.2026 19.30;Kroa;Teleslynge, folkemusikk;tegnspråktolket, skorstein;Rullestol, HC-toalett
`;
const ICS = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:a\r\nDTSTART:20260204T180000Z\r\nSUMMARY:Kveld\r\nCATEGORIES:Synstolking,Førerhund,Quiz\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`;
const AMENITY = { '@type': 'LocationFeatureSpecification' };
const amenity = (name: string, value: boolean) => ({ ...AMENITY, name, value });
const AMENITIES = [
  amenity('Wheelchair accessible', true),
  amenity('Hearing loop', false),
  amenity('Bar', true),
];
const PAGE = {
  ...{ '@type': 'Event', name: 'Konsert', startDate: '2026-02-05T19:00:00+01:00' },
  accessibilityFeature: ['https://schema.org/captions', 'signLanguage', 'tactileGraphic'],
  location: { '@type': 'Place', name: 'Scenen', amenityFeature: AMENITIES },
};

test.before(async (context) => {
  const snapshots = temporaryFolder();
  const files = { 't.csv': TABLE, 'i.ical': ICS, 'p.jsonld': PAGE };
  const sources = Object.keys(files).map((file) => ({ id: file[0], kind: file.slice(2), file }));
  const records = { 'venues.json': VENUES, 'events.json': EVENTS, 'sources.json': sources };
  const source = sourceFolder({ ...records, ...files, 'p.jsonld': JSON.stringify(PAGE) });
  context.built = await builtWithFeeds(source, snapshots, { now: NOW, force: true });
  context.running = await startServer({ snapshots, clock: () => NOW * 1_000 });
  context.ask = context.running.ask;
});
test.after(({ running }) => running.close());

const NOW = Date.parse('2026-01-20T11:00:00Z') / 1_000;

test('E6: should know each word by its names, and none by two', () => {
  const names = ACCESSIBILITY.flatMap((word) => {
    const { nb, en, schemaOrg } = FEATURES[word];
    return [word, nb, en, schemaOrg, ...OTHER_NAMES[word]].map((name) => [name, word] as const);
  });
  for (const [name, word] of names) assert.is(accessibilityNamed(name.toUpperCase()), word, name);
  assert.is(accessibilityNamed('stol'), undefined);
  assert.is(accessibilityNamed(''), undefined);
});

test('E6: should read it from records, tables, calendars and pages', async ({ ask }) => {
  const { events } = await ask('{ events { data { title_nb tags accessibility venue { accessibility } } } }');
  const of = (title_nb: string) => {
    const { accessibility, venue, tags } = events.data.find((event: Data) => event.title_nb === title_nb);
    return [accessibility, venue?.accessibility ?? null, tags];
  };
  const HALL = ['WHEELCHAIR', 'ACCESSIBLE_TOILET'];
  assert.equal(of('Egen'), [['WHEELCHAIR', 'SIGN_LANGUAGE', 'SUBTITLES', 'ACCESSIBLE_TOILET'], HALL, []]);
  assert.equal(of('Ingen'), [[], [], []]);
  assert.equal(of('Vise'), [
    ['WHEELCHAIR', 'HEARING_LOOP', 'SIGN_LANGUAGE', 'ACCESSIBLE_TOILET'],
    HALL,
    ['folkemusikk'],
  ]);
  assert.equal(of('Kveld'), [['AUDIO_DESCRIPTION', 'ASSISTANCE_DOG'], null, ['Quiz']]);
  assert.equal(of('Konsert'), [['WHEELCHAIR', 'SIGN_LANGUAGE', 'SUBTITLES'], ['WHEELCHAIR'], []]);
});

test('E6, G2: should report words that are none, and keep the others', ({ built }) => {
  const said = built.report.findings
    .filter(({ expected }) => /WHEELCHAIR|rullestol|signLanguage/.test(expected ?? ''))
    .map(({ field, found }) => [field, found]);
  assert.equal(said.map(([, found]) => String(found).replaceAll('"', '')).sort(), [
    'LIFT',
    'tactileGraphic',
    'tegnspråktolket, skorstein',
  ]);
});

test('B13, E6, A4: should test what is shown: of the event and of its venue', async ({ ask }) => {
  const titles = async (filter: string) =>
    (await ask(`{ events(filter: { ${filter} }) { data { title_nb } } }`)).events.data.map(
      ({ title_nb }: Data) => title_nb,
    );
  assert.equal(await titles('accessibility: [SIGN_LANGUAGE]'), ['Egen', 'Vise', 'Konsert']);
  assert.equal(await titles('accessibility: [SIGN_LANGUAGE, ACCESSIBLE_TOILET]'), ['Egen', 'Vise']);
  assert.equal(await titles('accessibility: RELAXED'), []);
  assert.equal((await titles('accessibility: []')).length, 5);
  // A week later it is in the barn.
  const later = 'fromStartDate: "2026-02-07 00:00:00Z"';
  assert.equal(await titles(`accessibility: [SIGN_LANGUAGE], ${later}`), ['Egen']);
  assert.equal(await titles(`accessibility: [WHEELCHAIR], ${later}`), []);
});

test('E6, C1, C4: should count it, of equal hits in the order of the enum', async ({ ask }) => {
  const { events } = await ask('{ events { accessibilities { value hits } } }');
  assert.equal(
    events.accessibilities.map(({ value, hits }: Data) => `${value} ${hits}`),
    [
      ...['WHEELCHAIR 3', 'SIGN_LANGUAGE 3', 'SUBTITLES 2', 'ACCESSIBLE_TOILET 2'],
      ...['HEARING_LOOP 1', 'AUDIO_DESCRIPTION 1', 'ASSISTANCE_DOG 1'],
    ],
  );
  const { events: top } = await ask(
    '{ events(filter: { accessibility: [SUBTITLES] }) { accessibilities(first: 2) { value } } }',
  );
  assert.equal(top.accessibilities, [{ value: 'WHEELCHAIR' }, { value: 'SIGN_LANGUAGE' }]);
});

test('E6, I1, I4, I6, I10: should pass it on, in schema.org’s words and in words for people', async ({
  running: { send },
}) => {
  const get = async (path: string) => (await send(path)).text;
  const own = JSON.parse(await get('/events.jsonld?searchTerm=Egen'))['@graph'];
  assert.equal(own[0].accessibilityFeature, ['signLanguage', 'captions']);
  assert.equal(own[0].location.amenityFeature, [
    amenity('wheelchairAccess', true),
    amenity('accessibleToilet', true),
  ]);
  const none = JSON.parse(await get('/events.jsonld?searchTerm=Ingen'))['@graph'];
  assert.is(none[0].accessibilityFeature, undefined);
  assert.is(none[0].location.amenityFeature, undefined);
  const list = JSON.parse(await get('/events.json?accessibility=SUBTITLES,WHEELCHAIR'));
  assert.equal(
    list.events.map(({ title }: Data) => title),
    ['Egen', 'Konsert'],
  );
  const refused = await send('/events.json?accessibility=STAIRS');
  assert.equal(
    [refused.status, JSON.parse(refused.text).errors[0].extensions.invalidArgs],
    [400, ['accessibility']],
  );
  assert.match(await get('/events.csv?searchTerm=Kveld'), /,"AUDIO_DESCRIPTION, ASSISTANCE_DOG"(,|\r\n)/);
  assert.match(await get('/events.ics?accessibility=HEARING_LOOP'), /^NAME:Trondheim: Teleslynge\r$/m);
  for (const path of ['/events.html?view=plain&searchTerm=Egen&lang=en', '/events/egen.html?lang=en']) {
    const page = (await get(path)).replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ');
    assert.match(page, /wheelchair access, ?sign language, ?subtitles, ?accessible toilet/i, path);
  }
});

test.run();
