/**
 * The GraphQL endpoint (interface, sections 4, 5 and 7; contract D) as Koa's first middleware.
 *
 *     koa.use(createGraphQL({ ...options, answers, answer, identify, notice }));
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Middleware } from 'koa';
import type { Keeper } from '../../snapshot/keeper.ts';
import type { AccessLogEntry } from '../access-log.ts';
import { type AnswerRequest, isRefusal } from '../graphql/answer.ts';
import { createPersistedQueries, type PersistedQueries } from '../graphql/persisted.ts';
import { MAX_ANSWER_BYTES, tooLarge } from '../graphql/project.ts';
import { type Mask, type Refusal, refusalFor, refuse } from '../graphql/refusal.ts';
import type { Identify } from '../identity.ts';
import {
  type AnswerableRequest,
  type Answers,
  CachedAnswer,
  type Endpoint,
  REFUSED,
  secondOf,
} from './answers.ts';
import { readBody, readBodyParameters, readUrlParameters, refusalByHeaders } from './graphql-request.ts';
import {
  acceptsHtml,
  CODINGS,
  codingFor,
  GRAPHQL_MEDIA,
  JSON_MEDIA,
  mediaFor,
  sendAndHangUp,
} from './message.ts';
import { plainRefusal, refusalReply } from './replies.ts';
import { Content, type Variant } from './representation.ts';

export const GRAPHQL_PATH = '/graphQL';

interface GraphQLOptions {
  readonly answers: Pick<Answers, 'respond'>;
  readonly answer: AnswerRequest;
  readonly keeper: Pick<Keeper, 'pin' | 'state'>;
  readonly identify: Identify;
  readonly mask: Mask;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** D4: the ending of an answer with the notice, for a licence with this portal. */
  readonly notice: (portalUrl: string | null) => Buffer;
  readonly onAccess: (entry: AccessLogEntry) => void;
}

/** Passes on what is not for GraphQL: other paths and methods, and browsers that want the sandbox. */
export function createGraphQL(options: GraphQLOptions): Middleware {
  const { answers } = options;
  const persistedQueries = createPersistedQueries();
  const endpoint: Endpoint<GraphQLHttpRequest> = {
    route: GRAPHQL_PATH,
    keyOf,
    variantFor,
    workOut: (request) => workOut({ ...options, persistedQueries }, request),
    refusalReply: (refusal, { headers }) =>
      refusalReply(refusal, {
        media: mediaFor(headers.accept),
        coding: codingFor(headers['accept-encoding']),
        headers: refusal.code === 'SERVICE_UNAVAILABLE' ? [...VARY, 'Retry-After', '5'] : VARY,
      }),
    plainRefusal: (refusal, { headers }) =>
      plainRefusal(refusal, { media: mediaFor(headers.accept), headers: VARY }),
  };
  const respond = (request: IncomingMessage, response: ServerResponse, body: Buffer, refusal?: Refusal) =>
    answers.respond(response, endpoint, requestOf(request, body, options), refusal);

  return (context, next) => {
    const { req, res, method } = context;
    if (!METHODS.has(method) || !isForEndpoint(req)) return next();
    const refusal = refusalByHeaders(method, req.headers);
    // D3: a browser that opens the address gets the sandbox.
    if (refusal !== undefined && method !== 'POST' && acceptsHtml(req.headers.accept)) return next();
    context.respond = false;
    if (refusal !== undefined || method !== 'POST') return respond(req, res, NOTHING_READ, refusal);
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
const NOTHING_READ = Buffer.alloc(0);

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
  const { method, caller } = requestOf(request, NOTHING_READ, options);
  const { status } = TOO_LARGE;
  const entry = { method, route: GRAPHQL_PATH, status, caller: caller.attribution, ...REFUSED };
  options.onAccess({ ...entry, milliseconds: 0 });
}

const TOO_LARGE = plainRefusal(refuse('PAYLOAD_TOO_LARGE', 'The body must not be larger than 256 KiB.'), {
  headers: VARY,
});

/** Never rejects: what nobody foresaw is a refusal too. */
async function workOut(
  options: GraphQLOptions & { readonly persistedQueries: PersistedQueries },
  request: GraphQLHttpRequest,
): Promise<CachedAnswer | Refusal> {
  const { keeper, mask, persistedQueries } = options;
  let pin: ReturnType<Keeper['pin']> | undefined;
  try {
    const isPost = request.method === 'POST';
    const sent = isPost ? readBodyParameters(request.body) : readUrlParameters(request.search);
    if (isRefusal(sent)) return sent;
    const resolved = persistedQueries.resolve(sent);
    if (isRefusal(resolved)) return resolved;
    const { parameters, persisted } = resolved;
    const answer = await options.answer(parameters, () => {
      // Why there is no snapshot is for the log and for `/readyz`.
      pin = keeper.state().current === null ? undefined : keeper.pin();
      return pin && { snapshot: pin.snapshot, now: secondOf(request) };
    });
    if (isRefusal(answer)) return answer;
    if (persisted !== undefined) persistedQueries.remember(persisted);
    const { body } = answer;
    const hasData = !body.subarray(0, NO_DATA.length).equals(NO_DATA);
    const notice = hasData ? options.notice(pin?.snapshot.lists.licence.portalUrl ?? null) : PLAIN_ENDING;
    // D10: whoever asks, with a key or without one, is told the same.
    if (body.length - 1 + notice.length > MAX_ANSWER_BYTES) throw tooLarge();
    const content = new Content({
      body: body.subarray(0, -1),
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
  } catch (thrown) {
    return refusalFor(thrown, mask);
  } finally {
    pin?.release();
  }
}

/** D4: there the notice must not stand. */
const NO_DATA = Buffer.from('{"data":null');
