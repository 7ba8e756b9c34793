/**
 * The bodies of requests. They are bounded each (D1) and all together (D14): beyond that, the body that has been arriving for the longest is
 * refused. Clients send their bodies at once; a client that sends half and waits has the oldest.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { onceOver } from './connections.ts';
import { NO_BODY } from './message.ts';

/** D1: bytes of one body. */
export const MAX_BODY_BYTES = 256 * 1_024;
/** Bytes of a body that is not counted: one read of a socket gives as many, and at most a few such bodies wait. */
const LEAST_BODY_COUNTED = 16 * 1_024;

interface BodyListener {
  readonly onBody: (body: Buffer) => void;
  /** Called once, before the rest of the body has come. */
  readonly onTooLarge: () => void;
  /** Called once, in place of the others. */
  readonly onNoRoom: () => void;
}

export interface BodyReader {
  /** Most bodies are one chunk, which is then the result. If the client disconnects before the end, no callback is called. */
  readonly read: (request: IncomingMessage, response: ServerResponse, listener: BodyListener) => void;
  /** Bytes of bodies that are arriving or whose requests are not answered. */
  readonly bytes: () => number;
}

export function createBodyReader({ most }: { readonly most: () => number }): BodyReader {
  /** Bodies that are counted, the oldest first. */
  const counted = new Map<IncomingMessage, Counted>();
  let bytes = 0;

  const forget = (request: IncomingMessage) => {
    bytes -= counted.get(request)?.length ?? 0;
    counted.delete(request);
  };

  const makeRoom = () => {
    for (const [request, { refuse }] of counted) {
      if (bytes <= most()) return;
      // A body that has arrived completely is answered soon.
      if (refuse === undefined) continue;
      forget(request);
      refuse();
    }
  };

  const count = (request: IncomingMessage, response: ServerResponse, one: Counted) => {
    const before = counted.get(request);
    if (before === undefined) onceOver(response, () => forget(request));
    bytes += one.length - (before?.length ?? 0);
    counted.set(request, one);
    makeRoom();
  };

  return {
    bytes: () => bytes,
    read: (request, response, { onBody, onTooLarge, onNoRoom }) => {
      if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
        request.resume();
        onTooLarge();
        return;
      }
      let chunks: Buffer[] = [];
      let length = 0;
      let isOver = false;
      const end = (listener: () => void) => {
        isOver = true;
        chunks = [];
        listener();
      };
      request.on('data', (chunk: Buffer) => {
        if (isOver) return;
        length += chunk.length;
        if (length > MAX_BODY_BYTES) return end(onTooLarge);
        chunks.push(chunk);
        if (length > LEAST_BODY_COUNTED) count(request, response, { length, refuse: () => end(onNoRoom) });
      });
      request.on('end', () => {
        if (isOver) return;
        if (length > LEAST_BODY_COUNTED) count(request, response, { length, refuse: undefined });
        const [only = NO_BODY, ...more] = chunks;
        onBody(more.length === 0 ? only : Buffer.concat(chunks, length));
      });
    },
  };
}

interface Counted {
  readonly length: number;
  /** Undefined once the body has arrived completely. */
  readonly refuse: (() => void) | undefined;
}
