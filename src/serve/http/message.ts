/** A request and its reply as plain values, what handlers take and give, and putting a reply on the wire. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

export interface HttpRequest {
  readonly method: string;
  /** Up to the question mark, not decoded. */
  readonly path: string;
  /** Behind the question mark; empty when there is none. */
  readonly search: string;
  readonly headers: IncomingHttpHeaders;
  /** A3: read once, when the request was there as a whole. Milliseconds since 1970. */
  readonly arrivedAt: number;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Buffer;
  /** Behind the body, where several replies share that. */
  readonly ending?: Buffer | undefined;
}

/** Name, value, name, value …: the form that node:http writes fastest. */
export type HeaderList = readonly string[];

export const NO_BODY = Buffer.alloc(0);

/** That a page of another origin may read, besides those that it always may. */
export const EXPOSED_HEADERS = 'ETag, RateLimit, RateLimit-Policy, Retry-After';

/** On every reply, errors included (D5). Answers are public and carry no credentials, so any page may read them. */
export const COMMON_HEADERS: HeaderList = [
  ...['Access-Control-Allow-Origin', '*'],
  ...['Access-Control-Expose-Headers', EXPOSED_HEADERS],
  ...['X-Content-Type-Options', 'nosniff'],
];

/** Headers with several lines are joined by node:http except for a few, of which the first counts here. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** Into nothing, where the client has gone away in the meantime. `more`: headers of this one reply, besides its own. */
export function send(response: ServerResponse, reply: HttpReply, more?: HeaderList): void {
  if (response.destroyed) return;
  const { status, headers, body, ending } = reply;
  // Each list is copied once: it counts where an answer is at hand.
  response.writeHead(
    status,
    more === undefined ? [...headers, ...COMMON_HEADERS] : [...headers, ...more, ...COMMON_HEADERS],
  );
  if (ending === undefined) response.end(body);
  else {
    response.write(body);
    response.end(ending);
  }
}

/**
 * Sends a reply to a request whose body is not wanted, and hangs up. Hanging up while a client is still sending would
 * reset the connection, and it would never see the reply: so it may go on for a while, into nothing.
 */
export function sendAndHangUp(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: HttpReply,
): void {
  response.writeHead(status, [...headers, ...COMMON_HEADERS, 'Connection', 'close']);
  response.write(body);
  let rest = 0;
  const hangUp = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(hangUp, LINGER_MS);
  request.on('data', (chunk: Buffer) => {
    rest += chunk.length;
    if (rest > LINGER_BYTES) hangUp();
  });
  request.on('end', hangUp);
  request.on('close', hangUp);
  if (request.complete) hangUp();
}

const LINGER_MS = 2_000;
const LINGER_BYTES = 8 * 1_024 * 1_024;
