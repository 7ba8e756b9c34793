/** An HTTP client that does no more than it is told: libraries read ahead, wait, and repeat requests. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

interface Reply {
  readonly status: number;
  /** Length of the body as it came over the wire. */
  readonly bytes: number;
}

export interface Connection {
  /** Sends one request at a time. Rejects when the server hangs up. */
  readonly ask: (request: Buffer) => Promise<Reply>;
  readonly close: () => void;
}

interface Pending {
  readonly answered: (reply: Reply) => void;
  readonly failed: (cause: Error) => void;
}

export async function openConnection(port: number): Promise<Connection> {
  const socket: Socket = connect(port, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  let pending: Pending | undefined;
  const hangUp = (cause = new Error('expected a reply, the server hung up')) => pending?.failed(cause);
  socket.on('error', hangUp);
  socket.on('close', () => hangUp());
  const read = repliesOf((status, bytes) => pending?.answered({ status, bytes }));
  socket.on('data', read);
  return {
    ask: (request) =>
      new Promise((answered, failed) => {
        pending = { answered, failed };
        socket.write(request);
      }),
    close: () => {
      pending = undefined;
      socket.destroy();
    },
  };
}

/** Reads replies that have a Content-Length, one after the other; `bytes` is the length of a body as it came over the wire. */
export function repliesOf(onReply: (status: number, bytes: number) => void): (chunk: Buffer) => void {
  let head = '';
  let reply: Reply | undefined;
  let missing = 0;
  /** Takes the rest of a head from a chunk; gives what follows it. */
  const readHead = (chunk: Buffer): Buffer => {
    const before = head.length;
    head += chunk.toString('latin1', 0, LONGEST_HEAD);
    const end = head.indexOf(END_OF_HEAD);
    if (end < 0) {
      if (chunk.length > LONGEST_HEAD)
        throw new Error(`expected a head of at most ${LONGEST_HEAD} bytes, found more`);
      return chunk.subarray(chunk.length);
    }
    const [, status] = STATUS_LINE.exec(head) ?? [];
    const [, bytes = '0'] = CONTENT_LENGTH.exec(head.slice(0, end)) ?? [];
    reply = { status: Number(status), bytes: Number(bytes) };
    missing = reply.bytes;
    head = '';
    return chunk.subarray(end + END_OF_HEAD.length - before);
  };
  return (chunk) => {
    let rest = chunk;
    while (rest.length > 0) {
      if (reply === undefined) rest = readHead(rest);
      if (reply === undefined) return;
      const taken = Math.min(missing, rest.length);
      missing -= taken;
      rest = rest.subarray(taken);
      if (missing > 0) return;
      onReply(reply.status, reply.bytes);
      reply = undefined;
    }
  };
}

const LONGEST_HEAD = 8_192;
const END_OF_HEAD = '\r\n\r\n';
const STATUS_LINE = /^HTTP\/1\.1 (\d{3})/;
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;
