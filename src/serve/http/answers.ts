/**
 * Answers that are cached for as long as they are exact (D6). A cached answer is sent at once; a new one is made, shared with
 * equal requests meanwhile, and cached while it is exact. Replies bring all their headers: Koa's later middleware would cost
 * more than many answers.
 *
 *     answers.respond(response, endpoint, request);
 */
import type { ServerResponse } from 'node:http';
import type { Keeper } from '../../snapshot/keeper.ts';
import { type Gate, OVERLOAD, type Ticket } from '../admission/gate.ts';
import type { AnswerBasis } from '../graphql/execute.ts';
import { type Mask, type Refusal, refusalFor, refuse } from '../graphql/refusal.ts';
import { changeOf, type Epoch } from '../query/epoch.ts';
import type { AccessLogEntry } from './access-log.ts';
import type { Admit, Caller, CallerAddressOf, Verdict } from './caller.ts';
import { connectionOf, onceGone } from './connections.ts';
import type { HeaderList, HttpReply, HttpRequest } from './message.ts';
import type { Outflow } from './outflow.ts';
import { type RefusalOptions, refusalReply } from './replies.ts';
import { type Content, type Representation, replyWith, type Variant } from './representation.ts';
import {
  CachedAnswer,
  CachedRefusal,
  type Counted,
  createResponseCache,
  type UnderWay,
} from './response-cache.ts';

export interface AnswersOptions {
  readonly keeper: Pick<Keeper, 'pin' | 'state' | 'onSwap'>;
  readonly mask: Mask;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Seconds: the longest time that a client may cache an answer (D6). */
  readonly maxAge: number;
  /** Bytes of the response cache. */
  readonly cacheBytes: number;
  readonly outflow: Pick<Outflow, 'send'>;
  /** Undefined if every request is answered. */
  readonly admit: Admit | undefined;
  /** D14: the gate for answers that are not cached. */
  readonly gate: Pick<Gate, 'enter' | 'isBusy' | 'inTurn'>;
  readonly addressOf: CallerAddressOf;
  readonly onAccess: (entry: AccessLogEntry) => void;
}

export interface AnswerableRequest extends HttpRequest {
  readonly caller: Caller;
}

/** How one kind of request is answered. */
export interface Endpoint<Request extends AnswerableRequest> {
  /** Route for metrics. */
  readonly route: string;
  /** The cache key: all that the answer depends on, as it was sent. Equal keys share an answer, also between endpoints. */
  readonly keyOf: (request: Request) => string;
  readonly variantFor: (request: Request) => Variant;
  /** `basis` pins the snapshot as it was when the request arrived; undefined without a snapshot. */
  readonly workOut: (
    request: Request,
    basis: () => AnswerBasis | undefined,
  ) => Promise<CachedAnswer | Refusal>;
  readonly refusalOptions: (refusal: Refusal, request: Request) => RefusalOptions;
}

export interface Answers {
  readonly respond: <Request extends AnswerableRequest>(
    response: ServerResponse,
    endpoint: Endpoint<Request>,
    request: Request,
    /** Set if the request is already refused. */
    refusal?: Refusal,
  ) => void;
  readonly cacheSize: () => { readonly entries: number; readonly bytes: number };
  /** Clears the response cache. */
  readonly clearCache: () => void;
}

export function createAnswers(options: AnswersOptions): Answers {
  const { keeper, admit } = options;
  const cache = createResponseCache<CachedAnswer | CachedRefusal, Refusal>({
    maxBytes: options.cacheBytes,
    isCacheable: (outcome): outcome is CachedAnswer | CachedRefusal =>
      outcome instanceof CachedRefusal || (outcome instanceof CachedAnswer && outcome.isCacheable),
  });
  keeper.onSwap(cache.clear);
  const context = { ...options, cache, begin: createBegin(options) };
  return {
    respond: (response, endpoint, request, refusal) => {
      const { arrivedAt, caller } = request;
      const verdict = admit?.({ message: response.req, caller: caller.attribution, arrivedAt });
      reply(context, endpoint, { request, response, refusal: verdict?.refusal ?? refusal, verdict });
    },
    cacheSize: cache.size,
    clearCache: cache.clear,
  };
}

interface Context extends AnswersOptions {
  readonly cache: ReturnType<typeof createResponseCache<CachedAnswer | CachedRefusal, Refusal>>;
  readonly begin: ReturnType<typeof createBegin>;
}

function reply<Request extends AnswerableRequest>(
  context: Context,
  endpoint: Endpoint<Request>,
  { request, response, refusal, verdict }: Admitted<Request>,
): void {
  const started = performance.now();
  const finish = ({ reply, counted }: Outcome) => {
    context.outflow.send(response, reply, verdict && admissionHeadersOf(verdict, request, reply));
    const { method } = request;
    const caller = request.caller.attribution;
    const milliseconds = performance.now() - started;
    const { route } = endpoint;
    context.onAccess({ method, route, status: reply.status, caller, milliseconds, ...counted });
  };
  const answered =
    refusal === undefined
      ? answer(context, endpoint, { request, response })
      : refusing(endpoint, refusal, request);
  const finishInTurn = (outcome: Outcome) => {
    if (isLong(outcome.reply)) context.gate.inTurn(() => finish(outcome));
    else finish(outcome);
  };
  if (answered instanceof Promise) void answered.then(finishInTurn);
  else finishInTurn(answered);
}

/** Bytes from which replies take turns: sixty clients that wait for the same 2 MB would otherwise hold the thread for 0.3 s. */
const LONG = 64 * 1_024;
const isLong = ({ body }: HttpReply): boolean => body.length >= LONG;

/** Returns the reply at once if the answer is cached. Never throws, never rejects. */
function answer<Request extends AnswerableRequest>(
  context: Context,
  endpoint: Endpoint<Request>,
  { request, response }: Pick<Question<Request>, 'request' | 'response'>,
): Outcome | Promise<Outcome> {
  const { keeper, cache, maxAge } = context;
  const { current } = keeper.state();
  const variant = endpoint.variantFor(request);
  const key = endpoint.keyOf(request);
  const epoch = current === null ? undefined : cache.epochFor(current, secondOf(request));
  const known = epoch && cache.find(key, epoch);
  if (known instanceof CachedRefusal) return refusing(endpoint, known.refusal, request);
  known?.onReuse?.();
  const representation = known?.content.ready(variant);
  if (known !== undefined && representation !== undefined) {
    const serving = { request, epoch, at: request.arrivedAt, isReused: true, maxAge };
    return outcomeBy(representation, known, serving);
  }
  return answerAnew(context, endpoint, { request, response, variant, key, epoch, known });
}

async function answerAnew<Request extends AnswerableRequest>(
  context: Context,
  endpoint: Endpoint<Request>,
  question: Question<Request>,
): Promise<Outcome> {
  const { cache, clock, gate, maxAge } = context;
  const { request, response, key, epoch, known } = question;
  const connection = connectionOf(response.req.socket);
  // Trying the gate again costs more than a refusal may.
  if (connection !== null && performance.now() < connection.waitsUntil && gate.isBusy()) {
    return refusing(endpoint, OVERLOADED, request);
  }
  const outcome = known ?? (await worked(context, endpoint, question));
  if (!(outcome instanceof CachedAnswer)) {
    if (connection !== null && 'code' in outcome && outcome.code === 'OVERLOADED') {
      connection.waitsUntil = performance.now() + RETRY_AFTER_MS;
    }
    return refusing(endpoint, outcome instanceof CachedRefusal ? outcome.refusal : outcome, request);
  }
  const representation = await represented(context, outcome.content, question);
  if ('code' in representation) return refusing(endpoint, representation, request);
  cache.reweigh(key, outcome);
  const serving = { request, epoch, at: clock(), isReused: known !== undefined, maxAge };
  return outcomeBy(representation, outcome, serving);
}

/** Shared with all equal requests that arrive meanwhile. */
async function worked<Request extends AnswerableRequest>(
  context: Context,
  endpoint: Endpoint<Request>,
  question: Question<Request>,
): Promise<Worked> {
  const { cache, begin, addressOf } = context;
  const { response, key, epoch } = question;
  const address = addressOf(response.req);
  const { outcome, leave } = cache.share(key, epoch, () =>
    begin(address, (ticket) => workOut(endpoint, question, { ticket, ...context })),
  );
  const stay = onceGone(response.req.socket, leave);
  const shared = await outcome;
  stay();
  return shared;
}

async function represented(
  { begin, addressOf, mask }: Context,
  content: Content,
  { response, variant }: Pick<Question<AnswerableRequest>, 'response' | 'variant'>,
): Promise<Representation | Refusal> {
  const ready = content.ready(variant);
  if (ready !== undefined) return ready;
  const address = addressOf(response.req);
  const coding = begin(address, (ticket) => coded(content, variant, { mask, ticket }));
  const stay = onceGone(response.req.socket, coding.abandon);
  const representation = await coding.outcome;
  stay();
  return representation;
}

function outcomeBy(
  representation: Representation,
  answered: CachedAnswer,
  { request, epoch, at, isReused, maxAge }: Serving,
): Outcome {
  const { isCacheable, dependsOnDay, until } = answered;
  const isExact = epoch !== undefined && isCacheable;
  const reply = replyWith(representation, {
    freshness: isExact
      ? FRESH[cacheScopeOf(request)](secondsFresh(Math.min(changeOf(epoch, dependsOnDay), until), at, maxAge))
      : NOT_FRESH,
    ifNoneMatch: isCacheable ? request.headers['if-none-match'] : undefined,
  });
  return { reply, counted: answered.entry(isReused) };
}

type Worked = CachedAnswer | CachedRefusal | Refusal;

/** Starts work when its turn comes (D14); `work` must never reject. */
function createBegin({ gate }: Pick<AnswersOptions, 'gate'>) {
  return <Result>(address: string, work: (ticket: Ticket) => Promise<Result>): UnderWay<Result | Refusal> => {
    let leaveLine: (() => void) | null = null;
    let ticket: Ticket | undefined;
    const outcome = new Promise<Result | Refusal>((resolve) => {
      leaveLine = gate.enter({
        address,
        begin: (admitted) => {
          ticket = admitted;
          void work(admitted).then((result) => {
            admitted.leave();
            resolve(result);
          });
        },
        onRefused: () => resolve(OVERLOADED),
      });
      if (leaveLine === null) resolve(OVERLOADED);
    });
    const abandon = () => {
      ticket?.abandon();
      leaveLine?.();
    };
    return { outcome, abandon };
  };
}

/** Milliseconds of these refusals' `Retry-After`. */
const RETRY_AFTER_MS = 1_000;

const OVERLOADED = refuse('OVERLOADED', OVERLOAD.message);

interface Working extends Pick<AnswersOptions, 'keeper' | 'mask'> {
  readonly ticket: Ticket;
}

/** Makes the answer with the wanted representation. Never rejects: an unexpected error becomes a refusal too. */
async function workOut<Request extends AnswerableRequest>(
  endpoint: Endpoint<Request>,
  { request, variant }: Pick<Question<Request>, 'request' | 'variant'>,
  { keeper, mask, ticket }: Working,
): Promise<Worked> {
  let pin: ReturnType<Keeper['pin']> | undefined;
  try {
    const outcome = await endpoint.workOut(request, () => {
      // The log and `/readyz` say why there is no snapshot.
      if (keeper.state().current !== null) pin ??= keeper.pin();
      return pin && { snapshot: pin.snapshot, now: secondOf(request), ticket };
    });
    if (outcome instanceof CachedAnswer) await outcome.content.representation(variant, ticket);
    else if (outcome.code === 'QUERY_TOO_COMPLEX') return new CachedRefusal(outcome);
    return outcome;
  } catch (thrown) {
    const refusal = refusalFor(thrown, mask);
    return refusal.code === 'QUERY_TOO_COMPLEX' ? new CachedRefusal(refusal) : refusal;
  } finally {
    pin?.release();
  }
}

/** Never rejects. */
async function coded(
  content: Content,
  variant: Variant,
  { mask, ticket }: Pick<Working, 'mask' | 'ticket'>,
): Promise<Representation | Refusal> {
  try {
    return await content.representation(variant, ticket);
  } catch (thrown) {
    return refusalFor(thrown, mask);
  }
}

/** A request with its verdict, before it is answered. */
interface Admitted<Request> {
  readonly request: Request;
  readonly response: ServerResponse;
  readonly refusal: Refusal | undefined;
  /** Undefined if every request is answered. */
  readonly verdict: Verdict | undefined;
}

/** Caches may serve a stored answer without its age: one caller's remaining quota would then be shown to others (D6). */
function admissionHeadersOf(verdict: Verdict, request: AnswerableRequest, { status }: HttpReply): HeaderList {
  return status < 400 && cacheScopeOf(request) === 'shared' ? verdict.sharedHeaders : verdict.headers;
}

function cacheScopeOf({ method, caller }: AnswerableRequest): CacheScope {
  if (caller.hasKeyInUrl) return 'private';
  return method === 'POST' ? 'client' : 'shared';
}

interface Question<Request> {
  readonly request: Request;
  readonly response: ServerResponse;
  readonly variant: Variant;
  readonly key: string;
  /** Undefined without a snapshot. */
  readonly epoch: Epoch | undefined;
  /** The cached answer, if only its representation has to be made. */
  readonly known: CachedAnswer | undefined;
}

interface Serving extends Pick<Question<AnswerableRequest>, 'request' | 'epoch'> {
  /** When the answer becomes fresh, in milliseconds since 1970. */
  readonly at: number;
  readonly isReused: boolean;
  /** Longest freshness lifetime, in seconds. */
  readonly maxAge: number;
}

interface Outcome {
  readonly reply: HttpReply;
  readonly counted: Counted;
}

const secondOf = ({ arrivedAt }: HttpRequest): number => Math.floor(arrivedAt / 1_000);

export const REFUSED: Counted = {
  operationName: undefined,
  rootField: undefined,
  reused: false,
  failed: true,
};

async function refusing<Request extends AnswerableRequest>(
  endpoint: Endpoint<Request>,
  refusal: Refusal,
  request: Request,
): Promise<Outcome> {
  return { reply: await refusalReply(refusal, endpoint.refusalOptions(refusal, request)), counted: REFUSED };
}

/** D6: which caches may store an answer: of a POST only the client's; with a key in the URL only private ones. */
type CacheScope = 'shared' | 'client' | 'private';

const NOT_FRESH: HeaderList = ['Cache-Control', 'no-store'];

/**
 * nginx counts whole seconds, including the last: it would serve an answer that arrives in its clock's next second for up to a second too
 * long. It obeys its own header before `max-age`, and does not forward it.
 */
const FRESH = {
  shared: (seconds: number): HeaderList => [
    ...['Cache-Control', `public, max-age=${seconds}`],
    ...['X-Accel-Expires', `${Math.max(0, seconds - 1)}`],
  ],
  client: (seconds: number): HeaderList => ['Cache-Control', `public, max-age=${seconds}`],
  private: (seconds: number): HeaderList => ['Cache-Control', `private, max-age=${seconds}`],
};

/** Whole seconds from `at` (milliseconds) for which a cache may store an answer that changes at the second `change`. */
export function secondsFresh(change: number, at: number, cap: number): number {
  return Math.max(0, Math.min(cap, Math.floor((change * 1_000 - at) / 1_000)));
}
