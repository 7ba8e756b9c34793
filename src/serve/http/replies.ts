/** Replies that need no calendar: refusals, by what a code means in HTTP, and small JSON. */
import type { ErrorCode } from '../../calendar/errors.ts';
import type { Refusal } from '../graphql/refusal.ts';
import type { HeaderList, HttpReply } from './message.ts';
import { type Coding, JSON_MEDIA, type Media } from './message.ts';
import { Content } from './representation.ts';

/** The interface's error table and D1. Codes that are not here never leave the server: they read as an internal error. */
export const STATUS: Partial<Readonly<Record<ErrorCode, number>>> = {
  BAD_REQUEST: 400,
  BAD_USER_INPUT: 200,
  GRAPHQL_PARSE_FAILED: 400,
  GRAPHQL_VALIDATION_FAILED: 400,
  QUERY_TOO_COMPLEX: 400,
  PERSISTED_QUERY_NOT_FOUND: 200,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  TIMEOUT: 200,
  INTERNAL_SERVER_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
};

/** How the client would like a refusal; without any wishes it is plain JSON. */
interface Accepted {
  readonly media?: Media;
  readonly coding?: Coding;
  readonly headers?: HeaderList;
}

export async function refusalReply(refusal: Refusal, accepted: Accepted = {}): Promise<HttpReply> {
  const { media = JSON_MEDIA, coding = 'identity', headers = [] } = accepted;
  const content = new Content({
    body: bodyOf(refusal),
    isTagged: false,
    headers: ['Cache-Control', 'no-store', ...headers],
  });
  const variant = { place: 0, type: typeOf(media), coding, ending: 0 };
  const { body, headers: all } = await content.representation(variant);
  return { status: statusOf(refusal), headers: all, body };
}

/** For where nothing can be waited for, and where nobody has said what they accept. */
export function plainRefusal(
  refusal: Refusal,
  { media = JSON_MEDIA, headers = [] }: Accepted = {},
): HttpReply {
  const body = bodyOf(refusal);
  return {
    status: statusOf(refusal),
    headers: [
      ...['Content-Type', typeOf(media), 'Content-Length', `${body.length}`],
      ...['Cache-Control', 'no-store'],
      ...headers,
    ],
    body,
  };
}

export function jsonReply(status: number, value: unknown): HttpReply {
  const body = Buffer.from(`${JSON.stringify(value)}\n`);
  const headers = ['Content-Type', typeOf(JSON_MEDIA), 'Content-Length', `${body.length}`];
  return { status, headers: [...headers, 'Cache-Control', 'no-store'], body };
}

const statusOf = ({ code }: Refusal): number => STATUS[code] ?? 500;

const typeOf = (media: Media): string => `${media}; charset=utf-8`;

function bodyOf({ errors }: Refusal): Buffer {
  return Buffer.from(JSON.stringify({ errors }));
}
