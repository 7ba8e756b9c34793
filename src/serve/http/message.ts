/**
 * A request and its reply as plain values, what handlers take and give; putting a reply on the wire; and what clients send
 * and accept (content negotiation, RFC 9110), each header text read once and remembered.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Log } from './log.ts';

export interface HttpRequest {
  readonly method: string;
  /** Up to the question mark, not decoded. */
  readonly path: string;
  /** Behind the question mark; empty when there is none. */
  readonly search: string;
  readonly headers: IncomingHttpHeaders;
  /** Address at the other end of the connection, which may be a proxy's. */
  readonly peer?: string | undefined;
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

/**
 * D10: what waits for clients that read slowly is bounded, all of them together. A body that is sent to several is in
 * memory once and counts once; what is cut first is the body that has been waiting for the longest.
 */
export interface Outflow {
  /** `more`: headers of this one reply. */
  readonly send: (response: ServerResponse, reply: HttpReply, more?: HeaderList) => void;
  /** Bytes of bodies that wait for somebody. */
  readonly bytes: () => number;
}

interface OutflowOptions {
  /** Bytes. */
  readonly most: number;
  readonly log: Pick<Log, 'warn'>;
  /** Milliseconds, of any beginning. */
  readonly clock?: () => number;
}

export function createOutflow({ most, log, clock = () => performance.now() }: OutflowOptions): Outflow {
  /** Who reads what, in the order in which the latest reader of each came. */
  const waiting = new Map<Buffer, Set<ServerResponse>>();
  let bytes = 0;
  let cut = 0;
  let warnedAt = Number.NEGATIVE_INFINITY;

  const leave = (response: ServerResponse, body: Buffer) => {
    const readers = waiting.get(body);
    if (!readers?.delete(response) || readers.size > 0) return;
    waiting.delete(body);
    bytes -= body.length;
  };

  const cutSlowest = () => {
    for (const [body, readers] of waiting) {
      if (bytes <= most) break;
      waiting.delete(body);
      bytes -= body.length;
      cut += readers.size;
      // Behind another response on its connection, one has no socket of its own yet.
      for (const { req } of readers) req.socket.destroy();
    }
    const now = clock();
    if (cut === 0 || now < warnedAt + WARN_EACH_MS) return;
    log.warn({ connections: cut, bytes: most }, 'connections cut: too many answers wait for slow readers');
    warnedAt = now;
    cut = 0;
  };

  return {
    send: (response, reply, more) => {
      send(response, reply, more);
      const { body } = reply;
      // Mostly all of it is in the kernel's hands by now.
      if (body.length < LEAST_COUNTED || response.writableLength === 0 || response.destroyed) return;
      const readers = waiting.get(body);
      if (readers === undefined) bytes += body.length;
      else waiting.delete(body);
      waiting.set(body, (readers ?? new Set()).add(response));
      response.once('close', () => leave(response, body));
      cutSlowest();
    },
    bytes: () => bytes,
  };
}

/** Bytes. The kernel takes as many for each connection anyway. */
const LEAST_COUNTED = 16 * 1_024;

/** Milliseconds. */
const WARN_EACH_MS = 60_000;

export const JSON_MEDIA = 'application/json';
export const GRAPHQL_MEDIA = 'application/graphql-response+json';
export type Media = typeof JSON_MEDIA | typeof GRAPHQL_MEDIA;

/** Content codings. */
export const CODINGS = ['identity', 'br', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** Header texts to remember: as many as there are kinds of clients, and a good deal more. */
const REMEMBERED = 500;
const LONGEST_REMEMBERED = 1_000;

/** What the reply calls itself: the newer type only for clients that name it and do not like plain JSON better. */
export const mediaFor = remembered((accept): Media => {
  const accepted = parseWeights(accept);
  const graphql = accepted.get(GRAPHQL_MEDIA);
  const json = accepted.get(JSON_MEDIA);
  if (graphql === undefined || graphql.weight === 0) return JSON_MEDIA;
  if (json === undefined || graphql.weight > json.weight) return GRAPHQL_MEDIA;
  return graphql.weight === json.weight && graphql.place < json.place ? GRAPHQL_MEDIA : JSON_MEDIA;
});

/** Whether HTML is asked for by name, as browsers do and scripts do not. */
export const acceptsHtml = remembered((accept) => (parseWeights(accept).get('text/html')?.weight ?? 0) > 0);

/** D7: the coding that the client likes best; of two it likes the same, the one that is smaller. */
export const codingFor = remembered((acceptEncoding): Coding => {
  const accepted = parseWeights(acceptEncoding);
  const others = accepted.get('*')?.weight;
  const weightOf = (coding: string) => accepted.get(coding)?.weight ?? others ?? 0;
  const weights: Readonly<Record<Coding, number>> = {
    br: weightOf('br'),
    gzip: Math.max(weightOf('gzip'), accepted.get('x-gzip')?.weight ?? 0),
    // Always possible, liked only when it is named.
    identity: accepted.get('identity')?.weight ?? 0,
  };
  const best = Math.max(weights.br, weights.gzip);
  if (best === 0 || weights.identity > best) return 'identity';
  return weights.br === best ? 'br' : 'gzip';
});

/**
 * D1: JSON in UTF-8, under its own name or as `application/…+json`. Forms and plain text are left out on purpose: those
 * are what a page can send without being asked first.
 */
export const isJson = remembered((contentType) => {
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  if (!JSON_TYPE.test(type.trim())) return false;
  return parameters.every((parameter) => {
    const [name = '', value = ''] = parameter.split('=');
    return name.trim() !== 'charset' || UTF8.test(value.trim());
  });
});

const JSON_TYPE = /^application\/([\w.-]+\+)?json$/;
const UTF8 = /^"?utf-?8"?$/;

function remembered<T extends string | boolean>(read: (header: string) => T): (header?: string) => T {
  const known = new LRUCache<string, T>({ max: REMEMBERED });
  return (header = '') => {
    const found = known.get(header);
    if (found !== undefined) return found;
    const value = read(header);
    if (header.length <= LONGEST_REMEMBERED) known.set(header, value);
    return value;
  };
}

interface Weighted {
  readonly weight: number;
  readonly place: number;
}

/** `a;q=0.5, b` as weights by name in lower case; the first mention counts. */
export function parseWeights(header: string): ReadonlyMap<string, Weighted> {
  const weights = new Map<string, Weighted>();
  for (const [place, item] of header.split(',').entries()) {
    const [name = '', ...parameters] = item.toLowerCase().split(';');
    const quality = parameters.map((text) => /^\s*q\s*=\s*(\S+)\s*$/.exec(text)?.[1]).find(Boolean);
    const weight = quality === undefined ? 1 : Math.min(Number(quality) || 0, 1);
    const key = name.trim();
    if (!weights.has(key)) weights.set(key, { weight, place });
  }
  return weights;
}
