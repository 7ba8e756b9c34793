/**
 * Replies on their way to slow readers (D10): the bytes that wait are bounded for all readers together. A body that several readers share is
 * in memory once and counts once; the body that has waited longest is cut first, and the newest always stays.
 */
import type { ServerResponse } from 'node:http';
import { type HeaderList, type HttpReply, send } from './message.ts';
import { lengthOf, MOST_UNCOUNTED } from './reply-body.ts';

interface OutflowOptions {
  /** Most bytes that wait. */
  readonly most: () => number;
  /** Called with each connection that is closed. */
  readonly onCut: (reason: 'slow') => void;
}

export function createOutflow({ most, onCut }: OutflowOptions): Outflow {
  /** The readers of each body, in the order in which its latest reader came. */
  const waiting = new Map<HttpReply['body'], Set<ServerResponse>>();
  let bytes = 0;

  const forget = (body: HttpReply['body']) => {
    if (waiting.delete(body)) bytes -= lengthOf(body);
  };

  const cut = (limit: number, newest?: HttpReply['body']) => {
    for (const [body, readers] of waiting) {
      if (bytes <= limit || body === newest) return;
      forget(body);
      for (const { req } of readers) {
        // A response that waits for an earlier one on its connection has no socket yet.
        req.socket.destroy();
        onCut('slow');
      }
    }
  };

  return {
    /** `headers`: those of this reply besides its own. */
    send: (response: ServerResponse, reply: HttpReply, headers?: HeaderList) => {
      send(response, reply, headers);
      const { body } = reply;
      // Most bodies are in the kernel's buffers by now.
      if (response.writableLength <= MOST_UNCOUNTED || response.req.socket.destroyed) return;
      const readers = waiting.get(body) ?? new Set();
      forget(body);
      waiting.set(body, readers.add(response));
      bytes += lengthOf(body);
      response.once('close', () => {
        const others = waiting.get(body);
        if (others?.delete(response) && others.size === 0) forget(body);
      });
      cut(most(), body);
    },
    /** Bytes of bodies that wait for their readers. */
    bytes: () => bytes,
    /** Disconnects the slowest readers until at most this many bytes wait. */
    cut,
  };
}

export interface Outflow {
  /** `headers`: those of this reply besides its own. */
  readonly send: (response: ServerResponse, reply: HttpReply, headers?: HeaderList) => void;
  /** Bytes of bodies that wait for their readers. */
  readonly bytes: () => number;
  /** Disconnects the slowest readers until at most this many bytes wait. */
  readonly cut: (limit: number) => void;
}
