/** Refusals of everything but GraphQL, as Koa middleware: errors of handlers, unknown paths and other methods. */
import type Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import type { Mask } from '../graphql/mask.ts';
import { type Refusal, refusalOfThrown, refuse } from '../graphql/refusal.ts';
import { carry, type Handle, type RequestState, requestOf } from './koa.ts';
import { type HeaderList, METHODS, NO_BODY } from './message.ts';
import { acceptsHtml, codingFor } from './negotiation.ts';
import { refusalReply } from './replies.ts';

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
  const state: RequestState = context.state;
  state.refusedAs = refusal.code;
  carry(context, await refusalReply(refusal, { coding, headers: ['Vary', 'Accept-Encoding', ...headers] }));
}

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

/** Methods that a browser opens a page with. */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD']);
