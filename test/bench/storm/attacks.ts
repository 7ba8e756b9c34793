/**
 * What strangers send at once: each line of the storm, as a function that begins it on a port and gives a function that ends it.
 * Sockets are plain, because a client library would read, wait and repeat as this is not meant to.
 */
import { connect, type Socket } from 'node:net';

/** What came of an attack, as its clients saw it. */
export interface Tally {
  requests: number;
  /** By status; 0 for connections that ended without one. */
  statuses: Record<number, number>;
}

export interface Attack {
  readonly tally: Tally;
  readonly stop: () => void;
}

export interface Target {
  readonly port: number;
  /** File name of the current snapshot. */
  readonly file: string;
}

type Begin = (target: Target) => Attack;

/** By name, in the order of the table. */
export const ATTACKS: Readonly<Record<string, Begin>> = {
  hosts: crowd(60, (nth) => get(`/events.ics?lang=nb&page=${nth % 2}`, `h${unique()}.example`)),
  'hosts that leave': leaving(30, 50, () => get('/events.ics?lang=nb', `l${unique()}.example`)),
  'feeds too large': crowd(30, () => get('/events.ics?lang=nb&pageSize=1000', `t${unique()}.example`)),
  'heavy queries': crowd(120, () => post(heavyQuery())),
  pipelining: pipelined(40),
  'unfinished bodies': holding(1_500, () => unfinishedPost()),
  'half-sent bodies': holding(1_300, () => `${headOf(1_000)}{"query":"`),
  'lists of long texts': crowd(30, (nth) =>
    get(`/events.json?pageSize=1000&page=${nth % 20}`, `x${unique()}.example`),
  ),
  'unread downloads': holding(1_500, (_nth, { file }) => get(`/snapshots/${file}`, 'here')),
  'long headers': holding(3_000, () => unfinishedHeaders()),
  pages: crowd(30, () => get('/', `p${unique()}.example`)),
  'different queries': crowd(60, () =>
    post(
      `{ events(pageSize: 20, page: ${Math.floor(Math.random() * 70)}) { totalCount data { id a${unique()}: title_nb startDate venue { name } } } }`,
    ),
  ),
};

let uniques = 0;
const unique = () => `${process.pid.toString(36)}x${(uniques++).toString(36)}`;

export function get(path: string, host: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
}

export function post(query: string): string {
  const body = JSON.stringify({ query });
  return `${headOf(Buffer.byteLength(body))}${body}`;
}

const headOf = (length: number) =>
  `POST /graphQL HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;

/** 2 KB: 20 root fields of a full page with descriptions, like no other. */
export function heavyQuery(): string {
  const fields = `id u${unique()}: title_nb title_en desc_nb startDate`;
  const roots = Array.from(
    { length: 20 },
    (_, at) => `r${at}: events(pageSize: 1000, page: ${at % 2}) { data { ${fields} } }`,
  );
  return `{ ${roots.join(' ')} }`;
}

function unfinishedPost(): string {
  const length = 255 * 1_024;
  return `${headOf(length + 1)}{"query":"${'x'.repeat(length - 10)}`;
}

function unfinishedHeaders(): string {
  return `GET / HTTP/1.1\r\nHost: here\r\n${Array.from({ length: 30 }, (_, at) => `X-Long-${at}: ${'y'.repeat(985)}\r\n`).join('')}`;
}

/** So many clients, each of which asks again as soon as it has its reply. */
function crowd(clients: number, request: (nth: number) => string): Begin {
  return ({ port }) => {
    const tally: Tally = { requests: 0, statuses: {} };
    let isOver = false;
    const sockets = new Set<Socket>();
    const begin = () => {
      if (isOver) return;
      const socket = open(port, sockets);
      let ask = () => {
        tally.requests++;
        socket.write(request(tally.requests));
      };
      const read = repliesOf((status) => {
        count(tally, status);
        // Strangers do not wait; a pause of a moment keeps this process answering.
        if (!isOver) setTimeout(() => ask(), 5);
      });
      socket.on('connect', () => ask());
      socket.on('data', read);
      socket.on('close', () => {
        ask = () => undefined;
        sockets.delete(socket);
        if (!isOver) {
          count(tally, 0);
          setTimeout(begin, 100);
        }
      });
    };
    for (let nth = 0; nth < clients; nth++) begin();
    return {
      tally,
      stop: () => {
        isOver = true;
        for (const socket of sockets) socket.destroy();
      },
    };
  };
}

/** Clients that go away after so many milliseconds, replaced by others. */
function leaving(clients: number, afterMs: number, request: () => string): Begin {
  return ({ port }) => {
    const tally: Tally = { requests: 0, statuses: {} };
    let isOver = false;
    const sockets = new Set<Socket>();
    const begin = () => {
      if (isOver) return;
      const socket = open(port, sockets);
      socket.on('connect', () => {
        tally.requests++;
        socket.write(request());
        setTimeout(() => socket.destroy(), afterMs);
      });
      socket.on('close', () => {
        sockets.delete(socket);
        setTimeout(begin, 20);
      });
    };
    for (let nth = 0; nth < clients; nth++) begin();
    return {
      tally,
      stop: () => {
        isOver = true;
        for (const socket of sockets) socket.destroy();
      },
    };
  };
}

/** Connections that send one different request after the other and read nothing. */
function pipelined(connections: number): Begin {
  return ({ port }) => {
    const tally: Tally = { requests: 0, statuses: {} };
    let isOver = false;
    const sockets = new Set<Socket>();
    const begin = () => {
      if (isOver) return;
      const socket = open(port, sockets);
      const fill = () => {
        if (isOver || socket.destroyed) return;
        let more = true;
        for (let nth = 0; nth < 200 && more; nth++) {
          tally.requests++;
          const page = Math.floor(Math.random() * 10);
          more = socket.write(
            post(`{ events(pageSize: 100, page: ${page}) { data { id a${unique()}: desc_nb title_nb } } }`),
          );
        }
        if (more) setTimeout(fill, 10);
        else socket.once('drain', fill);
      };
      socket.on('connect', () => {
        socket.pause();
        fill();
      });
      socket.on('close', () => {
        sockets.delete(socket);
        setTimeout(begin, 200);
      });
    };
    for (let nth = 0; nth < connections; nth++) begin();
    return {
      tally,
      stop: () => {
        isOver = true;
        for (const socket of sockets) socket.destroy();
      },
    };
  };
}

/** Connections that send something, read nothing, and stay; those that are cut come again a little later. */
function holding(connections: number, request: (nth: number, target: Target) => string): Begin {
  return (target) => {
    const tally: Tally = { requests: 0, statuses: {} };
    let isOver = false;
    const sockets = new Set<Socket>();
    const begin = () => {
      if (isOver) return;
      const socket = open(target.port, sockets);
      socket.on('connect', () => {
        tally.requests++;
        socket.pause();
        socket.write(request(tally.requests, target));
      });
      socket.on('close', () => {
        sockets.delete(socket);
        count(tally, 0);
        setTimeout(begin, 500);
      });
    };
    for (let nth = 0; nth < connections; nth++) setTimeout(begin, nth / 2);
    return {
      tally,
      stop: () => {
        isOver = true;
        for (const socket of sockets) socket.destroy();
      },
    };
  };
}

function open(port: number, sockets: Set<Socket>): Socket {
  const socket = connect(port, '127.0.0.1');
  sockets.add(socket);
  socket.on('error', () => undefined);
  return socket;
}

function count({ statuses }: Tally, status: number): void {
  statuses[status] = (statuses[status] ?? 0) + 1;
}

/** Reads replies that have a Content-Length, one after the other. */
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
        head += rest.toString('latin1', 0, 8_192);
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) {
          if (rest.length > 8_192) throw new Error('expected a shorter head');
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
