/** F11: the venues of feeds and of the source folder that are one place. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createFeedDirectory } from '../../../../jobs/annexes/feeds/directory.ts';
import { withVenues } from '../../../../jobs/annexes/feeds/event-venues.ts';
import type { FeedPlace } from '../../../../jobs/annexes/feeds/last-good.ts';
import { createMergedVenues } from '../../../../jobs/annexes/feeds/merged-venues.ts';
import { createPlaceMerger } from '../../../../jobs/annexes/feeds/same-place.ts';
import { type FeedVenue, placesIn } from '../../../../jobs/annexes/feeds/venue-ids.ts';
import { openNativeSource } from '../../../../jobs/native.ts';
import { DAY } from '../../../../src/calendar/time.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { builtWithFeeds } from '../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { all, sourceFolder } from '../../../helpers/native-source.ts';
import { editionRows, snapshotRows } from '../../../helpers/snapshot-rows.ts';
import { tableOf } from '../../../helpers/tables.ts';

const test = suite('F11: one place');

type Place = Readonly<Record<string, unknown>>;

const HALL = { name: 'Storsalen', address: 'Kongens gate 19, 7012 Trondheim' };
const at = (latitude: number, longitude: number) => ({ latitude, longitude });
const POINT = at(63.43, 10.4);
const TEXTS = { id: 'f', needsApproval: false };

interface PlacePair {
  /** What the two have in common, or in what they differ. */
  readonly why: string;
  readonly left: Place;
  readonly right: Place;
  readonly isOne: boolean;
}

/** Places of two sources, and whether they are one place. */
const PLACES: readonly PlacePair[] = [
  {
    why: 'equal names and addresses',
    left: HALL,
    right: HALL,
    isOne: true,
  },
  {
    why: 'capital letters, and a space after the name',
    left: HALL,
    right: { ...HALL, name: 'STORSALEN ' },
    isOne: true,
  },
  {
    why: 'punctuation after the name',
    left: HALL,
    right: { ...HALL, name: 'Storsalen!' },
    isOne: true,
  },
  {
    why: 'two names with one address',
    left: HALL,
    right: { ...HALL, name: 'Lillesalen' },
    isOne: false,
  },
  {
    why: 'the country, in Bokmål',
    left: HALL,
    right: { ...HALL, address: 'Kongens gate 19, 7012 Trondheim, Norge' },
    isOne: true,
  },
  {
    why: 'the country, in English',
    left: HALL,
    right: { ...HALL, address: 'Kongens gate 19, 7012 Trondheim, Norway' },
    isOne: true,
  },
  {
    why: 'the country, in Nynorsk, without a comma',
    left: HALL,
    right: { ...HALL, address: 'Kongens gate 19, 7012 Trondheim Noreg.' },
    isOne: true,
  },
  {
    why: 'an abbreviated street, and N- before the postal code',
    left: HALL,
    right: { ...HALL, address: 'Kongens gt. 19, N-7012 Trondheim' },
    isOne: true,
  },
  {
    why: 'a street of one word and of two',
    left: HALL,
    right: { ...HALL, address: 'Kongensgate 19, 7012 Trondheim' },
    isOne: false,
  },
  {
    why: 'capital letters and spaces in the address',
    left: HALL,
    right: { ...HALL, address: 'kongens gate 19 , 7012 TRONDHEIM' },
    isOne: true,
  },
  {
    why: 'an address without its town',
    left: HALL,
    right: { ...HALL, address: 'Kongens gate 19' },
    isOne: true,
  },
  {
    why: 'an address without its postal code',
    left: HALL,
    right: { ...HALL, address: 'Kongens gate 19, Trondheim' },
    isOne: true,
  },
  {
    why: 'the postal code in its own field',
    left: HALL,
    right: { ...HALL, address: 'Kongens gate 19', postalCode: '7012' },
    isOne: true,
  },
  {
    why: 'another postal code in its own field',
    left: HALL,
    right: { ...HALL, address: 'Kongens gate 19', postalCode: '0153' },
    isOne: false,
  },
  {
    why: 'two towns',
    left: HALL,
    right: { ...HALL, address: 'Kongens gate 19, 0153 Oslo' },
    isOne: false,
  },
  {
    why: 'two numbers in one street',
    left: HALL,
    right: { ...HALL, address: 'Kongens gate 21, 7012 Trondheim' },
    isOne: false,
  },
  {
    why: 'Storgata and Storgaten, with a letter after the number',
    left: { name: 'Huset', address: 'Storgata 19 B, 7600 Levanger' },
    right: { name: 'Huset', address: 'Storgaten 19b, 7600 Levanger' },
    isOne: true,
  },
  {
    why: 'Ringveien and Ringvegen',
    left: { name: 'Huset', address: 'Ringveien 4' },
    right: { name: 'Huset', address: 'Ringvegen 4' },
    isOne: true,
  },
  {
    why: 'letters with and without their marks',
    left: { name: 'Café Løkka', address: 'Dokkgata 8, 7042 Trondheim' },
    right: { name: 'Cafe Lokka', address: 'Dokkgata 8, 7042 Trondheim' },
    isOne: true,
  },
  {
    why: '90 metres to the north',
    left: { name: 'Huset', ...POINT },
    right: { name: 'Huset', ...at(63.43081, 10.4) },
    isOne: true,
  },
  {
    why: '110 metres to the north',
    left: { name: 'Huset', ...POINT },
    right: { name: 'Huset', ...at(63.43099, 10.4) },
    isOne: false,
  },
  {
    why: '90 metres to the east, where a degree is shorter',
    left: { name: 'Huset', ...POINT },
    right: { name: 'Huset', ...at(63.43, 10.4018) },
    isOne: true,
  },
  {
    why: '110 metres to the east',
    left: { name: 'Huset', ...POINT },
    right: { name: 'Huset', ...at(63.43, 10.4022) },
    isOne: false,
  },
  {
    why: 'one position, although the addresses differ',
    left: { ...HALL, ...POINT },
    right: { name: 'Storsalen', address: 'Kongens gate 2', ...POINT },
    isOne: true,
  },
  {
    why: 'one address, although the positions differ',
    left: { ...HALL, ...POINT },
    right: { ...HALL, ...at(64, 11) },
    isOne: true,
  },
  {
    why: 'two positions, and an address of only one',
    left: { ...HALL, ...POINT },
    right: { name: 'Storsalen', ...at(64, 11) },
    isOne: false,
  },
  {
    why: 'an address of one, and a position of the other',
    left: HALL,
    right: { name: 'Storsalen', ...POINT },
    isOne: false,
  },
  {
    why: 'names alone',
    left: { name: 'Huset' },
    right: { name: 'huset' },
    isOne: true,
  },
  {
    why: 'a position of only one',
    left: { name: 'Huset', ...POINT },
    right: { name: 'Huset' },
    isOne: false,
  },
  {
    why: 'an address of only one',
    left: HALL,
    right: { name: 'Storsalen' },
    isOne: false,
  },
];

/**
 * Places of one house in the order in which they are added: `name @ address +`, where `~` is the address of the house and `+` its position.
 * `ids` has, for each place, the number of the first place with the same id.
 */
const ROOMS = tableOf(
  ['what', 'places', 'ids'],
  `
  two rooms with one position → Hus @ Storsalen, ~ + | Hus @ Lillesalen, ~ + | Hus @ STORSALEN!, ~ + → 0 1 0
  rooms in names → Hus, Storsalen @ ~ + | Hus, Lillesalen @ ~ + → 0 1
  a room in a name, and in an address → Hus @ Storsalen, ~ + | Hus, Storsalen @ ~ + → 0 0
  rooms that are all of the address → Hus @ Storsalen + | Hus @ Lillesalen + | Hus @ Storsalen + → 0 1 0
  a house, then its rooms → Hus @ ~ + | Hus @ Storsalen, ~ + | Hus @ Lillesalen, ~ + → 0 0 0
  a room, then its house, which has none → Hus @ Storsalen, ~ + | Hus @ ~ + | Hus @ Lillesalen, ~ + → 0 1 1
  a house, and its town in place of an address → Hus @ ~ + | Hus @ Lillevik + → 0 0
  a town in place of an address, then its house → Hus @ Lillevik + | Hus @ ~ + → 0 0
  a street without a number → Hus @ ~ + | Hus @ Kirkegata, 7170 Lillevik + → 0 0
  rooms with one address and no position → Hus @ Storsalen, Kirkegata 4 | Hus @ Lillesalen, Kirkegata 4 → 0 1
  a room and its house, of names alone → Hus, Storsalen | Hus → 0 1
  a house and its room, of names alone → Hus | Hus, Storsalen → 0 1
  a street after nine parts → Hus @ a, b, c, d, e, f, g, h, i, Storgata 4 | Hus @ a, b, c, d, e, f, g, h, i, Storgaten 4 → 0 0
  no street that is looked for after ten → Hus @ a, b, c, d, e, f, g, h, i, j, Storgata 4 | Hus @ a, b, c, d, e, f, g, h, i, j, Storgaten 4 → 0 1
  other parts after ten → Hus @ a, b, c, d, e, f, g, h, i, j, k + | Hus @ a, b, c, d, e, f, g, h, i, j, l + → 0 1
`,
);

function placeIn(written: string): Place {
  const [, name, address, position] = /^(.*?)(?: @ (.*?))?( \+)?$/.exec(written) ?? [];
  const whole = address?.replace('~', 'Kirkegata 4, 7170 Lillevik');
  return { name, ...(whole !== undefined && { address: whole }), ...(position !== undefined && POINT) };
}

for (const { what, places, ids } of ROOMS) {
  test(`F11: should give a place in a house the id of the first that it equals or adds a room to: ${what}`, () => {
    const merger = createPlaceMerger();
    const texts = { id: 't', hasVenueIds: false };
    const found = places
      .split(' | ')
      .map((place, at) => merger.add(texts, { id: `${at}`, ...placeIn(place) }).id);
    assert.is(found.join(' '), ids, places);
  });
}

test('F11: should tell namesakes of one feed apart by municipality, unless they have one address', () => {
  const places = createFeedDirectory(TEXTS, { now: NOW });
  const add = (more: object) => places.venue({ name: 'Biblioteket', ...more }, 1);
  const first = add({ municipality: 'Åfjord' });
  const other = add({ municipality: 'Malvik' });
  assert.is.not(other, first);
  assert.equal(
    [add({}), add({ municipality: 'AFJORD kommune' }), add({ municipality: 'malvik' })],
    [first, first, other],
  );
  const address = 'Torget 1, 7170 Lillevik';
  assert.is(add({ address, municipality: 'Åfjord' }), add({ address, municipality: 'Malvik' }));
});

test('F11: should tell namesakes of one feed apart by position, unless they have one address', () => {
  const places = createFeedDirectory(TEXTS, { now: NOW });
  const add = (more: object) => places.venue({ name: 'Bedehuset', ...more }, 1);
  const first = add(at(63.43, 10.4));
  assert.is(add(at(63.4305, 10.4)), first);
  const other = add(at(63.4327, 10.4));
  assert.is.not(other, first);
  assert.is(add(at(63.4328, 10.4)), other);
  assert.is(add({}), first);
  const hall = add({ ...at(63.43, 10.4), address: 'Bygdevegen 4' });
  assert.is(add({ ...at(63.4327, 10.4), address: 'Bygdevegen 4' }), hall);
  assert.is(places.records().length, 3);
});

/** A place of that name, which several municipalities have. */
const library = (municipality: string, more: object = {}) => ({
  name: 'Biblioteket',
  municipality,
  ...more,
});

test('F11: should keep the ids of namesakes when the feed lists them in another order', async () => {
  const [first, second] = [library('Åfjord'), library('Malvik')];
  const before = await readingOf([first, second]);
  const [own, other] = before.ids;
  assert.is.not(own, other);
  assert.equal((await readingOf([second, first], before)).ids, [other, own]);
});

test('F11: should let no namesake have the id of one that has left the feed, for 400 days', async () => {
  const [first, second, third] = [library('Åfjord'), library('Malvik'), library('Oppdal')];
  const before = await readingOf([first, second]);
  const [own, other] = before.ids;
  const left = await readingOf([second, third], before);
  assert.is(left.ids[0], other);
  assert.not.ok([own, other].includes(left.ids[1]));
  const [, idOfThird] = left.ids;
  const none = await readingOf([], left, NOW + 399 * DAY);
  assert.equal((await readingOf([third, second, first], none, NOW + 399 * DAY)).ids, [idOfThird, other, own]);
  assert.equal((await readingOf([library('Rissa')], none, NOW + 400 * DAY)).ids, [own], 'a free id');
});

test('F11: should keep the id of a place whose position is corrected, if it is the only one in its municipality', async () => {
  const before = await readingOf([library('Åfjord'), library('Malvik')]);
  const [own] = before.ids;
  const moved = await readingOf([library('Åfjord', at(63.9, 10.2))], before);
  assert.equal(moved.ids, [own]);
  assert.equal((await readingOf([library('Åfjord', at(63.92, 10.2))], moved)).ids, [own]);
});

test('F11: should keep the ids of namesakes that only their positions tell apart', async () => {
  const near = library('Åfjord', POINT);
  const far = library('Åfjord', at(64, 10));
  const two = await readingOf([near, far]);
  const alone = await readingOf([far], two);
  assert.equal(alone.ids, two.ids.slice(1));
  assert.equal((await readingOf([far, near], alone)).ids, two.ids.toReversed());
});

interface Reading {
  readonly ids: readonly unknown[];
  readonly places: readonly FeedPlace[];
}

const NO_READING: Reading = { ids: [], places: [] };

/** Reads venues, and returns their ids, with what the next reading knows of them. F17: an approval changes neither. */
async function readingOf(
  venues: readonly FeedVenue[],
  last: Reading = NO_READING,
  now: number = NOW,
): Promise<Reading> {
  const open = await readingBy(TEXTS, { venues, last, now });
  assert.equal(await readingBy({ ...TEXTS, needsApproval: true }, { venues, last, now }), open);
  return open;
}

interface ReadVenues {
  readonly venues: readonly FeedVenue[];
  readonly last: Reading;
  readonly now: number;
}

async function readingBy(feed: typeof TEXTS, { venues, last, now }: ReadVenues): Promise<Reading> {
  const directory = createFeedDirectory(feed, { places: last.places, now });
  for (const venue of venues) directory.venue(venue, 1);
  const ids = directory.records().map(({ value, describes }) => describes ?? value.id);
  async function* records() {
    yield* directory.records();
  }
  async function* gonePlaces() {
    yield* directory.gonePlaces();
  }
  return { ids, places: await placesIn(feed.id, { records, gonePlaces }) };
}

const FEED = { id: 'f', hasVenueIds: true };
const OTHER = { id: 'g', hasVenueIds: true };

for (const { why, left, right, isOne } of PLACES) {
  test(`F11: should ${isOne ? 'merge' : 'not merge'} two places, in either order: ${why}`, () => {
    for (const [first, second] of [
      [left, right],
      [right, left],
    ] as const) {
      const merger = createPlaceMerger();
      merger.add(FEED, { id: 'f:1', ...first });
      const { id } = merger.add(OTHER, { id: 'g:1', ...second });
      assert.is(id, isOne ? 'f:1' : 'g:1', `${JSON.stringify(first)} ${JSON.stringify(second)}`);
    }
  });
}

test('F11: should recognise a venue of the folder by a name that no other venue has', () => {
  const merger = createPlaceMerger();
  merger.addOfFolder({ id: 'hall', ...HALL });
  merger.addOfFolder({ id: 'kirke1', name: 'Kirken', address: 'Nord' });
  merger.addOfFolder({ id: 'kirke2', name: 'Kirken', address: 'Sør' });
  assert.equal(merger.add(FEED, { id: 'f:1', name: 'storsalen' }), { id: 'hall', isNew: false });
  assert.equal(merger.add(FEED, { id: 'f:2', name: 'Kirken' }), { id: 'f:2', isNew: true });
  assert.equal(merger.add(FEED, { id: 'f:3', name: 'Storsalen', address: 'Et annet sted 4' }), {
    id: 'f:3',
    isNew: true,
  });
});

test('F11: should prefer an alias to address and position', () => {
  const merger = createPlaceMerger();
  merger.addOfFolder({ id: 'hall', ...HALL, ...POINT, aliases: ['Konserthuset', 'Salen, Storgata', '', 5] });
  merger.addOfFolder({ id: 'other', name: 'Konserthuset', address: 'Havnegata 2' });
  const far = { name: 'KONSERTHUSET', address: 'Havnegata 2', ...at(59, 10) };
  assert.equal(merger.add(FEED, { id: 'f:1', ...far }), { id: 'hall', isNew: false });
  assert.equal(merger.add(FEED, { id: 'f:2', name: 'Salen Storgata' }), { id: 'hall', isNew: false });
});

const HOUSE = {
  id: 'hall',
  name: 'Storsalen',
  address: 'Storgata 1, 7170 Åfjord',
  aliases: ['Storsalen, Kulturhuset, Storgata 1, 7170 Åfjord', 'Kulturhuset, Kinosalen'],
};

/** A place as a feed has it, and whether it is that house. */
const PLACES_OF_FEEDS: readonly (readonly [place: Place, isHouse: boolean])[] = [
  [{ name: 'Storsalen', address: 'Kulturhuset, Storgata 1, 7170 Åfjord' }, true],
  [{ name: 'Storsalen', address: 'Kulturhuset, Storgt. 1, 7170 ÅFJORD, Norge' }, true],
  // The beginning of an alias, with a street or a town that agrees.
  [{ name: 'Storsalen', address: 'Kulturhuset, Åfjord' }, true],
  [{ name: 'Storsalen', address: 'Kulturhuset, Sentrum, Oslo' }, false],
  // An alias that is the beginning of the place.
  [{ name: 'Kulturhuset', address: 'Kinosalen, Storgata 3, 7170 Åfjord' }, true],
  [{ name: 'Kulturhuset', address: 'Lillesalen, Storgata 1, 7170 Åfjord' }, false],
  // The venue's own name.
  [{ name: 'STORSALEN', address: 'Storgaten 1' }, true],
  [{ name: 'Storsalen', address: 'Åfjord' }, true],
  [{ name: 'Storsalen', address: 'Havnegata 2, 7170 Åfjord' }, true],
  [{ name: 'Storsalen', address: 'Havnegata 2, 7013 Trondheim' }, false],
  [{ name: 'Storsalen', address: 'Storgata 11' }, false],
  [{ name: 'Lillesalen', address: 'Storgata 1, 7170 Åfjord' }, false],
];

test('F11: should recognise a venue of the folder by its aliases, or by its name with its street or town', () => {
  for (const [place, isHouse] of PLACES_OF_FEEDS) {
    const merger = createPlaceMerger();
    merger.addOfFolder(HOUSE);
    merger.addOfFolder({ id: 'other', name: 'Kafeen', address: 'Storgata 5, 7170 Åfjord' });
    const { id } = merger.add({ id: 'f', hasVenueIds: false }, { id: 'f:1', ...place });
    assert.is(id, isHouse ? 'hall' : 'f:1', JSON.stringify(place));
  }
});

test('F11: should choose neither of two native venues with one name and town', () => {
  const merger = createPlaceMerger();
  for (const [at, street] of ['Nordgata 1', 'Sørgata 1'].entries())
    merger.addOfFolder({ id: `hall${at}`, name: 'Biblioteket', address: `${street}, 7170 Åfjord` });
  assert.is(merger.add(FEED, { id: 'f:1', name: 'Biblioteket', address: 'Åfjord' }).id, 'f:1');
  assert.is(merger.add(FEED, { id: 'f:2', name: 'Biblioteket', address: 'Sørgata 1, Åfjord' }).id, 'hall1');
});

test('F11: should keep a name alone in two municipalities apart, unless it is a venue of the folder', () => {
  const texts = (id: string, defaultMunicipality: string | null) => ({
    id,
    hasVenueIds: false,
    defaultMunicipality,
  });
  const merger = createPlaceMerger();
  merger.addOfFolder({ id: 'kino', name: 'Kinoen', municipality: 'Oppdal' });
  const idOf = (feed: string, municipality: string | null, name = 'Biblioteket') =>
    merger.add(texts(feed, municipality), { id: `${feed}:1`, name }).id;
  assert.is(idOf('a', null), 'a:1');
  assert.is(idOf('b', 'Åfjord'), 'a:1');
  assert.is(idOf('c', 'Malvik'), 'c:1', 'the first one is in Åfjord now');
  assert.is(idOf('d', 'AFJORD'), 'a:1');
  assert.is(idOf('e', null), 'a:1');
  assert.is(idOf('f', '5058'), 'f:1', 'only the register knows that it is Åfjord');
  assert.is(idOf('g', 'Malvik', 'Kinoen'), 'kino');
});

test('F11: should merge equal texts of one feed, but not venues with different ids', () => {
  const merger = createPlaceMerger();
  merger.add(FEED, { id: 'f:1', ...HALL });
  assert.is(merger.add(FEED, { id: 'f:2', ...HALL }).id, 'f:2');
  const texts = { id: 't', hasVenueIds: false };
  merger.add(texts, { id: 't:1', name: 'Huset', address: 'Nygata 1, 7600 Levanger' });
  const google = { id: 't:2', name: 'Huset', address: 'Nygata 1, 7600 Levanger, Norge' };
  assert.is(merger.add(texts, google).id, 't:1');
});

test('F11: should find the venues of an event, its dates, and each of its series', () => {
  const series = (venue: string) => ({ changes: [{ own: { venue } }, { own: {} }] });
  const named = (a: string, b: string, c: string) => ({
    venue: a,
    dates: [{ start: '2031-02-14', venue: b }, { start: '2031-02-15' }],
    repeats: [{ rule: 'FREQ=DAILY', venue: c }],
  });
  const upper = (venue: string) => venue.toUpperCase();
  assert.equal(withVenues({ ...named('a', 'b', 'c'), series: series('d') }, upper), {
    ...named('A', 'B', 'C'),
    series: series('D'),
  });
  assert.equal(withVenues({ series: [series('d'), series('e')] }, upper), {
    series: [series('D'), series('E')],
  });
});

test('F11: should compare a place with at most 100 namesakes', () => {
  const merger = createPlaceMerger();
  for (let place = 0; place < 20_000; place++)
    merger.add(FEED, { id: `f:${place}`, name: 'Grendehuset', address: `Bygdeveien ${place}` });
  assert.is(merger.add(OTHER, { id: 'g:1', name: 'Grendehuset', address: 'Bygdeveien 99' }).id, 'f:99');
  assert.is(merger.add(OTHER, { id: 'g:2', name: 'Grendehuset', address: 'Bygdeveien 19999' }).id, 'g:2');
});

test('F11: should refuse to name merged venues before all venues have been read', async () => {
  const folder = sourceFolder({ 'events.json': [], 'venues.json': [{ id: 'hall', ...HALL }] });
  const native = await openNativeSource(folder);
  const venues = createMergedVenues(native, [], { addFinding: () => undefined });
  const event = { origin: { file: 'feed a', line: 1 }, value: { id: 'e' } };
  const results = [venues.found, () => venues.withVenueIds(event)];
  for (const result of results) assert.throws(result, /expected .* to be read first/);
  await all(venues.entries());
  for (const result of results) result();
});

test('A17, F11: should find a merged venue by its slug, and keep the id of a namesake', async () => {
  const row = (id: string, place: string) => `${id},Konsert ${id},2026-05-01 19:00,${place}\n`;
  const table = (...rows: readonly string[]) => `Id,Tittel,Start,Sted,Kommune\n${rows.join('')}`;
  const [merged, gone, kept] = [
    row('x', 'Konserthuset,'),
    row('y', 'Biblioteket,Roan'),
    row('z', 'Biblioteket,Oppdal'),
  ];
  const files = {
    'events.json': [],
    'venues.json': [{ id: 'hall', ...HALL }],
    'a.csv': table(merged, gone, kept),
    'sources.json': [{ id: 'a', kind: 'csv', file: 'a.csv' }],
  };
  const target = temporaryFolder();
  const venueWhere = (condition: string) =>
    editionRows(target, `select id as text from venue where ${condition}`);
  await builtWithFeeds(sourceFolder(files), target);
  const [id = ''] = await venueWhere("slug = 'konserthuset'");
  assert.match(id, /^a:konserthuset/);
  const [idOfKept] = await venueWhere("municipality = 'Oppdal'");
  const venues = [{ id: 'hall', ...HALL, aliases: ['Konserthuset'] }];
  const later = { ...files, 'venues.json': venues, 'a.csv': table(merged, kept) };
  await builtWithFeeds(sourceFolder(later), target);
  assert.equal(await venueWhere('true order by id'), [idOfKept, 'hall']);
  const found = `select survivor as text from slug join merged on merged.kind = slug.kind and merged.id = slug.id
    where slug.kind = 'venue' and slug.slug = 'konserthuset'`;
  assert.equal(await snapshotRows(target, found), ['hall']);
});

test.run();
