/** Clients that are slow, that stop, or that never let go, each on a connection of its own (D9). */
import { connect, type Socket } from 'node:net';

export interface StuckClient {
  readonly socket: Socket;
  /** The beginning of what the server has said. */
  readonly got: () => string;
}

export interface StuckKind {
  readonly what: string;
  /** What the server says to it, all in all; null for what reads nothing. */
  readonly hears: RegExp | null;
  /** Keeps to itself until the server is done with it. */
  readonly behave: (client: StuckClient) => void;
}

/** Milliseconds between two bytes of those that dribble. */
const DRIBBLE_MS = 100;

const TIMEOUT =
  /^HTTP\/1\.1 408 Request Timeout\r\n(?:.+\r\n)+\r\n\{"errors":\[.*"code":"REQUEST_TIMEOUT".*\]\}$/;
const CUT_SHORT = /^HTTP\/1\.1 400 Bad Request\r\n(?:.+\r\n)+\r\n\{"errors":\[.*"code":"BAD_REQUEST".*\]\}$/;

/** More than what the kernel takes for a client that does not read. */
const LARGE = `{ ${[0, 1, 2].map((page) => `p${page}: events(page: ${page}, pageSize: 1000) { data { id title_nb desc_nb eventLink startDate endDate } }`).join(' ')} }`;
const SMALL = '{ events(pageSize: 1) { totalCount data { id } } }';
const PIPELINED = 20;

export function stuckKinds(download: string): readonly StuckKind[] {
  return [
    {
      // The first: what others make the server do may take longer than short limits.
      what: 'sends many requests at once, then no more',
      hears: new RegExp(`^(?:HTTP/1\\.1 200 OK\\r\\n(?:.+\\r\\n)+\\r\\n\\{"data":.+?\\}){${PIPELINED}}$`),
      behave: ({ socket }) => socket.write(post(SMALL).repeat(PIPELINED)),
    },
    { what: 'sends nothing at all', hears: TIMEOUT, behave: () => undefined },
    {
      what: 'sends its headers a byte at a time',
      hears: TIMEOUT,
      behave: ({ socket }) => {
        socket.write('POST /graphQL HTTP/1.1\r\nHost: here\r\nX-Slow: ');
        dribble(socket, 'a');
      },
    },
    {
      what: 'sends half a body and stops',
      hears: TIMEOUT,
      behave: ({ socket }) => socket.write(post(SMALL).slice(0, -10)),
    },
    {
      what: 'sends its body a byte at a time',
      hears: TIMEOUT,
      behave: ({ socket }) => {
        socket.write(headOf(100_000));
        dribble(socket, ' ');
      },
    },
    {
      what: 'sends one small chunk after another without an end',
      hears: TIMEOUT,
      behave: ({ socket }) => {
        socket.write(
          'POST /graphQL HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
        );
        dribble(socket, '1\r\n \r\n');
      },
    },
    {
      what: 'stops in the middle of its headers and half closes',
      hears: CUT_SHORT,
      behave: ({ socket }) => socket.end('POST /graphQL HTTP/1.1\r\nHost: he'),
    },
    {
      what: 'breaks off its upload',
      hears: /^$/,
      behave: ({ socket }) => socket.write(post(SMALL).slice(0, -10), () => socket.resetAndDestroy()),
    },
    {
      what: 'reads nothing of a large answer',
      hears: null,
      behave: ({ socket }) => socket.pause().write(post(LARGE)),
    },
    {
      what: 'reads nothing of a download',
      hears: null,
      behave: ({ socket }) => socket.pause().write(`GET ${download} HTTP/1.1\r\nHost: here\r\n\r\n`),
    },
    {
      what: 'sends many requests at once and reads none of their answers',
      hears: null,
      behave: ({ socket }) => socket.pause().write(post(LARGE).repeat(PIPELINED)),
    },
    {
      what: 'half closes behind its request',
      // One that has left for good looks the same, and work for it ends: what is not answered at once is not answered.
      hears: /^(?:HTTP\/1\.1 200 OK\r\n(?:.+\r\n)+\r\n\{"data":\{"events":.+\})?$/,
      behave: ({ socket }) => socket.end(post(SMALL)),
    },
  ];
}

/** Also when the server has hung up, it stays half open: it is for the server to let go. */
export async function startStuck(port: number, { behave }: StuckKind): Promise<StuckClient> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let got = '';
  // Resets are one way to be let go.
  socket.on('error', () => undefined);
  socket.setEncoding('utf8').on('data', (text: string) => {
    got += text;
  });
  await new Promise((resolve) => socket.once('connect', resolve));
  const client = { socket, got: () => got };
  behave(client);
  return client;
}

function dribble(socket: Socket, text: string): void {
  const timer = setInterval(() => {
    if (socket.writable && !socket.readableEnded) socket.write(text);
    else clearInterval(timer);
  }, DRIBBLE_MS);
  socket.once('close', () => clearInterval(timer));
}

function headOf(length: number): string {
  return `POST /graphQL HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
}

function post(query: string): string {
  const body = JSON.stringify({ query });
  return `${headOf(body.length)}${body}`;
}
