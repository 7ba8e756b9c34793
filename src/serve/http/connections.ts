/**
 * The connections of a server: their number, and the requests of each that are in progress (D14). Node's own `maxConnections` rejects
 * every new client once a single client holds all connections. So before the limit is reached, the least useful connection is closed: one
 * without a request in progress, of an address that has many.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Turn } from '../admission/queue.ts';

/** Requests of one connection that are answered at a time. */
const MOST_UNDER_WAY = 8;
/** Pipelined requests of all connections that wait for earlier ones. */
const MOST_HELD = 2_000;
/** Milliseconds after its latest request for which a connection counts as in use. */
const IN_USE_MS = 1_000;
/** Connections that are examined to find one to close. */
const MOST_LOOKED_AT = 200;

/** The state of a connection; null for a server without these limits. */
export function conversationOf(socket: Socket): Conversation | null {
  return conversations.get(socket) ?? null;
}

/** Calls back once the connection is closed. Returns a function that cancels this. */
export function onceGone(socket: Socket, listener: () => void): () => void {
  const conversation = conversations.get(socket);
  if (conversation === undefined) {
    if (socket.closed) queueMicrotask(listener);
    else socket.once('close', listener);
    return () => void socket.off('close', listener);
  }
  conversation.listeners.add(listener);
  return () => void conversation.listeners.delete(listener);
}

/** Calls back once a response is over. A response that waits on a connection that is then cut emits no event of its own. */
export function onceOver(response: ServerResponse, listener: () => void): void {
  const over = () => {
    response.off('close', over);
    stay();
    listener();
  };
  const stay = onceGone(response.req.socket, over);
  response.once('close', over);
}

/** States of open connections. */
const conversations = new Map<Socket, Conversation>();

class Conversation {
  readonly socket: Socket;
  readonly address: string;
  /** Whether its last reply has been written. */
  isEnding = false;
  /** Until when its client has to wait, by `performance.now`. */
  waitsUntil = 0;
  /** Called when the connection is closed. */
  readonly listeners = new Set<() => void>();
  /** Responses to the latest requests; answered ones are removed when the next request arrives. */
  #responses: ServerResponse[] = [];
  readonly #held: Received[] = [];
  #usedAt = performance.now();
  /** When the latest request came, and how many came with it in one chunk: node:http answers the cheap ones while it still reads on. */
  #bytesRead = 0;
  #inChunk = 0;
  readonly #stayPaused = () => void this.socket.pause();

  constructor(socket: Socket) {
    this.socket = socket;
    this.address = socket.remoteAddress ?? '';
  }

  /** The latest response, to know whether it has begun when the connection fails. */
  get response(): ServerResponse | undefined {
    return this.#responses.at(-1);
  }

  /** Requests that wait for earlier ones. */
  get held(): number {
    return this.#held.length;
  }

  get isIdle(): boolean {
    return this.#underWay() === 0;
  }

  isInUse(now: number): boolean {
    return !this.isIdle || now < this.#usedAt + IN_USE_MS;
  }

  /** Hands over a request, at once or after those before it were answered. */
  receive([request, response]: Received, { listener, turn }: Reception): void {
    const { bytesRead } = this.socket;
    if (bytesRead !== this.#bytesRead) this.#inChunk = 0;
    this.#bytesRead = bytesRead;
    this.#inChunk++;
    if (this.#held.length > 0 || this.#inChunk > MOST_UNDER_WAY || this.#underWay() >= MOST_UNDER_WAY) {
      if (this.#held.push([request, response]) > 1) return;
      // The next chunk stays in the kernel, also when node:http resumes reading after a reply.
      this.socket.pause().on('resume', this.#stayPaused);
      this.#handOverLater({ listener, turn });
      return;
    }
    this.#usedAt = performance.now();
    this.#responses.push(response);
    listener(request, response);
  }

  /** Cheaper than node:http's own cleanup of a closed connection, which creates an error with its stack for each request. */
  dropHeld(): void {
    for (const [request] of this.#held.splice(0)) request.destroy();
  }

  #underWay(): number {
    const [first] = this.#responses;
    if (first === undefined) return 0;
    if (this.#responses.length === 1) return isOver(first) ? 0 : 1;
    this.#responses = this.#responses.filter((response) => !isOver(response));
    return this.#responses.length;
  }

  /** In a later turn: replies that are made and sent at once would otherwise be followed by all that are held, in a single turn. */
  #handOverLater(reception: Reception): void {
    const { listener, turn } = reception;
    const handOver = () => {
      while (this.#held.length > 0 && this.#underWay() < MOST_UNDER_WAY && !this.socket.destroyed) {
        const [request, response] = this.#held.shift() ?? [];
        if (request === undefined || response === undefined) break;
        this.#responses.push(response);
        listener(request, response);
      }
      if (this.#held.length > 0) this.#handOverLater(reception);
      else this.socket.off('resume', this.#stayPaused).resume();
    };
    if (this.#underWay() < MOST_UNDER_WAY) {
      turn.wait(handOver);
      return;
    }
    const waited = this.#responses;
    const onClose = () => {
      for (const response of waited) response.off('close', onClose);
      turn.wait(handOver);
    };
    for (const response of waited) response.once('close', onClose);
  }
}

type Received = readonly [IncomingMessage, ServerResponse];

interface Reception {
  readonly listener: RequestListener;
  readonly turn: Pick<Turn, 'wait'>;
}

const isOver = (response: ServerResponse): boolean => response.writableFinished || response.destroyed;

/** Counts and limits a server's connections, to `most` at a time; returns the listener for its requests. */
export function limitConnections(
  server: Server,
  listener: RequestListener,
  { most, turn }: { readonly most: () => number; readonly turn: Pick<Turn, 'wait' | 'letIn'> },
): RequestListener {
  const all = new Set<Conversation>();
  const byAddress = new Map<string, number>();
  let pipelining = new Set<Conversation>();

  server.on('connection', (socket: Socket) => {
    turn.letIn();
    const conversation = new Conversation(socket);
    const { address } = conversation;
    conversations.set(socket, conversation);
    all.add(conversation);
    byAddress.set(address, (byAddress.get(address) ?? 0) + 1);
    socket.prependOnceListener('close', () => {
      conversation.dropHeld();
      all.delete(conversation);
      conversations.delete(socket);
      const left = (byAddress.get(address) ?? 1) - 1;
      if (left === 0) byAddress.delete(address);
      else byAddress.set(address, left);
      for (const gone of conversation.listeners) gone();
    });
    const limit = most();
    server.maxConnections = limit + SPARE;
    if (all.size > limit) leastUseful(conversation, all, byAddress).socket.destroy();
  });

  /** D14: requests that wait within connections are bounded together. */
  const checkHeld = (conversation: Conversation) => {
    pipelining.add(conversation);
    let held = 0;
    let longest = conversation;
    for (const one of pipelining) {
      held += one.held;
      if (one.held > longest.held) longest = one;
    }
    if (held > MOST_HELD) longest.socket.destroy();
    pipelining = new Set([...pipelining].filter((one) => one.held > 0 && !one.socket.destroyed));
  };

  return (request, response) => {
    const conversation = conversations.get(request.socket);
    // Requests after a reply that ended the connection are dropped.
    if (conversation === undefined || conversation.isEnding) return;
    conversation.receive([request, response], { listener, turn });
    if (conversation.held > 0 && conversation.held % HELD_EACH === 1) checkHeld(conversation);
  };
}

/** The idle connection unused for longest, among addresses with at least as many as the newcomer's; else the newcomer. */
function leastUseful(
  newcomer: Conversation,
  all: ReadonlySet<Conversation>,
  byAddress: ReadonlyMap<string, number>,
): Conversation {
  const now = performance.now();
  const own = byAddress.get(newcomer.address) ?? 0;
  let looked = 0;
  let least: Conversation | undefined;
  for (const one of all) {
    if (looked++ > MOST_LOOKED_AT) break;
    if (one === newcomer || !one.isIdle || (byAddress.get(one.address) ?? 0) < own) continue;
    if (!one.isInUse(now)) return one;
    least ??= one;
  }
  return least ?? newcomer;
}

/** Connections that Node accepts beyond the limit, while others are being closed. */
const SPARE = 64;
/** Requests that wait on one connection before those of all are counted again. */
const HELD_EACH = 100;
