/** The GraphQL endpoint as a function from request to reply: interface sections 4, 5 and 7, contract D. */
import type { Keeper } from '../../snapshot/keeper.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { type Epoch, secondsFresh } from '../freshness.ts';
import { type Answer, type AnswerRequest, isRefusal } from '../graphql/answer.ts';
import { MAX_ANSWER_BYTES, tooLarge } from '../graphql/output.ts';
import { type Conceal, type Refusal, refusalFor } from '../graphql/refusal.ts';
import type { Attribution } from '../identity/attribution.ts';
import { createReuse } from '../reuse.ts';
import { createCacheControl } from './cache-control.ts';
import { plainRefusal, refusalReply } from './errors.ts';
import { Finished, type Form, type FormWish, lengthWith, replyWith, VARY } from './finished.ts';
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
  /** At once if the answer is at hand. For requests that their headers do not refuse. Never throws, never rejects. */
  readonly answer: (request: EndpointRequest) => EndpointReply | Promise<EndpointReply>;
  /** For requests that their headers refuse. */
  readonly refuse: (request: EndpointRequest) => Promise<EndpointReply>;
  readonly reuseSize: () => { readonly entries: number; readonly bytes: number };
}

export interface EndpointOptions {
  readonly answer: AnswerRequest;
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

  const replyAs = (finished: Finished, form: Form, asked: Asked, { at, reused }: Sending): EndpointReply => {
    const { request, epoch } = asked;
    const isExact = epoch !== undefined && finished.isKept;
    const { status, headers, body } = replyWith(form, {
      cacheControl: isExact
        ? cacheControl(secondsFresh(epoch, at, options.maxAge), request.hasKeyInUrl)
        : 'no-store',
      ifNoneMatch: finished.isKept ? request.headers['if-none-match'] : undefined,
    });
    return { status, headers, body, told: finished.told(reused) };
  };

  const answerAnew = async (asked: Asked, known: Finished | undefined): Promise<EndpointReply> => {
    const { request, wish, key, epoch } = asked;
    const work = () => workOut(options, request);
    const outcome = known ?? (await (epoch === undefined ? work() : reuse.share(key, epoch, work)));
    if (!(outcome instanceof Finished)) return refusing(outcome, wish);
    const form = outcome.ready(wish) ?? (await outcome.form(wish));
    reuse.weighAgain(key, outcome);
    return replyAs(outcome, form, asked, { at: clock(), reused: known !== undefined });
  };

  return {
    answer: (request) => {
      const { current } = keeper.state();
      const asked = {
        request,
        wish: wishOf(request),
        key: keyOf(request),
        epoch: current === null ? undefined : reuse.enter(current, secondOf(request)),
      };
      const known = asked.epoch && reuse.find(asked.key, asked.epoch);
      const form = known?.ready(asked.wish);
      return known !== undefined && form !== undefined
        ? replyAs(known, form, asked, { at: request.arrivedAt, reused: true })
        : answerAnew(asked, known).catch((thrown) => failing(options, request, thrown));
    },

    refuse: (request) => {
      const refusal = refusalByHeaders(request);
      if (refusal === undefined) throw new Error('expected a request that its headers refuse, found another');
      return refusing(refusal, wishOf(request));
    },

    reuseSize: reuse.size,
  };
}

interface Asked {
  readonly request: EndpointRequest;
  readonly wish: FormWish;
  readonly key: string;
  /** None without a snapshot. */
  readonly epoch: Epoch | undefined;
}

interface Sending {
  /** From when on the reply is fresh: milliseconds since 1970. */
  readonly at: number;
  readonly reused: boolean;
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

/** What nobody foresaw, while the answer was given its form. */
function failing({ conceal }: EndpointOptions, { headers }: EndpointRequest, thrown: unknown): EndpointReply {
  const reply = plainRefusal(refusalFor(thrown, conceal), {
    media: mediaFor(headers.accept),
    headers: ['Vary', VARY],
  });
  return { ...reply, told: REFUSED };
}

/** Never rejects: what nobody foresaw is a refusal too. */
async function workOut(options: EndpointOptions, request: EndpointRequest): Promise<Finished | Refusal> {
  let pin: Pin | undefined;
  try {
    const isPost = request.method === 'POST';
    const parameters = isPost ? readBodyParameters(request.body) : readUrlParameters(request.search);
    if (isRefusal(parameters)) return parameters;
    const answer = await options.answer(parameters, () => {
      pin = pinOf(options);
      return pin && { snapshot: pin.snapshot, now: secondOf(request) };
    });
    if (isRefusal(answer)) return answer;
    const notice = noticeOn(answer, pin?.snapshot, options);
    // Whoever asks, with a key or without one, is told the same.
    if (lengthWith(notice, answer.body) > MAX_ANSWER_BYTES) throw tooLarge();
    return new Finished({
      body: answer.body,
      room: answer.room ?? 0,
      notice,
      hasTag: !isPost && !answer.failed,
      isKept: !answer.failed,
      operationName: answer.operationName,
      rootField: answer.rootField,
    });
  } catch (thrown) {
    return refusalFor(thrown, options.conceal);
  } finally {
    pin?.release();
  }
}

/** Why there is none is for the log and for `/readyz`. */
function pinOf({ keeper }: EndpointOptions): Pin | undefined {
  return keeper.state().current === null ? undefined : keeper.pin();
}

type Pin = ReturnType<Keeper['pin']>;

/** D4: with data only. */
function noticeOn(
  { body }: Answer,
  snapshot: Snapshot | undefined,
  { notice }: EndpointOptions,
): string | null {
  return body.subarray(0, NO_DATA.length).equals(NO_DATA)
    ? null
    : JSON.stringify(notice(snapshot?.lists.licence.portalUrl ?? null));
}

const NO_DATA = Buffer.from('{"data":null');
