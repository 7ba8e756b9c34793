/**
 * `/mcp` (I14): a server of the Model Context Protocol, read only. The responder admits, counts and caches calls as it does
 * requests of the endpoint; an answer is cached by its tool and arguments, whatever the id of the message.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Context, Middleware } from 'koa';
import type { EndpointCore, ServeContext, ServePart } from '../../serve/annex.ts';
import { isRefusal, type Refusal, refuse } from '../../serve/graphql/refusal.ts';
import type { AccessLogEntry } from '../../serve/http/access-log.ts';
import { passedOn } from '../../serve/http/koa.ts';
import { type HttpReply, headerOf, NO_BODY, send, sendAndHangUp } from '../../serve/http/message.ts';
import { isJson } from '../../serve/http/negotiation.ts';
import { plainRefusal } from '../../serve/http/replies.ts';
import { REFUSED } from '../../serve/http/responder.ts';
import { OBJECT, objectOf, TEXT } from '../common/json-schema.ts';
import type { About } from '../facts/facts.ts';
import { CALLS, FAULTS, PATH } from './endpoint.ts';
import { callOf } from './methods.ts';
import { type Fault, isFault, type Request, readMessage } from './protocol.ts';

export function create({ clock }: Pick<ServeContext, 'clock'>): ServePart {
  return {
    offers: ['mcp'],
    requestHeaders: ['Mcp-Protocol-Version', 'Mcp-Session-Id'],
    routes: { [PATH]: { POST: passedOn, about: ABOUT } },
    endpoint: (core) => createMiddleware({ ...core, clock }),
  };
}

interface Options extends EndpointCore, Pick<ServeContext, 'clock'> {}

function createMiddleware(options: Options): Middleware {
  return (context, next) => {
    if (context.path !== PATH || context.method !== 'POST') return next();
    context.respond = false;
    return receive(context, options);
  };
}

function receive(context: Context, options: Options): void {
  const { req, res, headers } = context;
  const { readBody } = options;
  const refuseUnread = (refusal: Refusal) => {
    const reply = plainRefusal(refusal);
    sendAndHangUp(res, reply);
    logUnanswered({ status: reply.status, refusedAs: refusal.code }, context, options);
  };
  if (!isJson(headers['content-type'])) {
    refuseUnread(NOT_JSON);
    return;
  }
  readBody(req, res, (read) => {
    if (isRefusal(read)) return refuseUnread(read);
    const message = readMessage(read, headerOf(headers, 'mcp-protocol-version'));
    if (message !== null) return respond(message, context, options);
    send(res, RECEIVED);
    return logUnanswered({ status: RECEIVED.status }, context, options);
  });
}

function respond(message: Request | Fault, context: Context, options: Options): void {
  const { res, method, path, headers, querystring: search } = context;
  const { responder, identify, clock } = options;
  const request = {
    method,
    path,
    search,
    headers: withoutCoding(headers),
    caller: identify({ headers, search }),
    arrivedAt: clock(),
  };
  const call = isFault(message) ? message : callOf(message);
  if (isFault(call)) {
    const refusal = refuse('BAD_REQUEST', call.fault.message);
    responder.refuse(res, FAULTS, { ...request, fault: call }, refusal);
  } else {
    responder.respond(res, CALLS, { ...request, call });
  }
}

/** Counts a request that does not reach the responder. */
function logUnanswered(
  { status, refusedAs }: Pick<AccessLogEntry, 'status' | 'refusedAs'>,
  context: Context,
  { identify, onAccess }: Options,
): void {
  const { method, headers, querystring: search } = context;
  const entry = {
    method,
    route: PATH,
    status,
    caller: identify({ headers, search }).attribution,
    ...REFUSED,
    hasErrors: status >= 400,
    refusedAs,
    milliseconds: 0,
  };
  onAccess(entry, context.req);
}

/** A result in an envelope is not compressed, so that the envelope can be put around the cached result. */
function withoutCoding(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { 'accept-encoding': _, ...others } = headers;
  return others;
}

const NOT_JSON = refuse('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON: Content-Type: application/json.');

/** The reply to a notification. */
const RECEIVED: HttpReply = {
  status: 202,
  headers: ['Content-Length', '0', 'Cache-Control', 'no-store'],
  body: NO_BODY,
};

const MESSAGE = objectOf(
  {
    jsonrpc: { const: '2.0' },
    id: { type: ['integer', 'string'] },
    method: TEXT,
    params: OBJECT,
  },
  ['jsonrpc', 'method'],
);

/** A response of JSON-RPC: it has either a result or an error. */
function responseWith(content: 'result' | 'error'): object {
  return objectOf({
    jsonrpc: { const: '2.0' },
    id: { type: ['integer', 'string', 'null'] },
    [content]: OBJECT,
  });
}

const ABOUT: About = {
  method: 'post',
  summary: 'The calendar for assistants: a Model Context Protocol server with tools to find events.',
  body: MESSAGE,
  answer: {
    about: 'The response to one JSON-RPC message.',
    type: 'application/json',
    schema: { oneOf: [responseWith('result'), responseWith('error')] },
  },
  others: { 202: { about: 'A notification was received.' } },
};
