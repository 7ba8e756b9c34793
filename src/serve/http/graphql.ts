/**
 * The GraphQL endpoint (interface, sections 4, 5 and 7; contract D) as Koa's first middleware: the whole protocol, from the
 * headers to the answer.
 *
 *     koa.use(createGraphQL({ ...options, answers, answer, identify, notice }));
 */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Middleware } from 'koa';
import { isObject } from '../../calendar/json.ts';
import { shareOfMemory } from '../admission/budget.ts';
import { type AnswerRequest, isRefusal } from '../graphql/answer.ts';
import type { Parameters } from '../graphql/executor.ts';
import type { Moment } from '../graphql/operation.ts';
import { MAX_ANSWER_BYTES, tooLarge } from '../graphql/project.ts';
import { type Refusal, refuse } from '../graphql/refusal.ts';
import { createBoundedCache } from '../query/bounded-cache.ts';
import type { AccessLogEntry } from './access-log.ts';
import { type AnswerableRequest, type Answers, CachedAnswer, type Endpoint, REFUSED } from './answers.ts';
import type { Identify } from './identity.ts';
import {
  acceptsHtml,
  CODINGS,
  codingFor,
  GRAPHQL_MEDIA,
  headerOf,
  isJson,
  JSON_MEDIA,
  mediaFor,
  NO_BODY,
  sendAndHangUp,
} from './message.ts';
import { Content, lengthOf, plainRefusal, type Variant } from './representation.ts';

export const GRAPHQL_PATH = '/graphQL';

interface GraphQLOptions {
  readonly answers: Pick<Answers, 'respond'>;
  readonly answer: AnswerRequest;
  readonly identify: Identify;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** D4: the ending of an answer with the notice, for a licence with this portal. */
  readonly notice: (portalUrl: string | null) => Buffer;
  readonly onAccess: (entry: AccessLogEntry) => void;
  /** D3: whether there is a page for browsers that open the endpoint's address. */
  readonly servesBrowsers: boolean;
}

/** Passes on what is not for GraphQL: other paths and methods, and browsers that open its address. */
export function createGraphQL(options: GraphQLOptions): Middleware {
  const { answers, servesBrowsers } = options;
  const persistedQueries = createPersistedQueries();
  const endpoint: Endpoint<GraphQLHttpRequest> = {
    route: GRAPHQL_PATH,
    keyOf,
    variantFor,
    workOut: (request, moment) => workOut({ ...options, persistedQueries }, request, moment),
    refusalOptions: (_, { headers }) => ({
      media: mediaFor(headers.accept),
      coding: codingFor(headers['accept-encoding']),
      headers: VARY,
    }),
  };
  const respond = (request: IncomingMessage, response: ServerResponse, body: Buffer, refusal?: Refusal) =>
    answers.respond(response, endpoint, requestOf(request, body, options), refusal);

  return (context, next) => {
    const { req, res, method } = context;
    if (!METHODS.has(method) || !isForEndpoint(req)) return next();
    const refusal = refusalByHeaders(method, req.headers);
    if (servesBrowsers && refusal !== undefined && method !== 'POST' && acceptsHtml(req.headers.accept))
      return next();
    context.respond = false;
    if (refusal !== undefined || method !== 'POST') return respond(req, res, NO_BODY, refusal);
    readBody(req, {
      onBody: (body) => respond(req, res, body),
      onTooLarge: () => refuseAsTooLarge(options, req, res),
    });
  };
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST']);

/** Koa's own reading of a URL looks at all of it: 3 µs for a query of 1.5 KB. */
function isForEndpoint({ url = '' }: IncomingMessage): boolean {
  return url === GRAPHQL_PATH || url.startsWith(GRAPHQL_PATH_WITH_QUERY);
}

const GRAPHQL_PATH_WITH_QUERY = `${GRAPHQL_PATH}?`;

interface GraphQLHttpRequest extends AnswerableRequest {
  readonly body: Buffer;
}

function requestOf(
  { method = 'GET', url = '', headers }: IncomingMessage,
  body: Buffer,
  { identify, clock }: GraphQLOptions,
): GraphQLHttpRequest {
  const mark = url.indexOf('?');
  const search = mark === -1 ? '' : url.slice(mark + 1);
  const caller = identify({ headers, search });
  return { method, path: GRAPHQL_PATH, search, headers, body, arrivedAt: clock(), caller };
}

/** Everything that an answer depends on, as it came: what is equal here is the same request. */
function keyOf({ method, search, body }: GraphQLHttpRequest): string {
  return method === 'POST' ? `POST ${search}\n${body.toString('latin1')}` : `GET ${search}`;
}

/** D4: with the notice or without it, under either name of the media type, in each coding. */
const VARIANTS: readonly Variant[] = [0, 1]
  .flatMap((ending) =>
    [JSON_MEDIA, GRAPHQL_MEDIA].flatMap((media) =>
      CODINGS.map((coding) => ({ ending, type: `${media}; charset=utf-8`, coding })),
    ),
  )
  .map((variant, place) => ({ ...variant, place }));

const PLAIN_ENDING = Buffer.from('}');

function variantFor({ headers, caller }: GraphQLHttpRequest): Variant {
  const notice = caller.attribution.application === undefined ? 1 : 0;
  const media = mediaFor(headers.accept) === JSON_MEDIA ? 0 : 1;
  const coding = CODINGS.indexOf(codingFor(headers['accept-encoding']));
  const variant = VARIANTS[(notice * 2 + media) * CODINGS.length + coding];
  if (variant === undefined) throw new RangeError(`expected a variant, found coding ${coding}`);
  return variant;
}

/** One request header each that an answer depends on: type or sandbox, coding, CSRF rule, notice. */
const VARY = ['Vary', 'Accept, Accept-Encoding, Gateway-Require-Preflight, X-Api-Key'];

function refuseAsTooLarge(options: GraphQLOptions, request: IncomingMessage, response: ServerResponse): void {
  sendAndHangUp(request, response, TOO_LARGE);
  const { method, caller } = requestOf(request, NO_BODY, options);
  const { status } = TOO_LARGE;
  const entry = { method, route: GRAPHQL_PATH, status, caller: caller.attribution, ...REFUSED };
  options.onAccess({ ...entry, milliseconds: 0 });
}

const TOO_LARGE = plainRefusal(refuse('PAYLOAD_TOO_LARGE', 'The body must not be larger than 256 KiB.'), {
  headers: VARY,
});

async function workOut(
  { persistedQueries, ...options }: GraphQLOptions & { readonly persistedQueries: PersistedQueries },
  request: GraphQLHttpRequest,
  momentOf: () => Moment | undefined,
): Promise<CachedAnswer | Refusal> {
  const isPost = request.method === 'POST';
  const sent = isPost ? readBodyParameters(request.body) : readUrlParameters(request.search);
  if (isRefusal(sent)) return sent;
  const resolved = persistedQueries.resolve(sent);
  if (isRefusal(resolved)) return resolved;
  const { parameters, persisted } = resolved;
  const answer = await options.answer(parameters, momentOf);
  if (isRefusal(answer)) return answer;
  if (persisted !== undefined) persistedQueries.remember(persisted);
  const { body } = answer;
  const slices = Buffer.isBuffer(body) ? [body] : body;
  const [first = NO_BODY] = slices;
  const hasData = !first.subarray(0, NO_DATA.length).equals(NO_DATA);
  const portalUrl = momentOf()?.snapshot.lists.licence.portalUrl ?? null;
  const notice = hasData ? options.notice(portalUrl) : PLAIN_ENDING;
  // D10: whoever asks, with a key or without one, is told the same.
  if (lengthOf(slices) - 1 + notice.length > MAX_ANSWER_BYTES) throw tooLarge();
  const content = new Content({
    body: withoutBrace(slices),
    endings: [PLAIN_ENDING, notice],
    isTagged: !isPost && !answer.failed,
    headers: VARY,
  });
  return new CachedAnswer(content, {
    ...answer,
    // An answer that is used again may be all that still knows its query.
    ...(persisted !== undefined && {
      onReuse: () => persistedQueries.remember(persisted),
      heldBytes: 2 * persisted.query.length,
    }),
  });
}

/** An ending brings one of its own. */
function withoutBrace(slices: readonly Buffer[]): readonly Buffer[] {
  const last = slices.at(-1) ?? NO_BODY;
  const rest = last.subarray(0, -1);
  return rest.length === 0 ? slices.slice(0, -1) : slices.with(-1, rest);
}

/** D4: there the notice must not stand. */
const NO_DATA = Buffer.from('{"data":null');

export const PREFLIGHT_HEADER = 'Gateway-Require-Preflight';

/**
 * D1: what the headers alone refuse: requests that can be forged, and bodies that are not JSON. A page can make a browser send
 * a GET to anywhere. It cannot make it send the preflight header, or JSON, without a preflight that is answered first.
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

/** D1. */
export const MAX_BODY_BYTES = 256 * 1_024;

interface BodyListener {
  readonly onBody: (body: Buffer) => void;
  /** Called once, before the rest of the body has come. */
  readonly onTooLarge: () => void;
}

/** Most bodies are one chunk, which is then the result. A client that goes away before the end is heard of no more. */
function readBody(request: IncomingMessage, { onBody, onTooLarge }: BodyListener): void {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
    request.resume();
    onTooLarge();
    return;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    if (length > MAX_BODY_BYTES) return;
    length += chunk.length;
    if (length <= MAX_BODY_BYTES) chunks.push(chunk);
    else {
      chunks.length = 0;
      onTooLarge();
    }
  });
  request.on('end', () => {
    if (length > MAX_BODY_BYTES) return;
    const [only = NO_BODY, ...more] = chunks;
    onBody(more.length === 0 ? only : Buffer.concat(chunks, length));
  });
}

/** What a client has sent, checked for its form. */
interface SentParameters extends Omit<Parameters, 'query'> {
  /** Whether it may be missing is for persisted queries to say. */
  readonly query: string | undefined;
  /** What stands under that name in its extensions. */
  readonly persistedQuery: unknown;
}

export function readBodyParameters(body: Buffer): SentParameters | Refusal {
  const value = isUtf8(body) ? parseJson(body.toString()) : MALFORMED;
  if (value === MALFORMED) return bad('Malformed JSON body');
  if (Array.isArray(value)) {
    return bad('The body must be one JSON object: several operations in one request are not supported.');
  }
  return isObject(value)
    ? checkParameters(value)
    : bad(`The body must be a JSON object, found ${kindOf(value)}.`);
}

function readUrlParameters(search: string): SentParameters | Refusal {
  const given = new URLSearchParams(search);
  const sent: Record<string, unknown> = {};
  for (const name of ['query', 'operationName']) sent[name] = given.get(name);
  for (const name of ['variables', 'extensions']) {
    const text = given.get(name);
    sent[name] = text ? parseJson(text) : null;
    if (sent[name] === MALFORMED) return bad(`The parameter "${name}" must be JSON.`);
  }
  return checkParameters(sent);
}

const MALFORMED = Symbol('malformed');

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch {
    return MALFORMED;
  }
}

const BYTE_ORDER_MARK = '\ufeff';

function checkParameters(sent: Readonly<Record<string, unknown>>): SentParameters | Refusal {
  for (const [name, expected] of KINDS) {
    const value = sent[name];
    if (value === undefined || value === null) continue;
    const found = kindOf(value);
    if (found !== expected) return bad(`"${name}" must be ${expected}, found ${found}.`);
  }
  const { query, variables, operationName, extensions } = sent;
  return {
    query: textOf(query),
    variables: isObject(variables) ? variables : {},
    operationName: textOf(operationName),
    persistedQuery: isObject(extensions) ? extensions.persistedQuery : undefined,
  };
}

const KINDS = [
  ['query', 'a string'],
  ['variables', 'an object'],
  ['operationName', 'a string'],
  ['extensions', 'an object'],
] as const;

/** Some clients send an empty name where they mean none, which no operation can have. */
const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

const bad = (message: string): Refusal => refuse('BAD_REQUEST', message);

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}

/** A query by its hash: 64 hexadecimal digits. */
interface PersistedQuery {
  readonly hash: string;
  readonly query: string;
}

interface Resolved {
  readonly parameters: Parameters;
  /** To be remembered once it turned out to be a valid operation. */
  readonly persisted: PersistedQuery | undefined;
}

/**
 * Automatic persisted queries (D11), as Apollo's and urql's clients speak them: a client sends the SHA-256 of its query, and
 * the text as well only when it is told that the hash is not known here. Each serving process has its own; a client that
 * comes to another one is told once more.
 */
interface PersistedQueries {
  readonly resolve: (sent: SentParameters) => Resolved | Refusal;
  readonly remember: (persisted: PersistedQuery) => void;
}

export function createPersistedQueries(
  maxBytes = shareOfMemory(HEAP_SHARE, MAX_PERSISTED_BYTES),
): PersistedQueries {
  const known = createBoundedCache<PersistedQuery>({ most: maxBytes, weigh: bytesOf });
  return {
    resolve: ({ persistedQuery, ...sent }) => {
      const { query } = sent;
      if (persistedQuery === undefined || persistedQuery === null) {
        if (query === undefined) return MISSING;
        return { parameters: { ...sent, query }, persisted: undefined };
      }
      const hash = hashIn(persistedQuery);
      if (hash === undefined) return WITHOUT_HASH;
      if (query === undefined) {
        const persisted = known.get(hash);
        return persisted ? { parameters: { ...sent, query: persisted.query }, persisted } : NOT_FOUND;
      }
      if (createHash('sha256').update(query).digest('hex') !== hash) return OTHER_HASH;
      return { parameters: { ...sent, query }, persisted: { hash, query } };
    },
    remember: (persisted) => {
      if (persisted.query.length > LONGEST_PERSISTED) return;
      if (known.get(persisted.hash) === undefined) known.offer(persisted.hash, persisted);
    },
  };
}

/** Of the texts, and of what comes with each: so there are 8,388 of them at most. */
const MAX_PERSISTED_BYTES = 8 * 1_024 * 1_024;
const HEAP_SHARE = 0.02;
const ENTRY_BYTES = 1_000;

/** Characters: ten times what front ends send, comments included. */
const LONGEST_PERSISTED = 64 * 1_024;

const bytesOf = ({ query }: PersistedQuery): number => ENTRY_BYTES + 2 * query.length;

function hashIn(persistedQuery: unknown): string | undefined {
  if (!isObject(persistedQuery)) return undefined;
  const { version, sha256Hash } = persistedQuery;
  return version === 1 && typeof sha256Hash === 'string' && HASH.test(sha256Hash) ? sha256Hash : undefined;
}

const HASH = /^[\da-f]{64}$/;

/** Clients know it by its message, too. */
const NOT_FOUND = refuse('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
const MISSING = bad('"query" is missing.');
const WITHOUT_HASH = bad(
  '"extensions.persistedQuery" must have "version": 1 and "sha256Hash": 64 hexadecimal digits in lower case.',
);
const OTHER_HASH = bad('"extensions.persistedQuery.sha256Hash" is not the SHA-256 of "query".');
