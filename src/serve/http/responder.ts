/**
 * Responds to requests with results that are cached for as long as they are exact (D6, exact freshness). A cached one is sent at once; a
 * new one is executed, shared with equal requests meanwhile, and cached, in the representation that was asked for, while it is exact.
 * Replies bring all their headers: Koa's later middleware would cost more than many results.
 *
 *     responder.respond(response, endpoint, request);
 */
import type { ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Keeper } from '../../snapshot/keeper.ts';
import { type Admission, inTurn } from '../admission/admission.ts';
import type { AnswerBasis } from '../graphql/execute.ts';
import { type Mask, type Refusal, refusalFor } from '../graphql/refusal.ts';
import { type Changing, changeOf, type Epoch, epochOf } from '../query/view.ts';
import type { AccessLogEntry } from './access-log.ts';
import type { Admit, Caller, CallerAddressOf, Verdict } from './caller.ts';
import { type HeaderList, type HttpReply, type HttpRequest, lengthOf, type Outflow } from './message.ts';
import { type RefusalOptions, refusalReply } from './replies.ts';
import {
  type Content,
  createRepresentation,
  type Representation,
  replyWith,
  type Variant,
} from './representation.ts';

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
  /** Undefined if no request is refused for who sends it. */
  readonly admit: Admit | undefined;
  /** D14, bounded together: admits the work for results that are not cached. */
  readonly admission: Pick<Admission, 'run'>;
  readonly addressOf: CallerAddressOf;
  readonly onAccess: (entry: AccessLogEntry) => void;
}

export interface EndpointRequest extends HttpRequest {
  readonly caller: Caller;
}

/** How one kind of request is executed. */
export interface Endpoint<Request extends EndpointRequest> {
  /** Route for metrics. */
  readonly route: string;
  /** All that the result depends on, as it was sent, except its variant. Equal keys share a result, also between endpoints. */
  readonly keyOf: (request: Request) => string;
  readonly variantFor: (request: Request) => Variant;
  /** `basis` pins the current snapshot. Throws SERVICE_UNAVAILABLE without one. */
  readonly execute: (request: Request, basis: () => AnswerBasis) => Promise<EndpointResult | Refusal>;
  readonly refusalOptions: (refusal: Refusal, request: Request) => RefusalOptions;
}

/** A result before it is represented. */
export interface EndpointResult extends Content, Described {}

export interface Responder {
  readonly respond: <Request extends EndpointRequest>(
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

export function createResponder(options: ResponderOptions): Responder {
  const { admit, outflow, onAccess } = options;
  const cache = createResponseCache(options.cacheBytes);
  options.keeper.onSwap(cache.clear);
  const context = { ...options, cache };
  return {
    respond: (response, endpoint, request, refusal) => {
      const started = performance.now();
      const { arrivedAt, method, caller } = request;
      const verdict = admit?.({ message: response.req, caller: caller.attribution, arrivedAt });
      const send = ({ reply, entry }: Outcome) => {
        outflow.send(response, reply, verdict && admissionHeadersOf(verdict, request, reply));
        const milliseconds = performance.now() - started;
        const { status } = reply;
        onAccess({
          method,
          route: endpoint.route,
          status,
          caller: caller.attribution,
          milliseconds,
          ...entry,
        });
      };
      const sendInTurn = (outcome: Outcome) => {
        if (lengthOf(outcome.reply.body) < LONG) send(outcome);
        else inTurn(() => send(outcome));
      };
      const refused = verdict?.refusal ?? refusal;
      const outcome =
        refused === undefined
          ? outcomeOf(context, endpoint, { request, response })
          : refusing(endpoint, refused, request);
      if (outcome instanceof Promise) void outcome.then(sendInTurn);
      else sendInTurn(outcome);
    },
    cacheSize: cache.size,
    clearCache: cache.clear,
  };
}

interface Context extends ResponderOptions {
  readonly cache: ReturnType<typeof createResponseCache>;
}

/** Bytes from which replies take turns: many clients that wait for the same long answer would otherwise hold the thread. */
const LONG = 64 * 1_024;

/** A reply, and its part of the access log's entry. */
interface Outcome {
  readonly reply: HttpReply;
  readonly entry: EntryPart;
}

type EntryPart = Pick<AccessLogEntry, 'operationName' | 'rootField' | 'reused' | 'failed'>;

interface Exchange<Request> {
  readonly request: Request;
  readonly response: ServerResponse;
}

/** Synchronous if the result is cached. Never throws, never rejects. */
function outcomeOf<Request extends EndpointRequest>(
  context: Context,
  endpoint: Endpoint<Request>,
  exchange: Exchange<Request>,
): Outcome | Promise<Outcome> {
  const { keeper, cache, clock, maxAge } = context;
  const { request } = exchange;
  const { current } = keeper.state();
  const variant = endpoint.variantFor(request);
  const key = `${variant.coding} ${variant.type}\n${endpoint.keyOf(request)}`;
  const epoch = current === null ? undefined : cache.epochFor(current, secondOf(request));
  const cached = epoch && cache.find(key, epoch);
  if (cached !== undefined) {
    cached.onReuse?.();
    return outcomeWith(cached, { request, epoch, maxAge, at: request.arrivedAt, isReused: true });
  }
  return cache
    .share(key, epoch, () => execute(context, endpoint, { ...exchange, variant }))
    .then((result) =>
      'code' in result
        ? refusing(endpoint, result, request)
        : outcomeWith(result, { request, epoch, maxAge, at: clock(), isReused: false }),
    );
}

/** Executes the request in its turn (D14), and represents the result. Never rejects: an unexpected error becomes a refusal, too. */
async function execute<Request extends EndpointRequest>(
  { keeper, mask, admission, addressOf }: Context,
  endpoint: Endpoint<Request>,
  { request, response, variant }: Exchange<Request> & { readonly variant: Variant },
): Promise<CachedResult | Refusal> {
  let pin: ReturnType<Keeper['pin']> | undefined;
  try {
    return await admission.run(addressOf(response.req), async ({ reserve }) => {
      const result = await endpoint.execute(request, () => {
        pin ??= keeper.pin();
        return { snapshot: pin.snapshot, now: secondOf(request), reserve };
      });
      if ('code' in result) return result;
      return cachedResult(await createRepresentation(result, variant), result);
    });
  } catch (thrown) {
    return refusalFor(thrown, mask);
  } finally {
    pin?.release();
  }
}

interface Serving {
  readonly request: EndpointRequest;
  /** Undefined without a snapshot. */
  readonly epoch: Epoch | undefined;
  /** When the response becomes fresh, in milliseconds since 1970. */
  readonly at: number;
  readonly isReused: boolean;
  /** Longest freshness lifetime, in seconds. */
  readonly maxAge: number;
}

function outcomeWith(result: CachedResult, { request, epoch, at, isReused, maxAge }: Serving): Outcome {
  const { representation, isCacheable, dependsOnDay, until, operationName, rootField } = result;
  const isExact = epoch !== undefined && isCacheable;
  const freshness = isExact
    ? FRESH[cacheScopeOf(request)](secondsFresh(Math.min(changeOf(epoch, dependsOnDay), until), at, maxAge))
    : NOT_FRESH;
  const ifNoneMatch = isCacheable ? request.headers['if-none-match'] : undefined;
  const reply = replyWith(representation, freshness, ifNoneMatch);
  return { reply, entry: { operationName, rootField, reused: isReused, failed: !isCacheable } };
}

/** Caches may serve a stored response without its age: one caller's remaining quota would then be shown to others (D6). */
function admissionHeadersOf(verdict: Verdict, request: EndpointRequest, { status }: HttpReply): HeaderList {
  return status < 400 && cacheScopeOf(request) === 'shared' ? verdict.sharedHeaders : verdict.headers;
}

const secondOf = ({ arrivedAt }: HttpRequest): number => Math.floor(arrivedAt / 1_000);

export const REFUSED: EntryPart = {
  operationName: undefined,
  rootField: undefined,
  reused: false,
  failed: true,
};

async function refusing<Request extends EndpointRequest>(
  endpoint: Endpoint<Request>,
  refusal: Refusal,
  request: Request,
): Promise<Outcome> {
  return { reply: await refusalReply(refusal, endpoint.refusalOptions(refusal, request)), entry: REFUSED };
}

/** D6: which caches may store a response: of a POST only the client's; with a key in the URL only private ones. */
type CacheScope = 'shared' | 'client' | 'private';

function cacheScopeOf({ method, caller }: EndpointRequest): CacheScope {
  if (caller.hasKeyInUrl) return 'private';
  return method === 'POST' ? 'client' : 'shared';
}

const NOT_FRESH: HeaderList = ['Cache-Control', 'no-store'];

/**
 * nginx counts whole seconds, including the last: it would serve a response that arrives in its clock's next second for up to a second too
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

/** Whole seconds from `at` (milliseconds) for which a cache may store a response that changes at the second `change`. */
export function secondsFresh(change: number, at: number, cap: number): number {
  return Math.max(0, Math.min(cap, Math.floor((change * 1_000 - at) / 1_000)));
}

interface ResponseCache {
  /** The epoch of a request. Clears the cache when the epoch changes. */
  readonly epochFor: (snapshot: Changing, now: number) => Epoch;
  readonly find: (key: string, epoch: Epoch) => CachedResult | undefined;
  /** Makes the answer and caches it while it is exact, or joins equal work in progress. `make` must not reject. */
  readonly share: (
    key: string,
    epoch: Epoch | undefined,
    make: () => Promise<CachedResult | Refusal>,
  ) => Promise<CachedResult | Refusal>;
  /** Releases all entries, and the snapshot. */
  readonly clear: () => void;
  readonly size: () => { readonly entries: number; readonly bytes: number };
}

/** `maxBytes`: bytes that all entries may take together; the least recently used are evicted first. */
export function createResponseCache(maxBytes: number): ResponseCache {
  const store = new LRUCache<string, CachedResult>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: ({ representation }, key) =>
      representation.length + KEYS_WEIGH * key.length + ENTRY_BYTES,
  });
  let running = new Map<string, Promise<CachedResult | Refusal>>();
  let current: Epoch | undefined;

  const clear = () => {
    store.clear();
    running = new Map();
    current = undefined;
  };

  return {
    epochFor: (snapshot, now) => {
      const epoch = epochOf(snapshot, now);
      if (epoch !== current) clear();
      current = epoch;
      return epoch;
    },
    find: (key, epoch) => (epoch === current ? store.get(key) : undefined),
    share: (key, epoch, make) => {
      const ofThisEpoch = epoch === current ? running : new Map<string, Promise<CachedResult | Refusal>>();
      const known = ofThisEpoch.get(key);
      if (known !== undefined) return known;
      const made = make().then((answer) => {
        ofThisEpoch.delete(key);
        // V8 links each table of a Map to the one that replaces it, and a dead table that has become old keeps all later ones, with their
        // answers, until the next full collection. Another Map has tables of its own.
        if (ofThisEpoch === running && running.size === 0) running = new Map();
        const isExact = epoch !== undefined && epoch === current && !('code' in answer) && answer.isCacheable;
        if (isExact) store.set(key, answer);
        return answer;
      });
      ofThisEpoch.set(key, made);
      return made;
    },
    clear,
    size: () => ({ entries: store.size, bytes: store.calculatedSize }),
  };
}

/** Bytes that an entry takes besides its key and its answer: headers, tags, the cache's bookkeeping. */
const ENTRY_BYTES = 1_500;
/** A key of one byte a character; the query in it may be held by `onReuse`, too, with two. */
const KEYS_WEIGH = 3;

/** What is known of an answer besides its body. */
interface Described {
  readonly operationName: string | undefined;
  /** For metrics: the name of its root field, or `several`. */
  readonly rootField: string;
  /** Whether the answer has errors. */
  readonly failed: boolean;
  /** B12, free and period: whether the answer may change at midnight. */
  readonly dependsOnDay: boolean;
  /** The second at which the answer changes for a reason of its own. */
  readonly until?: number | undefined;
  /** Called with each request that finds the answer cached. */
  readonly onReuse?: (() => void) | undefined;
}

/** An answer in one representation. */
interface CachedResult extends Pick<Described, 'operationName' | 'rootField' | 'dependsOnDay' | 'onReuse'> {
  readonly representation: Representation;
  /** Exact for its whole epoch: status 200, no errors. */
  readonly isCacheable: boolean;
  readonly until: number;
}

/** Without the body before coding. */
export function cachedResult(representation: Representation, described: Described): CachedResult {
  const { operationName, rootField, failed, dependsOnDay, onReuse, until = Infinity } = described;
  return { representation, operationName, rootField, dependsOnDay, onReuse, until, isCacheable: !failed };
}
