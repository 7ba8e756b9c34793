/**
 * D10: bytes that wait for slow readers are bounded for all of them together. A body that several readers share is in memory once and
 * counts once; the body that has waited longest is cut first.
 */
import type { ServerResponse } from 'node:http';
import type { Log } from '../../calendar/log.ts';
import { onceOver } from './connections.ts';
import { type HeaderList, type HttpReply, lengthOf, send } from './message.ts';

export interface Outflow {
  /** `more`: headers of this reply besides its own. */
  readonly send: (response: ServerResponse, reply: HttpReply, more?: HeaderList) => void;
  /** Bytes of bodies that wait for their readers. */
  readonly bytes: () => number;
  /** Disconnects the slowest readers until at most `most` bytes wait. */
  readonly cut: (most: number) => void;
}

interface OutflowOptions {
  /** Most bytes that wait. */
  readonly most: () => number;
  readonly log: Pick<Log, 'warn'>;
  /** Milliseconds since any fixed time. */
  readonly clock?: () => number;
}

interface Waiting {
  readonly bytes: number;
  readonly readers: Set<ServerResponse>;
}

export function createOutflow({ most, log, clock = () => performance.now() }: OutflowOptions): Outflow {
  /** The readers of each body, in the order in which its latest reader came. */
  const waiting = new Map<Buffer, Waiting>();
  let bytes = 0;
  let cutSince = 0;
  let warnedAt = Number.NEGATIVE_INFINITY;

  const leave = (response: ServerResponse, body: Buffer) => {
    const one = waiting.get(body);
    if (!one?.readers.delete(response) || one.readers.size > 0) return;
    waiting.delete(body);
    bytes -= one.bytes;
  };

  const cut = (limit: number) => {
    for (const [body, one] of waiting) {
      if (bytes <= limit) break;
      waiting.delete(body);
      bytes -= one.bytes;
      cutSince += one.readers.size;
      // A response that waits for an earlier one on its connection has no socket yet.
      for (const { req } of one.readers) req.socket.destroy();
    }
    const now = clock();
    if (cutSince === 0 || now < warnedAt + WARN_EACH_MS) return;
    log.warn(
      { connections: cutSince, bytes: limit },
      'connections cut: too many answers wait for slow readers',
    );
    warnedAt = now;
    cutSince = 0;
  };

  return {
    send: (response, reply, headers) => {
      send(response, reply, headers);
      const { body, more = NOTHING_MORE } = reply;
      // Most bodies are in the kernel's buffers by now.
      if (response.writableLength < LEAST_COUNTED || response.req.socket.destroyed) return;
      const one = waiting.get(body) ?? { bytes: body.length + lengthOf(more), readers: new Set() };
      if (!waiting.delete(body)) bytes += one.bytes;
      one.readers.add(response);
      waiting.set(body, one);
      onceOver(response, () => leave(response, body));
      cut(most());
    },
    bytes: () => bytes,
    cut,
  };
}

const NOTHING_MORE: readonly Buffer[] = [];

/** Bytes. The kernel buffers as many for each connection anyway. */
const LEAST_COUNTED = 16 * 1_024;

/** Milliseconds between two warnings. */
const WARN_EACH_MS = 60_000;
