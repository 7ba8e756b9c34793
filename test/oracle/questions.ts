/** A question as the endpoint receives it and as the oracle answers it. */
import type { Answer, Arguments, Oracle } from './answer.ts';
import type { Json } from './records.ts';

export type Question = {
  readonly [Field in keyof Arguments]: { readonly field: Field; readonly args: Arguments[Field] };
}[keyof Arguments];

const VENUE =
  'id name slug address location { latitude longitude } postalCode municipality mapImageURL accessibility';
const ORGANIZER = 'id name slug website email telephoneNumber';
const SUBCATEGORY = 'id name_nb name_en name_nn slug_nb slug_en visible';
const CATEGORY = `${SUBCATEGORY} subcategories { ${SUBCATEGORY} }`;
const PRICE = 'type price name_nb name_en';
const LIFTED = `startDate endDate startTime duration allDay venue { ${VENUE} } ticketsURL eventCancelled status previousStartDate eventSoldOut occurrenceLink`;
const EVENT = `
  id occurrenceID event_slug eventLink title_nb title_en desc_nb desc_en summary_nb summary_en ${LIFTED}
  repetitions { id ${LIFTED} prices { ${PRICE} } mode streamingURL }
  source { id name url licence } categories tags mode organizers { ${ORGANIZER} }
  images { urlSmall urlLarge alt focusX focusY width height caption credits urlOriginal originalSize largeSize smallSize copies { url width } }
  ticketsInformation prices { ${PRICE} } occurrencePrices { ${PRICE} }
  minimumAge maximumAge cancellationPeriod views
  publishingDate ticketsFromDate created_at updated_at
  super_event isSuperEvent isFeaturedEvent moreInfoURL streamingURL facebookURL venueNote ageRestriction accessibility
  registrationEnabled availableTickets activeTickets maxBookingDate maxBookingTime paymentMethod
  priceOption regularPrice reducedPrice type author_id editableBy contact_from contact_custom { email phone } videosURL`;
const CONNECTION = `totalCount hasMore approximate pageInfo { currentPage pageSize totalPages }
  venues { ${VENUE} hits } organizers { ${ORGANIZER} hits } categories { ${CATEGORY} hits } days { day hits }
  municipalities { number name hits } tags { tag hits } accessibilities { value hits } data { ${EVENT} }`;
const CALENDAR = `
  id name siteUrl portalUrl dataLicence { name url } attribution contact { name email url } timeZone
  snapshot { builtAt events occurrences } nextChange`;

/** Lists that take `first`. */
export const LISTS =
  'venues organizers categories days municipalities tags accessibilities repetitions'.split(' ');

/** A page of so many nodes with all their fields is more than the endpoint serves at once (D2). */
const LARGE_PAGE = 100;
const LEAN = 'totalCount hasMore pageInfo { currentPage pageSize totalPages } data { id startDate }';

/** Every root field with its arguments' types and every field there is to ask for. */
const ROOT_FIELDS: Readonly<Record<Question['field'], readonly [types: string, selection: string]>> = {
  events: ['filter: Filter, page: Int, pageSize: Int', CONNECTION],
  eventByID: ['eventID: String!', EVENT],
  eventBySlug: ['eventSlug: String!', EVENT],
  eventsBySlugs: ['eventsSlugs: [String]!', EVENT],
  eventByTitle: ['title: String!, lan: String!', EVENT],
  allUpcomingSuperEvents: ['', EVENT],
  allUpcomingEventsInArea: [
    'minLatitude: Float!, maxLatitude: Float!, minLongitude: Float!, maxLongitude: Float!',
    EVENT,
  ],
  categories: ['', CATEGORY],
  venues: ['', VENUE],
  organizers: ['', ORGANIZER],
  calendar: ['', CALENDAR],
};

/** The POST body of a question, its arguments as variables or as literals: every field is asked for, on a large page a few. */
export function requestOf(question: Question, as: 'variables' | 'literals' = 'variables') {
  const { field } = question;
  const { first = {}, ...variables } = { ...question.args } as { first?: Arguments['events']['first'] };
  const [types, whole] = ROOT_FIELDS[field];
  // The first of that name is the list that takes a count.
  const selection = Object.entries(first).reduce(
    (text, [list, count]) => text.replace(` ${list} {`, ` ${list}(first: ${count}) {`),
    isLarge(question) ? LEAN : whole,
  );
  const bracketed = (text: string) => (text === '' ? '' : `(${text})`);
  if (as === 'variables') {
    const declared = bracketed(types.replaceAll(/\w+:/g, '$$$&'));
    const passed = bracketed(types.replaceAll(/(\w+): [^,]+/g, '$1: $$$1'));
    return { query: `query ${declared} { ${field}${passed} { ${selection} } }`, variables };
  }
  const given = Object.entries(variables).map(([name, value]) => `${name}: ${literal(name, value)}`);
  return { query: `{ ${field}${bracketed(given.join(', '))} { ${selection} } }` };
}

/** A value of the argument or input field of that name, as it is written into a document. */
export function literal(name: string, value: unknown): string {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const given = Object.entries(value).filter(([, inner]) => inner !== undefined);
    const fields = given.map(([field, inner]) => `${field}: ${literal(field, inner)}`);
    return `{ ${fields.join(', ')} }`;
  }
  const isEnum = name === 'period' || name === 'accessibility';
  return isEnum ? JSON.stringify(value).replaceAll('"', '') : JSON.stringify(value);
}

/** The expected answer, in the form of `answerOf`. */
export function expectedOf(question: Question, answers: Oracle): Json {
  const { field } = question;
  const answer = answerFrom(question, answers);
  if ('found' in answer) return { data: { [field]: answer.found } };
  const data = field === 'events' ? null : { [field]: null };
  return { data, code: 'BAD_USER_INPUT', invalidArgs: named(answer.refused) };
}

/** The endpoint's answer: its data, and the code and refused names of an error. */
export function answerOf(response: Json): Json {
  const [data, errors] = [at(response, 'data'), at(response, 'errors')];
  const [error] = Array.isArray(errors) ? errors : [];
  if (error === undefined) return { data };
  const extensions = at(error, 'extensions');
  return { data, code: at(extensions, 'code'), invalidArgs: named(at(extensions, 'invalidArgs') ?? []) };
}

/** The interface names arguments only where a value is unparseable; a number of entries is not. */
function named(names: Json): Json {
  const values = (names as readonly string[]).filter((name) => !['page', 'pageSize', 'first'].includes(name));
  return values.length === 0 ? null : values.toSorted();
}

function isLarge({ field, args }: Question): boolean {
  return field === 'events' && (args.pageSize ?? 0) > LARGE_PAGE;
}

/** The answer of the oracle, before it is written as a response. */
export function answerFrom<Field extends keyof Arguments>(
  { field, args }: { readonly field: Field; readonly args: Arguments[Field] },
  answers: Oracle,
): Answer {
  return answers[field](args);
}

/** A field of an object; null where there is neither. */
function at(json: Json, name: string): Json {
  return typeof json === 'object' && json !== null ? (Reflect.get(json, name) ?? null) : null;
}
