/** Reads the body of a request as one Buffer. */
import type { IncomingMessage } from 'node:http';

/** D1. */
export const MAX_BODY_BYTES = 256 * 1_024;

export interface BodyListener {
  readonly onBody: (body: Buffer) => void;
  /** Called once, before the rest of the body has come. */
  readonly onTooLarge: () => void;
}

/**
 * Callbacks and no stream machinery: most bodies are one chunk, which is then the result. A client that goes away before
 * the end is heard of no more.
 */
export function readBody(request: IncomingMessage, { onBody, onTooLarge }: BodyListener): void {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
    request.resume();
    onTooLarge();
    return;
  }
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    const before = length;
    length += chunk.length;
    if (before > MAX_BODY_BYTES) return;
    if (length > MAX_BODY_BYTES) {
      more = undefined;
      onTooLarge();
    } else if (first === undefined) first = chunk;
    else if (more === undefined) more = [first, chunk];
    else more.push(chunk);
  });
  request.on('end', () => {
    if (length > MAX_BODY_BYTES) return;
    onBody(more === undefined ? (first ?? EMPTY) : Buffer.concat(more, length));
  });
}

const EMPTY = Buffer.alloc(0);
