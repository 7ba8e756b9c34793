/**
 * The GraphQL endpoint (interface, sections 4, 5 and 7; contract D) as Koa's first middleware, from top to bottom: what the
 * headers refuse, the body, its parameters, the operation, the notice, and how the answer is represented.
 *
 *     koa.use(createGraphQL({ ...options, responder, executeRequest, identify, notice }));
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Middleware } from 'koa';
import { isObject, parsedJson } from '../../calendar/json.ts';
import type { AnswerBasis, ExecuteRequest, Result } from '../graphql/answer.ts';
import { MAX_ANSWER_BYTES, tooLarge } from '../graphql/project.ts';
import { isRefusal, type Refusal, refuse } from '../graphql/refusal.ts';
import type { Parameters } from '../graphql/selection.ts';
import type { AccessLogEntry } from './access-log.ts';
import type { Identify } from './caller.ts';
import { compact, headerOf, lengthOf, type ReadBody, sendAndHangUp } from './message.ts';
import { acceptsHtml, GRAPHQL_TYPE, isJson, typeFor } from './negotiation.ts';
import { plainRefusal, type RefusalOptions } from './replies.ts';
import {
  type Endpoint,
  type EndpointRequest,
  type EndpointResult,
  REFUSED,
  type Responder,
} from './responder.ts';

export const GRAPHQL_PATH = '/graphQL';

/** Each request header that an answer depends on: type or sandbox, coding, CSRF rule, notice. */
const VARY = ['Vary', 'Accept, Accept-Encoding, Gateway-Require-Preflight, X-Api-Key'];

interface GraphQLOptions {
  readonly responder: Pick<Responder, 'respond'>;
  readonly readBody: ReadBody;
  readonly executeRequest: ExecuteRequest;
  readonly identify: Identify;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** D4, notice: the field of an answer's extensions, for a licence with this portal. */
  readonly notice: (portalUrl: string | null) => string;
  readonly onAccess: (entry: AccessLogEntry) => void;
  /** D3, sandbox: whether browsers that open the endpoint's address get a page. */
  readonly servesBrowsers: boolean;
  /** D1, statuses: says where a text stops being JSON; undefined if there is no such annex. */
  readonly explainJson: ExplainJson | undefined;
  /** Undefined if each request must bring its query. */
  readonly queries: NamedQueries | undefined;
}

/** Names the place where a text stops being JSON; null if it is JSON. */
export type ExplainJson = (text: string) => string | null;

/** The parameters of a request, checked for their form. */
interface SentParameters extends Omit<Parameters, 'query'> {
  readonly query: string | undefined;
  /** The entry of `extensions` that names the query, in place of the text or beside it. */
  readonly persistedQuery: unknown;
}

/** A query under its SHA-256, in hexadecimal digits. */
export interface NamedQuery {
  readonly hash: string;
  readonly query: string;
}

interface Resolved {
  readonly parameters: Parameters;
  /** A query to store once it has proved to be a valid operation. */
  readonly named?: NamedQuery;
}

/** Queries that requests name instead of sending them. */
export interface NamedQueries {
  readonly resolve: (sent: SentParameters) => Resolved | Refusal;
  readonly remember: (named: NamedQuery) => void;
}

/** Passes on all that is not GraphQL: other paths and methods, and browsers that open its address. */
export function createGraphQL(options: GraphQLOptions): Middleware {
  const { responder, readBody, servesBrowsers } = options;
  const endpoint: Endpoint<GraphQLHttpRequest> = {
    route: GRAPHQL_PATH,
    keyOf,
    typeFor: ({ headers }) => typeFor(headers.accept),
    refusalOptions,
    execute: (request, basis) => execute(request, basis, options),
  };
  const respond = (response: ServerResponse, body: Buffer, refusal?: Refusal) =>
    responder.respond(response, endpoint, requestOf(response.req, body, options), refusal);

  return (context, next) => {
    const { req, res, method } = context;
    if (!METHODS.has(method) || !isForEndpoint(req)) return next();
    const refusal = refusalByHeaders(method, req.headers);
    const isBrowser = refusal !== undefined && method !== 'POST' && acceptsHtml(req.headers.accept);
    if (servesBrowsers && isBrowser) return next();
    context.respond = false;
    if (refusal !== undefined || method !== 'POST') return respond(res, EMPTY, refusal);
    readBody(req, res, (read) => ('code' in read ? refuseBody(read, res, options) : respond(res, read)));
  };
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST']);

/** Koa's own reading of a URL parses all of it, with the query. */
function isForEndpoint({ url = '' }: IncomingMessage): boolean {
  return url === GRAPHQL_PATH || url.startsWith(`${GRAPHQL_PATH}?`);
}

export const PREFLIGHT_HEADER = 'Gateway-Require-Preflight';

/**
 * D1: refuses by the headers alone: requests that can be forged, and bodies that are not JSON. A page can make a browser send a GET to
 * any server. It cannot send the preflight header, or JSON, unless a preflight was answered first.
 */
function refusalByHeaders(method: string, headers: IncomingHttpHeaders): Refusal | undefined {
  if (method !== 'POST') {
    const isPreflighted = headerOf(headers, PREFLIGHT_NAME)?.trim().toLowerCase() === 'true';
    return isPreflighted ? undefined : FORGEABLE;
  }
  if (!isJson(headers['content-type'])) return NOT_JSON;
  const coding = headers['content-encoding'];
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
  const entry = { method, route: GRAPHQL_PATH, status: reply.status, caller: caller.attribution, ...REFUSED };
  options.onAccess({ ...entry, milliseconds: 0 });
}

interface GraphQLHttpRequest extends EndpointRequest {
  readonly body: Buffer;
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

/** Everything that the answer depends on, as it was sent, and whether it gets the notice. */
function keyOf(request: GraphQLHttpRequest): string {
  const { method, search, body } = request;
  const notice = hasNotice(request) ? 'notice ' : '';
  return method === 'POST' ? `${notice}POST ${search}\n${body.toString('latin1')}` : `${notice}GET ${search}`;
}

/** D4: whether the call has no valid key. */
const hasNotice = ({ caller }: EndpointRequest): boolean => caller.attribution.application === undefined;

async function execute(
  request: GraphQLHttpRequest,
  basisOf: () => AnswerBasis,
  { executeRequest, notice, queries, explainJson }: GraphQLOptions,
): Promise<EndpointResult | Refusal> {
  const isPost = request.method === 'POST';
  const sent = isPost
    ? readBodyParameters(request.body, explainJson)
    : readUrlParameters(request.search, explainJson);
  if (isRefusal(sent)) return sent;
  const resolved = resolve(sent, queries);
  if (isRefusal(resolved)) return resolved;
  const { parameters, named } = resolved;
  const result = await executeRequest(parameters, basisOf);
  if (isRefusal(result)) return result;
  if (named !== undefined) queries?.remember(named);
  return {
    ...result,
    body: withExtensions(result, notice(basisOf().snapshot.lists.licence.portalUrl), hasNotice(request)),
    isTagged: !isPost && !result.failed,
    headers: VARY,
    // A cached answer may be the last place that still knows its query.
    onReuse: named && (() => queries?.remember(named)),
  };
}

function readBodyParameters(body: Buffer, explain?: ExplainJson): SentParameters | Refusal {
  if (!isUtf8(body)) return bad(MALFORMED_BODY, 'expected UTF-8, found other bytes');
  const text = withoutMark(body.toString());
  const value = parsedJson(text);
  if (value === undefined) return bad(MALFORMED_BODY, explain?.(text) ?? undefined);
  if (Array.isArray(value)) {
    return bad('The body must be one JSON object: several operations in one request are not supported.');
  }
  return isObject(value)
    ? checkParameters(value)
    : bad(`The body must be a JSON object, found ${kindOf(value)}.`);
}

function readUrlParameters(search: string, explain: ExplainJson | undefined): SentParameters | Refusal {
  const given = new URLSearchParams(search);
  const sent: Record<string, unknown> = {};
  for (const name of ['query', 'operationName']) sent[name] = given.get(name);
  for (const name of ['variables', 'extensions']) {
    const text = withoutMark(given.get(name) || 'null');
    const value = parsedJson(text);
    if (value === undefined)
      return bad(`The parameter "${name}" must be JSON.`, explain?.(text) ?? undefined);
    sent[name] = value;
  }
  return checkParameters(sent);
}

const MALFORMED_BODY = 'Malformed JSON body';

function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

function checkParameters(sent: Readonly<Record<string, unknown>>): SentParameters | Refusal {
  for (const [name, expected] of KINDS) {
    const value = sent[name];
    if (value === undefined || value === null) continue;
    const found = kindOf(value);
    if (found !== expected) return bad(`"${name}" must be ${expected}, found ${found}.`);
  }
  const { query, variables, operationName, extensions } = sent;
  return {
    query: nonEmptyText(query),
    variables: isObject(variables) ? variables : {},
    operationName: nonEmptyText(operationName),
    persistedQuery: isObject(extensions) ? extensions.persistedQuery : undefined,
  };
}

const KINDS = [
  ['query', 'a string'],
  ['variables', 'an object'],
  ['operationName', 'a string'],
  ['extensions', 'an object'],
] as const;

/** Some clients send an empty name for none; no operation can have an empty name. */
const nonEmptyText = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

const bad = (message: string, reason?: string): Refusal => refuse('BAD_REQUEST', message, reason);

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}

function resolve(sent: SentParameters, queries?: Pick<NamedQueries, 'resolve'>): Resolved | Refusal {
  const { persistedQuery, query, ...parameters } = sent;
  if (queries !== undefined && persistedQuery !== undefined && persistedQuery !== null)
    return queries.resolve(sent);
  return query === undefined ? MISSING : { parameters: { query, ...parameters } };
}

const MISSING = bad('"query" is missing.');

/** D4: null data has no notice. D10: the size limit is the same with and without a key. */
function withExtensions(
  { body, hasData, hints = [] }: Pick<Result, 'body' | 'hasData' | 'hints'>,
  notice: string,
  isNoticed: boolean,
): readonly Buffer[] {
  const before = body.slice(0, -1);
  const last = body.at(-1) ?? EMPTY;
  const own = hints.length === 0 ? [] : [`"hints":${JSON.stringify(hints)}`];
  const all = hasData ? [...own, notice] : own;
  const longest = lengthOf(body) - 1 + Buffer.byteLength(endingWith(all));
  if (longest > MAX_ANSWER_BYTES) throw tooLarge();
  return compact([...before, last.subarray(0, -1), Buffer.from(endingWith(isNoticed ? all : own))]);
}

/** The end of an answer's JSON, behind `data` and `errors`. */
function endingWith(extensions: readonly string[]): string {
  return extensions.length === 0 ? '}' : `,"extensions":{${extensions.join(',')}}}`;
}

const EMPTY = Buffer.alloc(0);

function refusalOptions({ code }: Refusal, _request: GraphQLHttpRequest, type: string): RefusalOptions {
  // D15, status of a persisted query that is not found: clients of the newer media type go by the status.
  const isNotFound = type === GRAPHQL_TYPE && code === 'PERSISTED_QUERY_NOT_FOUND';
  return { type, headers: VARY, status: isNotFound ? 404 : undefined };
}
