/**
 * `/mcp` (I14): a server of the Model Context Protocol, read only. The responder admits, counts and caches calls as it does
 * requests of the endpoint; an answer is cached by its tool and arguments, whatever the id of the message.
 */
import type { Middleware } from 'koa';
import { shortened } from '../../calendar/display-text.ts';
import { isCalendarError } from '../../calendar/errors.ts';
import { isObject } from '../../calendar/json.ts';
import { createNearest, withNearest } from '../../calendar/nearest.ts';
import { packageVersion } from '../../package.ts';
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import type { AnswerBasis, PinBasis } from '../../serve/graphql/answer.ts';
import { type Refusal, refuse } from '../../serve/graphql/refusal.ts';
import type { Endpoint, EndpointRequest } from '../../serve/http/endpoint.ts';
import { passedOn } from '../../serve/http/koa.ts';
import { headerOf, lengthOf, NO_BODY, send, sendAndHangUp } from '../../serve/http/message.ts';
import { isJson, JSON_TYPE } from '../../serve/http/negotiation.ts';
import { plainRefusal } from '../../serve/http/replies.ts';
import { REFUSED } from '../../serve/http/responder.ts';
import type { About } from '../facts/facts.ts';
import { readArguments, schemaOf } from './arguments.ts';
import { FIND_EVENTS } from './find-events.ts';
import { GET_EVENT } from './get-event.ts';
import { LIST_CHOICES } from './list-choices.ts';
import {
  CLOSING,
  CODES,
  type Fault,
  faultText,
  openingOf,
  type Request,
  readMessage,
  refused,
  versionFor,
} from './protocol.ts';
import { resultOf, type Tool } from './tool.ts';

const PATH = '/mcp';

const TOOLS: Readonly<Record<string, Tool>> = {
  find_events: FIND_EVENTS,
  get_event: GET_EVENT,
  list_choices: LIST_CHOICES,
};

export function create({ clock }: Pick<ServeContext, 'clock'>): ServePart {
  return {
    offers: ['mcp'],
    routes: { [PATH]: { POST: passedOn, about: ABOUT } },
    endpoint: (core) => createMiddleware({ ...core, clock }),
  };
}

const MESSAGE = {
  type: 'object',
  properties: {
    jsonrpc: { const: '2.0' },
    id: { type: ['integer', 'string'] },
    method: { type: 'string' },
    params: { type: 'object' },
  },
  required: ['jsonrpc', 'method'],
};

const ABOUT: About = {
  method: 'post',
  summary: 'The calendar for assistants: a server of the Model Context Protocol with tools to find events.',
  body: MESSAGE,
  answer: {
    about: 'The answer to one message of JSON-RPC.',
    type: 'application/json',
    schema: {
      type: 'object',
      properties: { jsonrpc: { const: '2.0' }, result: { type: 'object' } },
      required: ['jsonrpc', 'id', 'result'],
    },
  },
  others: { 202: { about: 'A notification was received.' } },
};

type Core = Parameters<NonNullable<ServePart['endpoint']>>[0] & Pick<ServeContext, 'clock'>;

function createMiddleware({ responder, identify, readBody, onAccess, clock }: Core): Middleware {
  return (context, next) => {
    const { req, res, method, path, headers, querystring: search } = context;
    if (path !== PATH || method !== 'POST') return next();
    context.respond = false;
    const caller = identify({ headers, search });
    const log = (status: number) =>
      onAccess({
        method,
        route: PATH,
        status,
        caller: caller.attribution,
        ...REFUSED,
        hasErrors: status >= 400,
        milliseconds: 0,
      });
    const refuseUnread = (refusal: Refusal) => {
      const reply = plainRefusal(refusal);
      sendAndHangUp(res, reply);
      log(reply.status);
    };
    if (!isJson(headers['content-type'])) return refuseUnread(NOT_JSON);
    readBody(req, res, (read) => {
      if ('code' in read) return refuseUnread(read);
      const message = readMessage(read, headerOf(headers, 'mcp-protocol-version'));
      if (message === null) {
        send(res, {
          status: 202,
          headers: ['Content-Length', '0', 'Cache-Control', 'no-store'],
          body: NO_BODY,
        });
        return log(202);
      }
      const call = 'fault' in message ? message : callOf(message);
      // A result that is in an envelope is sent unchanged.
      const { 'accept-encoding': _, ...kept } = headers;
      const request = { method, path, search, headers: kept, caller, arrivedAt: clock(), call };
      responder.respond(
        res,
        ENDPOINT,
        request,
        'fault' in call ? refuse('BAD_REQUEST', call.fault.message) : undefined,
      );
    });
  };
}

const NOT_JSON = refuse('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON: Content-Type: application/json.');

/** A message that was read. */
interface Call {
  readonly message: Request;
  /** Of the tool and its arguments, or of the method. */
  readonly name: string;
  readonly key: string;
  /** The result as JSON. */
  readonly answer: (pinBasis: PinBasis) => Promise<string>;
}

interface McpRequest extends EndpointRequest {
  readonly call: Call | Fault;
}

const ENDPOINT: Endpoint<McpRequest> = {
  route: PATH,
  keyOf: ({ call }) => ('fault' in call ? '' : `${PATH} ${call.name} ${call.key}`),
  typeFor: () => JSON_TYPE,
  execute: async ({ call }, pinBasis) => {
    if ('fault' in call) throw new TypeError('expected a message that was read');
    const text = await call.answer(pinBasis);
    return {
      body: [Buffer.from(text)],
      isTagged: false,
      headers: [],
      operationName: undefined,
      rootField: call.name,
      hasErrors: text.endsWith('"isError":true}'),
      dependsOnDay: true,
    };
  },
  envelope: (reply, { call }) => {
    if ('fault' in call) return reply;
    const body = [Buffer.concat([openingOf(call.message), ...reply.body, CLOSING])];
    const headers = reply.headers.map((value, at) =>
      reply.headers[at - 1] === 'Content-Length' ? `${lengthOf(body)}` : value,
    );
    return { ...reply, headers, body };
  },
  refusalOptions: ({ code, errors }, { call }) => {
    if ('fault' in call) return { status: call.status, type: JSON_TYPE, body: faultText(call) };
    const { id } = call.message;
    const fault = {
      code: code === 'INTERNAL_SERVER_ERROR' ? CODES.internal : CODES.busy,
      message: errors[0]?.message ?? code,
    };
    return {
      type: JSON_TYPE,
      body: faultText({ id, fault }),
      ...(code === 'TIMEOUT' && { status: 503, headers: ['Retry-After', '5'] }),
    };
  },
};

type Method = (message: Request) => Call | Fault;

/** A result that depends on no arguments. */
const fixed =
  (answer: (pinBasis: PinBasis, message: Request) => object): Method =>
  (message) => ({
    message,
    name: message.method,
    key: message.method === 'initialize' ? versionFor(message.params.protocolVersion) : '',
    answer: async (pinBasis) => JSON.stringify(answer(pinBasis, message)),
  });

const METHODS: Readonly<Record<string, Method>> = {
  initialize: fixed((pinBasis, { params }) => ({
    protocolVersion: versionFor(params.protocolVersion),
    capabilities: { tools: {} },
    serverInfo: {
      name: 'almanakk',
      title: pinBasis().snapshot.lists.licence.name,
      version: packageVersion(),
    },
    instructions: INSTRUCTIONS,
  })),
  ping: fixed(() => ({})),
  'tools/list': fixed(() => ({ tools: Object.entries(TOOLS).map(describe) })),
  'tools/call': callTool,
};

const INSTRUCTIONS =
  'Upcoming events of a region in Norway, right to the second. find_events searches, get_event has all dates and prices of one, ' +
  'list_choices names categories, municipalities, venues and tags. Give `language` as the person speaks: nb or en. Times are Norwegian. ' +
  'Name weekday, time, place and price as they are written here, and link to the event. Weather is not known: titles, summaries and venues tell what is indoors.';

const describe = ([name, { title, about, takes, gives }]: readonly [string, Tool]) => ({
  name,
  title,
  description: about,
  inputSchema: schemaOf(takes),
  outputSchema: gives,
  annotations: { readOnlyHint: true, openWorldHint: false },
});

function callOf(message: Request): Call | Fault {
  const { id, method } = message;
  const call = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  if (call !== undefined) return call(message);
  return refused('unknownMethod', `There is no method ${JSON.stringify(shortened(method, 60))}.`, {
    id,
    status: 200,
  });
}

function callTool(message: Request): Call | Fault {
  const { id, params } = message;
  const { name, arguments: given = {} } = params;
  const found = typeof name === 'string' && Object.hasOwn(TOOLS, name) ? TOOLS[name] : undefined;
  if (typeof name !== 'string' || found === undefined) {
    const expected = withNearest(Object.keys(TOOLS).join(', '), nearestTool(`${name}`));
    return refused('invalidParams', `Expected the name of a tool: ${expected}.`, { id, status: 200 });
  }
  if (!isObject(given ?? {}))
    return refused('invalidParams', 'Expected "arguments" to be an object.', { id, status: 200 });
  const { values, faults } = readArguments(found.takes, isObject(given) ? given : {});
  return {
    message,
    name,
    key: faults.length > 0 ? faults.join('\n') : JSON.stringify(values),
    answer: async (pinBasis) =>
      resultOf(faults.length > 0 ? { faults } : await answerOf(found, values, pinBasis())),
  };
}

const nearestTool = createNearest(Object.keys(TOOLS), (name) => [name]);

/** What the filter cannot read is a fault of the call, for the program to mend. */
async function answerOf(found: Tool, values: object, basis: AnswerBasis) {
  try {
    return await found.answer(values, basis);
  } catch (thrown) {
    if (!isCalendarError(thrown) || thrown.code !== 'BAD_USER_INPUT') throw thrown;
    return { faults: thrown.reasons ?? [thrown.message] };
  }
}
