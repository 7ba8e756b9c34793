/**
 * The GraphQL endpoint as Koa's first middleware, from top to bottom: what the headers refuse, the body, and who sends it. The responder
 * answers.
 *
 *     koa.use(createGraphQLMiddleware({ ...options, responder, endpoint, identify }));
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Middleware } from 'koa';
import { isRefusal, type Refusal, refuse } from '../graphql/refusal.ts';
import type { OnAccess } from './access-log.ts';
import type { ReadBody } from './body.ts';
import type { Identify } from './caller.ts';
import {
  GRAPHQL_ALIAS,
  GRAPHQL_PATH,
  type GraphQLEndpoint,
  type GraphQLHttpRequest,
  VARY,
} from './graphql-endpoint.ts';
import { headerOf, METHODS, sendAndHangUp } from './message.ts';
import { acceptsHtml, isJson } from './negotiation.ts';
import { plainRefusal } from './replies.ts';
import { REFUSED, type Responder } from './responder.ts';

interface GraphQLOptions {
  readonly responder: Pick<Responder, 'respond' | 'refuse'>;
  readonly endpoint: GraphQLEndpoint;
  readonly readBody: ReadBody;
  readonly identify: Identify;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  readonly onAccess: OnAccess;
  /** D3: whether browsers that open the endpoint's address get a page. */
  readonly servesBrowsers: boolean;
}

/** Passes on all that is not GraphQL: other paths and methods, and browsers that open its address. */
export function createGraphQLMiddleware(options: GraphQLOptions): Middleware {
  const { responder, endpoint, readBody, servesBrowsers } = options;
  const respond = (response: ServerResponse, body: Buffer) =>
    responder.respond(response, endpoint, requestOf(response.req, body, options));
  const refuseByHeaders = (response: ServerResponse, refusal: Refusal) =>
    responder.refuse(response, endpoint, requestOf(response.req, EMPTY, options), refusal);

  return (context, next) => {
    const { req, res, method } = context;
    nameEndpoint(req);
    if (!METHODS.includes(method) || !isForEndpoint(req)) return next();
    const refusal = refusalByHeaders(method, req.headers);
    const isBrowser = refusal !== undefined && method !== 'POST' && acceptsHtml(req.headers.accept);
    if (servesBrowsers && isBrowser) return next();
    context.respond = false;
    if (refusal !== undefined) return refuseByHeaders(res, refusal);
    if (method !== 'POST') return respond(res, EMPTY);
    readBody(req, res, (read) => (isRefusal(read) ? refuseBody(read, res, options) : respond(res, read)));
  };
}

/** P1: the path that most people type is an address of the endpoint too; from here on it has one name. */
function nameEndpoint(request: IncomingMessage): void {
  if (isAt(GRAPHQL_ALIAS, request))
    request.url = GRAPHQL_PATH + (request.url ?? '').slice(GRAPHQL_ALIAS.length);
}

const isForEndpoint = (request: IncomingMessage): boolean => isAt(GRAPHQL_PATH, request);

/** Koa's own reading of a URL parses all of it, with the query. */
function isAt(path: string, { url = '' }: IncomingMessage): boolean {
  return url === path || url.startsWith(`${path}?`);
}

export const PREFLIGHT_HEADER = 'Gateway-Require-Preflight';

/**
 * D1: refuses by the headers alone: requests that can be forged, and bodies that are not JSON. A page can make a browser send a GET to
 * any server. It cannot send the preflight header, or JSON, unless a preflight was answered first.
 */
function refusalByHeaders(method: string, headers: IncomingHttpHeaders): Refusal | undefined {
  if (method !== 'POST') {
    const isPreflighted = headerOf(headers, PREFLIGHT_NAME)?.toLowerCase() === 'true';
    return isPreflighted ? undefined : FORGEABLE;
  }
  if (!isJson(headers['content-type'])) return NOT_JSON;
  const coding = headers['content-encoding']?.toLowerCase();
  return coding === undefined || coding === 'identity' ? undefined : CODED;
}

const PREFLIGHT_NAME = PREFLIGHT_HEADER.toLowerCase();

const FORGEABLE = refuse(
  'BAD_REQUEST',
  `Blocked as a possible cross-site request forgery (CSRF): a GET needs the header ${PREFLIGHT_HEADER}: true. A POST of JSON needs none. In Apollo Client, leave out useGETForQueries or set the header in HttpLink's headers; in urql, set preferGetMethod: false or the header in fetchOptions.`,
);
const NOT_JSON = refuse('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON: Content-Type: application/json.');
const CODED = refuse('UNSUPPORTED_MEDIA_TYPE', 'The body must not have a Content-Encoding.');

function refuseBody(refusal: Refusal, response: ServerResponse, options: GraphQLOptions): void {
  const reply = plainRefusal(refusal, { headers: VARY });
  sendAndHangUp(response, reply);
  const { method, caller } = requestOf(response.req, EMPTY, options);
  const entry = {
    method,
    route: GRAPHQL_PATH,
    status: reply.status,
    caller: caller.attribution,
    ...REFUSED,
    refusedAs: refusal.code,
    milliseconds: 0,
  };
  options.onAccess(entry, response.req);
}

function requestOf(
  { method = 'GET', url = '', headers }: IncomingMessage,
  body: Buffer,
  { identify, clock }: GraphQLOptions,
): GraphQLHttpRequest {
  const search = url.slice(GRAPHQL_PATH.length + 1);
  const caller = identify({ headers, search });
  return { method, path: GRAPHQL_PATH, search, headers, body, arrivedAt: clock(), caller };
}

const EMPTY = Buffer.alloc(0);
