/**
 * What node:http calls for each request. GraphQL is answered from here, whether the answer is at hand or has to be worked
 * out: its replies come with all their headers, and a router on the way would cost more than many an answer. Everything
 * else goes on.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { refuse } from '../graphql/refusal.ts';
import type { Attribute, Attribution } from '../identity/attribution.ts';
import { readBody } from './body.ts';
import { callerOf } from './callers.ts';
import type { Endpoint, EndpointReply, EndpointRequest } from './endpoint.ts';
import { plainRefusal } from './errors.ts';
import { VARY } from './finished.ts';
import { refusalByHeaders } from './gate.ts';
import { NO_BODY, NOTHING_TOLD, type Told } from './message.ts';
import type { Outflow } from './outflow.ts';
import { sendAndHangUp } from './send.ts';

export const GRAPHQL_PATH = '/graphQL';

/** What is told of each request once its reply is made. */
export interface Traffic extends Told {
  readonly method: string;
  /** As the router names it, such as `/graphQL`; undefined for a path that there is not. */
  readonly route: string | undefined;
  readonly status: number;
  readonly caller: Attribution;
  /** From the last byte of the request to its reply. */
  readonly milliseconds: number;
}

/** What those who answered in place of the front say of it. */
export type Outcome = Told & Pick<Traffic, 'route'>;

export interface FrontOptions {
  readonly endpoint: Pick<Endpoint, 'answer'>;
  readonly attribute: Attribute;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Answers what is not GraphQL, and GraphQL that its headers refuse. Never rejects. */
  readonly next: (
    request: IncomingMessage,
    response: ServerResponse,
    received: EndpointRequest,
  ) => Promise<Outcome>;
  readonly onTraffic: (traffic: Traffic) => void;
  readonly outflow: Pick<Outflow, 'send'>;
}

export function createFront(options: FrontOptions): RequestListener {
  const { attribute, clock } = options;
  const receive = (request: IncomingMessage, { path, search }: Target, body: Buffer): EndpointRequest => {
    const { method = 'GET', headers } = request;
    const { caller, hasKeyInUrl } = callerOf({ headers, search }, attribute);
    return { method, path, search, headers, body, arrivedAt: clock(), caller, hasKeyInUrl };
  };

  return (request, response) => {
    const { method = 'GET', url = '/', headers } = request;
    const target = targetOf(url);
    const isForEndpoint = target.path === GRAPHQL_PATH && READ.has(method);
    if (!isForEndpoint || refusalByHeaders({ method, headers }) !== undefined) {
      passOn(options, { request, response, received: receive(request, target, NO_BODY) });
    } else if (method !== 'POST') {
      answer(options, { request, response, received: receive(request, target, NO_BODY) });
    } else {
      readBody(request, {
        onBody: (body) => answer(options, { request, response, received: receive(request, target, body) }),
        onTooLarge: () => {
          refuseAsTooLarge(options, { request, response, received: receive(request, target, NO_BODY) });
        },
      });
    }
  };
}

/** A request that is there as a whole, and where its reply goes. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly received: EndpointRequest;
}

function answer({ endpoint, onTraffic, outflow }: FrontOptions, exchange: Exchange): void {
  const started = performance.now();
  const { response, received } = exchange;
  const reply = (made: EndpointReply) => {
    outflow.send(response, made);
    onTraffic({
      method: received.method,
      route: GRAPHQL_PATH,
      status: made.status,
      caller: received.caller,
      ...made.told,
      milliseconds: performance.now() - started,
    });
  };
  const answered = endpoint.answer(received);
  if (answered instanceof Promise) void answered.then(reply);
  else reply(answered);
}

function passOn({ next, onTraffic }: FrontOptions, { request, response, received }: Exchange): void {
  const started = performance.now();
  void next(request, response, received).then((outcome) =>
    onTraffic({
      ...outcome,
      method: received.method,
      status: response.statusCode,
      caller: received.caller,
      milliseconds: performance.now() - started,
    }),
  );
}

function refuseAsTooLarge({ onTraffic }: FrontOptions, { request, response, received }: Exchange): void {
  sendAndHangUp(request, response, TOO_LARGE);
  onTraffic({
    method: received.method,
    route: GRAPHQL_PATH,
    status: TOO_LARGE.status,
    caller: received.caller,
    ...NOTHING_TOLD,
    failed: true,
    milliseconds: 0,
  });
}

interface Target {
  readonly path: string;
  readonly search: string;
}

function targetOf(url: string): Target {
  const mark = url.indexOf('?');
  return mark === -1 ? { path: url, search: '' } : { path: url.slice(0, mark), search: url.slice(mark + 1) };
}

const READ: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST']);

const TOO_LARGE = plainRefusal(refuse('PAYLOAD_TOO_LARGE', 'The body must not be larger than 256 KiB.'), {
  headers: ['Vary', VARY],
});
