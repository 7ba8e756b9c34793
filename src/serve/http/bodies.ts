/**
 * The bodies of requests. They are bounded each (D1, statuses) and all together (D14, bounded together): beyond that, the body that has
 * been arriving for the longest is refused. Clients send their bodies at once; a client that sends half and waits has the oldest.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { onceOver } from './connections.ts';
import { NO_BODY } from './message.ts';

/** D1: bytes of one body. */
export const MAX_BODY_BYTES = 256 * 1_024;
/** Bytes of a body that is not counted: one read of a socket gives as many, and at most a few such bodies wait. */
const LEAST_COUNTED = 16 * 1_024;

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
}

interface Counted {
  bytes: number;
  /** Null once the body has arrived completely: it is answered soon. */
  refuse: (() => void) | null;
}

/** `most`: bytes of bodies that are arriving or whose requests are not answered, together. */
export function createBodyReader({ most }: { readonly most: () => number }): BodyReader {
  /** The oldest first. */
  const counted = new Set<Counted>();
  let bytes = 0;

  const forget = (one: Counted) => {
    if (counted.delete(one)) bytes -= one.bytes;
  };

  const makeRoom = () => {
    for (const one of counted) {
      if (bytes <= most()) return;
      if (one.refuse === null) continue;
      forget(one);
      one.refuse();
    }
  };

  return {
    read: (request, response, { onBody, onTooLarge, onNoRoom }) => {
      if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
        request.resume();
        onTooLarge();
        return;
      }
      const chunks: Buffer[] = [];
      let length = 0;
      let isRefused = false;
      const refuse = (listener: () => void) => {
        isRefused = true;
        chunks.length = 0;
        listener();
      };
      const one: Counted = { bytes: 0, refuse: () => refuse(onNoRoom) };
      request.on('data', (chunk: Buffer) => {
        if (isRefused) return;
        length += chunk.length;
        if (length > MAX_BODY_BYTES) return refuse(onTooLarge);
        chunks.push(chunk);
        if (length <= LEAST_COUNTED) return;
        if (one.bytes === 0) onceOver(response, () => forget(one));
        counted.add(one);
        bytes += length - one.bytes;
        one.bytes = length;
        makeRoom();
      });
      request.on('end', () => {
        if (isRefused) return;
        one.refuse = null;
        const [only = NO_BODY, ...more] = chunks;
        onBody(more.length === 0 ? only : Buffer.concat(chunks, length));
      });
    },
  };
}
