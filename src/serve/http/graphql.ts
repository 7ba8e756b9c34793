/**
 * The GraphQL endpoint (interface, sections 4, 5 and 7; contract D) as Koa's first middleware. An answer that is cached
 * goes out at once; one that is not is worked out, shared with whoever asks for the same meanwhile, and cached while it is
 * exact. Replies come with all their headers: what stands behind this in Koa would cost more than many an answer.
 *
 *     koa.use(graphql.middleware);
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context, Middleware } from 'koa';
import type { Keeper } from '../../snapshot/keeper.ts';
import type { AccessLogEntry } from '../access-log.ts';
import { type Epoch, secondsFresh } from '../freshness.ts';
import { type Answered, type AnswerRequest, isRefusal } from '../graphql/answer.ts';
import { MAX_ANSWER_BYTES, tooLarge } from '../graphql/project.ts';
import { type Mask, type Refusal, refusalFor, refuse } from '../graphql/refusal.ts';
import type { Caller, Identify } from '../identity.ts';
import { createResponseCache } from '../response-cache.ts';
import { readBody, readBodyParameters, readUrlParameters, refusalByHeaders } from './graphql-request.ts';
import { type HttpReply, type HttpRequest, sendAndHangUp } from './message.ts';
import { acceptsHtml, CODINGS, codingFor, GRAPHQL_MEDIA, JSON_MEDIA, mediaFor } from './negotiate.ts';
import type { Outflow } from './outflow.ts';
import { plainRefusal, refusalReply } from './replies.ts';
import {
  Content,
  createCacheControl,
  type Representation,
  replyWith,
  type Variant,
} from './representation.ts';

export const GRAPHQL_PATH = '/graphQL';

interface GraphQLOptions {
  readonly answer: AnswerRequest;
  readonly keeper: Pick<Keeper, 'pin' | 'state' | 'onSwap'>;
  readonly identify: Identify;
  readonly mask: Mask;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Seconds: the longest that a client may keep an answer (D6). */
  readonly maxAge: number;
  /** Bytes of the response cache. */
  readonly cacheBytes: number;
  /** D4: the ending of an answer with the notice, for a licence with this portal. */
  readonly notice: (portalUrl: string | null) => Buffer;
  readonly outflow: Pick<Outflow, 'send'>;
  readonly onAccess: (entry: AccessLogEntry) => void;
}

export interface GraphQL {
  /** Passes on what is not for GraphQL: other paths and methods, and browsers that want the sandbox. */
  readonly middleware: Middleware;
  readonly cacheSize: () => { readonly entries: number; readonly bytes: number };
}

export function createGraphQL(options: GraphQLOptions): GraphQL {
  const { keeper, clock, maxAge } = options;
  const cache = createResponseCache<CachedAnswer, CachedAnswer | Refusal>({
    maxBytes: options.cacheBytes,
    isCacheable: (outcome): outcome is CachedAnswer => outcome instanceof CachedAnswer && outcome.isCacheable,
  });
  const cacheControl = createCacheControl(maxAge);
  keeper.onSwap(cache.clear);

  /** The reply by a representation that is at hand. `at`: from when on it is fresh, in milliseconds since 1970. */
  const replyBy = (
    representation: Representation,
    { request, epoch, isCacheable }: Exactness,
    at: number,
  ): HttpReply => {
    const isExact = epoch !== undefined && isCacheable;
    return replyWith(representation, {
      cacheControl: isExact
        ? cacheControl(secondsFresh(epoch, at, maxAge), request.caller.hasKeyInUrl)
        : 'no-store',
      ifNoneMatch: isCacheable ? request.headers['if-none-match'] : undefined,
    });
  };

  const answerAnew = async (question: Question, known: CachedAnswer | undefined): Promise<Outcome> => {
    const { request, variant, key, epoch } = question;
    const work = () => workOut(options, request);
    const outcome = known ?? (await (epoch === undefined ? work() : cache.share(key, epoch, work)));
    if (!(outcome instanceof CachedAnswer)) return refusing(outcome, request);
    const { content, isCacheable } = outcome;
    const made = content.representation(variant);
    const representation = made instanceof Promise ? await made : made;
    cache.reweigh(key, outcome);
    const reply = replyBy(representation, { request, epoch, isCacheable }, clock());
    return { reply, ...outcome.entry(known !== undefined) };
  };

  /** At once when the answer is at hand. Never throws, never rejects. */
  const answer = (request: GraphQLHttpRequest): Outcome | Promise<Outcome> => {
    const { current } = keeper.state();
    const question = {
      request,
      variant: variantFor(request),
      key: keyOf(request),
      epoch: current === null ? undefined : cache.epochFor(current, secondOf(request)),
    };
    const { epoch, key, variant } = question;
    const known = epoch && cache.find(key, epoch);
    const representation = known?.content.ready(variant);
    if (known === undefined || representation === undefined) {
      return answerAnew(question, known).catch((thrown) => failing(options, request, thrown));
    }
    const reply = replyBy(representation, { request, epoch, isCacheable: true }, request.arrivedAt);
    return { reply, ...known.entry(true) };
  };

  const respond = ({ req, res }: Context, body: Buffer, refusal?: Refusal) => {
    const request = requestOf(req, body, options);
    const started = performance.now();
    const finish = ({ reply, ...entry }: Outcome) => {
      options.outflow.send(res, reply);
      const { method } = request;
      const caller = request.caller.attribution;
      const milliseconds = performance.now() - started;
      options.onAccess({ method, route: GRAPHQL_PATH, status: reply.status, caller, ...entry, milliseconds });
    };
    const answered = refusal === undefined ? answer(request) : refusing(refusal, request);
    if (answered instanceof Promise) void answered.then(finish);
    else finish(answered);
  };

  return {
    middleware: (context, next) => {
      const { req, res, method } = context;
      if (!METHODS.has(method) || !isForEndpoint(req)) return next();
      const refusal = refusalByHeaders(method, req.headers);
      // D3: a browser that opens the address gets the sandbox.
      if (refusal !== undefined && method !== 'POST' && acceptsHtml(req.headers.accept)) return next();
      context.respond = false;
      if (refusal !== undefined || method !== 'POST') return respond(context, NOTHING_READ, refusal);
      readBody(req, {
        onBody: (body) => respond(context, body),
        onTooLarge: () => refuseAsTooLarge(options, req, res),
      });
    },
    cacheSize: cache.size,
  };
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST']);

/** Koa's own reading of a URL looks at all of it: 3 µs for a query of 1.5 KB. */
function isForEndpoint({ url = '' }: IncomingMessage): boolean {
  return url === GRAPHQL_PATH || url.startsWith(GRAPHQL_PATH_WITH_QUERY);
}

const GRAPHQL_PATH_WITH_QUERY = `${GRAPHQL_PATH}?`;
const NOTHING_READ = Buffer.alloc(0);

interface GraphQLHttpRequest extends HttpRequest {
  readonly body: Buffer;
  readonly caller: Caller;
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

interface Question {
  readonly request: GraphQLHttpRequest;
  readonly variant: Variant;
  readonly key: string;
  /** None without a snapshot. */
  readonly epoch: Epoch | undefined;
}

interface Exactness extends Pick<Question, 'request' | 'epoch'> {
  readonly isCacheable: boolean;
}

type Outcome = { readonly reply: HttpReply } & Pick<
  AccessLogEntry,
  'operationName' | 'rootField' | 'reused' | 'failed'
>;

/** An answer with its representations, as long as it is exact. */
class CachedAnswer {
  readonly content: Content;
  /** Exact for its whole epoch: status 200, no errors. */
  readonly isCacheable: boolean;
  readonly #operationName: string | undefined;
  readonly #rootField: string;

  constructor(content: Content, { failed, operationName, rootField }: Omit<Answered, 'body'>) {
    this.content = content;
    this.isCacheable = !failed;
    this.#operationName = operationName;
    this.#rootField = rootField;
  }

  get bytes(): number {
    return this.content.bytes;
  }

  entry(reused: boolean): Omit<Outcome, 'reply'> {
    return {
      operationName: this.#operationName,
      rootField: this.#rootField,
      reused,
      failed: !this.isCacheable,
    };
  }
}

/** Everything that an answer depends on, as it came: what is equal here is the same request. */
function keyOf({ method, search, body }: GraphQLHttpRequest): string {
  return method === 'POST' ? `POST ${search}\n${body.toString('latin1')}` : `GET ${search}`;
}

const secondOf = ({ arrivedAt }: HttpRequest): number => Math.floor(arrivedAt / 1_000);

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
  const notice = caller.attribution.keyed ? 0 : 1;
  const media = mediaFor(headers.accept) === JSON_MEDIA ? 0 : 1;
  const coding = CODINGS.indexOf(codingFor(headers['accept-encoding']));
  const variant = VARIANTS[(notice * 2 + media) * CODINGS.length + coding];
  if (variant === undefined) throw new RangeError(`expected a variant, found coding ${coding}`);
  return variant;
}

/** One request header each that an answer depends on: type or sandbox, coding, CSRF rule, notice. */
const VARY = ['Vary', 'Accept, Accept-Encoding, Gateway-Require-Preflight, X-Api-Key'];

const REFUSED: Omit<Outcome, 'reply'> = {
  operationName: undefined,
  rootField: undefined,
  reused: false,
  failed: true,
};

async function refusing(refusal: Refusal, { headers }: HttpRequest): Promise<Outcome> {
  const reply = await refusalReply(refusal, {
    media: mediaFor(headers.accept),
    coding: codingFor(headers['accept-encoding']),
    headers: refusal.code === 'SERVICE_UNAVAILABLE' ? [...VARY, 'Retry-After', '5'] : VARY,
  });
  return { reply, ...REFUSED };
}

/** What nobody foresaw, while the answer was given its representation. */
function failing({ mask }: GraphQLOptions, { headers }: HttpRequest, thrown: unknown): Outcome {
  const accepted = { media: mediaFor(headers.accept), headers: VARY };
  return { reply: plainRefusal(refusalFor(thrown, mask), accepted), ...REFUSED };
}

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
  options: GraphQLOptions,
  request: GraphQLHttpRequest,
): Promise<CachedAnswer | Refusal> {
  const { keeper, mask } = options;
  let pin: ReturnType<Keeper['pin']> | undefined;
  try {
    const isPost = request.method === 'POST';
    const parameters = isPost ? readBodyParameters(request.body) : readUrlParameters(request.search);
    if (isRefusal(parameters)) return parameters;
    const answer = await options.answer(parameters, () => {
      // Why there is no snapshot is for the log and for `/readyz`.
      pin = keeper.state().current === null ? undefined : keeper.pin();
      return pin && { snapshot: pin.snapshot, now: secondOf(request) };
    });
    if (isRefusal(answer)) return answer;
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
    return new CachedAnswer(content, answer);
  } catch (thrown) {
    return refusalFor(thrown, mask);
  } finally {
    pin?.release();
  }
}

/** D4: there the notice must not stand. */
const NO_DATA = Buffer.from('{"data":null');
