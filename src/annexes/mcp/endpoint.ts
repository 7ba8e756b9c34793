/** The endpoint of calls (I14): their cache keys, their results in the envelope of a message, and their refusals. */
import type { Refusal } from '../../serve/graphql/refusal.ts';
import type { Endpoint, EndpointRequest } from '../../serve/http/endpoint.ts';
import { lengthOf } from '../../serve/http/message.ts';
import { JSON_TYPE } from '../../serve/http/negotiation.ts';
import { RETRY_LATER } from '../../serve/http/replies.ts';
import type { Call } from './methods.ts';
import { CLOSING, CODES, type Fault, faultText, isFault, openingOf } from './protocol.ts';

export const PATH = '/mcp';

interface McpRequest extends EndpointRequest {
  readonly call: Call | Fault;
}

export const ENDPOINT: Endpoint<McpRequest> = {
  route: PATH,
  keyOf: ({ call }) => (isFault(call) ? '' : `${PATH} ${call.name} ${call.key}`),
  typeFor: () => JSON_TYPE,
  execute: async ({ call }, pinBasis) => {
    if (isFault(call)) throw new TypeError('expected a message that was read');
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
    if (isFault(call)) return reply;
    const body = [Buffer.concat([openingOf(call.message), ...reply.body, CLOSING])];
    const headers = reply.headers.map((value, at) => {
      const isLength = reply.headers[at - 1] === 'Content-Length';
      return isLength ? `${lengthOf(body)}` : value;
    });
    return { ...reply, headers, body };
  },
  refusalOptions: (refusal, { call }) => {
    if (isFault(call)) return { status: call.status, type: JSON_TYPE, body: faultText(call) };
    const body = faultText({ id: call.message.id, fault: faultOf(refusal) });
    if (refusal.code !== 'TIMEOUT') return { type: JSON_TYPE, body };
    return { type: JSON_TYPE, body, status: 503, headers: RETRY_LATER };
  },
};

function faultOf({ code, errors }: Refusal): Fault['fault'] {
  const isInternal = code === 'INTERNAL_SERVER_ERROR';
  return { code: isInternal ? CODES.internal : CODES.busy, message: errors[0]?.message ?? code };
}
