/**
 * Messages as plain values for handlers, how the bodies of requests are read and how replies are written. What one client makes the server
 * hold is bounded, and what all of them do: bodies that arrive slowly (D1, D14), and replies that are read slowly (D10).
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { OVERLOAD } from '../admission/semaphore.ts';
import { type Refusal, refuse } from '../graphql/refusal.ts';

export interface HttpRequest {
  readonly method: string;
  /** The part of the URL before the question mark, not decoded. */
  readonly path: string;
  /** The part after the question mark; empty if there is none. */
  readonly search: string;
  readonly headers: IncomingHttpHeaders;
  /** Address at the other end of the connection, which may be a proxy's. */
  readonly peer?: string | undefined;
  /** A3: milliseconds since 1970, read once the whole request had arrived. */
  readonly arrivedAt: number;
  /** D14: called before work that must be admitted; resolves to what is called after it. Rejects with OVERLOADED. */
  readonly enter?: () => Promise<() => void>;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: HeaderList;
  /** In slices, if it is long. Several replies may share a list. */
  readonly body: readonly Buffer[];
}

/** Name, value, name, value …: the form that node:http writes fastest. */
export type HeaderList = readonly string[];

export const NO_BODY: readonly Buffer[] = [];

/** Headers that pages of other origins may read, besides those that CORS always allows. */
export const EXPOSED_HEADERS = 'ETag, RateLimit, RateLimit-Policy, Retry-After';

/** Headers of every reply, errors included (D5). Answers are public and carry no credentials, so any page may read them. */
export const COMMON_HEADERS: HeaderList = [
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  EXPOSED_HEADERS,
  'X-Content-Type-Options',
  'nosniff',
];

/** node:http joins repeated headers, except for a few: of those the first line counts here. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** Does nothing if the client has disconnected. `more`: headers of this reply besides its own. */
export function send(response: ServerResponse, reply: HttpReply, more?: HeaderList): void {
  if (response.destroyed) return;
  const { status, headers, body } = reply;
  // Copies each list once: this shows in the time of a cached answer.
  response.writeHead(
    status,
    more === undefined ? [...headers, ...COMMON_HEADERS] : [...headers, ...more, ...COMMON_HEADERS],
  );
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

const LINGER_MS = 2_000;
const LINGER_BYTES = 8 * 1_024 * 1_024;

export function lengthOf(slices: readonly Buffer[]): number {
  return slices.reduce((length, slice) => length + slice.length, 0);
}

/** A short body in one piece of its own memory: a view into Node's pool, or into zlib's buffer, would keep all of that while it is cached. */
export function compact(slices: readonly Buffer[]): readonly Buffer[] {
  const length = lengthOf(slices);
  if (length > LONGEST_PIECE) return slices;
  const whole = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const slice of slices) at += slice.copy(whole, at);
  return [whole];
}

const LONGEST_PIECE = 64 * 1_024;

interface OutflowOptions {
  /** Most bytes that wait. */
  readonly most: () => number;
  /** Called with each connection that is closed. */
  readonly onCut: (reason: 'slow') => void;
}

/**
 * Bytes that wait for slow readers are bounded for all of them together. A body that several readers share is in memory once and counts
 * once; the body that has waited longest is cut first, and the newest always stays.
 */
export function createOutflow({ most, onCut }: OutflowOptions) {
  /** The readers of each body, in the order in which its latest reader came. */
  const waiting = new Map<HttpReply['body'], Set<ServerResponse>>();
  let bytes = 0;

  const forget = (body: HttpReply['body']) => {
    if (waiting.delete(body)) bytes -= lengthOf(body);
  };

  const cut = (limit: number, newest?: HttpReply['body']) => {
    for (const [body, readers] of waiting) {
      if (bytes <= limit || body === newest) return;
      forget(body);
      for (const { req } of readers) {
        // A response that waits for an earlier one on its connection has no socket yet.
        req.socket.destroy();
        onCut('slow');
      }
    }
  };

  return {
    /** `headers`: those of this reply besides its own. */
    send: (response: ServerResponse, reply: HttpReply, headers?: HeaderList) => {
      send(response, reply, headers);
      const { body } = reply;
      // Most bodies are in the kernel's buffers by now.
      if (response.writableLength < LEAST_COUNTED || response.req.socket.destroyed) return;
      const readers = waiting.get(body) ?? new Set();
      forget(body);
      waiting.set(body, readers.add(response));
      bytes += lengthOf(body);
      response.once('close', () => {
        const others = waiting.get(body);
        if (others?.delete(response) && others.size === 0) forget(body);
      });
      cut(most(), body);
    },
    /** Bytes of bodies that wait for their readers. */
    bytes: () => bytes,
    /** Disconnects the slowest readers until at most this many bytes wait. */
    cut,
  };
}

export type Outflow = ReturnType<typeof createOutflow>;

/** Bytes of a body that is not counted: the kernel buffers as many for each connection anyway, and one read of a socket gives as many. */
const LEAST_COUNTED = 16 * 1_024;

/** D1: bytes of one body. */
export const MAX_BODY_BYTES = 256 * 1_024;

const TOO_LARGE = refuse('PAYLOAD_TOO_LARGE', 'The body must not be larger than 256 KiB.');
const NO_ROOM = refuse('OVERLOADED', OVERLOAD.message);

/**
 * Calls back once, with the body, or with a refusal before the rest of it has come; never if the client disconnects before the end. Most
 * bodies are one chunk, which is then the result.
 */
export type ReadBody = (
  request: IncomingMessage,
  response: ServerResponse,
  onRead: (read: Buffer | Refusal) => void,
) => void;

interface Counted {
  bytes: number;
  readonly request: IncomingMessage;
  readonly refuse: (refusal: Refusal) => void;
}

/**
 * Bodies of requests are bounded each and all together: beyond that, the body that has been arriving for the longest is refused. Clients
 * send their bodies at once; a client that sends half and waits has the oldest.
 *
 * `most`: bytes of bodies that are arriving or whose requests are not answered, together.
 */
export function createReadBody(most: () => number): ReadBody {
  /** The oldest first. */
  const counted = new Set<Counted>();
  let bytes = 0;

  const forget = (one: Counted) => {
    if (counted.delete(one)) bytes -= one.bytes;
  };
  const makeRoom = () => {
    for (const one of counted) {
      if (bytes <= most()) return;
      // One that has arrived completely is answered soon.
      if (one.request.complete) continue;
      forget(one);
      one.refuse(NO_ROOM);
    }
  };

  return (request, response, onRead) => {
    if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return onRead(TOO_LARGE);
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > MAX_BODY_BYTES) one.refuse(TOO_LARGE);
      else if (length > LEAST_COUNTED) {
        if (one.bytes === 0) response.once('close', () => forget(one));
        counted.add(one);
        bytes += length - one.bytes;
        one.bytes = length;
        makeRoom();
      }
    };
    const onEnd = () => {
      const [only, ...more] = chunks;
      onRead(only !== undefined && more.length === 0 ? only : Buffer.concat(chunks));
    };
    const one: Counted = {
      bytes: 0,
      request,
      refuse: (refusal) => {
        request.off('data', onData).off('end', onEnd);
        chunks.length = 0;
        onRead(refusal);
      },
    };
    request.on('data', onData).on('end', onEnd);
  };
}
