/**
 * The operator's view: `/status` and `/metrics`. They stand beside the endpoint, or in a small Koa on a port of their own, and
 * can be closed to everybody who does not have a token.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { type Mask, refuse } from './graphql/refusal.ts';
import {
  answerErrors,
  createKoa,
  createRouter,
  type Handle,
  type Routes,
  refuseUnrouted,
} from './http/koa.ts';
import { acceptsHtml, type HttpRequest } from './http/message.ts';
import { createResource, jsonReply } from './http/representation.ts';
import { type StatusOptions, statusOf } from './operator/status.ts';
import { renderStatus } from './operator/status-page.ts';
import { createPage, type PageName, STYLESHEET_ROUTES } from './pages/page.ts';
import { languageOf } from './pages/reader.ts';

export interface OperatorOptions extends StatusOptions {
  /** What to ask for; null: nothing. */
  readonly token: string | null;
  /** Pages that can be reached from here. */
  readonly menu: readonly PageName[];
}

export function createOperatorRoutes(options: OperatorOptions): Routes {
  const { token, metrics } = options;
  const status: Handle = async (request) => {
    const value = await statusOf(options);
    if (!wantsHtml(request)) return jsonReply(200, value);
    const chosen = languageOf(request);
    const document = renderStatus(value, { ...chosen, menu: options.menu });
    const page = createPage({ document, language: chosen.language, vary: ['Accept'] });
    return page(request.headers, 'no-store');
  };
  const text: Handle = async ({ headers }) => {
    const body = Buffer.from(await metrics.text());
    const type = 'text/plain; version=0.0.4; charset=utf-8';
    return createResource({ body, type, isTagged: false })(headers, 'no-store');
  };
  return {
    ...STYLESHEET_ROUTES,
    '/status': { GET: guarded(status, token) },
    '/metrics': { GET: guarded(text, token) },
  };
}

/** `?format=` says it; else whatever a browser asks for by name. */
function wantsHtml({ headers, search }: Pick<HttpRequest, 'headers' | 'search'>): boolean {
  const format = new URLSearchParams(search).get('format');
  return format === 'html' || (format !== 'json' && acceptsHtml(headers.accept));
}

interface OperatorAppOptions {
  readonly routes: Routes;
  readonly mask: Mask;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Pages of other origins, open in the operator's browser, are not to read what is behind a wall. */
export function createOperatorApp({ routes, mask, clock }: OperatorAppOptions): RequestListener {
  const router = createRouter(routes, clock);
  const koa = createKoa(mask);
  koa.use(async (context, next) => {
    context.set('X-Content-Type-Options', 'nosniff');
    await next();
    context.remove('Access-Control-Allow-Origin');
  });
  koa.use(answerErrors(mask));
  koa.use(router.routes());
  koa.use(refuseUnrouted(router, NOT_FOUND));
  return koa.callback();
}

const NOT_FOUND = refuse('NOT_FOUND', 'There is nothing at this path. Try /status or /metrics.');

/** Closed to everybody who does not have the token: as `Bearer`, or as the password that a browser asks for. */
function guarded(handle: Handle, token: string | null): Handle {
  if (token === null) return handle;
  const expected = digestOf(token);
  return (request) => {
    const given = tokenIn(request.headers.authorization ?? '');
    return given !== undefined && timingSafeEqual(digestOf(given), expected) ? handle(request) : UNAUTHORIZED;
  };
}

/** Of equal length, whatever was given, so that comparing takes the same time. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function tokenIn(authorization: string): string | undefined {
  const [, scheme = '', credentials = ''] = /^(\w+) +(\S+)$/.exec(authorization.trim()) ?? [];
  if (scheme.toLowerCase() === 'bearer') return credentials;
  if (scheme.toLowerCase() !== 'basic') return undefined;
  const pair = Buffer.from(credentials, 'base64').toString();
  // Whatever the user is called.
  return pair.includes(':') ? pair.slice(pair.indexOf(':') + 1) : undefined;
}

const REFUSED = jsonReply(401, {
  errors: [{ message: 'This needs the operator’s token.', extensions: { code: 'UNAUTHORIZED' } }],
});

const UNAUTHORIZED = {
  ...REFUSED,
  headers: [...REFUSED.headers, 'WWW-Authenticate', 'Basic realm="almanakk", charset="UTF-8"'],
};
