/** node:http with the limits of D9, slow and broken clients, and JSON in place of the replies that it makes on its own. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import type { ErrorCode } from '../../calendar/errors.ts';
import { refuse } from '../graphql/refusal.ts';
import { type ConnectionLimits, connectionOf, limitConnections } from './connections.ts';
import { COMMON_HEADERS, type HttpReply, NO_BODY, send } from './message.ts';
import { plainRefusal } from './replies.ts';

export interface ServerLimits extends ConnectionLimits {
  /** Milliseconds for the headers of a request to arrive. */
  readonly headersTimeout: number;
  /** Milliseconds for a whole request to arrive. */
  readonly requestTimeout: number;
  /** Milliseconds between two checks of these times. */
  readonly connectionsCheckingInterval: number;
  /** Milliseconds that a connection may be idle: longer than a proxy keeps its own open, so that no connection is cut in use. */
  readonly keepAliveTimeout: number;
  /** Milliseconds without progress after which a client counts as gone, for example one that does not read its answer. */
  readonly idleTimeout: number;
  /** Bytes of a request's first line and headers: enough for queries in URLs. */
  readonly maxHeaderSize: number;
}

/** Values of D9 and D14, bounded together. */
const LIMITS: ServerLimits = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 65_000,
  idleTimeout: 30_000,
  maxHeaderSize: 16 * 1_024,
  maxConnections: () => Number.POSITIVE_INFINITY,
  onCut: () => undefined,
  clock: () => performance.now(),
};

export function createHttpServer(listener: RequestListener, limits: Partial<ServerLimits> = {}): Server {
  const receive: RequestListener = (request, response) => {
    const target = targetOf(request);
    if ('fault' in target) send(response, withClose(refusalOn('BAD_REQUEST', target.fault)));
    else if (target.url === '*') send(response, ANY_METHODS);
    else {
      request.url = target.url;
      // The target takes precedence over the header (RFC 9112).
      if (target.host !== undefined) request.headers.host = target.host;
      listener(request, response);
    }
  };
  // node:http would answer a missing Host with an empty body, and accepts two.
  const { idleTimeout, maxConnections, onCut, clock, ...rest } = { ...LIMITS, ...limits };
  const server = createServer({ ...rest, requireHostHeader: false });
  const listen = limitConnections(server, receive, { maxConnections, onCut, clock });
  server.on('request', listen);
  server.timeout = idleTimeout;
  // An unknown expectation may be ignored (RFC 9110), which is better than a bare 417.
  server.on('checkExpectation', listen);
  server.on('connect', (_request, socket: Socket) => hangUp(socket, CONNECT));
  server.on('clientError', (error: Error & { readonly code?: string }, socket: Socket) => {
    const connection = connectionOf(socket);
    if (connection?.isEnding) return;
    if (connection?.isInReply || error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else {
      if (connection !== null) connection.isEnding = true;
      hangUp(socket, FAULTS[error.code ?? ''] ?? MALFORMED);
    }
  });
  return server;
}

function refusalOn(code: ErrorCode, message: string): HttpReply {
  return plainRefusal(refuse(code, message));
}

const MALFORMED = refusalOn('BAD_REQUEST', 'The request is not well-formed HTTP.');

/** Replies by node:http's error codes. */
const FAULTS: Readonly<Record<string, HttpReply>> = {
  ERR_HTTP_REQUEST_TIMEOUT: refusalOn('REQUEST_TIMEOUT', 'The request took too long to arrive.'),
  HPE_HEADER_OVERFLOW: refusalOn('HEADERS_TOO_LARGE', 'The URL and headers are too long together.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: refusalOn('PAYLOAD_TOO_LARGE', 'The chunk extensions are too long.'),
};

/** `OPTIONS *` concerns the server, not a path. */
const ANY_METHODS: HttpReply = {
  status: 204,
  headers: ['Allow', 'GET, HEAD, POST, OPTIONS'],
  body: NO_BODY,
};

const CONNECT = refusalOn('METHOD_NOT_ALLOWED', 'CONNECT is not allowed: this is no proxy.');

function withClose(reply: HttpReply): HttpReply {
  return { ...reply, headers: [...reply.headers, 'Connection', 'close'] };
}

/**
 * For a connection that has no response to write to. Closing it at once would reset it before a client that still sends has read the
 * reply: so it stays open for a moment.
 */
function hangUp(socket: Socket, reply: HttpReply): void {
  const { status, headers, body } = withClose(reply);
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, `Date: ${new Date().toUTCString()}`];
  const all = [...headers, ...COMMON_HEADERS];
  for (let at = 0; at < all.length; at += 2) lines.push(`${all[at]}: ${all[at + 1]}`);
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
  const timer = setTimeout(() => socket.destroy(), HANG_UP_MS);
  socket.once('close', () => clearTimeout(timer));
}

const HANG_UP_MS = 1_000;

/**
 * The first line and the `Host` of a request (RFC 9112, section 3), read once: later code sees a path and a query in one form that cannot
 * be read in two ways. The result is a path with its query, or `*` for the server as a whole, and the host if the target names it.
 */
type Target = { readonly url: string; readonly host?: string } | { readonly fault: string };

function targetOf({ method, url = '', httpVersion, rawHeaders }: IncomingMessage): Target {
  const hosts = countHosts(rawHeaders);
  if (hosts === 0 && httpVersion === '1.1') return { fault: 'The request has no Host header.' };
  if (hosts > 1) return { fault: 'The request has more than one Host header.' };
  if (url.startsWith('/')) return { url: withoutFragment(url) };
  if (url === '*' && method === 'OPTIONS') return { url };
  const [, host, path] = ABSOLUTE.exec(url) ?? [];
  if (host === undefined || path === undefined) {
    return { fault: 'The request target must be a path, or an http URL.' };
  }
  return { url: withoutFragment(path.startsWith('/') ? path : `/${path}`), host };
}

function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === HOST.length && name.toLowerCase() === HOST) count++;
  }
  return count;
}

const HOST = 'host';

/** The authority, which must not be empty, and the rest. */
const ABSOLUTE = /^https?:\/\/([^/?#\s\\]+)(.*)$/is;

/** Only browsers use fragments: here a number sign is an ordinary character, so it is escaped for later readers of the URL. */
const withoutFragment = (url: string): string => (url.includes('#') ? url.replaceAll('#', '%23') : url);

// The names that this server listens under, with its port: a `Host` must be one of them to appear in a page or a feed.

const names = new Set<string>();
let local = 'localhost:4000';

/** Called when the server listens. `host`: null for all addresses of the machine. */
export function listenUnder(host: string | null, port: number): void {
  const own = host === null ? [hostname(), ...addresses(), '::1', '127.0.0.1'] : [host];
  local = `localhost:${port}`;
  for (const name of ['localhost', ...own]) {
    const written = (name.includes(':') ? `[${name}]` : name).toLowerCase();
    names.add(`${written}:${port}`);
    // A client omits a port that its protocol implies.
    if (port === 80 || port === 443) names.add(written);
  }
}

/** `host`: in lower case. */
export const isOwnName = (host: string): boolean => names.has(host);

/** The address under which the same machine can reach it. */
export const localName = (): string => local;

function addresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
}
