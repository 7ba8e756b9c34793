/**
 * What node:http calls for each request. Finished answers go out from here, before anything else is entered; all other
 * requests go on, with their bodies read where they have a use.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { ErrorCode } from '../../calendar/errors.ts';
import { refuse } from '../graphql/refusal.ts';
import type { Attribute, Attribution } from '../identity/attribution.ts';
import { readBody } from './body.ts';
import { callerOf } from './callers.ts';
import type { Endpoint, EndpointRequest } from './endpoint.ts';
import { plainRefusal } from './errors.ts';
import { refusalByHeaders } from './gate.ts';
import { NO_BODY } from './message.ts';
import { send, sendAndHangUp } from './send.ts';

export const GRAPHQL_PATH = '/graphQL';

/** What is told of each request once its reply is made. No key and no query text is ever in it. */
export interface Traffic {
  readonly method: string;
  /** As in the router, such as `/graphQL`; null for a path that there is not. */
  readonly route: string | null;
  readonly status: number;
  readonly caller: Attribution;
  readonly operationName: string | undefined;
  /** Whether an earlier request's answer was used. */
  readonly reused: boolean;
  /** From the last byte of the request to the reply, of work and waiting. */
  readonly milliseconds: number;
}
