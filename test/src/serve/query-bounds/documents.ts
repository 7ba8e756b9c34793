/** The documents of tests about the bounds of queries: most repeat one part often. */
import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql';
import { times } from '../../../helpers/random-operations.ts';

/** A field, again and again, under different names. */
export const aliases = (count: number, field = 'id') => times(count, (at) => `a${at}: ${field}`);

/** `size` may have further arguments after it. */
export const paged = (size: string, fields: string) => `{ events(pageSize: ${size}) { data { ${fields} } } }`;
/** The largest page. */
export const full = (fields: string) => paged('1000', fields);
/** 250 fields of a page whose size is a variable of this type. */
export const sized = (type: string) => `query ($size: ${type}) ${paged('$size', aliases(250))}`;
/** This many of the largest pages, one after the other. */
export const pages = (count: number) =>
  times(count, (at) => `p${at}: events(pageSize: 1000, page: ${at}) { data { id } }`);

/** All events of the calendar. */
export const AREA =
  'allUpcomingEventsInArea(minLatitude: -90, maxLatitude: 90, minLongitude: -180, maxLongitude: 180) { id }';

/** The slugs of 2,000 events. */
export const SLUGS = times(2_000, (at) => `slug-event-${String(at).padStart(6, '0')}`).split(' ');
export const BY_SLUGS = `query ($slugs: [String]!) { eventsBySlugs(eventsSlugs: $slugs) { ${aliases(125)} } }`;
/** A document and variables with so many different lists of slugs. */
export const byLists = (count: number) => {
  const lists = Array.from({ length: count }, (_, at) => [`l${at}`, SLUGS.map((slug) => `${at}-${slug}`)]);
  const parameters = times(count, (at) => `$l${at}: [String]!`);
  const fields = times(count, (at) => `l${at}: eventsBySlugs(eventsSlugs: $l${at}) { id }`);
  return {
    query: `query (${parameters}) { ${fields} }`,
    variables: Object.fromEntries(lists),
  };
};

/** Root fields that search for so many different words in all, ten of them each. */
export const searching = (words: number) =>
  times(Math.ceil(words / 10), (at) => {
    const term = Array.from({ length: Math.min(10, words - 10 * at) }, (_, nth) => `ord${10 * at + nth}`);
    return `s${at}: events(filter: { searchTerm: "${term.join(' ')} ord0" }) { totalCount }`;
  });

/** Lists in the events of a page. `first`: arguments of these lists. */
export const nested = (first: string) =>
  full(aliases(10, `repetitions${first} { startDate venue { ${aliases(40)} __typename } }`));
/** The same facet, again and again. `first`: its arguments. */
export const facets = (first: string) =>
  `{ events(pageSize: 1) { ${aliases(50, `venues${first} { ...V }`)} data { id } } } fragment V on VenueFacet { ${aliases(50)} }`;

/** Every field there is, with `__typename` at each level, as clients with a cache of objects ask. */
export function wholeOf(type: GraphQLObjectType): string {
  const fields = Object.values(type.getFields()).map(({ name, type: to }) => {
    const below = getNamedType(to);
    return isObjectType(below) ? `${name} ${wholeOf(below)}` : name;
  });
  return `{ __typename ${fields.join(' ')} }`;
}
