/** HTTP as the benchmark speaks it: no client library, which would read, wait and repeat on its own. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

interface Reply {
  readonly status: number;
  /** Of the body, as it came over the wire. */
  readonly bytes: number;
}

export interface Connection {
  /** One at a time. Rejects when the server hangs up. */
  readonly ask: (request: Buffer) => Promise<Reply>;
  readonly close: () => void;
}

interface Asked {
  readonly answered: (reply: Reply) => void;
  readonly failed: (cause: Error) => void;
}

export async function openConnection(port: number): Promise<Connection> {
  const socket: Socket = connect(port, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  let asked: Asked | undefined;
  const hangUp = (cause = new Error('expected a reply, the server hung up')) => asked?.failed(cause);
  socket.on('error', hangUp);
  socket.on('close', () => hangUp());
  const read = repliesOf((status, bytes) => asked?.answered({ status, bytes }));
  socket.on('data', read);
  return {
    ask: (request) =>
      new Promise((answered, failed) => {
        asked = { answered, failed };
        socket.write(request);
      }),
    close: () => {
      asked = undefined;
      socket.destroy();
    },
  };
}

/** Reads replies that have a Content-Length, one after the other; `bytes` are those of a body as it came over the wire. */
export function repliesOf(onReply: (status: number, bytes: number) => void): (chunk: Buffer) => void {
  let head = '';
  let status = 0;
  let length = 0;
  let left = -1;
  return (chunk) => {
    let rest = chunk;
    while (rest.length > 0) {
      if (left < 0) {
        const before = head.length;
        head += rest.toString('latin1', 0, LONGEST_HEAD);
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) {
          if (rest.length > LONGEST_HEAD) throw new Error('expected a shorter head');
          return;
        }
        status = Number(head.slice(9, 12));
        length = Number(/\r\ncontent-length: *(\d+)/i.exec(head.slice(0, end))?.[1] ?? 0);
        left = length;
        rest = rest.subarray(end + 4 - before);
        head = '';
      }
      const taken = Math.min(left, rest.length);
      left -= taken;
      rest = rest.subarray(taken);
      if (left === 0) {
        left = -1;
        onReply(status, length);
      }
    }
  };
}

const LONGEST_HEAD = 8_192;
