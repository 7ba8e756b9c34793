/**
 * The operator's view: `/status` and `/metrics`. They stand beside the endpoint, or in a small Koa application on another port, and may
 * require a token.
 */
import type { RequestListener } from 'node:http';
import type { Context } from 'koa';
import type { ServePart } from '../../serve/annex.ts';
import { type Mask, refuse } from '../../serve/graphql/refusal.ts';
import {
  answerErrors,
  carry,
  createKoa,
  createRouter,
  type Handle,
  type Routes,
  refuseUnrouted,
} from '../../serve/http/koa.ts';
import type { HttpRequest } from '../../serve/http/message.ts';
import { acceptsHtml } from '../../serve/http/negotiation.ts';
import { jsonReply } from '../../serve/http/replies.ts';
import { createResource } from '../../serve/http/representation.ts';
import type { Guard } from '../guard/token.ts';
import { createPage, type PageName, STYLESHEET } from '../page/page.ts';
import { languageOf } from '../page/reader.ts';
import { type StatusOptions, statusOf } from './status.ts';
import { renderStatus } from './status-page.ts';

interface OperatorOptions extends StatusOptions {
  /** Null: no token is needed. */
  readonly guard: Guard | null;
  readonly menu: () => readonly PageName[];
}

export function createOperatorRoutes(options: OperatorOptions): NonNullable<ServePart['routes']> {
  const { guard, metrics } = options;
  const guarded =
    (handle: Handle): Handle =>
    async (request) => {
      const refusal = await guard?.(request);
      if (refusal) return refusal;
      const leave = await request.enter?.();
      return Promise.resolve(handle(request)).finally(leave);
    };
  const status: Handle = async (request) => {
    const value = await statusOf(options);
    if (!wantsHtml(request)) return jsonReply(200, value);
    const chosen = languageOf(request);
    const document = renderStatus(value, { ...chosen, menu: options.menu() });
    const page = createPage({ document, language: chosen.language, vary: ['Accept'] });
    return page(request.headers, 'no-store');
  };
  const text: Handle = async ({ headers }) => {
    const body = Buffer.from(await metrics.text());
    const type = 'text/plain; version=0.0.4; charset=utf-8';
    return createResource({ body, type, isTagged: false })(headers, 'no-store');
  };
  return {
    ...STYLESHEET.routes,
    '/status': { GET: guarded(status), about: null },
    '/metrics': { GET: guarded(text), about: null },
  };
}

/** `?format=` decides; else whether the client names HTML, as browsers do. */
function wantsHtml({ headers, search }: Pick<HttpRequest, 'headers' | 'search'>): boolean {
  const format = new URLSearchParams(search).get('format');
  return format === 'html' || (format !== 'json' && acceptsHtml(headers.accept));
}

interface OperatorAppOptions {
  readonly routes: Routes;
  readonly mask: Mask;
  /** Names of this port besides `localhost` and the machine's own addresses. */
  readonly names: readonly (string | null)[];
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Pages of other origins in the operator's browser must not read a protected port. */
export function createOperatorApp({ routes, mask, names, clock }: OperatorAppOptions): RequestListener {
  const router = createRouter(routes, clock);
  const known = new Set([...OF_EVERY_MACHINE, ...names.map((name) => name?.toLowerCase() ?? '')]);
  known.delete('');
  const koa = createKoa(mask);
  koa.use(async (context, next) => {
    context.set('X-Content-Type-Options', 'nosniff');
    await next();
    context.remove('Access-Control-Allow-Origin');
  });
  koa.use(answerErrors(mask));
  koa.use(async (context, next) => (isOwnName(context, known) ? next() : carry(context, MISDIRECTED)));
  koa.use(router.routes());
  koa.use(refuseUnrouted(router, NOT_FOUND));
  return koa.callback();
}

/** H8, settings and secrets: a foreign name that resolves to this address (DNS rebinding) would let pages of that name read this port. */
function isOwnName(
  { headers: { host = '' }, req: { socket } }: Context,
  known: ReadonlySet<string>,
): boolean {
  const name = /^(?:\[([\da-f:.]+)\]|([^:[\]]+))(?::\d+)?$/i.exec(host);
  const own = (name?.[1] ?? name?.[2] ?? '').toLowerCase();
  return known.has(own) || own === socket.localAddress?.replace(/^::ffff:/, '');
}

const OF_EVERY_MACHINE = ['localhost', '127.0.0.1', '::1'];

const MISDIRECTED = jsonReply(421, {
  errors: [
    { message: 'This port has no such name. See ALMANAKK_ADMIN_HOST.', extensions: { code: 'BAD_REQUEST' } },
  ],
});

const NOT_FOUND = refuse('NOT_FOUND', 'There is nothing at this path. Try /status or /metrics.');
