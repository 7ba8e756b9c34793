// The part that all peers share: the same questions, answered by SQL from the public edition of the same calendar. The statements have
// indexes for all that they look up, and one page takes at most eleven statements, however many events it shows.
import { createAnswerCache } from './answer-cache.mjs';
import { WAYS } from './database.mjs';

/** The part of the interface that peers offer: the fields that the benchmark asks for. */
export const SDL = `
  type Query { events(filter: Filter, page: Int = 0, pageSize: Int = 10): EventConnection! }
  input Filter {
    fromDate: String untilDate: String categories: [String!] notCategories: [String!]
    venues: [String!] organizers: [String!] municipality: String
  }
  type EventConnection {
    totalCount: Int! hasMore: Boolean! pageInfo: PageInfo! data: [Event!]!
    venues: [VenueFacet!] organizers: [OrganizerFacet!] categories: [CategoryFacet!]
  }
  type PageInfo { currentPage: Int! pageSize: Int! totalPages: Int! }
  type Event {
    id: String! event_slug: String title_nb: String title_en: String desc_nb: String
    startDate: String endDate: String startTime: String duration: Int mode: String
    categories: [String!]! tags: [String!]! ticketsInformation: String ticketsURL: String
    eventCancelled: Boolean eventSoldOut: Boolean
    venue: Venue organizers: [Organizer!]! images: [Image!]! prices: [Price!]! repetitions: [Repetition!]!
  }
  type Venue { id: String! name: String slug: String }
  type Organizer { id: String! name: String }
  type Image { urlSmall: String alt: String focusX: Float focusY: Float }
  type Price { type: String price: Int }
  type Repetition { startDate: String venue: Venue }
  type VenueFacet { slug: String name: String hits: Int! }
  type OrganizerFacet { slug: String name: String hits: Int! }
  type CategoryFacet { id: String! name_nb: String hits: Int! }
`;

export const FACETS = ['venues', 'organizers', 'categories'];

/**
 * Opens the file of a public edition. The result answers one root field, `events`, with those of the facets that are asked for. `way`: how
 * the statements find the matching events. `isCached`: whether the answers to the last questions are used again.
 */
export function openCalendar(file, { way, isCached }) {
  const select = WAYS[way](file);
  const answer = (args, facets) => events(select, args, facets);
  if (!isCached) return { events: answer };
  const cached = createAnswerCache();
  return { events: (args, facets) => cached(JSON.stringify([args, facets]), () => answer(args, facets)) };
}

function events(select, { filter = {}, page = 0, pageSize = 10 }, facets) {
  const now = Math.floor(Date.now() / 1_000);
  const { where, values } = conditionsOf(filter, now);
  const matching = `select occurrence.event_id as id, min(occurrence.start_utc) as start
    from occurrence join event on event.id = occurrence.event_id
    where ${where.join(' and ')}
    group by occurrence.event_id`;
  return select(matching, values, async ({ all, ofShown }) => {
    const [[{ total }], rows, ...counted] = await Promise.all([
      ofShown('select count(*) as total from shown'),
      ofShown(PAGE, [pageSize, page * pageSize]),
      ...facets.map((facet) => ofShown(COUNTS[facet])),
    ]);
    return {
      totalCount: total,
      hasMore: (page + 1) * pageSize < total,
      pageInfo: { currentPage: page, pageSize, totalPages: Math.ceil(total / pageSize) },
      data: await withDetails(all, rows, now),
      ...Object.fromEntries(facets.map((facet, nth) => [facet, counted[nth]])),
    };
  });
}

/** The columns of a date and its event. */
export const COLUMNS = `event.id, event_slug, title_nb, title_en, desc_nb, occurrence.starts as startDate,
    occurrence.ends as endDate, occurrence.start_time as startTime, occurrence.duration, mode,
    tickets_information as ticketsInformation, occurrence.tickets_url as ticketsURL,
    occurrence.event_cancelled as eventCancelled, occurrence.event_sold_out as eventSoldOut, occurrence.venue_id,
    occurrence.start_utc as start`;
/** Only the events of the page are joined. */
const PAGE = `select ${COLUMNS}
  from (select id, start from shown order by start, id limit ? offset ?) as page
  join event on event.id = page.id
  join occurrence on occurrence.event_id = page.id and occurrence.start_utc = page.start
  group by event.id order by page.start, event.id`;
/**
 * Counted by id, and only then joined with the names. In SQLite, a cross join begins with its left table: without it, a count would begin with
 * all venues, organizers or categories.
 */
const COUNTS = {
  venues: `select venue.slug, venue.name, hits
    from (
      select venue_id, count(distinct shown.id) as hits
      from shown cross join occurrence on occurrence.event_id = shown.id and occurrence.start_utc = shown.start
      group by venue_id
    ) join venue on venue.id = venue_id order by hits desc, venue.slug`,
  organizers: `select organizer.slug, organizer.name, hits
    from (
      select organizer_id, count(*) as hits
      from shown cross join event_organizer on event_organizer.event_id = shown.id
      group by organizer_id
    ) join organizer on organizer.id = organizer_id order by hits desc, organizer.slug`,
  categories: `select category.id, category.name_nb, hits
    from (
      select category_id, count(*) as hits
      from shown cross join event_category on event_category.event_id = shown.id
      group by category_id
    ) join category on category.id = category_id order by hits desc, category.id`,
};

const OF_CATEGORIES = 'select event_id from event_category where category_id';
const OF_ORGANIZERS = `select event_id from event_organizer
  join organizer on organizer.id = organizer_id where slug`;

function conditionsOf(filter, now) {
  const where = ['occurrence.over_utc > ?'];
  const values = [filter.fromDate === undefined ? now : secondOf(filter.fromDate)];
  const add = (sql, ...more) => {
    where.push(sql);
    values.push(...more);
  };
  const addList = (column, list, select) => {
    if (list === undefined || list.length === 0) return;
    add(`${column} in (${select} in (${list.map(() => '?').join(', ')}))`, ...list);
  };
  if (filter.untilDate !== undefined) add('occurrence.start_utc < ?', secondOf(filter.untilDate));
  addList('event.id', filter.categories, OF_CATEGORIES);
  addList('event.id not', filter.notCategories, OF_CATEGORIES);
  addList('occurrence.venue_id', filter.venues, 'select id from venue where slug');
  addList('event.id', filter.organizers, OF_ORGANIZERS);
  if (filter.municipality !== undefined)
    add('occurrence.venue_id in (select id from venue where municipality = ?)', filter.municipality);
  return { where, values };
}

const secondOf = (text) => Math.floor(Date.parse(text.replace(' ', 'T')) / 1_000);

/** The rows that belong to the events of a page, one statement for each kind. */
export async function withDetails(all, rows, now) {
  const ids = rows.map(({ id }) => id);
  const marks = ids.map(() => '?').join(', ');
  const byEvent = async (sql, more = []) => {
    const grouped = new Map(ids.map((id) => [id, []]));
    for (const { event_id, ...row } of await all(sql.replace('IDS', `(${marks})`), [...ids, ...more]))
      grouped.get(event_id).push(row);
    return grouped;
  };
  const [categories, tags, organizers, images, prices, dates] = await Promise.all([
    byEvent(`select event_id, category_id from event_category
      where is_own and event_id in IDS order by event_id, category_id`),
    byEvent('select event_id, tag from event_tag where event_id in IDS order by event_id, tag'),
    byEvent(`select event_id, id, name
      from event_organizer join organizer on organizer.id = organizer_id
      where event_id in IDS order by position`),
    byEvent(`select event_id, url_small as urlSmall, alt, focus_x as focusX, focus_y as focusY
      from image where event_id in IDS order by position`),
    byEvent(`select event_id, type, price
      from price where occurrence_id is null and event_id in IDS order by position`),
    byEvent(
      `select event_id, starts as startDate, start_utc as start, venue.id as venueId, venue.name, venue.slug
      from occurrence left join venue on venue.id = venue_id
      where event_id in IDS and over_utc > ? order by start_utc`,
      [now],
    ),
  ]);
  return rows.map(({ start, venue_id, ...event }) => {
    const datesOfEvent = dates.get(event.id);
    return {
      ...event,
      eventCancelled: event.eventCancelled === 1,
      eventSoldOut: event.eventSoldOut === 1,
      categories: categories.get(event.id).map(({ category_id }) => category_id),
      tags: tags.get(event.id).map(({ tag }) => tag),
      venue: venueOf(datesOfEvent.find((date) => date.venueId === venue_id) ?? {}),
      organizers: organizers.get(event.id),
      images: images.get(event.id),
      prices: prices.get(event.id),
      repetitions: datesOfEvent
        .filter((date) => date.start > start)
        .map((date) => ({ startDate: date.startDate, venue: venueOf(date) })),
    };
  });
}

const venueOf = ({ venueId, name, slug }) => (venueId == null ? null : { id: venueId, name, slug });
