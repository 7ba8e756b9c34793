/** E6: accessibility from each kind of source to answers, filter, facet, feeds and the page. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { accessibilityNamed, FEATURES, OTHER_NAMES } from '../../src/annexes/common/accessibility.ts';
import { ACCESSIBILITY } from '../../src/calendar/accessibility.ts';
import { assertDefined } from '../helpers/assertions.ts';
import { hasKind } from '../helpers/feed-kinds.ts';
import { builtWithFeeds, type FeedBuild } from '../helpers/feeds.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { sourceFolder } from '../helpers/native-source.ts';
import { type Running, startServer } from '../helpers/running.ts';

interface Context {
  built: FeedBuild;
  running: Running;
  ask: (query: string) => Promise<Data>;
}

interface Data {
  readonly events: {
    readonly data: readonly ShownEvent[];
    readonly accessibilities: readonly { readonly value: string; readonly hits: number }[];
  };
}

interface ShownEvent {
  readonly title_nb: string;
  readonly tags: readonly string[];
  readonly accessibility: readonly string[];
  readonly venue: { readonly accessibility: readonly string[] } | null;
}

const test = suite<Context>('accessibility');

const NOW = Date.parse('2026-01-20T11:00:00Z') / 1_000;

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
const ICS = `BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VEVENT
UID:a
DTSTART:20260204T180000Z
SUMMARY:Kveld
CATEGORIES:Synstolking,Førerhund,Quiz
END:VEVENT
END:VCALENDAR
`;
const amenity = (name: string, value: boolean) => ({
  '@type': 'LocationFeatureSpecification',
  name,
  value,
});
const PAGE = {
  '@type': 'Event',
  name: 'Konsert',
  startDate: '2026-02-05T19:00:00+01:00',
  accessibilityFeature: ['https://schema.org/captions', 'signLanguage', 'tactileGraphic'],
  location: {
    '@type': 'Place',
    name: 'Scenen',
    amenityFeature: [
      amenity('Wheelchair accessible', true),
      amenity('Hearing loop', false),
      amenity('Bar', true),
    ],
  },
};

/** The event of the page as a record, where pages cannot be read. */
const STAGE = { id: 'stage', name: 'Scenen', accessibility: ['WHEELCHAIR'] };
const CONCERT = {
  id: 'concert',
  title_nb: 'Konsert',
  accessibility: ['SUBTITLES', 'SIGN_LANGUAGE'],
  dates: [{ start: '2026-02-05 19:00', venue: 'stage' }],
};

test.before(async (context) => {
  const snapshots = temporaryFolder();
  const source = sourceFolder({
    'venues.json': hasKind('jsonld') ? VENUES : [...VENUES, STAGE],
    'events.json': hasKind('jsonld') ? EVENTS : [...EVENTS, CONCERT],
    'sources.json': [
      { id: 't', kind: 'csv', file: 'table.csv' },
      { id: 'i', kind: 'ical', file: 'calendar.ics' },
      { id: 'p', kind: 'jsonld', file: 'page.json' },
    ].filter(({ kind }) => hasKind(kind)),
    'table.csv': TABLE,
    'calendar.ics': ICS,
    'page.json': JSON.stringify(PAGE),
  });
  context.built = await builtWithFeeds(source, snapshots, { now: NOW, force: true });
  context.running = await startServer({ snapshots, clock: () => NOW * 1_000 });
  context.ask = context.running.ask;
});
test.after(({ running }) => running.close());

test('E6: should recognise each accessibility feature by all of its names', () => {
  const names = ACCESSIBILITY.flatMap((word) => {
    const { nb, en, schemaOrg } = FEATURES[word];
    return [word, nb, en, schemaOrg, ...OTHER_NAMES[word]].map((name) => [name, word] as const);
  });
  for (const [name, word] of names) assert.is(accessibilityNamed(name.toUpperCase()), word, name);
  assert.is(accessibilityNamed('stol'), undefined);
  assert.is(accessibilityNamed(''), undefined);
});

test('E6: should read accessibility from records, tables, calendars and pages', async ({ ask }) => {
  const { events } = await ask('{ events { data { title_nb tags accessibility venue { accessibility } } } }');
  const readOf = (title_nb: string) => {
    const event = events.data.find((shown) => shown.title_nb === title_nb);
    assertDefined(event, `an event ${title_nb}`);
    return [event.accessibility, event.venue?.accessibility ?? null, event.tags];
  };
  const HALL = ['WHEELCHAIR', 'ACCESSIBLE_TOILET'];
  assert.equal(readOf('Egen'), [['WHEELCHAIR', 'SIGN_LANGUAGE', 'SUBTITLES', 'ACCESSIBLE_TOILET'], HALL, []]);
  assert.equal(readOf('Ingen'), [[], [], []]);
  assert.equal(readOf('Vise'), [
    ['WHEELCHAIR', 'HEARING_LOOP', 'SIGN_LANGUAGE', 'ACCESSIBLE_TOILET'],
    HALL,
    ['folkemusikk'],
  ]);
  assert.equal(readOf('Kveld'), [['AUDIO_DESCRIPTION', 'ASSISTANCE_DOG'], null, ['Quiz']]);
  assert.equal(readOf('Konsert'), [['WHEELCHAIR', 'SIGN_LANGUAGE', 'SUBTITLES'], ['WHEELCHAIR'], []]);
});

test('E6, G2: should report unknown words, and keep the others', ({ built }) => {
  const unknown = built.report.findings
    .filter(({ expected }) => /WHEELCHAIR|rullestol|signLanguage/.test(expected ?? ''))
    .map(({ found }) => found);
  const ofPage = hasKind('jsonld') ? ['"tactileGraphic"'] : [];
  assert.equal(unknown.sort(), ['"LIFT"', ...ofPage, '"tegnspråktolket, skorstein"']);
});

async function titlesWith({ ask }: Context, filter: string): Promise<readonly string[]> {
  const { events } = await ask(`{ events(filter: { ${filter} }) { data { title_nb } } }`);
  return events.data.map(({ title_nb }) => title_nb);
}

test('B13, E6: should filter by all of several accessibility words', async (context) => {
  assert.equal(await titlesWith(context, 'accessibility: [SIGN_LANGUAGE]'), ['Egen', 'Vise', 'Konsert']);
  const both = 'accessibility: [SIGN_LANGUAGE, ACCESSIBLE_TOILET]';
  assert.equal(await titlesWith(context, both), ['Egen', 'Vise']);
});

test('B13, E6: should find no event for a word that none has, and all for an empty list', async (context) => {
  assert.equal(await titlesWith(context, 'accessibility: RELAXED'), []);
  assert.is((await titlesWith(context, 'accessibility: []')).length, 5, 'events');
});

test('B13, E6, A4: should filter by the venue of the date that is shown', async (context) => {
  // A week later the event is in the barn, which has no word.
  const later = 'fromStartDate: "2026-02-07 00:00:00Z"';
  assert.equal(await titlesWith(context, `accessibility: [SIGN_LANGUAGE], ${later}`), ['Egen']);
  assert.equal(await titlesWith(context, `accessibility: [WHEELCHAIR], ${later}`), []);
});

test('E6, C1, C4: should count each word, equal hits in the order of the enum', async ({ ask }) => {
  const { events } = await ask('{ events { accessibilities { value hits } } }');
  assert.equal(
    events.accessibilities.map(({ value, hits }) => `${value} ${hits}`),
    [
      'WHEELCHAIR 3',
      'SIGN_LANGUAGE 3',
      'SUBTITLES 2',
      'ACCESSIBLE_TOILET 2',
      'HEARING_LOOP 1',
      'AUDIO_DESCRIPTION 1',
      'ASSISTANCE_DOG 1',
    ],
  );
  const { events: top } = await ask(
    '{ events(filter: { accessibility: [SUBTITLES] }) { accessibilities(first: 2) { value } } }',
  );
  assert.equal(top.accessibilities, [{ value: 'WHEELCHAIR' }, { value: 'SIGN_LANGUAGE' }]);
});

test('E6, I4: should write JSON-LD with the terms of schema.org', async ({ running: { send } }) => {
  const eventIn = async (path: string) => JSON.parse((await send(path)).text)['@graph'][0];
  const own = await eventIn('/events.jsonld?searchTerm=Egen');
  assert.equal(own.accessibilityFeature, ['signLanguage', 'captions']);
  assert.equal(own.location.amenityFeature, [
    amenity('wheelchairAccess', true),
    amenity('accessibleToilet', true),
  ]);
  const none = await eventIn('/events.jsonld?searchTerm=Ingen');
  assert.equal([none.accessibilityFeature, none.location.amenityFeature], [undefined, undefined]);
});

test('E6, I1: should filter a list by a parameter, and refuse an unknown word', async ({
  running: { send },
}) => {
  const list = JSON.parse((await send('/events.json?accessibility=SUBTITLES,WHEELCHAIR')).text);
  assert.equal(
    list.events.map(({ title }: { readonly title: string }) => title),
    ['Egen', 'Konsert'],
  );
  const refused = await send('/events.json?accessibility=STAIRS');
  assert.is(refused.status, 400);
  assert.equal(JSON.parse(refused.text).errors[0].extensions.invalidArgs, ['accessibility']);
});

test('E6, I6: should write a column of accessibility words in CSV', async ({ running: { send } }) => {
  const { text } = await send('/events.csv?searchTerm=Kveld');
  assert.match(text, /,"AUDIO_DESCRIPTION, ASSISTANCE_DOG"(,|\r\n)/);
});

test('E6: should name a filtered calendar after the word of its filter', async ({ running: { send } }) => {
  const { text } = await send('/events.ics?accessibility=HEARING_LOOP');
  assert.match(text, /^NAME;LANGUAGE=nb:Trondheim: Teleslynge\r$/m);
});

for (const path of ['/events.html?view=plain&searchTerm=Egen&lang=en', '/events/egen.html?lang=en']) {
  test(`E6, I10: should show the names of the words on ${path}`, async ({ running: { send } }) => {
    const { text } = await send(path);
    const words = text.replaceAll(/<[^>]+>/g, '').replaceAll(/\s+/g, ' ');
    assert.match(words, /wheelchair access, ?sign language, ?subtitles, ?accessible toilet/i);
  });
}

test.run();
