/** The public interface (P1 to P18) and the types beside it (E): a second statement of the schema, and answers over HTTP. */
import {
  assertInputObjectType,
  assertObjectType,
  buildClientSchema,
  getIntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { schema } from '../src/serve/graphql/schema.ts';
import { ANNEXES } from './helpers/annex.ts';
import { startSample } from './serve/http/sample.ts';
import type { Stand } from './serve/http/stand.ts';

interface Context {
  stand: Stand;
  /** The data of an answer without errors. */
  ask: (query: string) => Promise<Data>;
}

type Data = ReturnType<typeof JSON.parse>;

const promised = suite<Context>('the public interface');

promised.before(async (context) => {
  context.stand = await startSample({ annexes: ANNEXES });
  context.ask = async (query) => {
    const { data, errors } = JSON.parse((await context.stand.post(query)).text);
    assert.is(errors, undefined, query);
    return data;
  };
});

promised.after(({ stand }) => stand.close());

promised('P1: should have queries alone, at one path without a version', async ({ stand }) => {
  assert.is(schema.getMutationType() ?? schema.getSubscriptionType(), undefined);
  assert.is((await stand.send('/v1/graphQL', json({ query: '{ __typename }' }))).status, 404);
});

promised('P1, D2: should answer introspection in full', async ({ ask }) => {
  const data = await ask(getIntrospectionQuery({ inputValueDeprecation: true, schemaDescription: true }));
  const [seen, own] = [buildClientSchema(data), schema].map((one) =>
    printSchema(lexicographicSortSchema(one)),
  );
  assert.is(seen, own);
});

promised('P2: should take JSON by POST, by GET with the preflight header only', async ({ stand }) => {
  const query =
    'query Page($size: Int) { events(pageSize: $size) { pageInfo { pageSize } } } query B { now: __typename }';
  const more = { variables: { size: 3 }, operationName: 'Page' };
  const path = `/graphQL?${new URLSearchParams({ ...more, query, variables: '{"size":3}' })}`;
  const got = await stand.send(path, { headers: { 'Gateway-Require-Preflight': 'true' } });
  for (const { text } of [got, await stand.post(query, more)])
    assert.equal(JSON.parse(text).data, { events: { pageInfo: { pageSize: 3 } } });
  const refused = await stand.send(path);
  assert.is(refused.status, 400);
  assert.match(refused.text, /CSRF.*"BAD_REQUEST"/);
});

promised('P3: should open to any origin, and give a browser the sandbox', async ({ stand }) => {
  const preflight = await stand.send('/graphQL', {
    method: 'OPTIONS',
    headers: { Origin: 'https://town.example', 'Access-Control-Request-Method': 'POST' },
  });
  assert.is(preflight.headers['access-control-allow-origin'], '*');
  const page = await stand.send('/graphQL', { headers: { Accept: 'text/html' } });
  assert.match(page.headers['content-type'] ?? '', /^text\/html/);
});

promised('P4: should serve a call with an unknown key, with a notice', async ({ stand }) => {
  const headers = { 'X-Api-Key': 'unknown', 'X-Page-Url': 'https://town.example/' };
  const { status, text } = await stand.post('{ __typename }', {}, headers);
  assert.equal([status, typeof JSON.parse(text).extensions.notice], [200, 'string']);
});

promised('P5, P6, E1, E2, E5: should have these fields of Event, with these types', () => {
  assert.equal(fieldsOf('Event'), {
    ...types(
      'String!',
      'id event_slug eventLink occurrenceID startDate endDate startTime mode ticketsInformation',
    ),
    ...types(
      'String',
      'title_nb title_en desc_nb desc_en ticketsURL publishingDate ticketsFromDate created_at updated_at',
    ),
    ...types('String', 'super_event moreInfoURL streamingURL facebookURL venueNote ageRestriction'),
    ...types('String', 'maxBookingDate maxBookingTime paymentMethod'),
    ...types(
      'String',
      'priceOption regularPrice reducedPrice type author_id editableBy contact_from videosURL',
    ),
    ...types('Int', 'duration minimumAge maximumAge cancellationPeriod views availableTickets activeTickets'),
    ...types(
      'Boolean!',
      'allDay eventCancelled eventSoldOut registrationEnabled isSuperEvent isFeaturedEvent',
    ),
    ...types('[String!]!', 'categories tags'),
    accessibility: '[Accessibility!]!',
    venue: 'Venue',
    organizers: '[Organizer!]!',
    images: '[Image!]!',
    repetitions: '[Repetition!]!',
    prices: '[Price!]!',
    occurrencePrices: '[Price!]',
    contact_custom: 'ContactCustom',
  });
  assert.is(fieldsOf('Event').endTime, undefined);
});

promised('P7: should have these fields of Venue, Organizer and Image', () => {
  assert.equal(fieldsOf('Venue'), {
    ...types('String!', 'id name slug'),
    ...types('String', 'address postalCode municipality mapImageURL'),
    accessibility: '[Accessibility!]!',
    location: 'Location',
  });
  assert.equal(fieldsOf('Location'), types('Float!', 'latitude longitude'));
  assert.equal(fieldsOf('Organizer'), {
    ...types('String!', 'id name slug'),
    ...types('String', 'website email telephoneNumber'),
  });
  assert.equal(fieldsOf('Image'), {
    ...types('String', 'urlSmall urlLarge alt caption credits urlOriginal originalSize largeSize smallSize'),
    ...types('Float', 'focusX focusY'),
    ...types('Int', 'width height'),
  });
});

promised('P8: should have these fields of Repetition and Price, and integers for prices', async ({ ask }) => {
  assert.equal(fieldsOf('Repetition'), {
    ...types('String!', 'id startDate endDate startTime'),
    ...types('String', 'ticketsURL mode streamingURL'),
    ...types('Boolean!', 'allDay eventCancelled eventSoldOut'),
    duration: 'Int',
    venue: 'Venue',
    prices: '[Price!]',
  });
  assert.equal(fieldsOf('Price'), { type: 'String!', price: 'Int', ...types('String', 'name_nb name_en') });
  const { events } = await ask('{ events(pageSize: 1000) { data { prices { type price } } } }');
  const prices = events.data.flatMap((event: Data) => event.prices);
  assert.ok(prices.some(({ price }: Data) => price === null));
  assert.ok(prices.every(({ price }: Data) => price === null || Number.isInteger(price)));
});

promised('P9, E9, E10: should list the taxonomy, and find nothing by another id', async ({ ask }) => {
  const subcategory = { ...types('String!', 'id name_nb name_en slug_nb slug_en'), visible: 'Boolean!' };
  const category = { ...subcategory, subcategories: '[Subcategory!]!' };
  const hits = 'Int!';
  assert.equal(fieldsOf('Subcategory'), subcategory);
  assert.equal(fieldsOf('Category'), category);
  assert.equal(fieldsOf('CategoryFacet'), { ...category, hits });
  for (const of of ['Venue', 'Organizer']) assert.equal(fieldsOf(`${of}Facet`), { ...fieldsOf(of), hits });
  const { categories, events } = await ask(
    '{ categories { id visible } events(filter: { categories: ["RETIRED"] }) { totalCount data { id } } }',
  );
  const ids = new Set(categories.map(({ id }: Data) => id));
  for (const id of SHIPPED.split(' ')) assert.ok(ids.has(id), id);
  assert.equal(events, { totalCount: 0, data: [] });
});

const SHIPPED =
  'ART EXPERIENCE FAMILY FESTIVAL FOOD LECTURE LITERATURE MOVIES MUSIC OTHER SOCIAL SPORT THEATER';

promised('P10, B2: should filter by the slugs of the directories, compared exactly', async ({ ask }) => {
  const { venues } = await ask('{ venues { slug } }');
  const total = async (filter: string) =>
    (await ask(`{ events(filter: { ${filter} }) { totalCount } }`)).events.totalCount;
  let found = 0;
  for (const { slug } of venues.slice(0, 5)) {
    const hits = await total(`venueSlug: "${slug}"`);
    assert.is(await total(`venues: ["${slug}", "nowhere"]`), hits);
    assert.is(await total(`venueSlug: "${slug.toUpperCase()}"`), 0);
    found += hits;
  }
  assert.ok(found > 0);
});

promised('P11, A13: should write datetimes with Oslo’s offset', async ({ ask }) => {
  const { events } = await ask('{ events(pageSize: 1000) { data { startDate endDate } } }');
  const texts: readonly string[] = events.data.flatMap((event: Data) => [event.startDate, event.endDate]);
  for (const text of texts) assert.match(text, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+0[12]:00$/);
  assert.ok(texts.some((text) => text.endsWith('+02:00')));
});

promised('P12: should show an event’s next date, and only later ones as repetitions', async ({ ask }) => {
  const { events } = await ask(
    '{ events(pageSize: 1000) { data { id startDate repetitions { startDate } } } }',
  );
  assert.is(new Set(events.data.map(({ id }: Data) => id)).size, events.data.length);
  const several = events.data.filter(({ repetitions }: Data) => repetitions.length > 0);
  assert.ok(several.length > 0);
  for (const { startDate, repetitions } of several) {
    const starts: number[] = [startDate, ...repetitions.map((one: Data) => one.startDate)].map(instantOf);
    assert.ok(starts.every((start, at) => start >= (starts[at - 1] ?? start)));
  }
});

promised('P13, E8: should have these queries, with these arguments', () => {
  const query = assertObjectType(schema.getQueryType());
  const signatures = Object.values(query.getFields()).map(({ name, args, type }) => {
    const list = args.map((argument) => `${argument.name}: ${argument.type}`).join(', ');
    return `${name}${list === '' ? '' : `(${list})`}: ${type}`;
  });
  const wanted = [
    'events(filter: Filter, page: Int, pageSize: Int): EventConnection!',
    'eventByID(eventID: String!): Event',
    'eventBySlug(eventSlug: String!): Event',
    'eventsBySlugs(eventsSlugs: [String]!): [Event!]',
    'eventByTitle(title: String!, lan: String!): Event',
    'allUpcomingSuperEvents: [Event!]',
    'allUpcomingEventsInArea(minLatitude: Float!, maxLatitude: Float!, minLongitude: Float!, maxLongitude: Float!): [Event!]',
    'categories: [Category!]',
    'venues: [Venue!]',
    'organizers: [Organizer!]',
    'calendar: Calendar!',
  ];
  assert.equal(signatures.slice(0, wanted.length), wanted);
});

promised('P14, E4: should count all pages, and say whether the next one holds anything', async ({ ask }) => {
  const { events } = await ask('{ events(pageSize: 1000) { totalCount } }');
  const pageSize = 7;
  const pages = Math.ceil(events.totalCount / pageSize);
  for (const page of [0, pages - 1, pages]) {
    const fields = 'totalCount hasMore approximate data { id } pageInfo { currentPage pageSize totalPages }';
    const { events: got } = await ask(
      `{ events(page: ${page}, pageSize: ${pageSize}) { ${fields} venues { hits } } }`,
    );
    const { data, venues, ...counts } = got;
    assert.equal(counts, {
      totalCount: events.totalCount,
      hasMore: page < pages - 1,
      approximate: false,
      pageInfo: { currentPage: page, pageSize, totalPages: pages },
    });
    assert.is(data.length, Math.max(0, Math.min(pageSize, events.totalCount - page * pageSize)));
    assert.ok(
      venues.some(({ hits }: Data) => hits > pageSize),
      'facets are of all pages',
    );
  }
});

promised('P15, B8: should give ten in order of time, whatever sortBy says', async ({ ask }) => {
  const { events } = await ask('{ events(filter: { sortBy: "title" }) { data { startDate } } }');
  const starts: readonly number[] = events.data.map(({ startDate }: Data) => instantOf(startDate));
  assert.is(starts.length, 10);
  assert.ok(starts.every((start, at) => start >= (starts[at - 1] ?? start)));
  assert.ok(inputFieldsOf('Filter').sortBy?.deprecationReason);
});

promised('P16, E8: should take these filter fields, each optional', () => {
  const fields = inputFieldsOf('Filter');
  const names: Readonly<Record<string, string>> = {
    ...types(
      'String',
      'fromDate untilDate fromStartDate venueSlug organizerSlug searchTerm tag mode superEvent',
    ),
    ...types('String', 'hoursRange municipality sortBy'),
    ...types('[String]', 'categories notCategories venues organizers postalCodes'),
    ...types('Boolean', 'onlyFeatured onlyFeaturedSpecialEvent cancelledNotIncluded soldOutNotIncluded'),
    ...types('Boolean', 'groupRepetitionsByDay free'),
    period: 'Period',
    near: 'Near',
    area: 'Area',
    accessibility: '[Accessibility!]',
  };
  for (const [name, type] of Object.entries(names)) assert.is(`${fields[name]?.type}`, type, name);
  for (const { name, type: of } of Object.values(fields)) assert.not.match(`${of}`, /!$/, name);
});

promised('B13: should take a point and a box as numbers', () => {
  const of = (name: string) =>
    Object.fromEntries(Object.values(inputFieldsOf(name)).map((field) => [field.name, `${field.type}`]));
  assert.equal(of('Near'), types('Float!', 'latitude longitude km'));
  assert.equal(of('Area'), types('Float!', 'minLatitude maxLatitude minLongitude maxLongitude'));
});

promised('E6: should have these words of Accessibility, in this order, and a facet of them', () => {
  const type = schema.getType('Accessibility');
  assert.ok(isEnumType(type));
  const words =
    'WHEELCHAIR HEARING_LOOP SIGN_LANGUAGE SUBTITLES AUDIO_DESCRIPTION RELAXED ASSISTANCE_DOG ACCESSIBLE_TOILET';
  const values = type.getValues();
  assert.is(values.map(({ name }) => name).join(' '), words);
  assert.ok(values.every(({ description }) => description));
  assert.equal(fieldsOf('AccessibilityFacet'), { value: 'Accessibility!', hits: 'Int!' });
  assert.is(fieldsOf('EventConnection').accessibilities, '[AccessibilityFacet!]!');
});

promised('P17: should say in JSON what is wrong, with the interface’s statuses', async ({ stand }) => {
  const malformed = await stand.send('/graphQL', { ...json({}), body: "{'query': 1}" });
  const unknown = await stand.post('{ events { nothing } }');
  const dates = await stand.post('{ events(filter: { fromDate: "soon" }) { totalCount } }');
  assert.equal([malformed.status, unknown.status, dates.status], [400, 400, 200]);
  assert.is(JSON.parse(malformed.text).errors[0].message, 'Malformed JSON body');
  assert.match(JSON.parse(unknown.text).errors[0].message, /nothing/);
  const { data, errors } = JSON.parse(dates.text);
  const { message, path, extensions } = errors[0];
  assert.equal([data, message, path], [null, 'Query Arguments invalid', ['events']]);
  assert.equal(extensions.invalidArgs, ['fromDate']);
});

promised('P18: should hand out the schema, and refuse nobody for many requests', async ({ stand }) => {
  const { status, text } = await stand.send('/schema.graphql');
  assert.is(status, 200);
  assert.match(text, /^type Query \{$/m);
  assert.not.match(text, '# nb');
  for (let request = 0; request < 100; request++) assert.is((await stand.post('{ __typename }')).status, 200);
});

promised('E3: should say whose calendar it is', () => {
  assert.equal(fieldsOf('Calendar'), {
    ...types('String!', 'id name siteUrl timeZone'),
    ...types('String', 'portalUrl attribution nextChange'),
    dataLicence: 'DataLicence',
    contact: 'Contact',
    snapshot: 'SnapshotInfo!',
  });
});

/** What older public clients ask for, as their queries have it, and what is to be used in its place. */
const OLDER = {
  Event:
    'priceOption regularPrice reducedPrice type author_id editableBy contact_from contact_custom videosURL',
  Image: 'urlOriginal originalSize largeSize smallSize',
  Organizer: 'email telephoneNumber',
  Venue: 'mapImageURL',
  Repetition: 'mode streamingURL',
};

promised('E5: should answer the fields of older clients, and say what to use', async ({ ask }) => {
  const query = `{ events(pageSize: 100) { totalCount data {
    id title_nb ${OLDER.Event.replace('contact_custom', 'contact_custom { email phone }')}
    ticketsInformation prices { type price } images { urlSmall ${OLDER.Image} } organizers { id ${OLDER.Organizer} }
    venue { id ${OLDER.Venue} } repetitions { startDate ${OLDER.Repetition} } } } }`;
  const { events } = await ask(query);
  const options = { ticketsInfo: 'non-gratis', free: 'gratis', noTicketsInfo: null };
  const amounts = new Set();
  for (const { ticketsInformation, priceOption, prices, regularPrice } of events.data) {
    assert.is(priceOption, options[ticketsInformation as keyof typeof options]);
    const price = prices.find(({ type }: { readonly type: string }) => type === 'REGULAR')?.price ?? null;
    assert.is(regularPrice, price === null ? null : String(price));
    amounts.add(regularPrice);
  }
  assert.ok(amounts.size > 5, 'some have prices');
  for (const [type, names] of Object.entries(OLDER)) {
    const fields = assertObjectType(schema.getType(type)).getFields();
    for (const name of names.split(' ')) {
      assert.match(fields[name]?.deprecationReason ?? '', /^Use `/, `${type}.${name}`);
      assert.ok(!isNonNullType(fields[name]?.type), `${type}.${name} is nullable`);
    }
  }
});

promised('E11: should describe every type and field', () => {
  const bare: string[] = [];
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    if (!type.description) bare.push(type.name);
    if (!isObjectType(type) && !isInputObjectType(type)) continue;
    for (const { name, description } of Object.values(type.getFields())) {
      if (!description) bare.push(`${type.name}.${name}`);
    }
  }
  assert.equal(bare, []);
});

promised.run();

function fieldsOf(type: string): Readonly<Record<string, string>> {
  const fields = Object.values(assertObjectType(schema.getType(type)).getFields());
  return Object.fromEntries(fields.map(({ name, type: of }) => [name, `${of}`]));
}

function inputFieldsOf(name: string) {
  return assertInputObjectType(schema.getType(name)).getFields();
}

function types(type: string, names: string): Readonly<Record<string, string>> {
  return Object.fromEntries(names.split(' ').map((name) => [name, type]));
}

function instantOf(datetime: string): number {
  return Date.parse(datetime.replace(' ', 'T'));
}

function json(body: object) {
  return { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}
