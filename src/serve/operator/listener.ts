/** The operator's own port: a small Koa with a few routes, and none of what the public endpoint needs. */
import type { RequestListener } from 'node:http';
import Koa from 'koa';
import { type Mask, refuse } from '../graphql/refusal.ts';
import { answerErrors, createRouter, isHangUp, type Routes, refuseUnrouted } from '../http/koa.ts';

export interface OperatorListenerOptions {
  readonly routes: Routes;
  readonly mask: Mask;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** Pages of other origins, open in the operator's browser, are not to read what is behind a wall. */
export function createOperatorListener({ routes, mask, clock }: OperatorListenerOptions): RequestListener {
  const router = createRouter(routes, clock);
  const koa = new Koa();
  koa.on('error', (thrown: unknown) => {
    if (!isHangUp(thrown)) mask(thrown);
  });
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
