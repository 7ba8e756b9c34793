/**
 * Responds to requests. A cached result is sent at once. Any other is executed once for all equal requests, and cached in the representation
 * that was asked for. Replies bring all their headers: Koa's later middleware would cost more than many results.
 *
 *     responder.respond(response, endpoint, request);
 *
 * What is sent has four names on its way:
 *
 *     EndpointResult       what an endpoint returns: a body, and what is known about it
 *     RepresentedResult    the same with its body in one media type and coding, which is cached
 *     HttpReply            the status, headers and body for one request; without the body if the client has it
 *     Outcome              the reply, with its part of the access log's entry
 *
 * A refusal has no result: it becomes an HttpReply at once. docs/walks.md lists all files that a request passes through.
 */
import type { ServerResponse } from 'node:http';
import type { Keeper } from '../../snapshot/keeper.ts';
import type { Pin } from '../../snapshot/pins.ts';
import type { Admission } from '../admission/admission.ts';
import type { CacheSize } from '../admission/filtered-cache.ts';
import type { Abandonment } from '../admission/semaphore.ts';
import { TURNS } from '../admission/turns.ts';
import type { Mask } from '../graphql/mask.ts';
import { isRefusal, type Refusal, Refused, refusalOfThrown } from '../graphql/refusal.ts';
import type { Epoch } from '../query/epoch.ts';
import type { AccessLogEntry, OnAccess } from './access-log.ts';
import type { Allowance, CallerAddressOf, Quota } from './caller.ts';
import type { Endpoint, EndpointRequest, RefusalEndpoint } from './endpoint.ts';
import { freshnessOf, isCacheable, isForSharedCaches } from './freshness.ts';
import { type HeaderList, type HttpReply, NO_BODY, secondOf } from './message.ts';
import { codingFor } from './negotiation.ts';
import type { Outflow } from './outflow.ts';
import { refusalReply } from './replies.ts';
import { lengthOf } from './reply-body.ts';
import { createRepresentation, replyWith, type Variant } from './representation.ts';
import { createResponseCache, type RepresentedResult, type ResponseCache } from './response-cache.ts';

interface ResponderOptions {
  readonly keeper: Pick<Keeper, 'pin' | 'state' | 'onSwap'>;
  readonly mask: Mask;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Seconds: the longest time that a client may cache a response (D6). */
  readonly maxAge: number;
  /** Bytes of the response cache. */
  readonly cacheBytes: number;
  readonly outflow: Pick<Outflow, 'send'>;
  /** K4: undefined if there is none. */
  readonly quota: Quota | undefined;
  /** D14: admits the work for results that are not cached. */
  readonly admission: Pick<Admission, 'run'>;
  readonly addressOf: CallerAddressOf;
  readonly onAccess: OnAccess;
}

export interface Responder {
  readonly respond: <Request extends EndpointRequest>(
    response: ServerResponse,
    endpoint: Endpoint<Request>,
    request: Request,
  ) => void;
  /** Responds to a request that is already refused. It counts in the quota, too. */
  readonly refuse: <Request extends EndpointRequest>(
    response: ServerResponse,
    endpoint: RefusalEndpoint<Request>,
    request: Request,
    refusal: Refusal,
  ) => void;
  readonly cacheSize: () => CacheSize;
  readonly clearCache: () => void;
}

export function createResponder(options: ResponderOptions): Responder {
  const cache = createResponseCache(options.cacheBytes);
  options.keeper.onSwap(cache.clear);
  const context = { ...options, cache };
  return {
    respond: (response, endpoint, request) => {
      const exchange = beginExchange(context, { endpoint, request, response });
      const { refusal = null } = exchange.allowance ?? {};
      const outcome =
        refusal === null ? cachedOrExecuted(context, exchange) : refusedOutcome(exchange, refusal);
      if (outcome instanceof Promise) void outcome.then(exchange.send);
      else exchange.send(outcome);
    },
    refuse: (response, endpoint, request, refusal) => {
      const exchange = beginExchange(context, { endpoint, request, response });
      void refusedOutcome(exchange, exchange.allowance?.refusal ?? refusal).then(exchange.send);
    },
    cacheSize: cache.size,
    clearCache: cache.clear,
  };
}

interface ResponderContext extends ResponderOptions {
  readonly cache: ResponseCache;
}

/** `EndpointKind`: refusals need only a part of an endpoint. */
interface Received<Request extends EndpointRequest, EndpointKind extends RefusalEndpoint<Request>> {
  readonly endpoint: EndpointKind;
  readonly request: Request;
  readonly response: ServerResponse;
}

/** A request on its way to a reply. */
interface Exchange<
  Request extends EndpointRequest,
  EndpointKind extends RefusalEndpoint<Request> = Endpoint<Request>,
> extends Received<Request, EndpointKind> {
  readonly variant: Variant;
  /** K4: undefined without a quota. */
  readonly allowance: Allowance | undefined;
  /** Sends the reply, in its turn if that is long, and reports the request. */
  readonly send: (outcome: Outcome) => void;
}

/** Bytes from which replies take turns: many clients that wait for the same long answer would otherwise hold the thread. */
const LONG = 64 * 1_024;

/** A reply, and its part of the access log's entry. */
interface Outcome extends Pick<AccessLogEntry, LoggedOfOutcome> {
  readonly reply: HttpReply;
}

type LoggedOfOutcome = 'operationName' | 'rootField' | 'isCacheHit' | 'hasErrors' | 'refusedAs';

function beginExchange<Request extends EndpointRequest, EndpointKind extends RefusalEndpoint<Request>>(
  { quota, outflow, onAccess, addressOf }: ResponderContext,
  { endpoint, request, response }: Received<Request, EndpointKind>,
): Exchange<Request, EndpointKind> {
  const started = performance.now();
  const { arrivedAt, method } = request;
  const { attribution: caller } = request.caller;
  const allowance = quota?.({ message: response.req, caller, arrivedAt });
  const sendNow = ({ reply, ...entry }: Outcome) => {
    outflow.send(response, reply, allowance && quotaHeadersOf(allowance, request, reply));
    const milliseconds = performance.now() - started;
    const accessed = {
      method,
      route: endpoint.route,
      status: reply.status,
      caller,
      milliseconds,
      ...entry,
    };
    onAccess(accessed, response.req);
  };
  const send = (outcome: Outcome) => {
    if (lengthOf(outcome.reply.body) < LONG) sendNow(outcome);
    else TURNS.inTurn(() => sendNow(outcome), { address: addressOf(response.req), milliseconds: 0 });
  };
  const variant = { type: endpoint.typeFor(request), coding: codingFor(request.headers['accept-encoding']) };
  return { endpoint, request, response, variant, allowance, send };
}

/** Synchronous if the result is cached. Never throws, never rejects. */
function cachedOrExecuted<Request extends EndpointRequest>(
  context: ResponderContext,
  exchange: Exchange<Request>,
): Outcome | Promise<Outcome> {
  const { keeper, cache } = context;
  const { endpoint, request, variant } = exchange;
  const { current } = keeper.state();
  const key = `${variant.coding} ${variant.type}\n${endpoint.keyOf(request)}`;
  const epoch = current === null ? undefined : cache.epochFor(current, secondOf(request));
  const cached = epoch && cache.find(key, epoch);
  if (cached !== undefined) {
    cached.cacheHit?.call();
    return outcomeOfResult(context, exchange, {
      result: cached,
      epoch,
      at: request.arrivedAt,
      isCacheHit: true,
    });
  }
  const shared = cache.share(key, epoch, (abandonment) => executeAdmitted(context, exchange, abandonment));
  shared.work.join(exchange.response);
  return afterWork(context, exchange, { ...shared, epoch });
}

/** Work that this request has begun, or that it shares with the one that did. */
interface JoinedWork extends ReturnType<ResponseCache['share']> {
  readonly epoch: Epoch | undefined;
}

async function afterWork<Request extends EndpointRequest>(
  context: ResponderContext,
  exchange: Exchange<Request>,
  { work, isNew, epoch }: JoinedWork,
): Promise<Outcome> {
  const result = await work.result;
  if (work.isAbandoned()) return ABANDONED;
  if (!isRefusal(result))
    return outcomeOfResult(context, exchange, { result, epoch, at: context.clock(), isCacheHit: false });
  // K4: the request that began the work has used up its caller's quota, which may not be this caller's. Trying again ends: that work is over, so
  // the first of those that try again begins its own, whose refusal it gets.
  const isOthersQuota = result.code === 'RATE_LIMITED' && !isNew;
  return isOthersQuota ? cachedOrExecuted(context, exchange) : refusedOutcome(exchange, result);
}

/** A result, and when it is sent. */
interface TimedResult {
  readonly result: RepresentedResult;
  readonly epoch: Epoch | undefined;
  /** When the response becomes fresh, in milliseconds since 1970. */
  readonly at: number;
  /** Whether it was cached. */
  readonly isCacheHit: boolean;
}

function outcomeOfResult<Request extends EndpointRequest>(
  { maxAge }: ResponderContext,
  { endpoint, request }: Exchange<Request>,
  { result, epoch, at, isCacheHit }: TimedResult,
): Outcome {
  const { representation, status, operationName, rootField, hasErrors } = result;
  const ifNoneMatch = isCacheable(result) ? request.headers['if-none-match'] : undefined;
  const found = replyWith(representation, freshnessOf(result, { epoch, at, maxAge }, request), ifNoneMatch);
  const reply = status === undefined ? found : { ...found, status };
  const enveloped = endpoint.envelope?.(reply, request) ?? reply;
  return { reply: enveloped, operationName, rootField, isCacheHit, hasErrors };
}

/** Executes the request in its turn (D14), and represents the result. Never rejects: an unexpected error becomes a refusal, too. */
async function executeAdmitted<Request extends EndpointRequest>(
  { keeper, mask, admission, addressOf }: ResponderContext,
  { endpoint, request, response, variant, allowance }: Exchange<Request>,
  abandonment: Abandonment,
): Promise<RepresentedResult | Refusal> {
  let pin: Pin | undefined;
  const address = addressOf(response.req);
  const charge = (pages: number) => {
    const refusal = allowance?.charge(pages) ?? null;
    if (refusal !== null) throw new Refused(refusal);
  };
  try {
    return await admission.run({ address, abandonment, charge }, async (work) => {
      const result = await endpoint.execute(request, () => {
        pin ??= keeper.pin();
        return { snapshot: pin.snapshot, now: secondOf(request), work };
      });
      if (isRefusal(result)) return result;
      const representation = await createRepresentation(result, variant, work);
      // Field by field, so that the body before coding is not held.
      return {
        representation,
        status: result.status,
        operationName: result.operationName,
        rootField: result.rootField,
        hasErrors: result.hasErrors,
        isUncacheable: result.isUncacheable,
        dependsOnDay: result.dependsOnDay,
        exactUntil: result.exactUntil,
        cacheHit: result.cacheHit,
      };
    });
  } catch (thrown) {
    return thrown instanceof Refused ? thrown.refusal : refusalOfThrown(thrown, mask);
  } finally {
    pin?.release();
  }
}

export const REFUSED = { operationName: undefined, rootField: undefined, isCacheHit: false, hasErrors: true };

/** For the log: the client left before its answer was made, as nginx says it. */
const ABANDONED: Outcome = { ...REFUSED, reply: { status: 499, headers: [], body: NO_BODY } };

async function refusedOutcome<Request extends EndpointRequest>(
  { endpoint, request, variant }: Exchange<Request, RefusalEndpoint<Request>>,
  refusal: Refusal,
): Promise<Outcome> {
  const options = endpoint.refusalOptions(refusal, request);
  const reply = await refusalReply(refusal, { coding: variant.coding, ...options });
  return { ...REFUSED, refusedAs: refusal.code, reply };
}

/** Caches may serve a stored response without its age: one caller's remaining quota would then be shown to others (D6). */
function quotaHeadersOf(allowance: Allowance, request: EndpointRequest, { status }: HttpReply): HeaderList {
  return status < 400 && isForSharedCaches(request) ? allowance.sharedHeaders : allowance.headers();
}
