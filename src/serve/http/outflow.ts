/**
 * D10: what waits for clients that read slowly is bounded, all of them together. A body that is sent to several is in
 * memory once and counts once; what is cut first is the body that has been waiting for the longest.
 */
import type { ServerResponse } from 'node:http';
import type { Log } from '../log.ts';
import { type HeaderList, type HttpReply, send } from './message.ts';

export interface Outflow {
  /** `more`: headers of this one reply. */
  readonly send: (response: ServerResponse, reply: HttpReply, more?: HeaderList) => void;
  /** Bytes of bodies that wait for somebody. */
  readonly bytes: () => number;
}

interface OutflowOptions {
  /** Bytes. */
  readonly most: number;
  readonly log: Pick<Log, 'warn'>;
  /** Milliseconds, of any beginning. */
  readonly clock?: () => number;
}

export function createOutflow({ most, log, clock = () => performance.now() }: OutflowOptions): Outflow {
  /** Who reads what, in the order in which the latest reader of each came. */
  const waiting = new Map<Buffer, Set<ServerResponse>>();
  let bytes = 0;
  let cut = 0;
  let toldAt = Number.NEGATIVE_INFINITY;

  const leave = (response: ServerResponse, body: Buffer) => {
    const readers = waiting.get(body);
    if (!readers?.delete(response) || readers.size > 0) return;
    waiting.delete(body);
    bytes -= body.length;
  };

  const cutSlowest = () => {
    for (const [body, readers] of waiting) {
      if (bytes <= most) break;
      waiting.delete(body);
      bytes -= body.length;
      cut += readers.size;
      // Behind another response on its connection, one has no socket of its own yet.
      for (const { req } of readers) req.socket.destroy();
    }
    const now = clock();
    if (cut === 0 || now < toldAt + TELL_EACH_MS) return;
    log.warn({ connections: cut, bytes: most }, 'connections cut: too many answers wait for slow readers');
    toldAt = now;
    cut = 0;
  };

  return {
    send: (response, reply, more) => {
      send(response, reply, more);
      const { body } = reply;
      // Mostly all of it is in the kernel's hands by now.
      if (body.length < LEAST_COUNTED || response.writableLength === 0 || response.destroyed) return;
      const readers = waiting.get(body);
      if (readers === undefined) bytes += body.length;
      else waiting.delete(body);
      waiting.set(body, (readers ?? new Set()).add(response));
      response.once('close', () => leave(response, body));
      cutSlowest();
    },
    bytes: () => bytes,
  };
}

/** Bytes. The kernel takes as many for each connection anyway. */
const LEAST_COUNTED = 16 * 1_024;

/** Milliseconds. */
const TELL_EACH_MS = 60_000;
