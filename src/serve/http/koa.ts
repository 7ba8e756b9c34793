/** Connects Koa to the handlers of everything but GraphQL: handlers are pure; this file carries requests to them and replies back. */
import type { IncomingMessage } from 'node:http';
import cors from '@koa/cors';
import Router from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import { type ErrorCode, systemCodeOf } from '../../calendar/errors.ts';
import type { Admission } from '../admission/admission.ts';
import type { Mask } from '../graphql/mask.ts';
import type { OnAccess } from './access-log.ts';
import type { CallerAddressOf, Identify } from './caller.ts';
import { PREFLIGHT_HEADER } from './graphql-middleware.ts';
import { COMMON_HEADERS, type HttpReply, type HttpRequest, METHODS } from './message.ts';

export type Handle = (request: HttpRequest) => HttpReply | Promise<HttpReply>;

const ROUTED = ['GET', 'POST'] as const;

/** Handlers by path and method; a handler of GET answers HEAD too. */
export type Routes = Readonly<Record<string, Readonly<Partial<Record<(typeof ROUTED)[number], Handle>>>>>;

/** Adds routes as Koa middleware. */
export type AddRoutes = (router: Router) => void;

/** Earlier middleware answers these requests; the route exists so that other methods are refused. */
export function passedOn(): never {
  throw new Error('expected an endpoint to answer, found its request passed on');
}

/** A Koa application without middleware; errors in Koa itself are masked. */
export function createKoa(mask: Mask): Koa {
  const koa = new Koa();
  koa.on('error', (thrown: unknown) => {
    if (!isHangUp(thrown)) mask(thrown);
  });
  return koa;
}

export function createRouter(routes: Routes, clock: () => number, entrance?: Entrance): Router {
  // Paths are case-sensitive and exact: `/graphQL/` is another path. `/graphql` has a route of its own.
  const router = new Router({ sensitive: true, strict: true });
  for (const [path, handles] of Object.entries(routes)) {
    for (const method of ROUTED) {
      const handle = handles[method];
      if (handle === undefined) continue;
      router.register(path, method === 'GET' ? ['GET', 'HEAD'] : [method], async (context: Context) => {
        carry(context, await handle(requestOf(context, clock, entrance)));
      });
    }
  }
  return router;
}

/** D14: admits work, by the address of its caller. */
interface Entrance {
  readonly admission: Pick<Admission, 'enter'>;
  readonly addressOf: CallerAddressOf;
}

/** `entrance`: undefined for a handler whose work needs no admission. */
export function requestOf(
  { method, path, querystring, headers, req }: Context,
  clock: () => number,
  entrance: Entrance | undefined,
): HttpRequest {
  const request = {
    method,
    path,
    search: querystring,
    headers,
    peer: req.socket.remoteAddress,
    arrivedAt: clock(),
  };
  return entrance === undefined ? request : { ...request, enter: () => entered(entrance, req) };
}

async function entered({ admission, addressOf }: Entrance, message: IncomingMessage): Promise<() => void> {
  const admitted = await admission.enter({ address: addressOf(message) });
  return () => admitted.leave();
}

/** Copies a reply into Koa's response, and replaces an earlier one. */
export function carry(context: Context, { status, headers, body }: HttpReply): void {
  const [only = null, ...more] = body;
  // This order matters: setting no body changes the status to 204.
  context.body = more.length === 0 ? only : Buffer.concat(body);
  context.status = status;
  for (let at = 0; at < headers.length; at += 2) context.set(headers[at] ?? '', headers[at + 1] ?? '');
}

/** What middleware leaves for other middleware, in Koa's `context.state`. */
export interface RequestState {
  /** The code of a request that was refused, for the access log. */
  refusedAs?: ErrorCode;
}

/** Emits one access-log entry per request. */
export function logAccess(identify: Identify, onAccess: OnAccess): Middleware {
  return async (context, next) => {
    const started = performance.now();
    const { method, headers, querystring } = context;
    const { attribution: caller } = identify({ headers, search: querystring });
    await next();
    const route: unknown = Reflect.get(context, '_matchedRoute');
    const { refusedAs }: RequestState = context.state;
    const entry = {
      method,
      caller,
      status: context.status,
      route: typeof route === 'string' ? route : undefined,
      operationName: undefined,
      rootField: undefined,
      isCacheHit: false,
      hasErrors: false,
      refusedAs,
      milliseconds: performance.now() - started,
    };
    onAccess(entry, context.req);
  };
}

/**
 * D5: answers preflights. Replies are the same for every origin, so `*` covers all headers that a page may want to send. The headers of
 * answers are COMMON_HEADERS, which the answers of GraphQL have too.
 */
export function answerPreflights(headersOfAnnexes: readonly string[]): Middleware {
  return cors({
    allowMethods: METHODS.join(', '),
    allowHeaders: [...REQUEST_HEADERS, ...headersOfAnnexes, '*'].join(', '),
    maxAge: 24 * 60 * 60,
  });
}

const REQUEST_HEADERS = [
  'Content-Type',
  'Accept',
  PREFLIGHT_HEADER,
  'X-Api-Key',
  'X-Page-Url',
  'X-Client-Id',
  'If-None-Match',
];

/** Sets the headers of every reply but a preflight's. */
export const setCommonHeaders: Middleware = (context, next) => {
  for (let at = 0; at < COMMON_HEADERS.length; at += 2) {
    context.set(COMMON_HEADERS[at] ?? '', COMMON_HEADERS[at + 1] ?? '');
  }
  return next();
};

/** D9: a client that disconnects during its reply is not a failure of the server. */
function isHangUp(thrown: unknown): boolean {
  return HANG_UPS.has(systemCodeOf(thrown));
}

const HANG_UPS: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);
