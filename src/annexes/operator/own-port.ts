/** A port of the operator's own: pages of other origins in the operator's browser must not read what is protected there. */
import type { RequestListener } from 'node:http';
import type { Context } from 'koa';
import type { ServeContext } from '../../serve/annex.ts';
import { refuse } from '../../serve/graphql/refusal.ts';
import { carry, createKoa, createRouter, type Routes } from '../../serve/http/koa.ts';
import { answerErrors, refuseUnrouted } from '../../serve/http/koa-refusals.ts';
import { jsonReply } from '../../serve/http/replies.ts';

interface OperatorAppOptions extends Pick<ServeContext, 'mask' | 'clock'> {
  readonly routes: Routes;
  /** Names of this port besides `localhost` and the machine's own addresses. */
  readonly names: readonly (string | null)[];
}

export function createOperatorApp({ routes, mask, names, clock }: OperatorAppOptions): RequestListener {
  const router = createRouter(routes, clock);
  const ownNames = new Set([...OF_EVERY_MACHINE, ...names.flatMap((name) => name?.toLowerCase() ?? [])]);
  const koa = createKoa(mask);
  koa.use(async (context, next) => {
    context.set('X-Content-Type-Options', 'nosniff');
    await next();
    // Replies of the public port allow every origin.
    context.remove('Access-Control-Allow-Origin');
  });
  koa.use(answerErrors(mask));
  koa.use(async (context, next) => (isOwnName(context, ownNames) ? next() : carry(context, MISDIRECTED)));
  koa.use(router.routes());
  koa.use(refuseUnrouted(router, NOT_FOUND));
  return koa.callback();
}

const OF_EVERY_MACHINE = ['localhost', '127.0.0.1', '::1'];

/** H8: a foreign name that resolves to this address (DNS rebinding) would let pages of that name read this port. */
function isOwnName(
  { headers: { host = '' }, req: { socket } }: Context,
  ownNames: ReadonlySet<string>,
): boolean {
  const { address, name = '' } = HOST.exec(host)?.groups ?? {};
  const hostName = (address ?? name).toLowerCase();
  return ownNames.has(hostName) || hostName === localAddressOf(socket);
}

/** The header: an IPv6 address in brackets, or a name or IPv4 address; with a port or without one. */
const HOST = /^(?:\[(?<address>[\da-f:.]+)\]|(?<name>[^:[\]]+))(?::\d+)?$/i;

/** The address that the client connected to; one of IPv4 as IPv4 writes it. */
function localAddressOf({ localAddress }: Context['req']['socket']): string | undefined {
  return localAddress?.replace(/^::ffff:/, '');
}

const MISDIRECTED = jsonReply(421, {
  errors: [
    { message: 'This port has no such name. See ALMANAKK_ADMIN_HOST.', extensions: { code: 'BAD_REQUEST' } },
  ],
});

const NOT_FOUND = refuse('NOT_FOUND', 'There is nothing at this path. Try /status or /metrics.');
