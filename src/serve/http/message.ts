/**
 * Requests and replies as plain values for handlers; reading bodies and writing replies, each bounded for all clients together; and
 * content negotiation (RFC 9110).
 */

import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import Negotiator from 'negotiator';
import type { Log } from '../../calendar/log.ts';
import { onceOver } from './connections.ts';

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
  /** D14: called before work that takes the gate; returns what is called after it. Rejects with OVERLOADED. */
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

/** Headers of every reply, errors included (D5). Answers are public and carry no credentials, so any page may read them. */
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

/**
 * D10: bytes that wait for slow readers are bounded for all of them together. A body that several readers share is in memory once and
 * counts once; the body that has waited longest is cut first.
 */
export interface Outflow {
  /** `more`: headers of this reply besides its own. */
  readonly send: (response: ServerResponse, reply: HttpReply, more?: HeaderList) => void;
  /** Bytes of bodies that wait for their readers. */
  readonly bytes: () => number;
  /** Disconnects the slowest readers until at most `most` bytes wait. */
  readonly cut: (most: number) => void;
}

interface OutflowOptions {
  /** Most bytes that wait. */
  readonly most: () => number;
  readonly log: Pick<Log, 'warn'>;
  /** Milliseconds since any fixed time. */
  readonly clock?: () => number;
}

interface Waiting {
  readonly bytes: number;
  readonly readers: Set<ServerResponse>;
}

export function createOutflow({ most, log, clock = () => performance.now() }: OutflowOptions): Outflow {
  /** The readers of each body, in the order in which its latest reader came. */
  const waiting = new Map<Buffer, Waiting>();
  let bytes = 0;
  let cutSince = 0;
  let warnedAt = Number.NEGATIVE_INFINITY;

  const leave = (response: ServerResponse, body: Buffer) => {
    const one = waiting.get(body);
    if (!one?.readers.delete(response) || one.readers.size > 0) return;
    waiting.delete(body);
    bytes -= one.bytes;
  };

  const cut = (limit: number) => {
    for (const [body, one] of waiting) {
      if (bytes <= limit) break;
      waiting.delete(body);
      bytes -= one.bytes;
      cutSince += one.readers.size;
      // A response that waits for an earlier one on its connection has no socket yet.
      for (const { req } of one.readers) req.socket.destroy();
    }
    const now = clock();
    if (cutSince === 0 || now < warnedAt + WARN_EACH_MS) return;
    log.warn(
      { connections: cutSince, bytes: limit },
      'connections cut: too many answers wait for slow readers',
    );
    warnedAt = now;
    cutSince = 0;
  };

  return {
    send: (response, reply, headers) => {
      send(response, reply, headers);
      const { body, more = NOTHING_MORE } = reply;
      // Most bodies are in the kernel's buffers by now.
      if (response.writableLength < LEAST_COUNTED || response.req.socket.destroyed) return;
      const one = waiting.get(body) ?? { bytes: body.length + lengthOf(more), readers: new Set() };
      if (!waiting.delete(body)) bytes += one.bytes;
      one.readers.add(response);
      waiting.set(body, one);
      onceOver(response, () => leave(response, body));
      cut(most());
    },
    bytes: () => bytes,
    cut,
  };
}

const NOTHING_MORE: readonly Buffer[] = [];

export function lengthOf(slices: readonly Buffer[]): number {
  let length = 0;
  for (const slice of slices) length += slice.length;
  return length;
}

/** Bytes. The kernel buffers as many for each connection anyway. */
const LEAST_COUNTED = 16 * 1_024;

/** Milliseconds between two warnings. */
const WARN_EACH_MS = 60_000;

export const JSON_MEDIA = 'application/json';
export const GRAPHQL_MEDIA = 'application/graphql-response+json';
export type Media = typeof JSON_MEDIA | typeof GRAPHQL_MEDIA;

/** Content codings. */
export const CODINGS = ['identity', 'br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** The newer media type, only for clients that name it and do not prefer plain JSON. */
export function mediaFor(accept = ''): Media {
  if (!accept.includes(GRAPHQL_MEDIA)) return JSON_MEDIA;
  const liked = new Negotiator({ headers: { accept } }).mediaType([JSON_MEDIA, GRAPHQL_MEDIA]);
  return liked === GRAPHQL_MEDIA ? GRAPHQL_MEDIA : JSON_MEDIA;
}

/** Whether the client names HTML, as browsers do and scripts do not. */
export function acceptsHtml(accept: string | undefined): boolean {
  return accept !== undefined && new Negotiator({ headers: { accept } }).mediaTypes().includes('text/html');
}

/** Language ranges, the most preferred first. */
export function acceptedLanguages(acceptLanguage: string): readonly string[] {
  return new Negotiator({ headers: { 'accept-language': acceptLanguage } }).languages();
}

/** D7: the coding that the client prefers; between equals, the one that gives the smaller body. */
export function codingFor(acceptEncoding?: string): Coding {
  if (acceptEncoding === undefined) return 'identity';
  const negotiator: Negotiating = new Negotiator({ headers: { 'accept-encoding': acceptEncoding } });
  const liked = negotiator.encoding(OFFERED, { preferred: OFFERED });
  return CODINGS.find((coding) => coding === liked) ?? (liked === 'x-gzip' ? 'gzip' : 'identity');
}

/** An option that the package's types do not have yet. */
interface Negotiating {
  readonly encoding: (
    offered: readonly string[],
    options: { readonly preferred: readonly string[] },
  ) => string | undefined;
}

/** Smallest first; RFC 9110 has two names for gzip. */
const OFFERED = ['br', 'gzip', 'x-gzip', 'identity'];

/**
 * D1: JSON in UTF-8, under its own name or as `application/…+json`. Forms and plain text are excluded: a page can send those without a
 * preflight.
 */
export function isJson(contentType = ''): boolean {
  if (contentType === JSON_MEDIA) return true;
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  if (!JSON_TYPE.test(type.trim())) return false;
  return parameters.every((parameter) => {
    const [name = '', value = ''] = parameter.split('=');
    return name.trim() !== 'charset' || UTF8.test(value.trim());
  });
}

const JSON_TYPE = /^application\/([\w.-]+\+)?json$/;
const UTF8 = /^"?utf-?8"?$/;

// Request bodies are bounded each (D1) and all together (D14): beyond that, the body that has been arriving for the longest is refused.
// Clients send their bodies at once; a client that sends half and waits has the oldest.

/** D1: bytes of one body. */
export const MAX_BODY_BYTES = 256 * 1_024;
/** Bytes of a body that is not counted: one read of a socket gives as many, and at most a few such bodies wait. */
const LEAST_BODY_COUNTED = 16 * 1_024;

interface BodyListener {
  readonly onBody: (body: Buffer) => void;
  /** Called once, before the rest of the body has come. */
  readonly onTooLarge: () => void;
  /** Called once, in place of the others. */
  readonly onNoRoom: () => void;
}

export interface BodyReader {
  /** Most bodies are one chunk, which is then the result. If the client disconnects before the end, no callback is called. */
  readonly read: (request: IncomingMessage, response: ServerResponse, listener: BodyListener) => void;
  /** Bytes of bodies that are arriving or whose requests are not answered. */
  readonly bytes: () => number;
}

export function createBodyReader({ most }: { readonly most: () => number }): BodyReader {
  /** Bodies that are counted, the oldest first. */
  const counted = new Map<IncomingMessage, Counted>();
  let bytes = 0;

  const forget = (request: IncomingMessage) => {
    bytes -= counted.get(request)?.length ?? 0;
    counted.delete(request);
  };

  const makeRoom = () => {
    for (const [request, { refuse }] of counted) {
      if (bytes <= most()) return;
      // A body that has arrived completely is answered soon.
      if (refuse === undefined) continue;
      forget(request);
      refuse();
    }
  };

  const count = (request: IncomingMessage, response: ServerResponse, one: Counted) => {
    const before = counted.get(request);
    if (before === undefined) onceOver(response, () => forget(request));
    bytes += one.length - (before?.length ?? 0);
    counted.set(request, one);
    makeRoom();
  };

  return {
    bytes: () => bytes,
    read: (request, response, { onBody, onTooLarge, onNoRoom }) => {
      if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
        request.resume();
        onTooLarge();
        return;
      }
      let chunks: Buffer[] = [];
      let length = 0;
      let isOver = false;
      const end = (listener: () => void) => {
        isOver = true;
        chunks = [];
        listener();
      };
      request.on('data', (chunk: Buffer) => {
        if (isOver) return;
        length += chunk.length;
        if (length > MAX_BODY_BYTES) return end(onTooLarge);
        chunks.push(chunk);
        if (length > LEAST_BODY_COUNTED) count(request, response, { length, refuse: () => end(onNoRoom) });
      });
      request.on('end', () => {
        if (isOver) return;
        if (length > LEAST_BODY_COUNTED) count(request, response, { length, refuse: undefined });
        const [only = NO_BODY, ...more] = chunks;
        onBody(more.length === 0 ? only : Buffer.concat(chunks, length));
      });
    },
  };
}

interface Counted {
  readonly length: number;
  /** Undefined once the body has arrived completely. */
  readonly refuse: (() => void) | undefined;
}
