/**
 * Reads the bodies of requests, bounded each and all together (D1, D14). Beyond that, the body that has been arriving for the longest is
 * refused: clients send their bodies at once, so the oldest is that of a client that sends half and waits.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { OVERLOAD } from '../admission/semaphore.ts';
import { type Refusal, refuse } from '../graphql/refusal.ts';
import { MOST_UNCOUNTED } from './reply-body.ts';

/** D1: bytes of one body. */
export const MAX_BODY_BYTES = 256 * 1_024;

const TOO_LARGE = refuse('PAYLOAD_TOO_LARGE', 'The body must not be larger than 256 KiB.');
const NO_ROOM = refuse('OVERLOADED', OVERLOAD.message);

/**
 * Calls back once, with the body, or with a refusal before the rest of it has come; never if the client disconnects before the end. Most
 * bodies are one chunk, which is then the result.
 */
export type ReadBody = (
  request: IncomingMessage,
  response: ServerResponse,
  onRead: (read: Buffer | Refusal) => void,
) => void;

/** `most`: bytes of bodies that are arriving or whose requests are not answered, together. */
export function createReadBody(most: () => number): ReadBody {
  const bodies = createHeldBodies(most);
  return (request, response, onRead) => {
    if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return onRead(TOO_LARGE);
    const chunks: Buffer[] = [];
    let length = 0;
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > MAX_BODY_BYTES) body.refuse(TOO_LARGE);
      else if (length > MOST_UNCOUNTED) bodies.count(body, length);
    };
    const onEnd = () => {
      const [only, ...more] = chunks;
      onRead(only !== undefined && more.length === 0 ? only : Buffer.concat(chunks));
    };
    const body: HeldBody = {
      bytes: 0,
      request,
      response,
      refuse: (refusal) => {
        request.off('data', onData).off('end', onEnd);
        chunks.length = 0;
        onRead(refusal);
      },
    };
    request.on('data', onData).on('end', onEnd);
  };
}

/** A body that is arriving, or whose request is not answered. */
interface HeldBody {
  /** Bytes that are counted. */
  bytes: number;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly refuse: (refusal: Refusal) => void;
}

function createHeldBodies(most: () => number) {
  /** The oldest first. */
  const counted = new Set<HeldBody>();
  let bytes = 0;
  const forget = (body: HeldBody) => {
    if (counted.delete(body)) bytes -= body.bytes;
  };
  const makeRoom = () => {
    for (const body of counted) {
      if (bytes <= most()) return;
      // One that has arrived completely is answered soon.
      if (body.request.complete) continue;
      forget(body);
      body.refuse(NO_ROOM);
    }
  };
  return {
    /** Called with the length of a body so far, each time that more of it has come. */
    count: (body: HeldBody, length: number) => {
      if (body.bytes === 0) body.response.once('close', () => forget(body));
      counted.add(body);
      bytes += length - body.bytes;
      body.bytes = length;
      makeRoom();
    },
  };
}
