/**
 * What the schema keeps for those who call it: the public interface (P1 to P16) and the fields beside it (E). More may come: that the
 * schema has changed is for `changelog.test.ts` to notice. What is answered is held by `test/src/serve/` and `oracle.test.ts`.
 */
import {
  assertEnumType,
  assertInputObjectType,
  assertObjectType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { schema } from '../src/serve/graphql/schema.ts';
import { assertIncludes } from './helpers/assertions.ts';
import { readSample } from './oracle/product.ts';

const promised = suite('the public interface');

promised('P1: should have queries alone', () => {
  assert.is(schema.getMutationType() ?? schema.getSubscriptionType(), undefined);
});

const SUBCATEGORY = {
  'String!': 'id name_nb name_en slug_nb slug_en',
  String: 'name_nn',
  'Boolean!': 'visible',
};
const CATEGORY = { ...SUBCATEGORY, '[Subcategory!]!': 'subcategories' };
const ORGANIZER = { 'String!': 'id name slug', String: 'website email telephoneNumber' };
const VENUE = {
  'String!': 'id name slug',
  String: 'address postalCode municipality mapImageURL',
  '[Accessibility!]!': 'accessibility',
  Location: 'location',
};
const HITS = { 'Int!': 'hits' };

/** The fields of each type and input, by their types. */
const TYPES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Event: {
    'String!': 'id event_slug eventLink occurrenceID startDate endDate startTime mode ticketsInformation',
    String: `title_nb title_en desc_nb desc_en summary_nb summary_en previousStartDate ticketsURL publishingDate ticketsFromDate created_at updated_at
      super_event moreInfoURL streamingURL facebookURL venueNote ageRestriction occurrenceLink
      maxBookingDate maxBookingTime paymentMethod norwegian
      priceOption regularPrice reducedPrice type author_id editableBy contact_from videosURL`,
    Int: 'duration minimumAge maximumAge cancellationPeriod views availableTickets activeTickets',
    'Boolean!': 'allDay eventCancelled eventSoldOut registrationEnabled isSuperEvent isFeaturedEvent',
    'EventStatus!': 'status',
    '[String!]!': 'categories tags',
    '[Accessibility!]!': 'accessibility',
    Venue: 'venue',
    Source: 'source',
    '[Organizer!]!': 'organizers',
    '[Image!]!': 'images',
    '[Repetition!]!': 'repetitions',
    '[Price!]!': 'prices',
    '[Price!]': 'occurrencePrices',
    ContactCustom: 'contact_custom',
  },
  Venue: VENUE,
  Organizer: ORGANIZER,
  Source: { 'String!': 'id', String: 'name url licence' },
  Location: { 'Float!': 'latitude longitude' },
  Image: {
    String: 'urlSmall urlLarge alt caption credits urlOriginal originalSize largeSize smallSize',
    Float: 'focusX focusY',
    Int: 'width height',
    '[ImageCopy!]': 'copies',
  },
  ImageCopy: { 'String!': 'url', 'Int!': 'width' },
  Repetition: {
    'String!': 'id startDate endDate startTime',
    String: 'ticketsURL previousStartDate mode streamingURL occurrenceLink',
    'Boolean!': 'allDay eventCancelled eventSoldOut',
    'EventStatus!': 'status',
    Int: 'duration',
    Venue: 'venue',
    '[Price!]': 'prices',
  },
  Price: { 'String!': 'type', Int: 'price', String: 'name_nb name_en' },
  Subcategory: SUBCATEGORY,
  Category: CATEGORY,
  CategoryFacet: { ...CATEGORY, ...HITS },
  VenueFacet: { ...VENUE, ...HITS },
  OrganizerFacet: { ...ORGANIZER, ...HITS },
  AccessibilityFacet: { 'Accessibility!': 'value', ...HITS },
  Calendar: {
    'String!': 'id name siteUrl timeZone',
    String: 'portalUrl attribution nextChange',
    DataLicence: 'dataLicence',
    Contact: 'contact',
    'SnapshotInfo!': 'snapshot',
  },
  Filter: {
    String: `fromDate untilDate fromStartDate venueSlug organizerSlug searchTerm tag mode superEvent
      hoursRange municipality sortBy`,
    '[String]': 'categories notCategories venues organizers postalCodes',
    '[String!]': 'ids municipalities',
    Int: 'age',
    Boolean: `onlyFeatured onlyFeaturedSpecialEvent cancelledNotIncluded soldOutNotIncluded
      groupRepetitionsByDay free`,
    Period: 'period',
    Near: 'near',
    Area: 'area',
    '[Accessibility!]': 'accessibility',
  },
  Near: { 'Float!': 'latitude longitude km' },
  Area: { 'Float!': 'minLatitude maxLatitude minLongitude maxLongitude' },
};

promised(
  'P5, P6, P7, P8, P9, P16, B13, B15, E1, E2, E3, E5, E8, E9, E12: should keep the published fields',
  () => {
    for (const [name, byType] of Object.entries(TYPES)) {
      const type = schema.getType(name);
      const fields = isInputObjectType(type) ? type.getFields() : assertObjectType(type).getFields();
      for (const [of, names] of Object.entries(byType)) {
        for (const field of names.split(/\s+/)) assert.is(`${fields[field]?.type}`, of, `${name}.${field}`);
      }
      if (!isInputObjectType(type)) continue;
      const named = Object.values(byType).flatMap((names) => names.split(/\s+/));
      const demanded = Object.values(type.getFields()).filter((field) => isNonNullType(field.type));
      for (const field of demanded) assertIncludes(named, field.name);
    }
  },
);

promised('P9: should have the categories of the sample', () => {
  const ids =
    'ART EXPERIENCE FAMILY FESTIVAL FOOD LECTURE LITERATURE MOVIES MUSIC OTHER SOCIAL SPORT THEATER';
  const shipped = readSample().licence.categories.map(({ id }) => id);
  for (const id of ids.split(' ')) assertIncludes(shipped, id);
});

promised('P13, E8: should keep the published queries, with their arguments', () => {
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

promised('P15, B8: should deprecate sortBy', () => {
  const { sortBy } = assertInputObjectType(schema.getType('Filter')).getFields();
  assert.type(sortBy?.deprecationReason, 'string');
});

promised('E6: should keep the words of Accessibility in their order', () => {
  const type = assertEnumType(schema.getType('Accessibility'));
  const words =
    'WHEELCHAIR HEARING_LOOP SIGN_LANGUAGE SUBTITLES AUDIO_DESCRIPTION RELAXED ASSISTANCE_DOG ACCESSIBLE_TOILET';
  const values = type.getValues();
  assert.is(values.map(({ name }) => name).join(' '), words);
  assert.equal(
    values.filter(({ description }) => !description).map(({ name }) => name),
    [],
    'words without a description',
  );
});

/** Fields in the queries of older public clients. */
const OLDER = {
  Event:
    'priceOption regularPrice reducedPrice type author_id editableBy contact_from contact_custom videosURL',
  Image: 'urlOriginal originalSize largeSize smallSize',
  Organizer: 'email telephoneNumber',
  Venue: 'mapImageURL',
  Repetition: 'mode streamingURL',
};

promised('E5: should name a replacement for each deprecated field', () => {
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
