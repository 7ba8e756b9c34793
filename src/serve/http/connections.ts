/**
 * The connections of a server (D14, bounded together): which of them make room for newcomers once there are too many, and how many requests
 * of each are under way. Node's own `maxConnections` turns away every newcomer as soon as one client holds all connections.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../../calendar/log.ts';
import { inTurn } from '../admission/turns.ts';
import { networkOf } from './caller.ts';

export interface ConnectionLimits {
  /** Connections at a time. */
  readonly maxConnections: () => number;
  /** Called with each connection that is closed for the sake of others. */
  readonly onCut: OnCut;
  /** Milliseconds since any fixed time. */
  readonly clock: () => number;
}

export type OnCut = (reason: CutReason) => void;

/**
 * What a connection is doing, in the order in which they make room: its request is not whole; it waits for its next request; its client
 * does not read the answer; it may yet send its first request; it is being answered.
 */
const KINDS = ['incomplete', 'idle', 'unread', 'new', 'busy'] as const;
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
export function limitConnections(
  server: Server,
  listener: RequestListener,
  { maxConnections, onCut, clock }: ConnectionLimits,
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
    const room = roomFor(connection, all, { wanted: all.size - limit, spare: SPARE * limit, now: clock() });
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
 * sources, takes some 100 µs: hundreds of pipelined requests would hold the thread.
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

interface Room {
  /** Connections that must be closed. */
  readonly wanted: number;
  /** How many more may be. */
  readonly spare: number;
  readonly now: number;
}

/**
 * Chooses the connections that make room. Of each kind, the address with most of them loses first, and its oldest one first. An address
 * with few connections need not give up what is of use for one that has more.
 */
function roomFor(
  newcomer: Connection,
  all: ReadonlySet<Connection>,
  { wanted, spare, now }: Room,
): readonly (readonly [Connection, Kind])[] {
  const byKind = new Map<Kind, Connection[]>(KINDS.map((kind) => [kind, []]));
  const counts = new Map<string, number>();
  for (const connection of all) {
    const { address } = connection;
    counts.set(address, (counts.get(address) ?? 0) + 1);
    if (connection !== newcomer) byKind.get(connection.kindAt(now))?.push(connection);
  }
  const own = counts.get(newcomer.address) ?? 0;
  const mayClose: Readonly<Record<Kind, (count: number) => boolean>> = {
    incomplete: () => true,
    idle: (count) => count >= own,
    unread: (count) => count >= own,
    new: () => true,
    busy: (count) => count > own,
  };
  const room: (readonly [Connection, Kind])[] = [];
  for (const [kind, connections] of byKind) {
    if (room.length >= wanted) break;
    const may = connections.filter(({ address }) => mayClose[kind](counts.get(address) ?? 0));
    const isCheap = kind === 'incomplete' || kind === 'idle';
    const most = wanted - room.length + (isCheap ? Math.floor(spare) : 0);
    for (const connection of leastUseful(may).slice(0, most)) room.push([connection, kind]);
  }
  return room;
}

/** The oldest of the address with most first, then the oldest of those that then have most. */
function leastUseful(connections: readonly Connection[]): readonly Connection[] {
  const counts = new Map<string, number>();
  const ranked = connections
    .toSorted((one, other) => other.since - one.since)
    .map((connection) => {
      const rank = (counts.get(connection.address) ?? 0) + 1;
      counts.set(connection.address, rank);
      return { connection, rank };
    });
  return ranked
    .sort((one, other) => other.rank - one.rank || one.connection.since - other.connection.since)
    .map(({ connection }) => connection);
}

/** The state of a connection; null for a server without these limits. */
export function connectionOf(socket: Socket): Connection | null {
  return connections.get(socket) ?? null;
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
    if (!isWhole) return now < this.since + GRACE_MS ? 'new' : 'incomplete';
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

  /** One request a turn: refusals are made at once, and those of forty such connections would leave other work one piece in 100 ms. */
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

/** Milliseconds from the first connection that is cut to the line that counts them, and between two lines. */
const FIRST_LINE_MS = 1_000;
const EACH_LINE_MS = 60_000;

/** D14: counts the connections that were closed for the sake of others, in one line a minute. */
export function createCutLog(
  log: Pick<Log, 'warn'>,
  later: (act: () => void, ms: number) => void = (act, ms) => void setTimeout(act, ms).unref(),
): OnCut {
  let counts: Partial<Record<CutReason, number>> = {};
  let isWaiting = false;
  const write = () => {
    isWaiting = Object.keys(counts).length > 0;
    if (!isWaiting) return;
    log.warn(counts, 'connections cut to make room for others');
    counts = {};
    later(write, EACH_LINE_MS);
  };
  return (reason) => {
    counts[reason] = (counts[reason] ?? 0) + 1;
    if (!isWaiting) later(write, FIRST_LINE_MS);
    isWaiting = true;
  };
}
