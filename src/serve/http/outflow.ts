/**
 * D10, size of answers: bytes that wait for slow readers are bounded for all of them together. A body that several readers share is in
 * memory once and counts once; the body that has waited longest is cut first, and the newest always stays.
 */
import type { ServerResponse } from 'node:http';
import { type OnCut, onceOver } from './connections.ts';
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
  /** Called with each connection that is closed. */
  readonly onCut: OnCut;
}

interface Waiting {
  readonly bytes: number;
  readonly readers: Set<ServerResponse>;
}

export function createOutflow({ most, onCut }: OutflowOptions): Outflow {
  /** The readers of each body, in the order in which its latest reader came. */
  const waiting = new Map<Buffer, Waiting>();
  let bytes = 0;

  const forget = (body: Buffer, one: Waiting) => {
    if (waiting.get(body) !== one) return;
    waiting.delete(body);
    bytes -= one.bytes;
  };

  const cut = (limit: number, newest?: Buffer) => {
    for (const [body, one] of waiting) {
      if (bytes <= limit || body === newest) return;
      forget(body, one);
      for (const { req } of one.readers) {
        // A response that waits for an earlier one on its connection has no socket yet.
        req.socket.destroy();
        onCut('slow');
      }
    }
  };

  return {
    send: (response, reply, headers) => {
      send(response, reply, headers);
      const { body, more = [] } = reply;
      // Most bodies are in the kernel's buffers by now.
      if (response.writableLength < LEAST_COUNTED || response.req.socket.destroyed) return;
      const one = waiting.get(body) ?? { bytes: body.length + lengthOf(more), readers: new Set() };
      if (!waiting.delete(body)) bytes += one.bytes;
      one.readers.add(response);
      waiting.set(body, one);
      onceOver(response, () => {
        if (one.readers.delete(response) && one.readers.size === 0) forget(body, one);
      });
      cut(most(), body);
    },
    bytes: () => bytes,
    cut,
  };
}

/** Bytes. The kernel buffers as many for each connection anyway. */
const LEAST_COUNTED = 16 * 1_024;
