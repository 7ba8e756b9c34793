/** A port of the operator's own, in a small Koa application. */
import type { RequestListener } from 'node:http';
import type { Context } from 'koa';
import { type Mask, refuse } from '../../serve/graphql/refusal.ts';
import {
  answerErrors,
  carry,
  createKoa,
  createRouter,
  type Routes,
  refuseUnrouted,
} from '../../serve/http/koa.ts';
import { jsonReply } from '../../serve/http/replies.ts';

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
  const known = new Set([...OF_EVERY_MACHINE, ...names.flatMap((name) => name?.toLowerCase() ?? [])]);
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
