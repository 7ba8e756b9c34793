/** node:http with the limits of D9, and with JSON instead of its own replies. */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorCode } from '../../calendar/errors.ts';
import { refuse } from '../graphql/refusal.ts';
import { connectionOf, limitConnections, type OnCut } from './connections.ts';
import { COMMON_HEADERS, type HttpReply, METHODS, NO_BODY, send } from './message.ts';
import { plainRefusal } from './replies.ts';

/** Values of D9 and D14; times are in milliseconds. */
const LIMITS = {
  /** The headers of a request have to arrive within this time. */
  headersTimeout: 10_000,
  /** A whole request has to arrive within this time. */
  requestTimeout: 15_000,
  /** The time between two checks of the limits above. */
  connectionsCheckingInterval: 1_000,
  /** A connection may be idle for this time. Proxies close their idle connections sooner, so the server does not close one that is in use. */
  keepAliveTimeout: 65_000,
  /** A client that makes no progress for this time counts as gone, for example because it does not read its response. */
  idleTimeout: 30_000,
  /** The most bytes of a request's first line and headers: enough for queries in URLs. */
  maxHeaderSize: 16 * 1_024,
  /** The most connections at a time. */
  maxConnections: () => Number.POSITIVE_INFINITY,
};

export type ServerLimits = Readonly<typeof LIMITS>;

interface ServerOptions {
  readonly limits?: Partial<ServerLimits>;
  /** Called with each connection that is closed for the sake of others. */
  readonly onCut?: OnCut;
  /** Milliseconds since any fixed time. */
  readonly clock?: () => number;
}

export function createHttpServer(listener: RequestListener, options: ServerOptions = {}): Server {
  const { onCut = () => undefined, clock = () => performance.now() } = options;
  const { idleTimeout, maxConnections, ...rest } = { ...LIMITS, ...options.limits };
  // node:http would answer a missing Host with an empty body, and accepts two.
  const server = createServer({ ...rest, requireHostHeader: false });
  const receive: RequestListener = (request, response) => {
    const reply = normalise(request);
    if (reply === undefined) listener(request, response);
    else send(response, reply);
  };
  const listen = limitConnections(server, receive, { maxConnections, onCut, clock });
  server.on('request', listen);
  server.timeout = idleTimeout;
  // An unknown expectation may be ignored (RFC 9110), which is better than a bare 417.
  server.on('checkExpectation', listen);
  server.on('connect', (_request, socket: Socket) => hangUp(socket, CONNECT));
  server.on('clientError', (error: Error & { readonly code?: string }, socket: Socket) => {
    const connection = connectionOf(socket);
    if (connection?.isEnding) return;
    const canReply = !connection?.isInReply && error.code !== 'ECONNRESET' && socket.writable;
    if (!canReply) {
      socket.destroy();
      return;
    }
    if (connection !== undefined) connection.isEnding = true;
    hangUp(socket, FAULTS[error.code ?? ''] ?? MALFORMED);
  });
  return server;
}

function closing(code: ErrorCode, message: string): HttpReply {
  return plainRefusal(refuse(code, message), { headers: ['Connection', 'close'] });
}

const MALFORMED = closing('BAD_REQUEST', 'The request is not well-formed HTTP.');

/** Replies by node:http's error codes. */
const FAULTS: Readonly<Record<string, HttpReply>> = {
  ERR_HTTP_REQUEST_TIMEOUT: closing('REQUEST_TIMEOUT', 'The request took too long to arrive.'),
  HPE_HEADER_OVERFLOW: closing('HEADERS_TOO_LARGE', 'The URL and the headers together are too long.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: closing('PAYLOAD_TOO_LARGE', 'The chunk extensions are too long.'),
};

const CONNECT = closing('METHOD_NOT_ALLOWED', 'CONNECT is not allowed: this server is not a proxy.');

/**
 * Sends the last reply on a connection that has no response object. If the connection were closed at once, it would be reset before a client
 * that is still sending has read the reply. Therefore, it stays open for a moment.
 */
function hangUp(socket: Socket, { status, headers, body }: HttpReply): void {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, `Date: ${new Date().toUTCString()}`];
  const all = [...headers, ...COMMON_HEADERS];
  for (let at = 0; at < all.length; at += 2) lines.push(`${all[at]}: ${all[at + 1]}`);
  socket.end(`${lines.join('\r\n')}\r\n\r\n${Buffer.concat(body)}`);
  const timer = setTimeout(() => socket.destroy(), HANG_UP_MS);
  socket.once('close', () => clearTimeout(timer));
}

/** Milliseconds until such a connection is closed. */
const HANG_UP_MS = 1_000;

/**
 * Brings the first line and the `Host` of a request (RFC 9112, section 3) into one form that cannot be read in two ways: a path with its
 * query. Returns the reply to a request that has none.
 */
function normalise(request: IncomingMessage): HttpReply | undefined {
  const { method, url = '', httpVersion, rawHeaders } = request;
  const hosts = rawHeaders.filter(isHostName).length;
  if (hosts === 0 && httpVersion === '1.1') return NO_HOST;
  if (hosts > 1) return TWO_HOSTS;
  if (url === '*' && method === 'OPTIONS') return ANY_METHODS;
  let path = url;
  if (!url.startsWith('/')) {
    const [, host, rest] = ABSOLUTE.exec(url) ?? [];
    if (rest === undefined) return NO_PATH;
    // The target takes precedence over the header.
    request.headers.host = host;
    path = rest.startsWith('/') ? rest : `/${rest}`;
  }
  // Only browsers use fragments: here a number sign is an ordinary character, so it is escaped for later readers of the URL.
  request.url = path.replaceAll('#', '%23');
  return undefined;
}

/** Whether a text of `rawHeaders`, where each name precedes its value, is the name of this header. */
function isHostName(text: string, at: number): boolean {
  return at % 2 === 0 && text.length === HOST.length && text.toLowerCase() === HOST;
}

const HOST = 'host';
const NO_HOST = closing('BAD_REQUEST', 'The request has no Host header.');
const TWO_HOSTS = closing('BAD_REQUEST', 'The request has more than one Host header.');
const NO_PATH = closing('BAD_REQUEST', 'The request target must be a path, or an http URL.');

/** `OPTIONS *` concerns the server, not a path. */
const ANY_METHODS: HttpReply = {
  status: 204,
  headers: ['Allow', [...METHODS, 'OPTIONS'].join(', ')],
  body: NO_BODY,
};

/** The authority, which must not be empty, and the rest. */
const ABSOLUTE = /^https?:\/\/([^/?#\s\\]+)(.*)$/is;
