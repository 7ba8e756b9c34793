/** H4: how a server stops: it still accepts for a while, lets running requests finish, and cuts what is left after that. */
import { once } from 'node:events';
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

interface DrainLimits {
  /** Milliseconds for which connections are still accepted, so that load balancers notice first. */
  readonly acceptMs: number;
  /** Milliseconds after that to finish running requests. */
  readonly finishMs: number;
}

export interface Drain {
  readonly isStopping: () => boolean;
  /** Resolves once every connection is closed, to the number of those that were cut. */
  readonly stop: (limits: DrainLimits) => Promise<number>;
}

/** Called before the server listens. */
export function createDrain(server: Server): Drain {
  let stopping = false;
  let accepted = 0;
  /** The latest response of each open connection; null before the first. */
  const latest = new Map<Socket, ServerResponse | null>();
  server.on('connection', (socket) => {
    accepted++;
    latest.set(socket, null);
    socket.once('close', () => latest.delete(socket));
  });
  server.prependListener('request', ({ socket }, response) => {
    latest.set(socket, response);
    // Becomes `Connection: close`: the client then connects to another server.
    if (stopping) response.shouldKeepAlive = false;
  });

  /**
   * Closing resets connections that the kernel has accepted and this process has not. A turn of the event loop takes one of them: so this
   * goes on until turns take none.
   */
  const acceptPending = async () => {
    const end = performance.now() + MOST_ACCEPT_MS;
    let before: number;
    do {
      before = accepted;
      await turn();
      await turn();
    } while (before < accepted && performance.now() < end);
  };

  const stop = async ({ acceptMs, finishMs }: DrainLimits) => {
    stopping = true;
    for (const response of latest.values()) {
      if (response?.headersSent === false) response.shouldKeepAlive = false;
    }
    await pause(Math.max(acceptMs, LEAST_ACCEPT_MS));
    await acceptPending();
    // Closes connections that are idle now, and each of the others as it becomes idle.
    server.keepAliveTimeout = 1;
    const closed = once(server.close(), 'close').then(() => 0);
    const closeUnused = () => {
      for (const socket of latest.keys()) if (socket.bytesRead === 0) socket.destroy();
    };
    setTimeout(closeUnused, UNUSED_MS).unref();
    const late = pause(finishMs, undefined, { ref: false }).then(() => latest.size);
    const cut = await Promise.race([closed, late]);
    server.closeAllConnections();
    return cut;
  };
  return { isStopping: () => stopping, stop };
}

/** Milliseconds in which the first of several processes hands over the connections that wait there. */
const LEAST_ACCEPT_MS = 100;
/** Milliseconds after which newcomers no longer put off the end. */
const MOST_ACCEPT_MS = 500;

/** Browsers open connections in advance: node:http does not count these as idle. */
const UNUSED_MS = 1_000;
