/**
 * Answers that are used again for as long as they are exact (D6). One that is cached goes out at once; one that is not is
 * worked out, shared with whoever asks for the same meanwhile, and cached while it is exact. Replies come with all their
 * headers: what stands behind this in Koa would cost more than many an answer.
 *
 *     answers.respond(response, endpoint, request);
 */
import type { ServerResponse } from 'node:http';
import type { Keeper } from '../../snapshot/keeper.ts';
import type { Moment } from '../graphql/operation.ts';
import { type Mask, type Refusal, refusalFor } from '../graphql/refusal.ts';
import { createBoundedCache } from '../query/bounded-cache.ts';
import { type Changing, changeOf, type Epoch, epochAt, isIn } from '../query/view.ts';
import type { AccessLogEntry } from './access-log.ts';
import type { Admit, Verdict } from './admit.ts';
import type { Caller } from './identity.ts';
import type { HeaderList, HttpReply, HttpRequest, Outflow } from './message.ts';
import {
  type Content,
  plainRefusal,
  type RefusalOptions,
  type Representation,
  refusalReply,
  replyWith,
  type Variant,
} from './representation.ts';

export interface AnswersOptions {
  readonly keeper: Pick<Keeper, 'pin' | 'state' | 'onSwap'>;
  readonly mask: Mask;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Seconds: the longest that a client may keep an answer (D6). */
  readonly maxAge: number;
  /** Bytes of the response cache. */
  readonly cacheBytes: number;
  readonly outflow: Pick<Outflow, 'send'>;
  /** Null where each request is answered. */
  readonly admit: Admit | null;
  readonly onAccess: (entry: AccessLogEntry) => void;
}

export interface AnswerableRequest extends HttpRequest {
  readonly caller: Caller;
}

/** What answers one kind of request. */
export interface Endpoint<Request extends AnswerableRequest> {
  /** For counting. */
  readonly route: string;
  /** Everything that an answer depends on, as it came: what is equal here is the same request, at any endpoint. */
  readonly keyOf: (request: Request) => string;
  readonly variantFor: (request: Request) => Variant;
  /** `moment`: the snapshot as it stands when the request arrived, which stays open; undefined without one. */
  readonly workOut: (request: Request, moment: () => Moment | undefined) => Promise<CachedAnswer | Refusal>;
  readonly refusalOptions: (refusal: Refusal, request: Request) => RefusalOptions;
}

export interface Answers {
  readonly respond: <Request extends AnswerableRequest>(
    response: ServerResponse,
    endpoint: Endpoint<Request>,
    request: Request,
    /** Of a request that needs no answer. */
    refusal?: Refusal,
  ) => void;
  readonly cacheSize: () => { readonly entries: number; readonly bytes: number };
}

export function createAnswers(options: AnswersOptions): Answers {
  const { keeper, mask, clock, maxAge, admit } = options;
  const cache = createResponseCache<CachedAnswer, CachedAnswer | Refusal>({
    maxBytes: options.cacheBytes,
    isCacheable: (outcome): outcome is CachedAnswer => outcome instanceof CachedAnswer && outcome.isCacheable,
  });
  keeper.onSwap(cache.clear);

  const outcomeBy = (representation: Representation, answer: CachedAnswer, serving: Serving): Outcome => {
    const { request, epoch, at, isReused } = serving;
    const { isCacheable, dependsOnDay } = answer;
    const isExact = epoch !== undefined && isCacheable;
    const reply = replyWith(representation, {
      freshness: isExact
        ? FRESH[cacheScopeOf(request)](secondsFresh(changeOf(epoch, dependsOnDay), at, maxAge))
        : NOT_FRESH,
      ifNoneMatch: isCacheable ? request.headers['if-none-match'] : undefined,
    });
    return { reply, counted: answer.entry(isReused) };
  };

  const answerAnew = async <Request extends AnswerableRequest>(
    endpoint: Endpoint<Request>,
    question: Question<Request>,
    known: CachedAnswer | undefined,
  ): Promise<Outcome> => {
    const { request, variant, key, epoch } = question;
    const work = () => workOut(endpoint, request, options);
    const outcome = known ?? (await (epoch === undefined ? work() : cache.share(key, epoch, work)));
    if (!(outcome instanceof CachedAnswer)) return refusing(endpoint, outcome, request);
    const { content } = outcome;
    const made = content.representation(variant);
    const representation = made instanceof Promise ? await made : made;
    cache.reweigh(key, outcome);
    return outcomeBy(representation, outcome, { request, epoch, at: clock(), isReused: known !== undefined });
  };

  /** At once when the answer is at hand. Never throws, never rejects. */
  const answer = <Request extends AnswerableRequest>(
    endpoint: Endpoint<Request>,
    request: Request,
  ): Outcome | Promise<Outcome> => {
    const { current } = keeper.state();
    const question = {
      request,
      variant: endpoint.variantFor(request),
      key: endpoint.keyOf(request),
      epoch: current === null ? undefined : cache.epochFor(current, secondOf(request)),
    };
    const { epoch, key, variant } = question;
    const known = epoch && cache.find(key, epoch);
    known?.onReuse?.();
    const representation = known?.content.ready(variant);
    if (known !== undefined && representation !== undefined) {
      return outcomeBy(representation, known, { request, epoch, at: request.arrivedAt, isReused: true });
    }
    return answerAnew(endpoint, question, known).catch((thrown) => {
      // What nobody foresaw, while the answer was given its representation.
      const refusal = refusalFor(thrown, mask);
      return { reply: plainRefusal(refusal, endpoint.refusalOptions(refusal, request)), counted: REFUSED };
    });
  };

  const reply = <Request extends AnswerableRequest>(
    response: ServerResponse,
    endpoint: Endpoint<Request>,
    { request, refusal, verdict }: Admitted<Request>,
  ) => {
    const started = performance.now();
    const finish = ({ reply, counted }: Outcome) => {
      options.outflow.send(response, reply, verdict && admissionHeadersOf(verdict, request, reply));
      const { method } = request;
      const caller = request.caller.attribution;
      const milliseconds = performance.now() - started;
      const { route } = endpoint;
      options.onAccess({ method, route, status: reply.status, caller, milliseconds, ...counted });
    };
    const answered = refusal === undefined ? answer(endpoint, request) : refusing(endpoint, refusal, request);
    if (answered instanceof Promise) void answered.then(finish);
    else finish(answered);
  };

  return {
    respond: (response, endpoint, request, refusal) => {
      const { arrivedAt, caller } = request;
      const verdict = admit?.({ message: response.req, caller: caller.attribution, arrivedAt });
      reply(response, endpoint, { request, refusal: verdict?.refusal ?? refusal, verdict });
    },
    cacheSize: cache.size,
  };
}

/** Never rejects: what nobody foresaw is a refusal too. */
async function workOut<Request extends AnswerableRequest>(
  endpoint: Endpoint<Request>,
  request: Request,
  { keeper, mask }: Pick<AnswersOptions, 'keeper' | 'mask'>,
): Promise<CachedAnswer | Refusal> {
  let pin: ReturnType<Keeper['pin']> | undefined;
  try {
    return await endpoint.workOut(request, () => {
      // Why there is no snapshot is for the log and for `/readyz`.
      if (keeper.state().current !== null) pin ??= keeper.pin();
      return pin && { snapshot: pin.snapshot, now: secondOf(request) };
    });
  } catch (thrown) {
    return refusalFor(thrown, mask);
  } finally {
    pin?.release();
  }
}

/** A request, and what has been found out of it before it is answered. */
interface Admitted<Request> {
  readonly request: Request;
  readonly refusal: Refusal | undefined;
  /** Undefined where each request is answered. */
  readonly verdict: Verdict | undefined;
}

/** Not every cache says that what it hands out is old, so what is left for one caller would be told to others (D6). */
function admissionHeadersOf(verdict: Verdict, request: AnswerableRequest, { status }: HttpReply): HeaderList {
  return status < 400 && cacheScopeOf(request) === 'shared' ? verdict.sharedHeaders : verdict.headers;
}

function cacheScopeOf({ method, caller }: AnswerableRequest): CacheScope {
  if (caller.hasKeyInUrl) return 'private';
  return method === 'POST' ? 'client' : 'shared';
}

interface Question<Request> {
  readonly request: Request;
  readonly variant: Variant;
  readonly key: string;
  /** None without a snapshot. */
  readonly epoch: Epoch | undefined;
}

interface Serving extends Pick<Question<AnswerableRequest>, 'request' | 'epoch'> {
  /** From when on it is fresh, in milliseconds since 1970. */
  readonly at: number;
  readonly isReused: boolean;
}

type Counted = Pick<AccessLogEntry, 'operationName' | 'rootField' | 'reused' | 'failed'>;

interface Outcome {
  readonly reply: HttpReply;
  readonly counted: Counted;
}

interface CachedAnswerOptions {
  readonly operationName: string | undefined;
  readonly rootField: string;
  /** Whether it has errors. */
  readonly failed: boolean;
  /** B12: whether it may be another one at midnight. */
  readonly dependsOnDay: boolean;
  /** Called with each request that finds it cached. */
  readonly onReuse?: () => void;
  /** Bytes that `onReuse` holds. */
  readonly heldBytes?: number;
}

/** An answer with its representations, as long as it is exact. */
export class CachedAnswer {
  readonly content: Content;
  /** Exact for its whole epoch: status 200, no errors. */
  readonly isCacheable: boolean;
  readonly dependsOnDay: boolean;
  readonly onReuse: (() => void) | undefined;
  readonly #heldBytes: number;
  readonly #operationName: string | undefined;
  readonly #rootField: string;

  constructor(content: Content, options: CachedAnswerOptions) {
    this.content = content;
    this.isCacheable = !options.failed;
    this.dependsOnDay = options.dependsOnDay;
    this.onReuse = options.onReuse;
    this.#heldBytes = options.heldBytes ?? 0;
    this.#operationName = options.operationName;
    this.#rootField = options.rootField;
  }

  get bytes(): number {
    return this.content.bytes + this.#heldBytes;
  }

  entry(reused: boolean): Counted {
    return {
      operationName: this.#operationName,
      rootField: this.#rootField,
      reused,
      failed: !this.isCacheable,
    };
  }
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

/** D6: whose caches may keep an answer. A POST's only its client does; with a key in the URL it is nobody else's. */
type CacheScope = 'shared' | 'client' | 'private';

const NOT_FRESH: HeaderList = ['Cache-Control', 'no-store'];

/**
 * nginx counts whole seconds, the last one included: an answer that reaches it in the next second of its clock it would
 * serve for up to a second too long. It goes by its own header before `max-age`, and passes it on to nobody.
 */
const FRESH = {
  shared: (seconds: number): HeaderList => [
    ...['Cache-Control', `public, max-age=${seconds}`],
    ...['X-Accel-Expires', `${Math.max(0, seconds - 1)}`],
  ],
  client: (seconds: number): HeaderList => ['Cache-Control', `public, max-age=${seconds}`],
  private: (seconds: number): HeaderList => ['Cache-Control', `private, max-age=${seconds}`],
};

/** Whole seconds from `at` (milliseconds) for which an answer that changes at a second may be kept. */
export function secondsFresh(change: number, at: number, cap: number): number {
  return Math.max(0, Math.min(cap, Math.floor((change * 1_000 - at) / 1_000)));
}

/** `Cached` is what may be used again; `Uncached` goes to those who wait for it, and no further. */
interface ResponseCache<Cached, Uncached> {
  /** The epoch of a request. Empties the store when it is not the one before. */
  readonly epochFor: (snapshot: Changing, now: number) => Epoch;
  readonly find: (key: string, epoch: Epoch) => Cached | undefined;
  /** Does the work, unless the same work is under way: then its outcome is shared, whatever it is. */
  readonly share: (key: string, epoch: Epoch, work: Work<Cached, Uncached>) => Promise<Cached | Uncached>;
  /** To be called when something that is cached has grown. */
  readonly reweigh: (key: string, cached: Cached) => void;
  /** Lets go of everything, and of the snapshot. */
  readonly clear: () => void;
  readonly size: () => { readonly entries: number; readonly bytes: number };
}

type Work<Cached, Uncached> = () => Promise<Cached | Uncached>;

interface Weighed {
  readonly bytes: number;
}

export interface ResponseCacheOptions<Cached, Uncached> {
  /** Bytes that all entries may take together; what was not used for longest goes first. */
  readonly maxBytes: number;
  readonly isCacheable: (result: Cached | Uncached) => result is Cached;
}

export function createResponseCache<Cached extends Weighed, Uncached>(
  options: ResponseCacheOptions<Cached, Uncached>,
): ResponseCache<Cached, Uncached> {
  const store = createBoundedCache<Cached>({
    most: options.maxBytes,
    weigh: (cached, key) => cached.bytes + key.length + ENTRY_BYTES,
  });
  let running = new Map<string, Promise<Cached | Uncached>>();
  let current: Epoch | undefined;

  const clear = () => {
    store.clear();
    running = new Map();
    current = undefined;
  };

  return {
    epochFor: (snapshot, now) => {
      if (current === undefined || !isIn(current, snapshot, now)) {
        clear();
        current = epochAt(snapshot, now);
      }
      return current;
    },
    find: (key, epoch) => (epoch === current ? store.get(key) : undefined),
    share: (key, epoch, work) => {
      if (epoch !== current) return work();
      const underWay = running.get(key);
      if (underWay !== undefined) return underWay;
      const ofThisEpoch = running;
      const outcome = work()
        .then((result) => {
          if (epoch === current && options.isCacheable(result)) store.offer(key, result);
          return result;
        })
        .finally(() => ofThisEpoch.delete(key));
      running.set(key, outcome);
      return outcome;
    },
    reweigh: store.reweigh,
    clear,
    size: () => {
      const { entries, weight } = store.size();
      return { entries, bytes: weight };
    },
  };
}

/** What an entry takes besides its key and its bytes: headers, tags, the store's own bookkeeping. */
const ENTRY_BYTES = 1_500;
