/**
 * Lists of events, each at its own address (I1): what the endpoint answers, in another format. An annex provides its
 * formats; admission, response cache, freshness and refusals are the endpoint's.
 */
import type { GraphQLSchema } from 'graphql';
import type { Middleware } from 'koa';
import type { EndpointCore, ServeContext, ServePart } from '../../serve/annex.ts';
import type { AnswerBasis } from '../../serve/graphql/answer.ts';
import { MAX_ANSWER_BYTES, Output, tooLarge } from '../../serve/graphql/output.ts';
import { isRefusal, type Refusal, refuse } from '../../serve/graphql/refusal.ts';
import type { Endpoint, EndpointRequest, EndpointResult } from '../../serve/http/endpoint.ts';
import { passedOn } from '../../serve/http/koa.ts';
import { type HeaderList, NO_BODY, secondOf } from '../../serve/http/message.ts';
import { countUpTo } from '../../snapshot/bitmaps.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import type { About } from '../facts/facts.ts';
import { norwegianIn } from '../page/menu.ts';
import { languageOf } from '../page/reader.ts';
import { estimateOf } from './entries.ts';
import { type EventList, type ListAddress, type ReaderQuery, reachAt, readEventList } from './event-list.ts';
import type { Format, IsFor } from './format.ts';
import { refusalOptionsOf } from './list-refusals.ts';
import { resizedPictureOf } from './pictures.ts';
import { createReadListQuery, type ListQuery, listParameters, withoutKeyAndTracking } from './query.ts';

export function createLists(formats: readonly Format[], context: ServeContext): ServePart {
  const described = formats.filter(({ page }) => page?.eventOf === undefined);
  // The first of two formats at one path describes it: later entries replace earlier ones.
  const routes = described.toReversed().map((format) => {
    const about = aboutOf(format, context.schema);
    return [format.path, { GET: passedOn, about }];
  });
  const endpoints = formats.map((format) => endpointOf(format, context));
  return {
    routes: Object.fromEntries(routes),
    endpoint: (core) => listMiddleware(endpoints, { ...core, clock: context.clock }),
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

interface ListEndpoint extends Endpoint<EndpointRequest> {
  /** Selects its requests, if the path alone does not. */
  readonly isFor?: IsFor | undefined;
}

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
    return responder.respond(res, endpoint, {
      method,
      path,
      search: withoutKeyAndTracking(search),
      headers,
      caller,
      arrivedAt: clock(),
    });
  };
}

function endpointOf(format: Format, context: ServeContext): ListEndpoint {
  const { path, type, page } = format;
  // A list contains its own address, which depends on headers if the server has no public one; so does the language of a page.
  const ofLanguage = page?.isLocalized ? ['Accept-Language'] : [];
  const varied = ['Accept-Encoding', ...context.serverAddress.vary, ...ofLanguage];
  return {
    route: path,
    isFor: page?.isFor,
    keyOf: cacheKeyOf(format, context),
    typeFor: () => type,
    execute: createExecuteList(format, context, varied),
    refusalOptions: refusalOptionsOf(format, context, varied),
  };
}

function cacheKeyOf({ dates, page }: Format, { serverAddress, keeper }: ServeContext): ListEndpoint['keyOf'] {
  return (request) => {
    const { current } = keeper.state();
    // Some of these lists are not cut, as `exactUntil` says below. But a key is made before the query is read.
    const step = dates === 'near' && current !== null ? nextWithinReach(current, secondOf(request)) : '';
    const language = page?.isLocalized ? languageOf(request, norwegianIn(current)).language : '';
    return `${request.path} ${step} ${language} ${serverAddress.trusted(request.headers)} ${request.search}`;
  };
}

/** `varied`: the headers that select an answer. */
function createExecuteList(
  format: Format,
  { schema, serverAddress, parts }: ServeContext,
  varied: readonly string[],
): ListEndpoint['execute'] {
  const { page } = format;
  const readQuery = createReadListQuery(schema, format);
  const headersOf = (list: EventList): HeaderList => [
    'Vary',
    varied.join(', '),
    'Content-Language',
    list.language,
    ...(page === undefined ? linkToNextPage(list) : page.headers()),
  ];
  return async (request, pinBasis) => {
    const query = readQuery(filterSearchOf(request.search, format));
    const file = request.path.slice(request.path.lastIndexOf('/') + 1);
    const tidy = page?.tidyAddress?.(shownSearch(request), file);
    if (tidy !== undefined) return redirectTo(tidy, varied);
    const basis = pinBasis();
    const list = await listFor(format, { request, query, basis, serverAddress, parts });
    if (isRefusal(list)) return list;
    const { seeOther, isUncacheable = false } = page?.handling?.(list) ?? {};
    if (seeOther !== undefined) return redirectTo(seeOther, varied);
    return {
      body: await encode(await format.write(list), estimateOf(list), basis),
      isTagged: true,
      headers: headersOf(list),
      operationName: undefined,
      rootField: 'events',
      hasErrors: false,
      isUncacheable,
      // The text depends on the Norwegian date: pages mark what began earlier, lists write other years.
      dependsOnDay: true,
      exactUntil: query.isSubscription ? nextWithinReach(basis.snapshot, basis.now) : undefined,
    };
  };
}

/** I1: a calendar or a feed has no other way to say that more events follow. The link is relative, because the server may not know its address. */
function linkToNextPage({ page, pageSize, total, search }: EventList): HeaderList {
  const isLast = (page + 1) * pageSize >= total;
  if (isLast) return [];
  const parameters = new URLSearchParams(search);
  parameters.set('page', `${page + 1}`);
  return ['Link', `<?${parameters}>; rel="next"`];
}

/** No cache stores it: an address of an event may lead to another date tomorrow. */
function redirectTo(address: string, varied: readonly string[]): EndpointResult {
  return {
    status: 303,
    body: NO_BODY,
    isTagged: false,
    headers: ['Vary', varied.join(', '), 'Location', address],
    operationName: undefined,
    rootField: undefined,
    hasErrors: false,
    isUncacheable: true,
    dependsOnDay: false,
  };
}

/** A page of one event has no filter: what else its address holds belongs to the list that led there. */
function filterSearchOf(search: string, { page, parameters = {} }: Format): string {
  if (page?.eventOf === undefined) return search;
  const given = [...new URLSearchParams(search)].filter(([name]) => Object.hasOwn(parameters, name));
  return `${new URLSearchParams(given)}`;
}

interface ListRequest extends Pick<ServeContext, 'serverAddress' | 'parts'> {
  readonly request: EndpointRequest;
  readonly query: ListQuery;
  readonly basis: AnswerBasis;
}

/** The data that the list is written from; a refusal if the path names no event, or one that is over. */
async function listFor(format: Format, listRequest: ListRequest): Promise<EventList | Refusal> {
  const { request, basis } = listRequest;
  const event = await format.page?.eventOf?.(request.path, basis);
  const isRefused = typeof event === 'object';
  if (isRefused) return event;
  const list = await readEventList(
    narrowedQuery(format, listRequest, event),
    basis,
    addressFor(format, listRequest),
  );
  return event !== undefined && list.total === 0 ? refuse('GONE', 'This event is over.') : list;
}

/** With the conditions of the format, the event that the path names, and the language of a page's reader. */
function narrowedQuery(
  { page }: Format,
  { request, query, basis: { snapshot } }: ListRequest,
  event: string | undefined,
): ReaderQuery {
  const { plan } = query;
  const conditions = page?.narrowed?.(plan.conditions, snapshot) ?? plan.conditions;
  const own = norwegianIn(snapshot);
  const chosen = page?.isLocalized
    ? languageOf(request, own)
    : { language: query.language ?? own, inAddress: false };
  return { ...query, event: event ?? query.event, plan: { ...plan, conditions }, ...chosen };
}

function addressFor({ dates }: Format, { request, serverAddress, parts }: ListRequest): ListAddress {
  const { path, headers } = request;
  const server = serverAddress.trusted(headers);
  const search = shownSearch(request);
  return {
    address: server === null ? null : `${server}${path}${search}`,
    server: serverAddress.shown(headers),
    search,
    resizedPicture: resizedPictureOf(parts()),
    hasDates: dates !== undefined,
  };
}

/**
 * The query of the list's own address in one spelling, without the key, which must not be shared. It is empty, or begins with the question
 * mark.
 */
function shownSearch({ search }: EndpointRequest): string {
  const parameters = new URLSearchParams(search);
  return parameters.size === 0 ? '' : `?${parameters}`;
}

/** The second of this day at which the next date comes within reach; Infinity without one. */
function nextWithinReach({ columns: { start } }: Snapshot, now: number): number {
  const { last, ahead } = reachAt(now);
  return (start[countUpTo(start, last)] ?? Number.POSITIVE_INFINITY) - ahead;
}

/** The part of its estimate that a list takes at least. */
const LEAST_SHARE_OF_ESTIMATE = 1 / 2;

/**
 * The text in slices of UTF-8. Throws QUERY_TOO_COMPLEX for more than an answer may hold (D10): before anything is written
 * if the number of occurrences shows it.
 */
async function encode(
  pieces: Iterable<string>,
  estimate: number,
  basis: AnswerBasis,
): Promise<readonly Buffer[]> {
  if (estimate * LEAST_SHARE_OF_ESTIMATE > MAX_ANSWER_BYTES) throw tooLarge();
  await basis.work?.reserve(estimate);
  const out = new Output(basis.work, estimate);
  for (const piece of pieces) {
    out.text += piece;
    const pausing = out.pause();
    if (pausing !== undefined) await pausing;
  }
  return out.end();
}
