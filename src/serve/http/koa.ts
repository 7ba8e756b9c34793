/** Koa with its router: all but GraphQL goes through here. Handlers are pure; this carries requests to them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from '@koa/cors';
import Router from '@koa/router';
import Koa, { type Context, type Next } from 'koa';
import { type Conceal, type Refusal, refusalFor, refuse } from '../graphql/refusal.ts';
import type { EndpointRequest } from './endpoint.ts';
import { refusalReply } from './errors.ts';
import { GRAPHQL_PATH, type Outcome } from './front.ts';
import { PREFLIGHT_HEADER } from './gate.ts';
import { codingFor } from './media.ts';
import { COMMON_HEADERS, type HttpReply, NO_BODY, NOTHING_TOLD, type Told } from './message.ts';

/** Adds routes of one's own, as Koa middleware. */
export type AddRoutes = (router: Router) => void;

/** A reply, and what is told of it besides. */
export interface Handled extends HttpReply {
  readonly told?: Told;
}

export type Handle = (request: EndpointRequest) => Handled | Promise<Handled>;

/** Handlers by path and method; what answers GET answers HEAD too. */
export type Routes = Readonly<Record<string, Readonly<Partial<Record<'GET' | 'POST', Handle>>>>>;

export interface KoaOptions {
  readonly routes: Routes;
  readonly more: readonly AddRoutes[];
  readonly conceal: Conceal;
}

/** Answers a request. Never rejects. */
export type PassOn = (
  request: IncomingMessage,
  response: ServerResponse,
  received: EndpointRequest,
) => Promise<Outcome>;

export function createKoa({ routes, more, conceal }: KoaOptions): PassOn {
  const passages = new WeakMap<IncomingMessage, Passage>();
  // Paths are meant to the letter: `/graphQL`, not `/graphql` or `/graphQL/`.
  const router = new Router({ sensitive: true, strict: true });
  for (const [path, handles] of Object.entries(routes)) {
    for (const [method, handle] of Object.entries(handles)) {
      router.register(path, method === 'GET' ? ['GET', 'HEAD'] : [method], async (context: Context) => {
        const passage = passageOf(passages, context);
        const { told = NOTHING_TOLD, ...reply } = await handle(passage.received);
        passage.told = told;
        carry(context, reply);
      });
    }
  }
  for (const add of more) add(router);

  const koa = new Koa();
  koa.on('error', (thrown: unknown) => {
    if (!isHangUp(thrown)) conceal(thrown);
  });
  koa.use(async (context: Context, next: Next) => {
    try {
      await next();
    } catch (thrown) {
      await carryRefusal(context, refusalOf(thrown, conceal));
    }
    const route: unknown = Reflect.get(context, '_matchedRoute');
    passageOf(passages, context).route = typeof route === 'string' ? route : undefined;
  });
  koa.use(cors(CORS));
  koa.use(router.routes());
  koa.use((context: Context) => answerUnrouted(context, router));

  const callback = koa.callback();
  return async (request, response, received) => {
    const passage: Passage = { received, route: undefined, told: NOTHING_TOLD };
    passages.set(request, passage);
    await callback(request, response);
    return { route: passage.route, ...passage.told };
  };
}

/** A request on its way through Koa, and what becomes known of it there. */
interface Passage {
  readonly received: EndpointRequest;
  route: string | undefined;
  told: Told;
}

function passageOf(passages: WeakMap<IncomingMessage, Passage>, { req }: Context): Passage {
  const passage = passages.get(req);
  if (passage === undefined) throw new Error('expected a request from the front, found another one');
  return passage;
}

/** D5. Replies are the same for every origin, so `*` stands in for all headers that a page may want to send, too. */
const CORS: cors.Options = {
  origin: '*',
  allowMethods: 'GET, HEAD, POST',
  allowHeaders: [
    ...[
      'Content-Type',
      'Accept',
      PREFLIGHT_HEADER,
      'X-Api-Key',
      'X-Page-Url',
      'X-Client-Id',
      'If-None-Match',
    ],
    '*',
  ].join(', '),
  exposeHeaders: 'ETag',
  maxAge: 24 * 60 * 60,
};

function carry(context: Context, { status, headers, body }: HttpReply): void {
  context.status = status;
  context.body = body === NO_BODY ? null : body;
  for (let at = 0; at < headers.length; at += 2) context.set(headers[at] ?? '', headers[at + 1] ?? '');
}

async function carryRefusal(
  context: Context,
  refusal: Refusal,
  headers: readonly string[] = [],
): Promise<void> {
  const coding = codingFor(context.get('Accept-Encoding'));
  carry(context, await refusalReply(refusal, { coding, headers: ['Vary', 'Accept-Encoding', ...headers] }));
}

/** Koa's own complaints of a request are the client's fault. */
function refusalOf(thrown: unknown, conceal: Conceal): Refusal {
  if (thrown instanceof Error && 'status' in thrown && thrown.status === 400) return MALFORMED;
  return refusalFor(thrown, conceal);
}

/** A client that goes away in the middle of its reply is no failure of ours (D9). */
function isHangUp(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && HANG_UPS.has(String(thrown.code));
}

const HANG_UPS: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

const MALFORMED = refuse('BAD_REQUEST', 'The URL is not well-formed.');
const NOT_FOUND = refuse(
  'NOT_FOUND',
  `There is nothing at this path. The GraphQL endpoint is ${GRAPHQL_PATH}.`,
);

/** D1: 404 for a path that there is not, 405 for a method that it does not have. */
async function answerUnrouted(context: Context, router: Router): Promise<void> {
  const methods = new Set(router.match(context.path, context.method).path.flatMap((layer) => layer.methods));
  if (methods.size === 0) return carryRefusal(context, NOT_FOUND);
  const allow = [...METHODS.filter((method) => methods.has(method)), 'OPTIONS'].join(', ');
  if (context.method === 'OPTIONS') {
    return carry(context, { status: 204, headers: ['Allow', allow, ...COMMON_HEADERS], body: NO_BODY });
  }
  const refusal = refuse('METHOD_NOT_ALLOWED', `${context.method} is not allowed here: only ${allow}.`);
  return carryRefusal(context, refusal, ['Allow', allow]);
}

const METHODS = ['GET', 'HEAD', 'POST'];
