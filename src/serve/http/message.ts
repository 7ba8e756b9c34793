/** HTTP messages as plain values for handlers, and how replies are sent. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

/** The methods of all paths together, in the order in which replies list them. */
export const METHODS = ['GET', 'HEAD', 'POST'];

export interface HttpRequest {
  readonly method: string;
  /** The part of the URL before the question mark, not decoded. */
  readonly path: string;
  /** The part after the question mark; empty if there is none. */
  readonly search: string;
  readonly headers: IncomingHttpHeaders;
  /** Address at the other end of the connection, which may be a proxy's. */
  readonly peer?: string | undefined;
  /** A3: milliseconds since 1970, read once the whole request had arrived. See `secondOf`. */
  readonly arrivedAt: number;
  /** D14: called before work that must be admitted; resolves to what is called after it. Rejects with OVERLOADED. */
  readonly enter?: () => Promise<() => void>;
}

/** A3: the instant of a request, in whole seconds. */
export function secondOf({ arrivedAt }: Pick<HttpRequest, 'arrivedAt'>): number {
  return Math.floor(arrivedAt / 1_000);
}

export interface HttpReply {
  readonly status: number;
  readonly headers: HeaderList;
  /** In slices, if it is long. Several replies may share a list. */
  readonly body: readonly Buffer[];
}

/** Name, value, name, value …: the form that node:http writes fastest. */
export type HeaderList = readonly string[];

/** A header that is undefined is left out. */
export function headerList(headers: Readonly<Record<string, string | undefined>>): HeaderList {
  return Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [name, value]));
}

export const NO_BODY: readonly Buffer[] = [];

/** Headers that pages of other origins may read, besides those that CORS always allows. */
export const EXPOSED_HEADERS = 'ETag, Link, RateLimit, RateLimit-Policy, Retry-After';

/** Headers of every reply, errors included (D5). Answers are public and carry no credentials, so any page may read them. */
export const COMMON_HEADERS: HeaderList = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  EXPOSED_HEADERS,
  'X-Content-Type-Options',
  'nosniff',
];

/** node:http joins repeated headers, except for a few: of those, only the first line counts here. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** Does nothing if the client has disconnected. `more`: headers of this reply besides its own. */
export function send(response: ServerResponse, reply: HttpReply, more?: HeaderList): void {
  if (response.destroyed) return;
  const { status, headers, body } = reply;
  // Copies each list once: this shows in the time of a cached answer.
  const all = more === undefined ? [...headers, ...COMMON_HEADERS] : [...headers, ...more, ...COMMON_HEADERS];
  response.writeHead(status, all);
  for (const slice of body.slice(0, -1)) response.write(slice);
  response.end(body.at(-1));
}

/**
 * Sends a reply to a request whose body is not wanted, then hangs up. Hanging up while the client still sends would reset the connection
 * before it reads the reply. So what it sends is read and discarded for a while.
 */
export function sendAndHangUp(response: ServerResponse, { status, headers, body }: HttpReply): void {
  response.writeHead(status, [...headers, ...COMMON_HEADERS, 'Connection', 'close']);
  response.write(Buffer.concat(body));
  const { req } = response;
  const hangUp = () => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(hangUp, LINGER_MS);
  const most = req.socket.bytesRead + LINGER_BYTES;
  req.on('data', () => req.socket.bytesRead > most && hangUp()).once('close', hangUp);
}

/** Milliseconds and bytes for which the rest of such a request is read. */
const LINGER_MS = 2_000;
const LINGER_BYTES = 8 * 1_024 * 1_024;
