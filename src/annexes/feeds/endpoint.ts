/** `/events.ics`, `/events.rss` and `/events.jsonld` (I1): the endpoint's answers in other words, for who asks with an address. */
import { setImmediate } from 'node:timers/promises';
import {
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
} from 'graphql';
import type { Middleware } from 'koa';
import { CalendarError, isCalendarError } from '../../calendar/errors.ts';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import type { Moment } from '../../serve/graphql/operation.ts';
import { MAX_ANSWER_BYTES, tooLarge } from '../../serve/graphql/project.ts';
import { NOT_OPEN, type Refusal, refuse } from '../../serve/graphql/refusal.ts';
import type { AnswerableRequest, Answers, Endpoint } from '../../serve/http/answers.ts';
import type { Identify } from '../../serve/http/identity.ts';
import { passedOn } from '../../serve/http/koa.ts';
import { CODINGS, codingFor, type HeaderList } from '../../serve/http/message.ts';
import { Content } from '../../serve/http/representation.ts';
import { CachedAnswer } from '../../serve/http/response-cache.ts';
import type { EventNode } from '../../serve/query/node.ts';
import { type Arguments, type EventsPlan, planEvents } from '../../serve/query/plan.ts';
import { knownAddressOf, LANGUAGES } from '../page/reader.ts';
import { writeICalendar } from './icalendar.ts';
import { writeJsonLd } from './jsonld.ts';
import { estimateOf, type Feed, type FeedQuery, occurrencesOf, readFeed } from './read.ts';
import { writeRss } from './rss.ts';

interface FeedsOptions {
  readonly answers: Pick<Answers, 'respond'>;
  readonly schema: GraphQLSchema;
  readonly identify: Identify;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Where this server is reached from outside; null: what each request says. */
  readonly publicUrl: string | null;
}

interface Format {
  readonly path: string;
  /** With its charset. */
  readonly type: string;
  /** The text in pieces, each of an occurrence at the most. */
  readonly write: (feed: Feed) => Iterable<string>;
  /** Entries that it makes of a node. */
  readonly count: (node: EventNode) => number;
}

const countOccurrences = (node: EventNode): number => occurrencesOf(node).length;

const FORMATS: readonly Format[] = [
  {
    path: '/events.ics',
    type: 'text/calendar; charset=utf-8',
    write: writeICalendar,
    count: countOccurrences,
  },
  { path: '/events.rss', type: 'application/rss+xml; charset=utf-8', write: writeRss, count: () => 1 },
  {
    path: '/events.jsonld',
    type: 'application/ld+json; charset=utf-8',
    write: writeJsonLd,
    count: countOccurrences,
  },
];

export function create({ schema, clock, settings }: ServeContext): ServePart {
  const publicUrl = settings.publicUrl?.href ?? null;
  return {
    routes: Object.fromEntries(FORMATS.map(({ path }) => [path, { GET: passedOn }])),
    endpoint: (core) => createFeeds({ ...core, schema, clock, publicUrl }),
  };
}

/** Passes on other paths and methods. */
function createFeeds(options: FeedsOptions): Middleware {
  const { answers, identify, clock } = options;
  const readQuery = createReadFeedQuery(options.schema);
  const endpoints = new Map(
    FORMATS.map((format) => [format.path, endpointOf({ ...options, ...format, readQuery })]),
  );
  return (context, next) => {
    const { req, res, method } = context;
    const { url = '', headers } = req;
    if (!url.startsWith('/events.') || (method !== 'GET' && method !== 'HEAD')) return next();
    const mark = url.indexOf('?');
    const path = mark === -1 ? url : url.slice(0, mark);
    const endpoint = endpoints.get(path);
    if (endpoint === undefined) return next();
    context.respond = false;
    const search = mark === -1 ? '' : url.slice(mark + 1);
    const caller = identify({ headers, search });
    return answers.respond(res, endpoint, { method, path, search, headers, caller, arrivedAt: clock() });
  };
}

interface EndpointOptions extends FeedsOptions, Format {
  readonly readQuery: ReadFeedQuery;
}

function endpointOf(options: EndpointOptions): Endpoint<AnswerableRequest> {
  const { path, type, publicUrl } = options;
  // A feed says where it is.
  const vary = ['Vary', publicUrl === null ? 'Accept-Encoding, X-Forwarded-Proto' : 'Accept-Encoding'];
  return {
    route: path,
    keyOf: ({ search, headers }) => `${path} ${knownAddressOf(headers, publicUrl)} ${search}`,
    variantFor: ({ headers }) => {
      const coding = codingFor(headers['accept-encoding']);
      return { place: CODINGS.indexOf(coding), type, coding, ending: 0 };
    },
    workOut: (request, moment) => workOut(request, moment, { ...options, vary }),
    refusalOptions: ({ code }, { headers }) => ({
      coding: codingFor(headers['accept-encoding']),
      headers: code === 'TIMEOUT' ? [...vary, 'Retry-After', '5'] : vary,
      status: STATUS[code],
    }),
  };
}

/** A feed has no place for errors, so that a reader has to see them by their status. */
const STATUS: Partial<Readonly<Record<Refusal['code'], number>>> = { BAD_USER_INPUT: 400, TIMEOUT: 503 };

async function workOut(
  { search, headers }: AnswerableRequest,
  momentOf: () => Moment | undefined,
  { readQuery, write, count, path, publicUrl, vary }: EndpointOptions & { readonly vary: HeaderList },
): Promise<CachedAnswer | Refusal> {
  const query = readQuery(search);
  const moment = momentOf();
  if (moment === undefined) return refuse('SERVICE_UNAVAILABLE', NOT_OPEN);
  const own = knownAddressOf(headers, publicUrl);
  const address = own === null ? null : `${own}${path}${withoutKey(search)}`;
  const feed = await readFeed(query, moment, address);
  const body = await join(write(feed), estimateOf(feed, count), moment.ticket);
  const content = new Content({ body, isTagged: true, headers: vary });
  const dependsOnDay = query.plan.selection.period !== undefined;
  return new CachedAnswer(content, {
    ...{ operationName: undefined, rootField: 'events', failed: false },
    dependsOnDay,
  });
}

/** Calendars are passed on; keys are not to be. */
function withoutKey(search: string): string {
  const parameters = new URLSearchParams(search);
  parameters.delete('key');
  return parameters.size === 0 ? '' : `?${parameters}`;
}

/** UTF-16 units between two pauses: some 1 ms. */
const SLICE = 64 * 1_024;
/** Bytes that a feed takes more at a time once it is larger than it was taken to be. */
const MORE_BYTES = 1_024 * 1_024;
/** Of what a feed is taken to have, what it has at least. */
const SURE = 1 / 2;

/**
 * The text in slices of UTF-8. Throws QUERY_TOO_COMPLEX for more than an answer may hold (D10): before anything is written where the
 * number of its occurrences says so.
 */
async function join(
  pieces: Iterable<string>,
  estimate: number,
  ticket: NonNullable<Moment['ticket']> = { take: () => undefined, pause: () => setImmediate() },
): Promise<readonly Buffer[]> {
  if (estimate * SURE > MAX_ANSWER_BYTES) throw tooLarge();
  await ticket.take(estimate);
  const slices: Buffer[] = [];
  let taken = estimate;
  let length = 0;
  let text = '';
  const settle = () => {
    const slice = Buffer.from(text);
    slices.push(slice);
    length += slice.length;
    text = '';
    if (length > MAX_ANSWER_BYTES) throw tooLarge();
  };
  for (const piece of pieces) {
    text += piece;
    if (text.length < SLICE) continue;
    settle();
    if (length > taken) {
      await ticket.take(MORE_BYTES);
      taken += MORE_BYTES;
    }
    await ticket.pause();
  }
  settle();
  return slices;
}

/** Throws BAD_USER_INPUT that names all parameters which nobody knows or which cannot be read. */
type ReadFeedQuery = (search: string) => FeedQuery;

/** A feed's nodes unless it says otherwise. */
const DEFAULT_PAGE_SIZE = 250;

/**
 * The query of a feed's address: the filter's fields by their names, a page of it, one event, a language (I1). What the
 * schema says of the filter decides: a field that is added there can be asked for here.
 */
function createReadFeedQuery(schema: GraphQLSchema): ReadFeedQuery {
  const filterType = schema.getType('Filter');
  const fields = isInputObjectType(filterType) ? filterType.getFields() : {};
  const filterFields = new Map(Object.values(fields).map(({ name, type }) => [name, readerOf(type)]));
  return (search) => {
    const filter: Record<string, unknown> = {};
    const others: Record<string, unknown> = { pageSize: DEFAULT_PAGE_SIZE };
    const refused = new Map<string, Expected>();
    for (const [name, values] of valuesByName(search)) {
      const isFilter = filterFields.has(name);
      const read = filterFields.get(name) ?? OTHERS.get(name);
      const value = read === undefined ? UNKNOWN : read(values);
      if (value instanceof Expected) refused.set(name, value);
      else if (isFilter) filter[name] = value;
      else others[name] = value;
    }
    const plan = planned({ filter, page: others.page, pageSize: others.pageSize }, refused);
    const { event, lang } = others;
    return {
      plan,
      event: typeof event === 'string' ? event : null,
      language: LANGUAGES.find((known) => known === lang) ?? 'nb',
    };
  };
}

/** As many of a query's mistakes as its author wants to read. */
const MOST_REFUSED = 20;

/** Names what is wrong with the plan, too. */
function planned(args: Arguments, refused: ReadonlyMap<string, Expected>): EventsPlan {
  let more: CalendarError | undefined;
  try {
    const plan = planEvents(args);
    if (refused.size === 0) return plan;
  } catch (thrown) {
    if (!isCalendarError(thrown) || thrown.code !== 'BAD_USER_INPUT') throw thrown;
    more = thrown;
  }
  const names = [...refused.keys()].map((name) => name.slice(0, LONGEST_NAME));
  const reasons = [...refused].map(([name, { text }]) =>
    `${name}: expected ${text}`.slice(0, LONGEST_REASON),
  );
  throw new CalendarError('BAD_USER_INPUT', MESSAGE, {
    invalidArgs: [...names, ...(more?.invalidArgs ?? [])].slice(0, MOST_REFUSED),
    reasons: [...reasons, ...(more?.reasons ?? [])].slice(0, MOST_REFUSED),
  });
}

const MESSAGE = 'Query Arguments invalid';
const LONGEST_NAME = 60;
const LONGEST_REASON = 200;

/** B1: what is blank is not given, as forms send fields that nobody has filled in. */
function valuesByName(search: string): ReadonlyMap<string, readonly string[]> {
  const byName = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(search)) {
    const values = byName.get(name) ?? [];
    byName.set(name, values);
    if (value.trim() !== '') values.push(value);
  }
  return byName;
}

class Expected {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const UNKNOWN = new Expected('a field of the filter, page, pageSize, event, lang or key');

/** Reads the values of one parameter; undefined when none is given. */
type Read = (values: readonly string[]) => unknown;

const single =
  (read: (value: string) => unknown): Read =>
  (values) => {
    const [value, ...more] = values;
    if (more.length > 0) return new Expected('one value');
    return value === undefined ? undefined : read(value);
  };

const text = single((value) => value);

const texts: Read = (values) =>
  values
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '');

const flag = single((value) =>
  value === 'true' || value === 'false' ? value === 'true' : new Expected('true or false'),
);

const oneOf = (names: readonly string[]) =>
  single((value) => (names.includes(value) ? value : new Expected(`one of ${names.join(', ')}`)));

/** Which numbers make a page, the plan says. */
const whole = single((value) => (/^-?\d{1,9}$/.test(value) ? Number(value) : new Expected('a whole number')));

const OTHERS: ReadonlyMap<string, Read> = new Map([
  ['page', whole],
  ['pageSize', whole],
  ['event', text],
  ['lang', oneOf(LANGUAGES)],
  // Whose call it is, is read elsewhere.
  ['key', () => undefined],
]);

function readerOf(type: GraphQLInputType): Read {
  const named = getNamedType(type);
  if (isListType(getNullableType(type))) return texts;
  if (isEnumType(named)) return oneOf(named.getValues().map(({ name }) => name));
  return named.name === 'Boolean' ? flag : text;
}
