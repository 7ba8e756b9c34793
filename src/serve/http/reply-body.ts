/** The bodies of replies, in slices: their length, and the memory that they take. */
import type { HttpReply } from './message.ts';

/** A reply with another body, and the length of that in its headers. */
export function withBody(reply: HttpReply, body: HttpReply['body']): HttpReply {
  const headers = reply.headers.map((text, index) => {
    const isLength = index % 2 === 1 && reply.headers[index - 1] === 'Content-Length';
    return isLength ? `${lengthOf(body)}` : text;
  });
  return { status: reply.status, headers, body };
}

export function lengthOf(slices: readonly Buffer[]): number {
  return slices.reduce((length, slice) => length + slice.length, 0);
}

/**
 * A short body in one piece of its own memory: a view into Node's pool, or into zlib's buffer, would keep all of that while it is cached.
 * A long one is not copied.
 */
export function compact(slices: readonly Buffer[]): readonly Buffer[] {
  const length = lengthOf(slices);
  if (length > LONGEST_COPIED) return slices;
  const whole = Buffer.allocUnsafeSlow(length);
  let at = 0;
  for (const slice of slices) at += slice.copy(whole, at);
  return [whole];
}

/** Bytes of a body that is copied. */
const LONGEST_COPIED = 64 * 1_024;

/** Most bytes of a body that is not counted: the kernel buffers as many for each connection anyway, and one read of a socket gives as many. */
export const MOST_UNCOUNTED = 16 * 1_024;
