/** Requests and replies as plain values for handlers, and how a reply is written. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

export interface HttpRequest {
  readonly method: string;
  /** The part of the URL before the question mark, not decoded. */
  readonly path: string;
  /** The part after the question mark; empty if there is none. */
  readonly search: string;
  readonly headers: IncomingHttpHeaders;
  /** Address at the other end of the connection, which may be a proxy's. */
  readonly peer?: string | undefined;
  /** A3, one clock a request: milliseconds since 1970, read once the whole request had arrived. */
  readonly arrivedAt: number;
  /** D14, bounded together: called before work that must be admitted; resolves to what is called after it. Rejects with OVERLOADED. */
  readonly enter?: () => Promise<() => void>;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: HeaderList;
  readonly body: Buffer;
  /** Slices that follow the first, if several replies share a body or it is long. */
  readonly more?: readonly Buffer[] | undefined;
}

/** Name, value, name, value …: the form that node:http writes fastest. */
export type HeaderList = readonly string[];

export const NO_BODY = Buffer.alloc(0);

/** Headers that pages of other origins may read, besides those that CORS always allows. */
export const EXPOSED_HEADERS = 'ETag, RateLimit, RateLimit-Policy, Retry-After';

/** Headers of every reply, errors included (D5, CORS). Answers are public and carry no credentials, so any page may read them. */
export const COMMON_HEADERS: HeaderList = [
  ...['Access-Control-Allow-Origin', '*'],
  ...['Access-Control-Expose-Headers', EXPOSED_HEADERS],
  ...['X-Content-Type-Options', 'nosniff'],
];

/** node:http joins repeated headers, except for a few: of those the first line counts here. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** Does nothing if the client has disconnected. `more`: headers of this reply besides its own. */
export function send(response: ServerResponse, reply: HttpReply, more?: HeaderList): void {
  if (response.destroyed) return;
  const { status, headers, body, more: rest } = reply;
  // Copies each list once: this shows in the time of a cached answer.
  response.writeHead(
    status,
    more === undefined ? [...headers, ...COMMON_HEADERS] : [...headers, ...more, ...COMMON_HEADERS],
  );
  if (rest === undefined) response.end(body);
  else {
    response.write(body);
    for (let place = 0; place < rest.length - 1; place++) response.write(rest[place]);
    response.end(rest.at(-1));
  }
}

/**
 * Sends a reply to a request whose body is not wanted, then hangs up. Hanging up while the client still sends would reset the connection
 * before it reads the reply. So what it sends is read and discarded for a while.
 */
export function sendAndHangUp(response: ServerResponse, { status, headers, body }: HttpReply): void {
  const request = response.req;
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

export function lengthOf(slices: readonly Buffer[]): number {
  let length = 0;
  for (const slice of slices) length += slice.length;
  return length;
}
