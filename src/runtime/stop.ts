/**
 * How a process stops (H4): the first SIGTERM or SIGINT stops it in good order, a second one ends it at once, and no request
 * is lost on the way.
 */
import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';

interface StopOptions {
  /** In good order. Must come to an end by itself. The cause is a signal, or what else wants it. */
  readonly stop: (cause: string) => Promise<void>;
  /** Called with the exit code when all is said. */
  readonly exit: (code: number) => void;
  /** Milliseconds of a clock that only goes forward. */
  readonly clock: () => number;
}

/**
 * A Ctrl-C comes twice under npm: from the terminal, which signals all that runs in it, and from npm, which hands it on.
 */
const ONE_AND_THE_SAME_MS = 500;

/** Exit codes of a program that a signal ended: 128 and its number. */
const EXIT_CODES: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143 };

/** Gives what is to be called for each cause. Only a signal can end at once. */
export function createStop({ stop, exit, clock }: StopOptions): (cause: string) => void {
  let begun: number | null = null;
  return (cause) => {
    const code = EXIT_CODES[cause];
    if (begun === null) {
      begun = clock();
      void stop(cause).then(
        () => exit(0),
        () => exit(1),
      );
    } else if (code !== undefined && clock() - begun >= ONE_AND_THE_SAME_MS) exit(code);
  };
}

/** Milliseconds, of the ten seconds of H4. What is not done by then can be left as it is: nothing half done is ever seen. */
export const STOP_MS = 9_500;

/** Stops, with a line in the log before and after. */
export function saying(log: Pick<Logger, 'info'>, stop: () => Promise<unknown>): StopOptions['stop'] {
  return async (cause) => {
    log.info({ cause }, 'stopping');
    await stop();
    log.info('stopped');
  };
}

/** Listens for the signals of this process. Gives what is to be called for other causes. */
export function stopOnSignals(stop: StopOptions['stop']): (cause: string) => void {
  const onCause = createStop({
    stop: (cause) => Promise.race([stop(cause), pause(STOP_MS)]),
    exit: (code) => process.exit(code),
    clock: () => performance.now(),
  });
  for (const signal of Object.keys(EXIT_CODES)) process.on(signal, onCause);
  return onCause;
}

export interface Drain {
  readonly isStopping: () => boolean;
  /** Resolves when every connection is closed: to how many of them were cut. */
  readonly stop: (limits: DrainLimits) => Promise<number>;
}

interface DrainLimits {
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
