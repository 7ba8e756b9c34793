/** Replies that are not answers: refusals, with the status of their code, and small JSON. */
import type { ErrorCode } from '../../calendar/errors.ts';
import type { Refusal } from '../graphql/refusal.ts';
import type { HeaderList, HttpReply } from './message.ts';
import { JSON_TYPE } from './negotiation.ts';
import { createRepresentation, type Variant } from './representation.ts';

/** The interface's error table and D1. Any other code never leaves the server: clients get an internal error. */
export const STATUS: Partial<Readonly<Record<ErrorCode, number>>> = {
  BAD_REQUEST: 400,
  BAD_USER_INPUT: 200,
  GRAPHQL_PARSE_FAILED: 400,
  GRAPHQL_VALIDATION_FAILED: 400,
  QUERY_TOO_COMPLEX: 400,
  GONE: 410,
  PERSISTED_QUERY_NOT_FOUND: 200,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  OVERLOADED: 503,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  TIMEOUT: 200,
  INTERNAL_SERVER_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
};

/** After this many seconds, a request that failed for a passing reason may succeed. */
export const RETRY_LATER: HeaderList = ['Retry-After', '5'];

/** Headers of refusals after which a client may try again. */
const RETRY_AFTER: Partial<Readonly<Record<ErrorCode, HeaderList>>> = {
  OVERLOADED: ['Retry-After', '1'],
  SERVICE_UNAVAILABLE: RETRY_LATER,
};

/** Options for sending a refusal; by default it is plain JSON. */
export interface RefusalOptions extends Partial<Variant> {
  readonly headers?: HeaderList;
  /** In place of the code's status. */
  readonly status?: number | undefined;
  /** In place of JSON. */
  readonly body?: Buffer | undefined;
}

export async function refusalReply(refusal: Refusal, options: RefusalOptions = {}): Promise<HttpReply> {
  const {
    type = JSON_TYPE,
    coding = 'identity',
    status = statusOf(refusal),
    body = bodyOf(refusal),
  } = options;
  const all = ['Cache-Control', 'no-store', ...retryOf(refusal), ...(options.headers ?? [])];
  const content = { body: [body], isTagged: false, headers: all };
  const representation = await createRepresentation(content, { type, coding });
  return { status, headers: representation.headers, body: representation.body };
}

/** Synchronous, and the same whatever the client accepts. */
export function plainRefusal(
  refusal: Refusal,
  { headers = [], status = statusOf(refusal) }: Pick<RefusalOptions, 'headers' | 'status'> = {},
): HttpReply {
  return plainReply(status, bodyOf(refusal), [...retryOf(refusal), ...headers]);
}

export function jsonReply(status: number, value: unknown, headers: HeaderList = []): HttpReply {
  return plainReply(status, Buffer.from(`${JSON.stringify(value)}\n`), headers);
}

function plainReply(status: number, body: Buffer, headers: HeaderList): HttpReply {
  const entity = ['Content-Type', JSON_TYPE, 'Content-Length', `${body.length}`];
  return { status, headers: [...entity, 'Cache-Control', 'no-store', ...headers], body: [body] };
}

const statusOf = ({ code }: Refusal): number => STATUS[code] ?? 500;

const retryOf = ({ code }: Refusal): HeaderList => RETRY_AFTER[code] ?? [];

const bodyOf = ({ errors }: Refusal): Buffer => Buffer.from(JSON.stringify({ errors }));
