/** The GraphQL endpoint as a function from request to reply: interface sections 4, 5 and 7, contract D. */
import type { Keeper } from '../../snapshot/keeper.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { type Epoch, secondsFresh } from '../freshness.ts';
import type { Answer, Execute } from '../graphql/answer.ts';
import { isRefusal, type Prepare } from '../graphql/prepare.ts';
import { type Conceal, concealed, type Refusal, refuse } from '../graphql/refusal.ts';
import type { Attribution } from '../identity/attribution.ts';
import { createReuse } from '../reuse.ts';
import { createCacheControl } from './cache-control.ts';
import { refusalReply } from './errors.ts';
import { Finished, type FormWish, replyWith, VARY } from './finished.ts';
import { refusalByHeaders } from './gate.ts';
import { codingFor, mediaFor } from './media.ts';
import { type HttpReply, type HttpRequest, NOTHING_TOLD, type Told } from './message.ts';
import { readBodyParameters, readUrlParameters } from './parameters.ts';

export interface EndpointRequest extends HttpRequest {
  readonly caller: Attribution;
  /** Whether the URL holds a key: then no shared cache may keep the answer (D6). */
  readonly hasKeyInUrl: boolean;
}

export interface EndpointReply extends HttpReply {
  readonly told: Told;
}

export interface Endpoint {
  /** The answer if it is at hand, for a request that its headers do not refuse. */
  readonly ready: (request: EndpointRequest) => EndpointReply | undefined;
  /** Never rejects. */
  readonly answer: (request: EndpointRequest) => Promise<EndpointReply>;
  readonly reuseSize: () => { readonly entries: number; readonly bytes: number };
}

export interface EndpointOptions {
  readonly prepare: Prepare;
  readonly execute: Execute;
  readonly keeper: Pick<Keeper, 'pin' | 'state' | 'onSwap'>;
  readonly conceal: Conceal;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Seconds: the longest that a client may keep an answer (D6). */
  readonly maxAge: number;
  readonly reuseBytes: number;
  /** D4's text for a licence with this portal. */
  readonly notice: (portalUrl: string | null) => string;
}

export function createEndpoint(options: EndpointOptions): Endpoint {
  const { keeper, clock } = options;
  const reuse = createReuse<Finished, Finished | Refusal>({ maxBytes: options.reuseBytes, isKept });
  const cacheControl = createCacheControl(options.maxAge);
  keeper.onSwap(reuse.forget);

  const enter = (request: EndpointRequest): Epoch | undefined => {
    const { current } = keeper.state();
    return current === null ? undefined : reuse.enter(current, secondOf(request));
  };

  const freshness = (epoch: Epoch, at: number, { hasKeyInUrl }: EndpointRequest) =>
    cacheControl(secondsFresh(epoch, at, options.maxAge), hasKeyInUrl);

  return {
    ready: (request) => {
      const epoch = enter(request);
      const finished = epoch && reuse.find(keyOf(request), epoch);
      const form = finished?.ready(wishOf(request));
      if (form === undefined || finished === undefined || epoch === undefined) return undefined;
      const { status, headers, body } = replyWith(form, {
        cacheControl: freshness(epoch, request.arrivedAt, request),
        ifNoneMatch: request.headers['if-none-match'],
      });
      return { status, headers, body, told: finished.told(true) };
    },

    answer: async (request) => {
      const wish = wishOf(request);
      const refused = refusalByHeaders(request);
      if (refused !== undefined) return refusing(refused, wish);
      const key = keyOf(request);
      const epoch = enter(request);
      const known = epoch && reuse.find(key, epoch);
      const outcome =
        known ??
        (epoch === undefined
          ? await workOut(options, request)
          : await reuse.share(key, epoch, () => workOut(options, request)));
      if (!(outcome instanceof Finished)) return refusing(outcome, wish);
      const form = outcome.ready(wish) ?? (await outcome.form(wish));
      reuse.weighAgain(key, outcome);
      const control = epoch && outcome.isKept ? freshness(epoch, clock(), request) : 'no-store';
      const reply = replyWith(form, {
        cacheControl: control,
        ifNoneMatch: outcome.isKept ? request.headers['if-none-match'] : undefined,
      });
      return { ...reply, told: outcome.told(known !== undefined) };
    },

    reuseSize: reuse.size,
  };
}

const isKept = (result: Finished | Refusal): result is Finished =>
  result instanceof Finished && result.isKept;

/** Everything that an answer depends on, as it came: what is equal here is the same request. */
function keyOf({ method, search, body }: EndpointRequest): string {
  return method === 'POST' ? `POST ${search}\n${body.toString('latin1')}` : `GET ${search}`;
}

const secondOf = ({ arrivedAt }: EndpointRequest): number => Math.floor(arrivedAt / 1_000);

function wishOf({ headers, caller }: EndpointRequest): FormWish {
  return {
    withNotice: !caller.keyed,
    media: mediaFor(headers.accept),
    coding: codingFor(headers['accept-encoding']),
  };
}

const REFUSED: Told = { ...NOTHING_TOLD, failed: true };

async function refusing(refusal: Refusal, { media, coding }: FormWish): Promise<EndpointReply> {
  const retry = refusal.code === 'SERVICE_UNAVAILABLE' ? ['Retry-After', '5'] : [];
  const reply = await refusalReply(refusal, { media, coding, headers: ['Vary', VARY, ...retry] });
  return { ...reply, told: REFUSED };
}

/** Never rejects: what nobody foresaw is a refusal too. */
async function workOut(options: EndpointOptions, request: EndpointRequest): Promise<Finished | Refusal> {
  try {
    const isPost = request.method === 'POST';
    const parameters = isPost ? readBodyParameters(request.body) : readUrlParameters(request.search);
    if (isRefusal(parameters)) return parameters;
    const prepared = options.prepare(parameters);
    if (isRefusal(prepared)) return prepared;
    const pin = pinOf(options);
    if (pin === undefined) return UNAVAILABLE;
    try {
      const answer = await options.execute(prepared.operation, {
        snapshot: pin.snapshot,
        now: secondOf(request),
      });
      return new Finished({
        body: answer.body,
        notice: noticeOn(answer, pin.snapshot, options),
        hasTag: !isPost && !answer.failed,
        isKept: !answer.failed,
        operationName: prepared.name,
        rootField: prepared.rootField,
      });
    } finally {
      pin.release();
    }
  } catch (thrown) {
    return concealed(thrown, options.conceal);
  }
}

const UNAVAILABLE = refuse('SERVICE_UNAVAILABLE', 'The calendar is not open yet. Try again in a moment.');

/** Why there is none is for the log and for `/readyz`. */
function pinOf({ keeper }: EndpointOptions) {
  return keeper.state().current === null ? undefined : keeper.pin();
}

/** D4: with data only. */
function noticeOn({ body }: Answer, { lists }: Snapshot, { notice }: EndpointOptions): string | null {
  return body.subarray(0, NO_DATA.length).equals(NO_DATA)
    ? null
    : JSON.stringify(notice(lists.licence.portalUrl));
}

const NO_DATA = Buffer.from('{"data":null');
