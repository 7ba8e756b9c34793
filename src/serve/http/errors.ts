/** What a code means in HTTP, and replies that refuse. */
import type { ErrorCode } from '../../calendar/errors.ts';
import type { Refusal } from '../graphql/refusal.ts';
import { type Coding, encode } from './coding.ts';
import { JSON_MEDIA, type Media } from './media.ts';
import { COMMON_HEADERS, type HeaderList, type HttpReply } from './message.ts';

/** The interface's error table and D1. Codes that are not here never leave the server: they read as an internal error. */
export const STATUS: Partial<Readonly<Record<ErrorCode, number>>> = {
  BAD_REQUEST: 400,
  BAD_USER_INPUT: 200,
  GRAPHQL_PARSE_FAILED: 400,
  GRAPHQL_VALIDATION_FAILED: 400,
  QUERY_TOO_COMPLEX: 400,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  HEADERS_TOO_LARGE: 431,
  TIMEOUT: 200,
  INTERNAL_SERVER_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
};

/** How the client would like a refusal; without a wish it is plain JSON. */
export interface Wish {
  readonly media?: Media;
  readonly coding?: Coding;
  readonly headers?: HeaderList;
}

export async function refusalReply(refusal: Refusal, wish: Wish = {}): Promise<HttpReply> {
  const { body, headers } = await encode(refusalBody(refusal), wish.coding ?? 'identity');
  return { ...plainRefusal(refusal, wish), headers: [...refusalHeaders(body, wish), ...headers], body };
}

/** For where nothing can be waited for, and where nobody has said what they accept. */
export function plainRefusal(refusal: Refusal, wish: Wish = {}): HttpReply {
  const body = refusalBody(refusal);
  return { status: STATUS[refusal.code] ?? 500, headers: refusalHeaders(body, wish), body };
}

function refusalBody({ errors }: Refusal): Buffer {
  return Buffer.from(JSON.stringify({ errors }));
}

function refusalHeaders(body: Buffer, { media = JSON_MEDIA, headers = [] }: Wish): HeaderList {
  return [
    ...['Content-Type', `${media}; charset=utf-8`],
    ...['Content-Length', `${body.length}`],
    ...['Cache-Control', 'no-store'],
    ...COMMON_HEADERS,
    ...headers,
  ];
}
