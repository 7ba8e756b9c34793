// The peer without SQL or GraphQL: all dates as objects in an array, in the order of their starts, and one loop over it for each request. The
// JSON of events, dates, venues, organizers and categories is written once, when the file is read.
import { COLUMNS, withDetails } from './calendar.mjs';
import { open } from './database.mjs';

/** Reads a public edition into memory. The result answers the text of a request with the text of a response. */
export async function openArray(file, clock = Date.now) {
  const calendar = await readCalendar(open(file).all);
  return (body) => {
    const { query, variables = {} } = JSON.parse(body);
    const { filter = {}, page = 0, pageSize = 10 } = variables;
    const now = Math.floor(clock() / 1_000);
    const first = page * pageSize;
    // Only facets have `hits`.
    const isCounted = query.includes(' hits ');
    const { total, shown, hits } = find(calendar, { filter, first, end: first + pageSize, now, isCounted });
    const facets = isCounted ? facetsJson(calendar, hits) : '';
    const pageInfo = JSON.stringify({ currentPage: page, pageSize, totalPages: Math.ceil(total / pageSize) });
    const data = shown.map((date) => dateJson(date, now)).join(',');
    const hasMore = first + pageSize < total;
    return `{"data":{"events":{"totalCount":${total},"hasMore":${hasMore},"pageInfo":${pageInfo},"data":[${data}]${facets}}}}`;
  };
}

const NAMES = ['venues', 'organizers', 'categories'];

/** The number of matching events, the dates of the page, and the number of events of each venue, organizer and category. */
function find(calendar, { filter, first, end, now, isCounted }) {
  const from = filter.fromDate === undefined ? now : secondOf(filter.fromDate);
  const until = filter.untilDate === undefined ? Number.POSITIVE_INFINITY : secondOf(filter.untilDate);
  const matches = conditionOf(calendar, filter);
  const isFound = new Uint8Array(calendar.events);
  const hits = Object.fromEntries(NAMES.map((name) => [name, new Uint32Array(calendar[name].length + 1)]));
  const { venues, organizers, categories } = hits;
  const shown = [];
  let total = 0;
  for (const date of calendar.dates) {
    if (date.start >= until) break;
    if (date.over <= from) continue;
    const { event, venue } = date;
    if (isFound[event.nth] === 1 || !matches(event, venue)) continue;
    isFound[event.nth] = 1;
    if (total >= first && total < end) shown.push(date);
    total++;
    if (!isCounted) continue;
    venues[venue]++;
    for (const nth of event.organizers) organizers[nth]++;
    for (const nth of event.categories) categories[nth]++;
  }
  return { total, shown, hits };
}

const secondOf = (text) => Math.floor(Date.parse(text.replace(' ', 'T')) / 1_000);

/** The conditions apart from the time, for the numbers of an event's organizers and categories, and of a venue. */
function conditionOf(calendar, filter) {
  const among = (list, key) => (list?.length > 0 ? (one) => list.includes(one[key]) : undefined);
  const venues = marked(calendar.venues, among(filter.venues, 'slug'));
  const there = marked(calendar.venues, among(filter.municipality && [filter.municipality], 'municipality'));
  const organizers = marked(calendar.organizers, among(filter.organizers, 'slug'));
  const categories = marked(calendar.categories, among(filter.categories, 'id'));
  const notCategories = marked(calendar.categories, among(filter.notCategories, 'id'));
  return (event, venue) =>
    (venues === null || venues[venue] === 1) &&
    (there === null || there[venue] === 1) &&
    (organizers === null || event.organizers.some((nth) => organizers[nth] === 1)) &&
    (categories === null || event.categories.some((nth) => categories[nth] === 1)) &&
    (notCategories === null || !event.categories.some((nth) => notCategories[nth] === 1));
}

/** 1 at the number of each wanted one; null if all are. */
function marked(list, isWanted) {
  if (isWanted === undefined) return null;
  const marks = new Uint8Array(list.length + 1);
  for (const one of list) if (isWanted(one)) marks[one.nth] = 1;
  return marks;
}

/** The most frequent first. Equals keep the order in which they were read. */
function facetsJson(calendar, hits) {
  const facets = NAMES.map((name) => {
    const counts = hits[name];
    const found = calendar[name].filter(({ nth }) => counts[nth] > 0);
    found.sort((left, right) => counts[right.nth] - counts[left.nth]);
    return `,"${name}":[${found.map(({ nth, json }) => `{${json},"hits":${counts[nth]}}`).join(',')}]`;
  });
  return facets.join('');
}

function dateJson({ start, event, json }, now) {
  const later = event.dates.filter((date) => date.start > start && date.over > now);
  const repetitions = later.map(({ repetition }) => repetition).join(',');
  return `{${event.json},${json},"repetitions":[${repetitions}]}`;
}

async function readCalendar(all) {
  const numbered = (rows, namesOf) => rows.map((row, nth) => ({ ...row, nth, json: inner(namesOf(row)) }));
  const named = ({ slug, name }) => ({ slug, name });
  const venues = numbered(await all('select id, slug, name, municipality from venue order by slug'), named);
  const organizers = numbered(await all('select id, slug, name from organizer order by slug'), named);
  const categories = numbered(await all('select id, name_nb from category order by id'), (row) => row);
  const organizersOf = grouped(
    await all('select event_id, organizer_id as id from event_organizer'),
    organizers,
  );
  const categoriesOf = grouped(
    await all('select event_id, category_id as id from event_category'),
    categories,
  );
  const venueById = byId(venues);
  const events = new Map();
  const dates = [];
  for await (const row of readDates(all)) {
    const { id, start, over, venue, startDate, endDate, startTime, duration, ticketsURL, ...more } = row;
    const { eventCancelled, eventSoldOut, repetitions: _, ...ofEvent } = more;
    const event = events.get(id) ?? {
      nth: events.size,
      organizers: organizersOf.get(id) ?? [],
      categories: categoriesOf.get(id) ?? [],
      dates: [],
      json: inner({ id, ...ofEvent }),
    };
    events.set(id, event);
    const ofDate = {
      startDate,
      endDate,
      startTime,
      duration,
      ticketsURL,
      eventCancelled,
      eventSoldOut,
      venue,
    };
    const date = {
      start,
      over,
      event,
      // The number after the last one is for dates without a venue.
      venue: venueById.get(venue?.id)?.nth ?? venues.length,
      json: inner(ofDate),
      repetition: JSON.stringify({ startDate, venue: venue && { name: venue.name } }),
    };
    dates.push(date);
    event.dates.push(date);
  }
  return { dates, events: events.size, venues, organizers, categories };
}

/** SQLite allows some ten thousand values in a statement. */
const BATCH = 1_000;

async function* readDates(all) {
  const rows = await all(`select ${COLUMNS}, over_utc as over
    from occurrence join event on event.id = event_id order by start_utc, event.id`);
  for (let first = 0; first < rows.length; first += BATCH) {
    const batch = rows.slice(first, first + BATCH);
    const details = await withDetails(all, batch, 0);
    for (const [nth, { start }] of batch.entries()) yield { ...details[nth], start };
  }
}

/** For each event, those that it has of the list. */
function grouped(rows, list) {
  const known = byId(list);
  const groups = new Map();
  for (const { event_id, id } of rows) {
    const group = groups.get(event_id) ?? [];
    groups.set(event_id, group);
    group.push(known.get(id).nth);
  }
  return groups;
}

const byId = (list) => new Map(list.map((one) => [one.id, one]));

/** The JSON of an object without its braces: several of them together make one object. */
const inner = (object) => JSON.stringify(object).slice(1, -1);
