/** HTTP as the load speaks it: one request at a time on a connection that is kept. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface RequestParts {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export function rawRequest({ method, path, headers = {}, body }: RequestParts): string {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', 'Accept: application/json'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body === undefined) return `${lines.join('\r\n')}\r\n\r\n`;
  lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

export interface Reply {
  readonly status: number;
  /** Of the body, as it came over the wire. */
  readonly bytes: number;
}

export interface Connection {
  /** One at a time. Rejects when the server hangs up. */
  readonly ask: (request: Buffer) => Promise<Reply>;
  readonly close: () => void;
}

/** `from`: an address of this machine's loopback that the connection comes from. */
export async function openConnection(port: number, from = '127.0.0.1'): Promise<Connection> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from }).setNoDelay(true);
  await once(socket, 'connect');
  return converse(socket);
}

interface Asked {
  readonly answered: (reply: Reply) => void;
  readonly failed: (cause: Error) => void;
}

function converse(socket: Socket): Connection {
  let asked: Asked | null = null;
  let reading = startReading();
  const hangUp = (cause = new Error('expected a reply, the server hung up')) => asked?.failed(cause);
  socket.on('error', hangUp);
  socket.on('close', () => hangUp());
  socket.on('data', (chunk) => {
    const reply = reading(chunk);
    if (reply === null) return;
    reading = startReading();
    asked?.answered(reply);
  });
  return {
    ask: (request) =>
      new Promise((answered, failed) => {
        asked = { answered, failed };
        socket.write(request);
      }),
    close: () => {
      asked = null;
      socket.destroy();
    },
  };
}

const CHUNKED = Number.POSITIVE_INFINITY;
const LAST_CHUNK = '\r\n0\r\n\r\n';

/** Takes one reply's bytes as they come; gives the reply with its last one. */
function startReading(): (chunk: Buffer) => Reply | null {
  let head: Buffer | null = null;
  let status = 0;
  /** Bytes of the body; null until the head is there. */
  let wanted: number | null = null;
  let bytes = 0;
  let tail = '';
  return (chunk) => {
    let body = chunk;
    if (wanted === null) {
      head = head === null ? chunk : Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return null;
      const text = head.toString('latin1', 0, end);
      status = Number(text.slice('HTTP/1.1 '.length).slice(0, 3));
      wanted = Number(/\r\ncontent-length: *(\d+)/i.exec(text)?.[1] ?? CHUNKED);
      body = head.subarray(end + 4);
    }
    bytes += body.length;
    if (wanted === CHUNKED) {
      tail = (tail + body.toString('latin1', Math.max(0, body.length - LAST_CHUNK.length))).slice(
        -LAST_CHUNK.length,
      );
      return tail === LAST_CHUNK ? { status, bytes } : null;
    }
    return bytes >= wanted ? { status, bytes } : null;
  };
}
