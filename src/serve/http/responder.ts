/**
 * Responds to requests with results that are cached for as long as they are exact (D6). A cached one is sent at once; a
 * new one is executed, shared with equal requests meanwhile, and cached, in the representation that was asked for, while it is exact.
 * Replies bring all their headers: Koa's later middleware would cost more than many results.
 *
 *     responder.respond(response, endpoint, request);
 */
import type { ServerResponse } from 'node:http';
import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import type { Keeper } from '../../snapshot/keeper.ts';
import { Abandonment } from '../admission/abandonment.ts';
import type { Admission } from '../admission/admission.ts';
import { TURNS } from '../admission/turns.ts';
import { type Mask, type Refusal, Refused, refusalFor } from '../graphql/refusal.ts';
import { type Changing, changeOf, type Epoch, epochOf } from '../query/view.ts';
import type { AccessLogEntry } from './access-log.ts';
import type { Allowance, CallerAddressOf, Quota } from './caller.ts';
import type { Endpoint, EndpointRequest, EndpointResult } from './endpoint.ts';
import {
  type HeaderList,
  type HttpReply,
  type HttpRequest,
  lengthOf,
  NO_BODY,
  type Outflow,
} from './message.ts';
import { codingFor } from './negotiation.ts';
import { refusalReply } from './replies.ts';
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
  /** K4: undefined if there is none. */
  readonly quota: Quota | undefined;
  /** D14: admits the work for results that are not cached. */
  readonly admission: Pick<Admission, 'run'>;
  readonly addressOf: CallerAddressOf;
  readonly onAccess: (entry: AccessLogEntry) => void;
}

/** A result in one representation. */
interface CachedResult extends Omit<EndpointResult, keyof Content> {
  readonly representation: Representation;
}

export type Responder = ReturnType<typeof createResponder>;

export function createResponder(options: ResponderOptions) {
  const { quota, outflow, onAccess, addressOf } = options;
  const cache = createResponseCache(options.cacheBytes);
  options.keeper.onSwap(cache.clear);
  const context = { ...options, cache };
  return {
    /** `refusal` is set if the request is already refused. */
    respond: <Request extends EndpointRequest>(
      response: ServerResponse,
      endpoint: Endpoint<Request>,
      request: Request,
      refusal?: Refusal,
    ): void => {
      const started = performance.now();
      const { arrivedAt, method } = request;
      const { attribution: caller } = request.caller;
      const allowance = quota?.({ message: response.req, caller, arrivedAt });
      const send = ({ reply, ...entry }: Outcome) => {
        outflow.send(response, reply, allowance && quotaHeadersOf(allowance, request, reply));
        const milliseconds = performance.now() - started;
        onAccess({ method, route: endpoint.route, status: reply.status, caller, milliseconds, ...entry });
      };
      const sendInTurn = (outcome: Outcome) => {
        if (lengthOf(outcome.reply.body) < LONG) send(outcome);
        else TURNS.inTurn(() => send(outcome), { address: addressOf(response.req), milliseconds: 0 });
      };
      const coding = codingFor(request.headers['accept-encoding']);
      const variant = { type: endpoint.typeFor(request), coding };
      const exchange = { endpoint, request, response, variant, allowance };
      const refused = allowance?.refusal ?? refusal;
      const outcome = refused === undefined ? outcomeOf(context, exchange) : refusing(exchange, refused);
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

interface Exchange<Request extends EndpointRequest> {
  readonly endpoint: Endpoint<Request>;
  readonly request: Request;
  readonly response: ServerResponse;
  readonly variant: Variant;
  /** K4: undefined without a quota. */
  readonly allowance: Allowance | undefined;
}

/** Bytes from which replies take turns: many clients that wait for the same long answer would otherwise hold the thread. */
const LONG = 64 * 1_024;

/** A reply, and its part of the access log's entry. */
interface Outcome extends Pick<AccessLogEntry, 'operationName' | 'rootField' | 'reused' | 'failed'> {
  readonly reply: HttpReply;
}

/** Synchronous if the result is cached. Never throws, never rejects. */
function outcomeOf<Request extends EndpointRequest>(
  context: Context,
  exchange: Exchange<Request>,
): Outcome | Promise<Outcome> {
  const { keeper, cache, clock, maxAge } = context;
  const { endpoint, request, variant } = exchange;
  const { current } = keeper.state();
  const key = `${variant.coding} ${variant.type}\n${endpoint.keyOf(request)}`;
  const epoch = current === null ? undefined : cache.epochFor(current, secondOf(request));
  /** `at`: when the response becomes fresh, in milliseconds since 1970; from then on it is for whole seconds. */
  const outcomeWith = (result: CachedResult, at: number, reused: boolean): Outcome => {
    const { representation, operationName, rootField, failed, dependsOnDay, until = Infinity } = result;
    const isKept = !failed && result.isPassing !== true;
    const change = epoch && Math.min(changeOf(epoch, dependsOnDay), until);
    const seconds = change && Math.floor((change * 1_000 - at) / 1_000);
    const freshness =
      !isKept || seconds === undefined
        ? NOT_FRESH
        : freshFor(Math.min(maxAge, Math.max(0, seconds)), request);
    const reply = replyWith(representation, freshness, isKept ? request.headers['if-none-match'] : undefined);
    const enveloped = endpoint.envelope?.(reply, request) ?? reply;
    return { reply: enveloped, operationName, rootField, reused, failed };
  };
  const cached = epoch && cache.find(key, epoch);
  if (cached !== undefined) {
    cached.onReuse?.();
    return outcomeWith(cached, request.arrivedAt, true);
  }
  let isOwn = false;
  const shared = cache.share(key, epoch, (abandonment) => {
    isOwn = true;
    return execute(context, exchange, abandonment);
  });
  shared.join(exchange.response);
  return shared.result.then((result) => {
    if (shared.isAbandoned()) return ABANDONED;
    // K4: whoever began the work has used up a quota that may not be this caller's.
    if ('code' in result && result.code === 'RATE_LIMITED' && !isOwn) return outcomeOf(context, exchange);
    return 'code' in result ? refusing(exchange, result) : outcomeWith(result, clock(), false);
  });
}

/** Executes the request in its turn (D14), and represents the result. Never rejects: an unexpected error becomes a refusal, too. */
async function execute<Request extends EndpointRequest>(
  { keeper, mask, admission, addressOf }: Context,
  { endpoint, request, response, variant, allowance }: Exchange<Request>,
  abandonment: Abandonment,
): Promise<CachedResult | Refusal> {
  let pin: ReturnType<Keeper['pin']> | undefined;
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
      if ('code' in result) return result;
      const representation = await createRepresentation(result, variant, work);
      // Without the body before coding.
      const { operationName, rootField, failed, isPassing, dependsOnDay, until, onReuse, heldBytes } = result;
      const answered = { operationName, rootField, failed, isPassing, dependsOnDay, until };
      return { ...answered, representation, onReuse, heldBytes };
    });
  } catch (thrown) {
    return thrown instanceof Refused ? thrown.refusal : refusalFor(thrown, mask);
  } finally {
    pin?.release();
  }
}

const secondOf = ({ arrivedAt }: HttpRequest): number => Math.floor(arrivedAt / 1_000);

export const REFUSED = { operationName: undefined, rootField: undefined, reused: false, failed: true };

/** For the log: the client left before its answer was made, as nginx says it. */
const ABANDONED: Outcome = { ...REFUSED, reply: { status: 499, headers: [], body: NO_BODY } };

async function refusing<Request extends EndpointRequest>(
  { endpoint, request, variant: { type, coding } }: Exchange<Request>,
  refusal: Refusal,
): Promise<Outcome> {
  const options = endpoint.refusalOptions(refusal, request, type);
  return { ...REFUSED, reply: await refusalReply(refusal, { coding, ...options }) };
}

/** D6: whether shared caches may store the response: not of a POST, and not with a key in the URL. */
const isShared = ({ method, caller }: EndpointRequest): boolean => method !== 'POST' && !caller.hasKeyInUrl;

/** Caches may serve a stored response without its age: one caller's remaining quota would then be shown to others (D6). */
function quotaHeadersOf(allowance: Allowance, request: EndpointRequest, { status }: HttpReply): HeaderList {
  return status < 400 && isShared(request) ? allowance.sharedHeaders : allowance.headers();
}

const NOT_FRESH: HeaderList = ['Cache-Control', 'no-store'];

/**
 * nginx counts whole seconds, including the last: it would serve a response that arrives in its clock's next second for up to a second too
 * long. It obeys its own header before `max-age`, and does not forward it.
 */
function freshFor(seconds: number, request: EndpointRequest): HeaderList {
  const scope = request.caller.hasKeyInUrl ? 'private' : 'public';
  const headers = ['Cache-Control', `${scope}, max-age=${seconds}`];
  return isShared(request) ? [...headers, 'X-Accel-Expires', `${Math.max(0, seconds - 1)}`] : headers;
}

/** `maxBytes`: bytes that all entries may take together; the least recently used are evicted first. */
export function createResponseCache(maxBytes: number) {
  const store = new LRUCache<string, CachedResult>({
    maxSize: Math.max(1, maxBytes),
    // Keys are of one byte a character.
    sizeCalculation: ({ representation, heldBytes = 0 }, key) =>
      representation.length + key.length + heldBytes + ENTRY_BYTES,
  });
  type Running = Map<string, SharedWork>;
  let running: Running = new Map();
  const mayEvict = createEvictionPolicy();
  let current: Epoch | undefined;

  /** Releases all entries, and the snapshot. */
  const clear = () => {
    store.clear();
    running = new Map();
    current = undefined;
  };

  return {
    clear,
    size: () => ({ entries: store.size, bytes: store.calculatedSize }),
    /** The epoch of a request. Clears the cache when the epoch changes. */
    epochFor: (snapshot: Changing, now: number): Epoch => {
      const epoch = epochOf(snapshot, now);
      if (epoch !== current) clear();
      current = epoch;
      return epoch;
    },
    find: (key: string, epoch: Epoch) => (epoch === current ? store.get(key) : undefined),
    /** Makes the answer and caches it while it is exact, or finds equal work in progress. `make` must not reject. */
    share: (key: string, epoch: Epoch | undefined, make: Make): SharedWork => {
      const ofThisEpoch: Running = epoch === current ? running : new Map();
      const known = ofThisEpoch.get(key);
      if (known !== undefined && !known.isAbandoned()) return known;
      const shared = createSharedWork(make, (answer) => {
        if (ofThisEpoch.get(key) === shared) ofThisEpoch.delete(key);
        // V8 links each table of a Map to the one that replaces it, and a dead table that has become old keeps all later ones, with their
        // answers, until the next full collection. Another Map has tables of its own.
        if (ofThisEpoch === running && running.size === 0) running = new Map();
        const isExact = epoch !== undefined && epoch === current && !('code' in answer) && !answer.failed;
        const isKept = isExact && answer.isPassing !== true;
        if (isKept && (mayEvict(key) || store.calculatedSize < OPEN * maxBytes)) store.set(key, answer);
      });
      ofThisEpoch.set(key, shared);
      return shared;
    },
  };
}

/** Makes a result, unless nobody waits for it. */
type Make = (abandonment: Abandonment) => Promise<CachedResult | Refusal>;

type SharedWork = ReturnType<typeof createSharedWork>;

/** Work that several requests may wait for. It is abandoned once the connections of all of them are closed (D14). */
function createSharedWork(make: Make, onEnd: (made: CachedResult | Refusal) => void) {
  const abandonment = new Abandonment();
  let askers = 0;
  let isOver = false;
  const result = make(abandonment).then((made) => {
    isOver = true;
    onEnd(made);
    return made;
  });
  const leave = () => {
    askers--;
    if (askers === 0 && !isOver) abandonment.abandon();
  };
  return {
    result,
    isAbandoned: () => abandonment.isAbandoned,
    /** Counts a response that waits for it. */
    join: (response: ServerResponse) => {
      askers++;
      response.once('close', leave);
    },
  };
}

/**
 * Answers that were requested once fill no more of the cache than this: most are never requested again, and to collect them costs a tenth
 * of making them.
 */
const OPEN = 1 / 32;

/**
 * The eviction policy: an answer takes the place of others only if it was requested before. It remembers checksums of the latest keys: what
 * it takes for another key is only cached early.
 */
function createEvictionPolicy(): (key: string) => boolean {
  const lately = new Uint32Array(4_096);
  return (key) => {
    const checksum = crc32(key);
    const index = checksum % lately.length;
    const wasRequested = lately[index] === checksum;
    lately[index] = checksum;
    return wasRequested;
  };
}

/** Bytes that an entry takes besides its key and its answer: headers, tags, the cache's bookkeeping. */
const ENTRY_BYTES = 1_500;
