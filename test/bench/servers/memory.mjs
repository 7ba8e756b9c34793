// The same records in memory, as a developer would hold and filter them behind a GraphQL server: objects with everything
// worked out when they are loaded, nodes in serving order, one pass over them a request, facets only when asked for.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const MINUTE = 60;
const WITHOUT_END = 3 * 60 * MINUTE;

/** @param folder holds events.json and directories.json, as the benchmark has read them from almanakk */
export function loadCalendar(folder) {
  const read = (name) => JSON.parse(readFileSync(join(folder, name), 'utf8'));
  const { categories, venues, organizers } = read('directories.json');
  const parents = new Map(
    categories.flatMap(({ id, subcategories }) => subcategories.map((child) => [child.id, id])),
  );
  const allCategories = categories.flatMap((category) => [category, ...category.subcategories]);
  const byName = new Intl.Collator('nb').compare;
  const nodes = read('events.json').flatMap((event, ordinal) => nodesOf(event, ordinal, parents));
  nodes.sort(
    (left, right) => left.start - right.start || (left.id < right.id ? -1 : left.id > right.id ? 1 : 0),
  );
  const directories = {
    venues: directoryOf(venues),
    organizers: directoryOf(organizers),
    categories: directoryOf(
      allCategories.sort(
        (left, right) => byName(left.name_nb, right.name_nb) || (left.id < right.id ? -1 : 1),
      ),
    ),
  };
  return { nodes, directories, seen: new Int32Array(nodes.length), request: 0 };
}

/** One node for each occurrence: the event as that occurrence shows it. */
function nodesOf(event, ordinal, parents) {
  const categorySet = new Set(
    event.categories.flatMap((id) => (parents.has(id) ? [id, parents.get(id)] : [id])),
  );
  const organizerSlugs = new Set(event.organizers.map(({ slug }) => slug));
  const tagSet = new Set(event.tags.map((tag) => tag.toLowerCase()));
  const { repetitions } = event;
  const occurrences = [event, ...repetitions];
  return occurrences.map((occurrence, place) => {
    const start = secondsOf(occurrence.startDate);
    const end = secondsOf(occurrence.endDate);
    return {
      ...event,
      ...occurrence,
      prices: event.prices,
      repetitions: repetitions.slice(place),
      ordinal,
      start,
      over: end > start ? end : start + WITHOUT_END,
      clock: occurrence.startDate.slice(11, 16),
      categorySet,
      organizerSlugs,
      tagSet,
    };
  });
}

function directoryOf(entries) {
  return entries.map((entry, rank) => ({ ...entry, rank }));
}

function secondsOf(datetime) {
  const seconds = Date.parse(datetime.replace(' ', 'T')) / 1000;
  if (Number.isNaN(seconds)) throw new Error(`unparseable datetime ${datetime}`);
  return seconds;
}

const given = (list) => list?.length > 0;

/** Each filter field as a test of a node. */
const CONDITIONS = {
  categories: (ids) => given(ids) && ((node) => ids.some((id) => node.categorySet.has(id))),
  notCategories: (ids) => given(ids) && ((node) => !ids.some((id) => node.categorySet.has(id))),
  venues: (slugs) => given(slugs) && ((node) => slugs.includes(node.venue?.slug)),
  organizers: (slugs) => given(slugs) && ((node) => slugs.some((slug) => node.organizerSlugs.has(slug))),
  municipality: (name) => {
    const wanted = name.toLowerCase();
    return (node) => node.venue?.municipality?.toLowerCase() === wanted;
  },
  postalCodes: (codes) => given(codes) && ((node) => codes.includes(node.venue?.postalCode)),
  hoursRange: (range) => {
    const [from, to] = range.split('-');
    return (node) => node.clock >= from && node.clock <= to;
  },
  tag: (tag) => {
    const wanted = tag.toLowerCase();
    return (node) => node.tagSet.has(wanted);
  },
  mode: (mode) => (node) => node.mode === mode,
  onlyFeatured: (wanted) => wanted && ((node) => node.isFeaturedEvent),
  cancelledNotIncluded: (wanted) => wanted && ((node) => !node.eventCancelled),
  soldOutNotIncluded: (wanted) => wanted && ((node) => !node.eventSoldOut),
};

export function findEvents(calendar, { filter, page, pageSize }) {
  const { fromDate, untilDate, ...conditions } = filter ?? {};
  const now = Math.floor(Date.now() / 1000);
  const from = fromDate ? Math.max(now, secondsOf(fromDate)) : now;
  const until = untilDate ? secondsOf(untilDate) : Number.POSITIVE_INFINITY;
  const tests = Object.entries(conditions)
    .map(([name, value]) => value !== null && CONDITIONS[name](value))
    .filter(Boolean);
  const { nodes, seen } = calendar;
  const request = ++calendar.request;
  const found = [];
  for (const node of nodes) {
    if (node.start >= until) break;
    // The first occurrence in the window is the one that its event shows.
    if (node.over <= from || seen[node.ordinal] === request) continue;
    seen[node.ordinal] = request;
    if (tests.every((test) => test(node))) found.push(node);
  }
  const size = Math.min(pageSize ?? 10, 1_000);
  const first = (page ?? 0) * size;
  return {
    found,
    directories: calendar.directories,
    totalCount: found.length,
    hasMore: first + size < found.length,
    pageInfo: { currentPage: page ?? 0, pageSize: size, totalPages: Math.ceil(found.length / size) },
    data: found.slice(first, first + size),
  };
}

const NOTHING = [];

/** What a node counts for in each facet, as ids. */
const CARRIED = {
  venues: (node) => (node.venue ? [node.venue.id] : NOTHING),
  organizers: (node) => node.organizers.map(({ id }) => id),
  categories: (node) => node.categorySet,
};

function facet(kind) {
  return ({ found, directories }) => {
    const hits = new Map();
    for (const node of found) {
      for (const id of CARRIED[kind](node)) hits.set(id, (hits.get(id) ?? 0) + 1);
    }
    return directories[kind]
      .filter(({ id }) => hits.has(id))
      .map((entry) => ({ ...entry, hits: hits.get(entry.id) }))
      .sort((left, right) => right.hits - left.hits || left.rank - right.rank);
  };
}

/** Resolvers for the schema that almanakk publishes; the other root fields are not asked for here. */
export function resolversFor(calendar) {
  return {
    Query: { events: (_, args) => findEvents(calendar, args) },
    EventConnection: {
      venues: facet('venues'),
      organizers: facet('organizers'),
      categories: facet('categories'),
    },
  };
}

export const sdl = readFileSync(join(process.argv[2], 'schema.graphql'), 'utf8');
