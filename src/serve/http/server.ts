/**
 * node:http with the limits of D9, slow and broken clients, and JSON in place of the replies that it makes on its own; and the connections
 * of a server (D14, bounded together): which of them make room for newcomers once there are too many, and how many requests of each are
 * under way. Node's own `maxConnections` turns away every newcomer as soon as one client holds all connections.
 */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Socket } from 'node:net';
import type { ErrorCode } from '../../calendar/errors.ts';
import { inTurn } from '../admission/admission.ts';
import { refuse } from '../graphql/refusal.ts';
import { networkOf } from './caller.ts';
import { COMMON_HEADERS, type HttpReply, NO_BODY, send } from './message.ts';
import { plainRefusal } from './replies.ts';

export interface ServerLimits {
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
  /** Connections at a time. */
  readonly maxConnections: () => number;
  /** Called with each connection that is closed for the sake of others. */
  readonly onCut: OnCut;
  /** Milliseconds since any fixed time. */
  readonly clock: () => number;
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
    const connection = connections.get(socket);
    if (connection?.isEnding) return;
    if (connection?.isInReply || error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else {
      if (connection !== undefined) connection.isEnding = true;
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
  socket.end(`${lines.join('\r\n')}\r\n\r\n${Buffer.concat(body)}`);
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

export type OnCut = (reason: CutReason) => void;

/**
 * What a connection is doing, in the order in which they make room: its request is not whole; it waits for its next request; its client
 * does not read the answer; it is being answered, or has a moment to send its request.
 */
const KINDS = ['incomplete', 'idle', 'unread', 'busy'] as const;
type Kind = (typeof KINDS)[number];

/**
 * `refused`: a newcomer for whom nobody could make room. `slow`: answers that wait for readers take too much memory (D10, size of answers).
 */
export type CutReason = Kind | 'refused' | 'slow';

/** Milliseconds for a client to send its request, or to read on, before its connection may be closed first. */
const GRACE_MS = 1_000;
/** One of so many connections more than necessary is closed at once: choosing them looks at all. */
const SPARE = 1 / 50;
/** Requests of one connection that are answered at a time. */
const MOST_UNDER_WAY = 8;
/** Pipelined requests of all connections that wait for earlier ones. */
const MOST_WAITING = 2_000;
/** Requests that wait on one connection before those of all are counted again. */
const WAITING_EACH = 100;

/** Limits the connections of a server; returns the listener for its requests. */
function limitConnections(
  server: Server,
  listener: RequestListener,
  { maxConnections, onCut, clock }: Pick<ServerLimits, 'maxConnections' | 'onCut' | 'clock'>,
): RequestListener {
  const all = new Set<Connection>();
  const cut = (connection: Connection, reason: CutReason) => {
    all.delete(connection);
    connection.socket.destroy();
    onCut(reason);
  };

  server.on('connection', (socket: Socket) => {
    const connection = new Connection(socket, clock);
    connections.set(socket, connection);
    all.add(connection);
    socket.setMaxListeners(0).once('close', () => all.delete(connection));
    closeWithoutTraces(socket);
    const limit = maxConnections();
    if (all.size <= limit) return;
    const room = roomFor(connection, all, limit);
    for (const [one, kind] of room) cut(one, kind);
    if (all.size > limit) cut(connection, 'refused');
  });

  const boundWaiting = () => {
    const waiting = [...all].filter((connection) => connection.waiting > 0);
    if (waiting.reduce((sum, connection) => sum + connection.waiting, 0) <= MOST_WAITING) return;
    const [longest] = waiting.sort((one, other) => other.waiting - one.waiting);
    if (longest !== undefined) cut(longest, 'slow');
  };

  return (request, response) => {
    const connection = connections.get(request.socket);
    // Requests after a reply that ended the connection are dropped.
    if (connection === undefined || connection.isEnding) return;
    connection.receive([request, response], listener);
    if (connection.waiting % WAITING_EACH === 1) boundWaiting();
  };
}

/**
 * For each request that a closed connection leaves unanswered, node:http makes an error that nobody reads. Its stack trace, mapped to
 * sources, is slow: those of hundreds of pipelined requests would hold the thread.
 */
function closeWithoutTraces(socket: Socket): void {
  const { stackTraceLimit } = Error;
  socket.prependOnceListener('close', () => {
    Error.stackTraceLimit = 0;
  });
  socket.once('close', () => {
    Error.stackTraceLimit = stackTraceLimit;
  });
}

/**
 * Chooses the connections that make room: of each kind those of the address with most of them first, and its oldest one first. An address
 * with few connections need not give up what is of use for one that has more.
 */
function roomFor(newcomer: Connection, all: ReadonlySet<Connection>, limit: number) {
  const counts = new Map<string, number>();
  for (const { address } of all) counts.set(address, (counts.get(address) ?? 0) + 1);
  const countOf = ({ address }: Connection) => counts.get(address) ?? 0;
  const own = countOf(newcomer);
  const mayClose: Readonly<Record<Kind, (count: number) => boolean>> = {
    incomplete: () => true,
    idle: (count) => count >= own,
    unread: (count) => count >= own,
    busy: (count) => count > own,
  };
  const ranked = [...all]
    .filter((connection) => connection !== newcomer)
    .map((connection) => [connection, connection.kindAt(newcomer.since)] as const)
    .filter(([connection, kind]) => mayClose[kind](countOf(connection)))
    .sort(
      ([one, kind], [other, otherKind]) =>
        KINDS.indexOf(kind) - KINDS.indexOf(otherKind) ||
        countOf(other) - countOf(one) ||
        one.since - other.since,
    );
  const wanted = all.size - limit;
  const spare = ranked
    .slice(wanted, wanted + Math.floor(SPARE * limit))
    .filter(([, kind]) => kind !== 'busy');
  return [...ranked.slice(0, wanted), ...spare];
}

const connections = new WeakMap<Socket, Connection>();

type Received = readonly [IncomingMessage, ServerResponse];

class Connection {
  readonly socket: Socket;
  readonly address: string;
  readonly #clock: () => number;
  /** Whether its last reply has been written. */
  isEnding = false;
  /** When it was opened, or its latest request came or was over. */
  since: number;
  readonly #underWay = new Set<ServerResponse>();
  readonly #waiting: Received[] = [];
  #isGoingOn = false;
  /** Requests that came in one chunk, and where it ends: node:http answers the cheap ones while it still reads on. */
  #inChunk = 0;
  #chunkEnd = 0;
  /** Bytes that were read when its latest request was over; further ones belong to the next request. */
  #bytesRead = -1;
  /** Bytes that its client or the kernel has taken, and when that was last seen to change. */
  #taken = 0;
  #takenAt = 0;
  readonly #stayPaused = () => void this.socket.pause();

  constructor(socket: Socket, clock: () => number) {
    this.socket = socket;
    this.address = networkOf(socket.remoteAddress ?? '');
    this.#clock = clock;
    this.since = clock();
  }

  /** Requests that wait for earlier ones. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Whether an answer has begun that is not at its end. */
  get isInReply(): boolean {
    return [...this.#underWay].some(({ headersSent, writableFinished }) => headersSent && !writableFinished);
  }

  kindAt(now: number): Kind {
    const { size } = this.#underWay;
    if (size === 0 && this.socket.bytesRead === this.#bytesRead) return 'idle';
    const isWhole = size > 0 && [...this.#underWay].every(({ req }) => req.complete);
    if (!isWhole) return now < this.since + GRACE_MS ? 'busy' : 'incomplete';
    const taken = this.socket.bytesWritten - this.socket.writableLength;
    if (taken !== this.#taken) this.#takenAt = now;
    this.#taken = taken;
    return this.isInReply && now >= this.#takenAt + GRACE_MS ? 'unread' : 'busy';
  }

  /** Hands over a request, at once or after those before it were answered. */
  receive(received: Received, listener: RequestListener): void {
    const { bytesRead } = this.socket;
    this.#inChunk = bytesRead === this.#chunkEnd ? this.#inChunk + 1 : 1;
    this.#chunkEnd = bytesRead;
    const isFree = this.#underWay.size < MOST_UNDER_WAY && this.#inChunk <= MOST_UNDER_WAY;
    if (isFree && this.#waiting.length === 0) {
      this.#begin(received, listener);
      return;
    }
    // The next chunk stays in the kernel, also when node:http resumes reading after a reply.
    if (this.#waiting.push(received) === 1) this.socket.pause().on('resume', this.#stayPaused);
    if (this.#underWay.size < MOST_UNDER_WAY) this.#goOnLater(listener);
  }

  #begin([request, response]: Received, listener: RequestListener): void {
    this.since = this.#clock();
    this.#underWay.add(response);
    response.once('close', () => {
      this.since = this.#clock();
      this.#bytesRead = this.socket.bytesRead;
      this.#underWay.delete(response);
      if (this.#waiting.length > 0) this.#goOnLater(listener);
    });
    listener(request, response);
  }

  /** One request a turn: refusals are made at once, and those of many such connections would leave other work no time. */
  #goOnLater(listener: RequestListener): void {
    if (this.#isGoingOn) return;
    this.#isGoingOn = true;
    inTurn(() => this.#goOn(listener));
  }

  #goOn(listener: RequestListener): void {
    this.#isGoingOn = false;
    if (this.socket.destroyed) return;
    const isFree = this.#underWay.size < MOST_UNDER_WAY;
    const next = isFree ? this.#waiting.shift() : undefined;
    if (next !== undefined) this.#begin(next, listener);
    if (this.#waiting.length === 0) this.socket.off('resume', this.#stayPaused).resume();
    else if (this.#underWay.size < MOST_UNDER_WAY) this.#goOnLater(listener);
  }
}
