/** A question as the endpoint hears it and as the second reading answers it. */
import type { Answer, Firsts, Oracle } from './answer.ts';
import type { Area, Filter } from './conditions.ts';
import type { Json } from './records.ts';

export type Question =
  | {
      readonly field: 'events';
      readonly filter: Filter | null;
      readonly page: number | null;
      readonly pageSize: number | null;
      /** Of lists by their names (C4). */
      readonly first: Firsts;
    }
  | { readonly field: 'eventByID'; readonly eventID: string }
  | { readonly field: 'eventBySlug'; readonly eventSlug: string }
  | { readonly field: 'eventsBySlugs'; readonly eventsSlugs: readonly (string | null)[] }
  | { readonly field: 'eventByTitle'; readonly title: string; readonly lan: string }
  | ({ readonly field: 'allUpcomingEventsInArea' } & Area)
  | { readonly field: 'allUpcomingSuperEvents' | 'categories' | 'venues' | 'organizers' | 'calendar' };

const VENUE =
  'id name slug address location { latitude longitude } postalCode municipality mapImageURL accessibility';
const ORGANIZER = 'id name slug website email telephoneNumber';
const SUBCATEGORY = 'id name_nb name_en slug_nb slug_en visible';
const CATEGORY = `${SUBCATEGORY} subcategories { ${SUBCATEGORY} }`;
const PRICE = 'type price name_nb name_en';
const LIFTED = `startDate endDate startTime duration allDay venue { ${VENUE} } ticketsURL eventCancelled eventSoldOut`;
const EVENT = eventWith();

/** `first` gives the arguments of a list by its name, in brackets, or nothing. */
function eventWith(first: (list: string) => string = () => ''): string {
  return `
  id occurrenceID event_slug eventLink title_nb title_en desc_nb desc_en ${LIFTED}
  repetitions${first('repetitions')} { id ${LIFTED} prices { ${PRICE} } mode streamingURL }
  categories tags mode organizers { ${ORGANIZER} }
  images { urlSmall urlLarge alt focusX focusY width height caption credits urlOriginal originalSize largeSize smallSize }
  ticketsInformation prices { ${PRICE} } occurrencePrices { ${PRICE} }
  minimumAge maximumAge cancellationPeriod views
  publishingDate ticketsFromDate created_at updated_at
  super_event isSuperEvent isFeaturedEvent moreInfoURL streamingURL facebookURL venueNote ageRestriction accessibility
  registrationEnabled availableTickets activeTickets maxBookingDate maxBookingTime paymentMethod
  priceOption regularPrice reducedPrice type author_id editableBy contact_from contact_custom { email phone } videosURL`;
}

/** What there is in each facet. */
const FACETS = {
  venues: VENUE,
  organizers: ORGANIZER,
  categories: CATEGORY,
  days: 'day',
  municipalities: 'number name',
  tags: 'tag',
  accessibilities: 'value',
};

/** Lists that take `first`. */
export const LISTS = [...Object.keys(FACETS), 'repetitions'];

function connectionWith(first: (list: string) => string): string {
  const facets = Object.entries(FACETS).map(([name, fields]) => `${name}${first(name)} { ${fields} hits }`);
  return `totalCount hasMore approximate pageInfo { currentPage pageSize totalPages }
  data { ${eventWith(first)} } ${facets.join(' ')}`;
}

const CALENDAR = `
  id name siteUrl portalUrl dataLicence { name url } attribution contact { name email url } timeZone
  snapshot { builtAt events occurrences } nextChange`;

/** A page of so many nodes with all their fields is more than the endpoint serves at once (D2). */
const LARGE_PAGE = 100;
const LEAN_CONNECTION =
  'totalCount hasMore pageInfo { currentPage pageSize totalPages } data { id startDate }';

/** Every root field with its arguments' types and every field there is to ask for. */
const ROOT_FIELDS: Readonly<Record<Question['field'], readonly [Readonly<Record<string, string>>, string]>> =
  {
    events: [{ filter: 'Filter', page: 'Int', pageSize: 'Int' }, ''],
    eventByID: [{ eventID: 'String!' }, EVENT],
    eventBySlug: [{ eventSlug: 'String!' }, EVENT],
    eventsBySlugs: [{ eventsSlugs: '[String]!' }, EVENT],
    eventByTitle: [{ title: 'String!', lan: 'String!' }, EVENT],
    allUpcomingSuperEvents: [{}, EVENT],
    allUpcomingEventsInArea: [
      { minLatitude: 'Float!', maxLatitude: 'Float!', minLongitude: 'Float!', maxLongitude: 'Float!' },
      EVENT,
    ],
    categories: [{}, CATEGORY],
    venues: [{}, VENUE],
    organizers: [{}, ORGANIZER],
    calendar: [{}, CALENDAR],
  };

/** The POST body of a question, its arguments as variables or as literals: every field is asked for, on a large page a few. */
export function requestOf(question: Question, as: 'variables' | 'literals' = 'variables') {
  const { field } = question;
  const [types, whole] = ROOT_FIELDS[field];
  const { first, variables } = argumentsOf(question);
  const selection = selectionOf(question, whole, (list) => {
    const count = first[list];
    if (count === undefined) return '';
    return as === 'literals' ? `(first: ${count})` : `(first: $${list}First)`;
  });
  if (as === 'literals') {
    const given = Object.entries(variables).map(([name, value]) => `${name}: ${literal(name, value)}`);
    return { query: `{ ${field}${enclosed(given.join(', '))} { ${selection} } }` };
  }
  const names = Object.keys(types);
  const firsts = isLarge(question) ? [] : Object.keys(first);
  const declared = [
    ...names.map((name) => `$${name}: ${types[name]}`),
    ...firsts.map((list) => `$${list}First: Int`),
  ];
  const passed = names.map((name) => `${name}: $${name}`).join(', ');
  const counts = Object.fromEntries(firsts.map((list) => [`${list}First`, first[list]]));
  return {
    query: `query ${enclosed(declared.join(', '))} { ${field}${enclosed(passed)} { ${selection} } }`,
    variables: { ...variables, ...counts },
  };
}

const enclosed = (text: string) => (text === '' ? '' : `(${text})`);

function argumentsOf(question: Question): { first: Firsts; variables: object } {
  if (question.field !== 'events') {
    const { field: _field, ...variables } = question;
    return { first: {}, variables };
  }
  const { field: _field, first, ...variables } = question;
  return { first, variables };
}

function selectionOf(question: Question, whole: string, first: (list: string) => string): string {
  if (question.field !== 'events') return whole;
  return isLarge(question) ? LEAN_CONNECTION : connectionWith(first);
}

function literal(name: string, value: unknown): string {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const fields = Object.entries(value).map(([field, inner]) => `${field}: ${literal(field, inner)}`);
    return `{ ${fields.join(', ')} }`;
  }
  const isEnum = name === 'period' || name === 'accessibility';
  return isEnum ? JSON.stringify(value).replaceAll('"', '') : JSON.stringify(value);
}

/** What the endpoint must answer, in the form of `answerOf`. */
export function expectedOf(question: Question, answers: Oracle): Json {
  const answer = answerFrom(question, answers);
  if ('found' in answer) {
    const found = isLarge(question) ? leanly(answer.found) : answer.found;
    return { data: { [question.field]: found } };
  }
  const nothing = question.field === 'events' ? null : { [question.field]: null };
  // The interface names arguments only where a value is unparseable; a number of entries is not.
  const named = answer.refused.filter((name) => !COUNTS.has(name)).toSorted();
  return { data: nothing, code: 'BAD_USER_INPUT', invalidArgs: named.length === 0 ? null : named };
}

/** What the endpoint did answer: its data, and of an error the code and the names it refuses. */
export function answerOf(response: Json): Json {
  const data = field(response, 'data');
  const errors = field(response, 'errors');
  if (errors === null) return { data };
  const extensions = field(Array.isArray(errors) ? errors[0] : null, 'extensions');
  const code = field(extensions, 'code');
  const names = field(extensions, 'invalidArgs');
  const named = Array.isArray(names) ? names.filter((name) => !COUNTS.has(name)).toSorted() : [];
  return { data, code, invalidArgs: named.length === 0 ? null : named };
}

const COUNTS: ReadonlySet<Json> = new Set(['page', 'pageSize', 'first']);

function isLarge(question: Question): boolean {
  return question.field === 'events' && (question.pageSize ?? 0) > LARGE_PAGE;
}

/** What LEAN_CONNECTION asks for of a whole connection. */
function leanly(connection: Json): Json {
  const nodes = field(connection, 'data');
  return {
    totalCount: field(connection, 'totalCount'),
    hasMore: field(connection, 'hasMore'),
    pageInfo: field(connection, 'pageInfo'),
    data: Array.isArray(nodes)
      ? nodes.map((node: Json) => ({ id: field(node, 'id'), startDate: field(node, 'startDate') }))
      : null,
  };
}

/** What the second reading answers, before it is written as a response. */
export function answerFrom(question: Question, answers: Oracle): Answer {
  switch (question.field) {
    case 'events':
      return answers.events(
        question.filter ?? {},
        question.page ?? 0,
        question.pageSize ?? 10,
        isLarge(question) ? {} : question.first,
      );
    case 'eventByID':
      return answers.eventByID(question.eventID);
    case 'eventBySlug':
      return answers.eventBySlug(question.eventSlug);
    case 'eventsBySlugs':
      return answers.eventsBySlugs(question.eventsSlugs);
    case 'eventByTitle':
      return answers.eventByTitle(question.title, question.lan);
    case 'allUpcomingEventsInArea': {
      const { field: _field, ...area } = question;
      return answers.allUpcomingEventsInArea(area);
    }
    default:
      return answers[question.field]();
  }
}

function field(json: Json | undefined, name: string): Json {
  if (typeof json !== 'object' || json === null) return null;
  return Object.entries(json).find(([key]) => key === name)?.[1] ?? null;
}
