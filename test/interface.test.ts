/** The public interface (P1 to P18) and the types beside it (E): a second statement of the schema, and answers over HTTP. */
import { assertObjectType, type GraphQLSchema, isEnumType, isInputObjectType, isObjectType } from 'graphql';
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
  assert.is(schema.getMutationType(), undefined);
  assert.is(schema.getSubscriptionType(), undefined);
  const { text } = await stand.send('/graphQL', json({ query: '{ __schema { queryType { name } } }' }));
  assert.equal(JSON.parse(text).data, { __schema: { queryType: { name: 'Query' } } });
  assert.is((await stand.send('/v1/graphQL', json({ query: '{ __typename }' }))).status, 404);
});

promised(
  'P2: should take JSON by POST, and parameters by GET with the preflight header only',
  async ({ stand }) => {
    const query = 'query Page($size: Int) { events(pageSize: $size) { pageInfo { pageSize } } }';
    const expected = { events: { pageInfo: { pageSize: 3 } } };
    const variables = { size: 3 };
    const posted = await stand.send('/graphQL', json({ query, variables, operationName: 'Page' }));
    assert.equal(JSON.parse(posted.text).data, expected);
    const path = `/graphQL?query=${encodeURIComponent(query)}&variables=${encodeURIComponent(JSON.stringify(variables))}`;
    const got = await stand.send(path, { headers: { 'Gateway-Require-Preflight': 'true' } });
    assert.equal(JSON.parse(got.text).data, expected);
    const refused = await stand.send(path);
    assert.is(refused.status, 400);
    const [error] = JSON.parse(refused.text).errors;
    assert.is(error.extensions.code, 'BAD_REQUEST');
    assert.match(error.message, /CSRF/);
  },
);

promised('P3: should open to any origin, and give a browser the sandbox', async ({ stand }) => {
  const preflight = await stand.send('/graphQL', {
    method: 'OPTIONS',
    headers: { Origin: 'https://town.example', 'Access-Control-Request-Method': 'POST' },
  });
  assert.is(preflight.headers['access-control-allow-origin'], '*');
  const page = await stand.send('/graphQL', { headers: { Accept: 'text/html' } });
  assert.match(page.headers['content-type'] ?? '', /^text\/html/);
});

promised(
  'P4: should serve a call with an unknown key as an anonymous one, with a notice',
  async ({ stand }) => {
    for (const headers of [{}, { 'X-Api-Key': 'unknown', 'X-Page-Url': 'https://town.example/' }]) {
      const { status, text } = await stand.post('{ __typename }', {}, headers);
      assert.is(status, 200);
      assert.type(JSON.parse(text).extensions.notice, 'string');
    }
  },
);

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

promised(
  'P9, E9, E10: should list the taxonomy, and find nothing by an id that is not in it',
  async ({ ask }) => {
    const subcategory = { ...types('String!', 'id name_nb name_en slug_nb slug_en'), visible: 'Boolean!' };
    const category = { ...subcategory, subcategories: '[Subcategory!]!' };
    assert.equal(fieldsOf('Subcategory'), subcategory);
    assert.equal(fieldsOf('Category'), category);
    assert.equal(fieldsOf('CategoryFacet'), { ...category, hits: 'Int!' });
    assert.equal(fieldsOf('VenueFacet'), { ...fieldsOf('Venue'), hits: 'Int!' });
    assert.equal(fieldsOf('OrganizerFacet'), { ...fieldsOf('Organizer'), hits: 'Int!' });
    const { categories, events } = await ask(
      '{ categories { id visible } events(filter: { categories: ["RETIRED"] }) { totalCount data { id } } }',
    );
    const shipped =
      'ART EXPERIENCE FAMILY FESTIVAL FOOD LECTURE LITERATURE MOVIES MUSIC OTHER SOCIAL SPORT THEATER'.split(
        ' ',
      );
    const ids = categories.map(({ id }: Data) => id);
    assert.equal(
      shipped.filter((id) => !ids.includes(id)),
      [],
    );
    assert.equal(events, { totalCount: 0, data: [] });
  },
);

promised('P10, B2: should filter by the slugs of the directories, compared exactly', async ({ ask }) => {
  const { venues, organizers } = await ask('{ venues { slug } organizers { slug } }');
  const total = async (filter: string) =>
    (await ask(`{ events(filter: { ${filter} }) { totalCount } }`)).events.totalCount;
  let found = 0;
  for (const { slug } of venues.slice(0, 5)) {
    const hits = await total(`venueSlug: "${slug}"`);
    assert.is(await total(`venues: ["${slug}", "nowhere"]`), hits);
    assert.is(await total(`venueSlug: "${slug.toUpperCase()}"`), 0);
    found += hits;
  }
  for (const { slug } of organizers.slice(0, 5)) found += await total(`organizerSlug: "${slug}"`);
  assert.ok(found > 0);
});

promised(
  'P11, A13: should write datetimes with Oslo’s offset and read each form of an offset',
  async ({ ask }) => {
    const { events } = await ask('{ events(pageSize: 1000) { data { startDate endDate } } }');
    const offsets = new Set<string>();
    for (const { startDate, endDate } of events.data) {
      for (const text of [startDate, endDate]) {
        assert.match(text, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+0[12]:00$/);
        offsets.add(text.slice(-6));
      }
    }
    assert.ok(offsets.has('+02:00'));
    const totals = await Promise.all(
      [
        '2026-07-01 12:00:00+02:00',
        '2026-07-01 12:00:00+0200',
        '2026-07-01 12:00:00+02',
        '2026-07-01 10:00:00Z',
        '2026-07-01T12:00:00',
        '2026-07-01 12:00',
      ].map(
        async (text) =>
          (await ask(`{ events(filter: { fromDate: "${text}" }) { totalCount } }`)).events.totalCount,
      ),
    );
    assert.is(new Set(totals).size, 1);
  },
);

promised('P12: should show an event’s next date, and only later ones as repetitions', async ({ ask }) => {
  const { events } = await ask(
    '{ events(pageSize: 1000) { data { id startDate repetitions { startDate } } } }',
  );
  assert.is(new Set(events.data.map(({ id }: Data) => id)).size, events.data.length);
  const several = events.data.filter(({ repetitions }: Data) => repetitions.length > 0);
  assert.ok(several.length > 0);
  for (const { startDate, repetitions } of several) {
    const starts = [startDate, ...repetitions.map((repetition: Data) => repetition.startDate)].map(instantOf);
    assert.equal(
      starts,
      [...starts].sort((a, b) => a - b),
    );
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
    const { events: got } = await ask(
      `{ events(page: ${page}, pageSize: ${pageSize}) { totalCount hasMore approximate data { id }
      pageInfo { currentPage pageSize totalPages } venues { hits } } }`,
    );
    assert.is(got.totalCount, events.totalCount);
    assert.is(got.hasMore, page < pages - 1);
    assert.is(got.approximate, false);
    assert.equal(got.pageInfo, { currentPage: page, pageSize, totalPages: pages });
    assert.is(got.data.length, Math.max(0, Math.min(pageSize, events.totalCount - page * pageSize)));
    assert.ok(
      got.venues.some(({ hits }: Data) => hits > pageSize),
      'facets are of all pages',
    );
  }
});

promised('P15, B8: should give ten in order of time, whatever sortBy says', async ({ ask, stand }) => {
  const { events } = await ask('{ events(filter: { sortBy: "title" }) { data { startDate } } }');
  const starts = events.data.map(({ startDate }: Data) => instantOf(startDate));
  assert.is(starts.length, 10);
  assert.equal(
    starts,
    [...starts].sort((a: number, b: number) => a - b),
  );
  for (const argument of ['page: -1', 'pageSize: 0']) {
    const { status, text } = await stand.post(`{ events(${argument}) { totalCount } }`);
    const { data, errors } = JSON.parse(text);
    assert.equal([status, data, errors[0].extensions.code], [200, null, 'BAD_USER_INPUT']);
  }
  assert.ok(inputFieldsOf(schema, 'Filter').sortBy?.isDeprecated);
});

promised('P16, E8: should take these filter fields, each optional', () => {
  const fields = inputFieldsOf(schema, 'Filter');
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
  for (const [name, type] of Object.entries(names)) assert.is(fields[name]?.type, type, name);
  for (const [name, { type }] of Object.entries(fields)) assert.not.match(type, /!$/, name);
});

promised('B13: should take a point and a box as numbers', () => {
  const of = (name: string) =>
    Object.fromEntries(Object.entries(inputFieldsOf(schema, name)).map(([field, { type }]) => [field, type]));
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
  assert.is(malformed.status, 400);
  assert.is(JSON.parse(malformed.text).errors[0].message, 'Malformed JSON body');
  const unknown = await stand.post('{ events { nothing } }');
  assert.is(unknown.status, 400);
  assert.match(JSON.parse(unknown.text).errors[0].message, /nothing/);
  const dates = await stand.post('{ events(filter: { fromDate: "soon" }) { totalCount } }');
  const { data, errors } = JSON.parse(dates.text);
  assert.equal([dates.status, data, errors[0].message], [200, null, 'Query Arguments invalid']);
  assert.equal(errors[0].extensions.invalidArgs, ['fromDate']);
});

promised(
  'P18: should hand out the schema, and refuse nothing for the number of requests',
  async ({ stand }) => {
    const { status, text } = await stand.send('/schema.graphql');
    assert.is(status, 200);
    assert.match(text, /^type Query \{$/m);
    assert.not.match(text, '# nb');
    for (let request = 0; request < 100; request++) {
      assert.is((await stand.post('{ __typename }')).status, 200);
    }
  },
);

promised('E3: should say whose calendar it is', () => {
  assert.equal(fieldsOf('Calendar'), {
    ...types('String!', 'id name siteUrl timeZone'),
    ...types('String', 'portalUrl attribution nextChange'),
    dataLicence: 'DataLicence',
    contact: 'Contact',
    snapshot: 'SnapshotInfo!',
  });
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

function inputFieldsOf(of: GraphQLSchema, name: string) {
  const type = of.getType(name);
  assert.ok(isInputObjectType(type), name);
  const fields = Object.values(type.getFields());
  return Object.fromEntries(
    fields.map((field) => [
      field.name,
      { type: `${field.type}`, isDeprecated: field.deprecationReason !== undefined },
    ]),
  );
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
