/**
 * Lists of events, each at its own address (I1): what the endpoint answers, in another format. An annex provides its
 * formats; admission, response cache, freshness and refusals are the endpoint's.
 */
import type { GraphQLSchema } from 'graphql';
import type { Middleware } from 'koa';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import type { AnswerBasis } from '../../serve/graphql/answer.ts';
import { MAX_ANSWER_BYTES, Output, tooLarge } from '../../serve/graphql/output.ts';
import { type Refusal, refuse } from '../../serve/graphql/refusal.ts';
import type { Endpoint, EndpointRequest } from '../../serve/http/endpoint.ts';
import { passedOn } from '../../serve/http/koa.ts';
import type { HeaderList } from '../../serve/http/message.ts';
import { countUpTo } from '../../snapshot/bitmaps.ts';
import type { Conditions } from '../../snapshot/filters.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import type { About } from '../facts/facts.ts';
import { menuOf } from '../page/page.ts';
import { languageOf } from '../page/reader.ts';
import {
  createReadListQuery,
  type FeedQuery,
  type ListParameters,
  listParameters,
  withoutTracking,
} from './query.ts';
import { estimateOf, type Feed, reachAt, readFeed } from './read.ts';
import { type ExplainRefusal, explainList, refusalPage } from './refusal-page.ts';

export interface Format extends ListParameters {
  /** Of the route; the only address unless `isFor` says otherwise. */
  readonly path: string;
  /** Which requests it answers, where the path alone does not decide. */
  readonly isFor?: ((request: Pick<EndpointRequest, 'path' | 'search'>) => boolean) | undefined;
  /** The id of the event that a path names, or why there is none. */
  readonly eventOf?: (path: string, snapshot: Snapshot) => Promise<string | Refusal>;
  /** What becomes of a request besides its answer. */
  readonly handling?: (feed: Feed) => Handling;
  /** What a form's values mean, where that is less than the filter's fields say. */
  readonly narrowed?: (conditions: Conditions, snapshot: Snapshot) => Conditions;
  /** Media type with its charset. */
  readonly type: string;
  /** I8: one sentence. */
  readonly about: string;
  /** I8: a description of one entry, and the JSON Schema of JSON. */
  readonly answer: { readonly about: string; readonly schema?: object };
  /** The text in pieces, each of at most one occurrence. */
  readonly write: (feed: Feed) => Iterable<string> | Promise<Iterable<string>>;
  /** What a browser reads of a refusal, unless it is about parameters. */
  readonly explain?: ExplainRefusal;
  /** Whether it is for browsers: in the reader's language unless its address names one. */
  readonly isPage?: boolean;
  readonly headers?: HeaderList;
}

export interface Handling {
  /** Another address, relative to this one, at which the page is: the reader is sent there. */
  readonly seeOther?: string;
  /** Of nothing that lasts: no cache keeps the answer. */
  readonly isPassing?: boolean;
}

type EndpointCore = Parameters<NonNullable<ServePart['endpoint']>>[0];

export function createLists(formats: readonly Format[], context: ServeContext): ServePart {
  const named = formats.filter(({ eventOf }) => eventOf === undefined);
  const abouts = named.map((format) => [
    format.path,
    { GET: passedOn, about: aboutOf(format, context.schema) },
  ]);
  return {
    routes: Object.fromEntries(abouts.reverse()),
    endpoint: (core) =>
      listMiddleware(
        formats.map((format) => endpointOf(format, context)),
        { ...core, clock: context.clock },
      ),
  };
}

function aboutOf({ about, answer, type, ...format }: Format, schema: GraphQLSchema): About {
  const parameters = Object.entries(listParameters(schema, format));
  return {
    summary: about,
    parameters: Object.fromEntries(parameters.map(([name, { read: _, ...parameter }]) => [name, parameter])),
    answer: { type: type.replace(/;.*/, ''), ...answer },
  };
}

interface ListEndpoint extends Endpoint<EndpointRequest>, Pick<Format, 'isFor'> {}

/** Answers GET and HEAD of each endpoint's path, and passes on all others. */
export function listMiddleware(
  all: readonly ListEndpoint[],
  { responder, identify, clock }: EndpointCore & Pick<ServeContext, 'clock'>,
): Middleware {
  return (context, next) => {
    const { res, method, path, headers, querystring: search } = context;
    if (method !== 'GET' && method !== 'HEAD') return next();
    const endpoint = all.find(({ route, isFor }) => (isFor ? isFor({ path, search }) : route === path));
    if (endpoint === undefined) return next();
    context.respond = false;
    const caller = identify({ headers, search });
    const request = { method, path, search: withoutTracking(search), headers, caller, arrivedAt: clock() };
    return responder.respond(res, endpoint, request);
  };
}

function endpointOf(format: Format, context: ServeContext): ListEndpoint {
  const { path, type, isFor, dates, isPage = false, headers = [] } = format;
  const { serverAddress, keeper, schema } = context;
  // A list contains its own address.
  const varied = ['Accept-Encoding', ...serverAddress.vary, ...(isPage ? ['Accept-Language'] : [])];
  const readQuery = createReadListQuery(schema, format);
  return {
    route: path,
    isFor,
    keyOf: (request) => {
      const { current } = keeper.state();
      const step = dates === 'near' && current !== null ? nextWithinReach(current, secondOf(request)) : '';
      const language = isPage ? languageOf(request).language : '';
      return `${request.path} ${step} ${language} ${serverAddress.trusted(request.headers)} ${request.search}`;
    },
    typeFor: () => type,
    execute: async (request, pinBasis) => {
      const read = readQuery(
        format.eventOf === undefined ? request.search : searchOfEvent(request.search, format),
      );
      const basis = pinBasis();
      const { snapshot, now } = basis;
      const feed = await feedFor(format, { request, read, basis, serverAddress });
      if ('errors' in feed) return feed;
      const { seeOther, isPassing = false } = format.handling?.(feed) ?? {};
      if (seeOther !== undefined) return redirectTo(seeOther);
      return {
        body: await join(await format.write(feed), estimateOf(feed), basis),
        isTagged: true,
        headers: ['Vary', varied.join(', '), ...headers],
        operationName: undefined,
        rootField: 'events',
        hasErrors: false,
        isPassing,
        // Pages say what began before this Norwegian day, feeds which year is another one.
        dependsOnDay: true,
        until: read.isSubscription ? nextWithinReach(snapshot, now) : undefined,
      };
    },
    refusalOptions: refusalOptionsOf(format, context, varied),
  };
}

/** A refusal is JSON; a browser gets a page of it, or is sent to another address. */
function refusalOptionsOf(
  format: Format,
  { keeper, parts, schema }: ServeContext,
  varied: readonly string[],
): ListEndpoint['refusalOptions'] {
  const { type, headers = [], explain = explainList } = format;
  const isHtml = type.startsWith('text/html');
  const parameters = listParameters(schema, format);
  const variedOnRefusal = new Set([...varied, ...(isHtml ? ['Accept', 'Accept-Language'] : [])]);
  return (refusal, request) => {
    const { code } = refusal;
    const location = locationOf(refusal);
    if (location !== undefined)
      return { status: 303, headers: ['Vary', varied.join(', '), 'Location', location], body: NOTHING };
    const page = isHtml
      ? refusalPage(refusal, request, { explain, menu: menuOf({ parts, keeper }), parameters })
      : undefined;
    const retry = code === 'TIMEOUT' ? ['Retry-After', '5'] : [];
    const pageHeaders = page === undefined ? [] : headers;
    return {
      headers: ['Vary', [...variedOnRefusal].join(', '), ...retry, ...pageHeaders],
      status: STATUS[code],
      ...(page && { type, body: page }),
    };
  };
}

const NOTHING = Buffer.alloc(0);

/** A reader who is sent elsewhere gets no page here: a refusal, with the address. */
const redirectTo = (location: string): Refusal => ({
  code: 'NOT_FOUND',
  errors: [{ message: 'This page is at another address.', extensions: { location } }],
});

function locationOf({ errors }: Refusal): string | undefined {
  const { location } = errors[0]?.extensions ?? {};
  return typeof location === 'string' ? location : undefined;
}

/** A page of one event has no filter: what else its address holds belongs to the list that led there. */
function searchOfEvent(search: string, { parameters = {} }: Format): string {
  const given = [...new URLSearchParams(search)].filter(([name]) => Object.hasOwn(parameters, name));
  return `${new URLSearchParams(given)}`;
}

interface Reading extends Pick<ServeContext, 'serverAddress'> {
  readonly request: EndpointRequest;
  readonly read: FeedQuery;
  readonly basis: AnswerBasis;
}

/** What the list is written from, or why there is nothing to write. */
async function feedFor(
  { eventOf, narrowed, dates, isPage = false }: Format,
  { request: { path, search, headers }, read, basis, serverAddress }: Reading,
): Promise<Feed | Refusal> {
  const event = (await eventOf?.(path, basis.snapshot)) ?? read.event;
  if (event !== null && typeof event !== 'string') return event;
  const conditions = narrowed?.(read.plan.conditions, basis.snapshot) ?? read.plan.conditions;
  const chosen = isPage && languageOf({ headers, search });
  const asked = { ...read, event, plan: { ...read.plan, conditions }, ...chosen };
  const server = serverAddress.trusted(headers);
  const parameters = new URLSearchParams(search);
  // Addresses of calendars are shared; keys must not be.
  parameters.delete('key');
  const query = parameters.size === 0 ? '' : `?${parameters}`;
  const feed = await readFeed(asked, basis, {
    address: server === null ? null : `${server}${path}${query}`,
    server: serverAddress.shown(headers),
    search: query,
    hasDates: dates !== undefined,
  });
  return eventOf !== undefined && feed.total === 0 ? refuse('GONE', 'This event is over.') : feed;
}

const secondOf = ({ arrivedAt }: EndpointRequest): number => Math.floor(arrivedAt / 1_000);

/** The second of this day at which the next date comes within reach; Infinity without one. */
function nextWithinReach({ columns: { start } }: Snapshot, now: number): number {
  const { last, ahead } = reachAt(now);
  return (start[countUpTo(start, last)] ?? Number.POSITIVE_INFINITY) - ahead;
}

/** A list has no place for errors, so readers must see them in the status. */
export const STATUS: Partial<Readonly<Record<Refusal['code'], number>>> = {
  BAD_USER_INPUT: 400,
  TIMEOUT: 503,
};

/** The least part of its estimate that a feed takes. */
const SURE = 1 / 2;

/**
 * The text in slices of UTF-8. Throws QUERY_TOO_COMPLEX for more than an answer may hold (D10): before anything is written
 * if the number of occurrences shows it.
 */
async function join(
  pieces: Iterable<string>,
  estimate: number,
  basis: AnswerBasis,
): Promise<readonly Buffer[]> {
  if (estimate * SURE > MAX_ANSWER_BYTES) throw tooLarge();
  await basis.work?.reserve(estimate);
  const out = new Output(basis.work, estimate);
  for (const piece of pieces) {
    out.text += piece;
    const pausing = out.pause();
    if (pausing !== undefined) await pausing;
  }
  return out.end();
}
