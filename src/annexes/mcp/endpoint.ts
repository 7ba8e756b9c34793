/** The endpoint of calls (I14): their cache keys, their results in the envelope of a message, and the refusals of calls and of faults. */
import type { ErrorCode } from '../../calendar/errors.ts';
import type { Refusal } from '../../serve/graphql/refusal.ts';
import type { Endpoint, EndpointRequest, RefusalEndpoint } from '../../serve/http/endpoint.ts';
import { JSON_TYPE } from '../../serve/http/negotiation.ts';
import { RETRY_LATER, type RefusalOptions } from '../../serve/http/replies.ts';
import { withBody } from '../../serve/http/reply-body.ts';
import type { Call } from './methods.ts';
import { CLOSING, CODES, type Fault, faultText, type Id, openingOf } from './protocol.ts';

export const PATH = '/mcp';

interface CallRequest extends EndpointRequest {
  readonly call: Call;
}

export const CALLS: Endpoint<CallRequest> = {
  route: PATH,
  keyOf: ({ call }) => `${PATH} ${call.name} ${call.key}`,
  typeFor: () => JSON_TYPE,
  execute: async ({ call }, pinBasis) => {
    const { json, isError } = await call.answer(pinBasis);
    return {
      body: [Buffer.from(json)],
      isTagged: false,
      headers: [],
      operationName: undefined,
      rootField: call.name,
      hasErrors: isError,
      dependsOnDay: true,
    };
  },
  envelope: (reply, { call }) =>
    withBody(reply, [Buffer.concat([openingOf(call.message), ...reply.body, CLOSING])]),
  refusalOptions: (refusal, { call }) => optionsOf(refusal, call.message.id),
};

interface FaultyRequest extends EndpointRequest {
  readonly fault: Fault;
}

/** For messages that are no calls: they count in the quota and in the access log. */
export const FAULTS: RefusalEndpoint<FaultyRequest> = {
  route: PATH,
  typeFor: () => JSON_TYPE,
  refusalOptions: (refusal, { fault }) => {
    if (refusal.code === 'RATE_LIMITED') return optionsOf(refusal, fault.id);
    return { type: JSON_TYPE, status: fault.status, body: faultText(fault) };
  },
};

/** `id`: the message's. */
function optionsOf(refusal: Refusal, id: Id): RefusalOptions {
  const body = faultText({ id, fault: faultOf(refusal) });
  if (refusal.code !== 'TIMEOUT') return { type: JSON_TYPE, body };
  return { type: JSON_TYPE, body, status: 503, headers: RETRY_LATER };
}

function faultOf({ code, errors }: Refusal): Fault['fault'] {
  const number = CODES[NAMES[code] ?? 'internal'];
  return { code: number, message: errors[0]?.message ?? code };
}

/** Errors of JSON-RPC for the codes of refusals; any other is the server's fault. */
const NAMES: Readonly<Partial<Record<ErrorCode, keyof typeof CODES>>> = {
  OVERLOADED: 'busy',
  RATE_LIMITED: 'busy',
  SERVICE_UNAVAILABLE: 'busy',
  TIMEOUT: 'busy',
  QUERY_TOO_COMPLEX: 'invalidParams',
};
