/**
 * node:http with the limits of D9, and JSON in place of the replies that it makes on its own; and the connections
 * of a server (D14): which of them make room for newcomers once there are too many, and how many requests of each are
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
import { type Account, TURNS } from '../admission/turns.ts';
import { refuse } from '../graphql/refusal.ts';
import { networkOf } from './caller.ts';
import { COMMON_HEADERS, type HttpReply, NO_BODY, send } from './message.ts';
import { plainRefusal } from './replies.ts';

/** Values of D9 and D14; times are in milliseconds. */
const LIMITS = {
  /** For the headers of a request to arrive. */
  headersTimeout: 10_000,
  /** For a whole request to arrive. */
  requestTimeout: 15_000,
  /** Between two checks of these times. */
  connectionsCheckingInterval: 1_000,
  /** For which a connection may be idle: longer than a proxy keeps its own open, so that no connection is cut in use. */
  keepAliveTimeout: 65_000,
  /** Without progress after which a client counts as gone, for example one that does not read its answer. */
  idleTimeout: 30_000,
  /** Bytes of a request's first line and headers: enough for queries in URLs. */
  maxHeaderSize: 16 * 1_024,
  /** Connections at a time. */
  maxConnections: () => Number.POSITIVE_INFINITY,
  /** Called with each connection that is closed for the sake of others. */
  onCut: (_reason: CutReason): void => undefined,
  /** Since any fixed time. */
  clock: () => performance.now(),
};

export type ServerLimits = Readonly<typeof LIMITS>;
export type OnCut = ServerLimits['onCut'];

export function createHttpServer(listener: RequestListener, limits: Partial<ServerLimits> = {}): Server {
  const { idleTimeout, maxConnections, onCut, clock, ...rest } = { ...LIMITS, ...limits };
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

function closing(code: ErrorCode, message: string): HttpReply {
  return plainRefusal(refuse(code, message), { headers: ['Connection', 'close'] });
}

const MALFORMED = closing('BAD_REQUEST', 'The request is not well-formed HTTP.');

/** Replies by node:http's error codes. */
const FAULTS: Readonly<Record<string, HttpReply>> = {
  ERR_HTTP_REQUEST_TIMEOUT: closing('REQUEST_TIMEOUT', 'The request took too long to arrive.'),
  HPE_HEADER_OVERFLOW: closing('HEADERS_TOO_LARGE', 'The URL and headers are too long together.'),
  HPE_CHUNK_EXTENSIONS_OVERFLOW: closing('PAYLOAD_TOO_LARGE', 'The chunk extensions are too long.'),
};

const CONNECT = closing('METHOD_NOT_ALLOWED', 'CONNECT is not allowed: this is no proxy.');

/**
 * For a connection that has no response to write to. Closing it at once would reset it before a client that still sends has read the
 * reply: so it stays open for a moment.
 */
function hangUp(socket: Socket, { status, headers, body }: HttpReply): void {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, `Date: ${new Date().toUTCString()}`];
  const all = [...headers, ...COMMON_HEADERS];
  for (let at = 0; at < all.length; at += 2) lines.push(`${all[at]}: ${all[at + 1]}`);
  socket.end(`${lines.join('\r\n')}\r\n\r\n${Buffer.concat(body)}`);
  const timer = setTimeout(() => socket.destroy(), HANG_UP_MS);
  socket.once('close', () => clearTimeout(timer));
}

const HANG_UP_MS = 1_000;

/**
 * Brings the first line and the `Host` of a request (RFC 9112, section 3) into one form that cannot be read in two ways: a path with its
 * query. Returns the reply to a request that has none.
 */
function normalise(request: IncomingMessage): HttpReply | undefined {
  const { method, url = '', httpVersion, rawHeaders } = request;
  const isHost = (text: string, at: number) =>
    at % 2 === 0 && text.length === HOST.length && text.toLowerCase() === HOST;
  const hosts = rawHeaders.filter(isHost).length;
  if (hosts === 0 && httpVersion === '1.1') return NO_HOST;
  if (hosts > 1) return TWO_HOSTS;
  if (url === '*' && method === 'OPTIONS') return ANY_METHODS;
  const [, host, path] = url.startsWith('/') ? [url, undefined, url] : (ABSOLUTE.exec(url) ?? []);
  if (path === undefined) return NO_PATH;
  // The target takes precedence over the header.
  if (host !== undefined) request.headers.host = host;
  // Only browsers use fragments: here a number sign is an ordinary character, so it is escaped for later readers of the URL.
  request.url = (path.startsWith('/') ? path : `/${path}`).replaceAll('#', '%23');
  return undefined;
}

const HOST = 'host';
const NO_HOST = closing('BAD_REQUEST', 'The request has no Host header.');
const TWO_HOSTS = closing('BAD_REQUEST', 'The request has more than one Host header.');
const NO_PATH = closing('BAD_REQUEST', 'The request target must be a path, or an http URL.');

/** `OPTIONS *` concerns the server, not a path. */
const ANY_METHODS: HttpReply = {
  status: 204,
  headers: ['Allow', 'GET, HEAD, POST, OPTIONS'],
  body: NO_BODY,
};

/** The authority, which must not be empty, and the rest. */
const ABSOLUTE = /^https?:\/\/([^/?#\s\\]+)(.*)$/is;

/**
 * What a connection is doing, in the order in which they make room; and whether one makes room whose address has `count` connections, where
 * the newcomer's has `newcomers`: an address with few need not give up what is of use for one that has more.
 */
const MAKES_ROOM = {
  /** Its request is not whole. */
  incomplete: () => true,
  /** It waits for its next request. */
  idle: (count, newcomers) => count >= newcomers,
  /** Its client does not read the answer. */
  unread: (count, newcomers) => count >= newcomers,
  /** It is being answered, or has a moment to send its request. */
  busy: (count, newcomers) => count > newcomers,
} satisfies Readonly<Record<string, (count: number, newcomers: number) => boolean>>;

type ConnectionKind = keyof typeof MAKES_ROOM;
const KINDS = Object.keys(MAKES_ROOM);

/**
 * `refused`: a newcomer for whom nobody could make room. `slow`: answers that wait for readers take too much memory (D10).
 */
export type CutReason = ConnectionKind | 'refused' | 'slow';

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
    for (const { one, kind } of roomFor(connection, all, limit)) cut(one, kind);
    if (all.size > limit) cut(connection, 'refused');
  });

  const boundWaiting = () => {
    const ranked = [...all].sort((one, other) => other.waiting - one.waiting);
    const [longest] = ranked;
    const sum = ranked.reduce((count, { waiting }) => count + waiting, 0);
    if (longest !== undefined && sum > MOST_WAITING) cut(longest, 'slow');
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

/** Chooses the connections that make room: of each kind those of the address with most of them first, and its oldest one first. */
function roomFor(newcomer: Connection, all: ReadonlySet<Connection>, limit: number) {
  const counts = new Map<string, number>();
  for (const { address } of all) counts.set(address, (counts.get(address) ?? 0) + 1);
  const countOf = ({ address }: Connection) => counts.get(address) ?? 0;
  const newcomers = countOf(newcomer);
  const ranked = [...all]
    .filter((one) => one !== newcomer)
    .map((one) => ({ one, kind: one.kindAt(newcomer.since), count: countOf(one) }))
    .filter(({ kind, count }) => MAKES_ROOM[kind](count, newcomers))
    .sort(
      (left, right) =>
        KINDS.indexOf(left.kind) - KINDS.indexOf(right.kind) ||
        right.count - left.count ||
        left.one.since - right.one.since,
    );
  const wanted = all.size - limit;
  const most = wanted + Math.floor(SPARE * limit);
  return ranked.slice(0, most).filter(({ kind }, at) => at < wanted || kind !== 'busy');
}

const connections = new WeakMap<Socket, Connection>();

type Received = readonly [IncomingMessage, ServerResponse];

class Connection {
  readonly socket: Socket;
  readonly address: string;
  readonly #clock: () => number;
  readonly #account: Account;
  /** Whether its last reply has been written. */
  isEnding = false;
  /** When it was opened, or its latest request came or was over. */
  since: number;
  readonly #underWay = new Set<ServerResponse>();
  readonly #waiting: Received[] = [];
  #isGoingOn = false;
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
    this.#account = { address: this.address, milliseconds: 0 };
    this.since = clock();
    // node:http tells only the response that is being sent.
    socket.once('close', () => {
      for (const response of this.#underWay) if (response.socket === null) response.emit('close');
    });
  }

  /** Requests that wait for earlier ones. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Whether an answer has begun that is not at its end. */
  get isInReply(): boolean {
    return [...this.#underWay].some(({ headersSent, writableFinished }) => headersSent && !writableFinished);
  }

  kindAt(now: number): ConnectionKind {
    const { size } = this.#underWay;
    if (size === 0 && this.socket.bytesRead === this.#bytesRead) return 'idle';
    const isWhole = size > 0 && [...this.#underWay].every(({ req }) => req.complete);
    if (!isWhole) return now < this.since + GRACE_MS ? 'busy' : 'incomplete';
    const taken = this.socket.bytesWritten - this.socket.writableLength;
    if (taken !== this.#taken) this.#takenAt = now;
    this.#taken = taken;
    return this.isInReply && now >= this.#takenAt + GRACE_MS ? 'unread' : 'busy';
  }

  /** Hands over a request, at once or after those before it. */
  receive(received: Received, listener: RequestListener): void {
    if (this.#underWay.size === 0 && this.#waiting.length === 0) this.#begin(received, listener);
    // The next chunk stays in the kernel, also when node:http resumes reading after a reply.
    else if (this.#waiting.push(received) === 1) this.socket.pause().on('resume', this.#stayPaused);
    this.#goOnLater(listener);
  }

  #begin([request, response]: Received, listener: RequestListener): void {
    this.since = this.#clock();
    this.#underWay.add(response);
    response.once('close', () => {
      this.since = this.#clock();
      this.#bytesRead = this.socket.bytesRead;
      this.#underWay.delete(response);
      this.#goOnLater(listener);
    });
    listener(request, response);
  }

  /** One request a turn: refusals are made at once, and those of many such connections would leave other work no time. */
  #goOnLater(listener: RequestListener): void {
    if (this.#isGoingOn || this.#waiting.length === 0 || this.#underWay.size === MOST_UNDER_WAY) return;
    this.#isGoingOn = true;
    TURNS.inTurn(() => this.#goOn(listener), this.#account);
  }

  #goOn(listener: RequestListener): void {
    this.#isGoingOn = false;
    const next = this.socket.destroyed ? undefined : this.#waiting.shift();
    if (next === undefined) return;
    this.#begin(next, listener);
    if (this.#waiting.length === 0) this.socket.off('resume', this.#stayPaused).resume();
    this.#goOnLater(listener);
  }
}
