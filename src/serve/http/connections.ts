/**
 * The connections of a server (D14): which of them make room for newcomers once there are too many, and how many requests of each are
 * under way. Node's own `maxConnections` turns away every newcomer as soon as one client holds all connections.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Account, TURNS } from '../admission/turns.ts';
import { networkOf } from './caller.ts';

/**
 * What a connection is doing, in the order in which connections make room. Each kind says whether it makes room if its address has `count`
 * connections and the newcomer's has `newcomers`: an address with few connections does not give up a useful one to an address that has more.
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
 * `refused`: a new connection for which no other one could be closed. `pipelined`: of all connections, it had the most requests that waited
 * for earlier ones. `slow`: responses that wait for their readers take too much memory (D10).
 */
export type CutReason = ConnectionKind | 'refused' | 'pipelined' | 'slow';
export type OnCut = (reason: CutReason) => void;

/** Milliseconds for a client to send its request, or to read on, before its connection may be closed first. */
const GRACE_MS = 1_000;
/** Extra connections closed each time, as a share of the limit, because choosing scans all connections. */
const SPARE_SHARE = 1 / 50;
/** Requests of one connection that are answered at a time. */
const MOST_UNDER_WAY = 8;
/** Pipelined requests of all connections that wait for earlier ones. */
const MOST_WAITING = 2_000;

interface ConnectionOptions {
  /** Connections at a time. */
  readonly maxConnections: () => number;
  readonly onCut: OnCut;
  readonly clock: () => number;
}

/** Limits the connections of a server; returns the listener for its requests. */
export function limitConnections(
  server: Server,
  listener: RequestListener,
  { maxConnections, onCut, clock }: ConnectionOptions,
): RequestListener {
  const all = new Set<Connection>();
  const total: Total = { waiting: 0 };
  const cut = (connection: Connection, reason: CutReason) => {
    all.delete(connection);
    connection.destroy();
    onCut(reason);
  };

  server.on('connection', (socket: Socket) => {
    const connection = new Connection(socket, total, clock);
    connections.set(socket, connection);
    all.add(connection);
    socket.setMaxListeners(0).once('close', () => all.delete(connection));
    closeWithoutTraces(socket);
    const limit = maxConnections();
    if (all.size <= limit) return;
    for (const { one, kind } of roomFor(connection, all, limit)) cut(one, kind);
    if (all.size > limit) cut(connection, 'refused');
  });

  return (request, response) => {
    const { socket } = request;
    const connection = connectionOf(socket);
    // Requests after a reply that ended the connection are dropped, and the rest of a chunk from a connection that was cut.
    if (connection === undefined || connection.isEnding || socket.destroyed) return;
    connection.receive([request, response], listener);
    const longest = total.waiting > MOST_WAITING ? withMostWaiting(all) : undefined;
    if (longest !== undefined) cut(longest, 'pipelined');
  };
}

/** Counts of all connections together. */
interface Total {
  /** Requests that wait for earlier ones. */
  waiting: number;
}

function withMostWaiting(all: ReadonlySet<Connection>): Connection | undefined {
  let longest: Connection | undefined;
  for (const one of all) if (longest === undefined || one.waiting > longest.waiting) longest = one;
  return longest;
}

/**
 * For each request that a closed connection leaves unanswered, node:http makes an error that no code reads. Its stack trace, mapped to
 * sources, is slow: those of hundreds of pipelined requests would hold the thread.
 */
function closeWithoutTraces(socket: Socket): void {
  let limitBefore = 0;
  socket.prependOnceListener('close', () => {
    limitBefore = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
  });
  socket.once('close', () => {
    Error.stackTraceLimit = limitBefore;
  });
}

/** Chooses the connections that make room. Within a kind, the address with the most connections comes first, and its oldest connection. */
function roomFor(newcomer: Connection, all: ReadonlySet<Connection>, limit: number) {
  const counts = new Map<string, number>();
  for (const { address } of all) counts.set(address, (counts.get(address) ?? 0) + 1);
  const countOf = ({ address }: Connection) => counts.get(address) ?? 0;
  const newcomers = countOf(newcomer);
  const ranked = [...all]
    .filter((one) => one !== newcomer)
    .map((one) => ({ one, kind: one.observe(newcomer.since), count: countOf(one) }))
    .filter(({ kind, count }) => MAKES_ROOM[kind](count, newcomers))
    .sort(
      (left, right) =>
        KINDS.indexOf(left.kind) - KINDS.indexOf(right.kind) ||
        right.count - left.count ||
        left.one.since - right.one.since,
    );
  const wanted = all.size - limit;
  const most = wanted + Math.floor(SPARE_SHARE * limit);
  return ranked.slice(0, most).filter(({ kind }, index) => {
    const isSpare = index >= wanted;
    // A busy connection is never closed only to spare.
    return !isSpare || kind !== 'busy';
  });
}

const connections = new WeakMap<Socket, Connection>();

/** Undefined for a socket of another server. */
export const connectionOf = (socket: Socket): Connection | undefined => connections.get(socket);

type Received = readonly [IncomingMessage, ServerResponse];

class Connection {
  readonly socket: Socket;
  readonly address: string;
  readonly #total: Total;
  readonly #clock: () => number;
  readonly #account: Account;
  /** Whether its last reply has been written. */
  isEnding = false;
  /** When it was opened, or its latest request came or was over. */
  since: number;
  readonly #underWay = new Set<ServerResponse>();
  readonly #waiting: Received[] = [];
  #isNextScheduled = false;
  /** Bytes that were read when its latest request was over; further ones belong to the next request. */
  #bytesRead = -1;
  /** Bytes that its client or the kernel has taken, and when that was last seen to change. */
  #taken = 0;
  #takenAt = 0;
  readonly #stayPaused = () => void this.socket.pause();

  constructor(socket: Socket, total: Total, clock: () => number) {
    this.socket = socket;
    this.#total = total;
    this.address = networkOf(socket.remoteAddress ?? '');
    this.#clock = clock;
    this.#account = { address: this.address, milliseconds: 0 };
    this.since = clock();
    socket.once('close', () => {
      this.#dropWaiting();
      // node:http emits 'close' only on the response that is being sent.
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

  /** Its kind at present. Also records how much its client has taken, for the next call. */
  observe(now: number): ConnectionKind {
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
    else this.#hold(received);
    this.#scheduleNext(listener);
  }

  /** Closes it at once, and drops the requests that wait. */
  destroy(): void {
    this.#dropWaiting();
    this.socket.destroy();
  }

  #hold(received: Received): void {
    this.#total.waiting++;
    // The next chunk stays in the kernel, also when node:http resumes reading after a reply.
    if (this.#waiting.push(received) === 1) this.socket.pause().on('resume', this.#stayPaused);
  }

  #dropWaiting(): void {
    this.#total.waiting -= this.#waiting.length;
    this.#waiting.length = 0;
  }

  #begin([request, response]: Received, listener: RequestListener): void {
    this.since = this.#clock();
    this.#underWay.add(response);
    response.once('close', () => {
      this.since = this.#clock();
      this.#bytesRead = this.socket.bytesRead;
      this.#underWay.delete(response);
      this.#scheduleNext(listener);
    });
    listener(request, response);
  }

  /** One request a turn: refusals are made at once, so those of many pipelining connections would leave no time for other work. */
  #scheduleNext(listener: RequestListener): void {
    const isBusy = this.#underWay.size === MOST_UNDER_WAY;
    if (this.#isNextScheduled || this.#waiting.length === 0 || isBusy) return;
    this.#isNextScheduled = true;
    TURNS.inTurn(() => this.#startNext(listener), this.#account);
  }

  #startNext(listener: RequestListener): void {
    this.#isNextScheduled = false;
    const next = this.socket.destroyed ? undefined : this.#waiting.shift();
    if (next === undefined) return;
    this.#total.waiting--;
    this.#begin(next, listener);
    if (this.#waiting.length === 0) this.socket.off('resume', this.#stayPaused).resume();
    this.#scheduleNext(listener);
  }
}
