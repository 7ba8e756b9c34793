/** A listener for the operator's own port: a few routes, and none of what the public endpoint needs. */
import type { IncomingMessage, RequestListener } from 'node:http';
import { type Conceal, refusalFor, refuse } from '../graphql/refusal.ts';
import type { EndpointRequest } from '../http/endpoint.ts';
import { plainRefusal } from '../http/errors.ts';
import type { Routes } from '../http/koa.ts';
import { type HttpReply, NO_BODY } from '../http/message.ts';
import { send } from '../http/send.ts';

export interface OperatorListenerOptions {
  readonly routes: Routes;
  readonly conceal: Conceal;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export function createOperatorListener(options: OperatorListenerOptions): RequestListener {
  return (request, response) => {
    void answer(request, options)
      .catch((thrown) => plainRefusal(refusalFor(thrown, options.conceal)))
      .then((reply) => send(response, withoutOpening(reply)));
  };
}

async function answer(
  request: IncomingMessage,
  { routes, clock }: OperatorListenerOptions,
): Promise<HttpReply> {
  const { method = 'GET', url = '/', headers } = request;
  const [path = '/', search = ''] = url.split(/\?(.*)/s);
  const handle = Object.hasOwn(routes, path) ? routes[path]?.GET : undefined;
  if (handle === undefined) return plainRefusal(NOT_FOUND);
  if (method !== 'GET' && method !== 'HEAD')
    return plainRefusal(NOT_ALLOWED, { headers: ['Allow', 'GET, HEAD'] });
  const reply = await handle({ ...ANONYMOUS, method, path, search, headers, arrivedAt: clock() });
  return method === 'HEAD' ? { ...reply, body: NO_BODY } : reply;
}

const ANONYMOUS: Pick<EndpointRequest, 'body' | 'caller' | 'hasKeyInUrl'> = {
  body: NO_BODY,
  caller: { kind: 'anonymous', name: undefined, keyed: false, pageHost: undefined },
  hasKeyInUrl: false,
};

const NOT_FOUND = refuse('NOT_FOUND', 'There is nothing at this path. Try /status or /metrics.');
const NOT_ALLOWED = refuse('METHOD_NOT_ALLOWED', 'Only GET and HEAD are allowed here.');

/** Pages of other origins, open in the operator's browser, are not to read what stands on a port behind a wall. */
function withoutOpening({ headers, ...reply }: HttpReply): HttpReply {
  const kept: string[] = [];
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = [headers[at], headers[at + 1]];
    if (!name.startsWith('Access-Control-')) kept.push(name, value);
  }
  return { ...reply, headers: kept };
}
