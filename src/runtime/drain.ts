/** Ends an HTTP server without losing a request (H4). */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export interface Drain {
  readonly isStopping: () => boolean;
  /** Resolves when every connection is closed: to how many of them were cut. */
  readonly stop: (limits: DrainLimits) => Promise<number>;
}

export interface DrainLimits {
  /** Milliseconds to go on accepting, for load balancers that have to notice first. */
  readonly acceptMs: number;
  /** Milliseconds from then on to finish what is running. */
  readonly finishMs: number;
}

/** To be called before the server listens. */
export function createDrain(server: Server): Drain {
  let stopping = false;
  const sockets = new Set<Socket>();
  /** The latest of each connection. */
  const responses = new WeakMap<Socket, ServerResponse>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.prependListener('request', ({ socket }, response) => {
    responses.set(socket, response);
    // Becomes `Connection: close`: the client opens its next connection to somebody else.
    if (stopping) response.shouldKeepAlive = false;
  });

  const stop = async ({ acceptMs, finishMs }: DrainLimits) => {
    stopping = true;
    for (const socket of sockets) {
      const response = responses.get(socket);
      if (response?.headersSent === false) response.shouldKeepAlive = false;
    }
    await pause(acceptMs);
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // What is idle goes with that call; the rest as soon as it has nothing more to do.
    const idle = setInterval(() => server.closeIdleConnections(), CHECK_MS);
    const unused = setTimeout(() => {
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    }, UNUSED_MS);
    const late = pause(finishMs, undefined, { ref: false }).then(() => sockets.size);
    const cut = await Promise.race([closed.then(() => 0), late]);
    clearInterval(idle);
    clearTimeout(unused);
    for (const socket of sockets) socket.destroy();
    return cut;
  };
  return { isStopping: () => stopping, stop };
}

const CHECK_MS = 50;

/** Browsers open connections ahead of use: node:http does not count these as idle. */
const UNUSED_MS = 1_000;
