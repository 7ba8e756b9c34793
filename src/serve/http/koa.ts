/** Connects Koa to the handlers of everything but GraphQL: handlers are pure; this file carries requests to them and replies back. */
import type { IncomingMessage } from 'node:http';
import type cors from '@koa/cors';
import Router from '@koa/router';
import Koa, { type Context, type Middleware } from 'koa';
import { type ErrorCode, systemCodeOf } from '../../calendar/errors.ts';
import type { Admission } from '../admission/admission.ts';
import type { Mask } from '../graphql/mask.ts';
import { type Refusal, refusalOfThrown, refuse } from '../graphql/refusal.ts';
import type { AccessLogEntry } from './access-log.ts';
import type { CallerAddressOf, Identify } from './caller.ts';
import { PREFLIGHT_HEADER } from './graphql.ts';
import { COMMON_HEADERS, type HeaderList, type HttpReply, type HttpRequest, NO_BODY } from './message.ts';
import { acceptsHtml, codingFor } from './negotiation.ts';
import { refusalReply } from './replies.ts';

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

function requestOf(
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

/** Emits one access-log entry per request. */
export function logAccess(identify: Identify, onAccess: (entry: AccessLogEntry) => void): Middleware {
  return async (context, next) => {
    const started = performance.now();
    const { method, headers, querystring } = context;
    const { attribution: caller } = identify({ headers, search: querystring });
    await next();
    const route: unknown = Reflect.get(context, '_matchedRoute');
    const refusedAs = REFUSED_AS.get(context);
    onAccess({
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
    });
  };
}

/** The codes of requests that `answerErrors` has refused, for the access log. */
const REFUSED_AS = new WeakMap<Context, ErrorCode>();

/** D1: errors of later middleware become refusals in JSON. */
export function answerErrors(mask: Mask): Middleware {
  return async (context, next) => {
    try {
      await next();
    } catch (thrown) {
      // Koa's own errors about a request are the client's fault.
      const isMalformed = thrown instanceof Error && 'status' in thrown && thrown.status === 400;
      await refuseWith(context, isMalformed ? MALFORMED : refusalOfThrown(thrown, mask));
    }
  };
}

const MALFORMED = refuse('BAD_REQUEST', 'The URL is not well-formed.');

async function refuseWith(context: Context, refusal: Refusal, headers: HeaderList = []): Promise<void> {
  const coding = codingFor(context.get('Accept-Encoding'));
  REFUSED_AS.set(context, refusal.code);
  carry(context, await refusalReply(refusal, { coding, headers: ['Vary', 'Accept-Encoding', ...headers] }));
}

/**
 * D5: the methods and headers that a preflight allows. Replies are the same for every origin, so `*` covers all headers that a page may want
 * to send. The headers of answers are COMMON_HEADERS, which the answers of GraphQL have too.
 */
export const CORS: cors.Options = {
  allowMethods: 'GET, HEAD, POST',
  allowHeaders: [
    'Content-Type',
    'Accept',
    PREFLIGHT_HEADER,
    'X-Api-Key',
    'X-Page-Url',
    'X-Client-Id',
    'If-None-Match',
    'Mcp-Protocol-Version',
    'Mcp-Session-Id',
    '*',
  ].join(', '),
  maxAge: 24 * 60 * 60,
};

/** Sets the headers of every reply but a preflight's. */
export const setCommonHeaders: Middleware = (context, next) => {
  for (let at = 0; at < COMMON_HEADERS.length; at += 2) {
    context.set(COMMON_HEADERS[at] ?? '', COMMON_HEADERS[at + 1] ?? '');
  }
  return next();
};

/** The page for browsers at a path that does not exist. */
interface NotFoundPage {
  readonly page: Handle;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** D1: 404 for a path that does not exist, 405 for a method that it does not have. */
export function refuseUnrouted(router: Router, notFound: Refusal, notFoundPage?: NotFoundPage): Middleware {
  return async (context) => {
    const methods = new Set(
      router.match(context.path, context.method).path.flatMap((layer) => layer.methods),
    );
    if (methods.size === 0) {
      const isForPage = SAFE.has(context.method) && acceptsHtml(context.headers.accept);
      if (notFoundPage === undefined || !isForPage) return refuseWith(context, notFound);
      const reply = await notFoundPage.page(requestOf(context, notFoundPage.clock, undefined));
      return carry(context, { ...reply, status: 404 });
    }
    const allow = [...METHODS.filter((method) => methods.has(method)), 'OPTIONS'].join(', ');
    if (context.method === 'OPTIONS') {
      return carry(context, { status: 204, headers: ['Allow', allow], body: NO_BODY });
    }
    const refusal = refuse('METHOD_NOT_ALLOWED', `${context.method} is not allowed here: only ${allow}.`);
    return refuseWith(context, refusal, ['Allow', allow]);
  };
}

const METHODS = ['GET', 'HEAD', 'POST'];
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** D9: a client that disconnects during its reply is not a failure of the server. */
function isHangUp(thrown: unknown): boolean {
  return HANG_UPS.has(systemCodeOf(thrown));
}

const HANG_UPS: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);
