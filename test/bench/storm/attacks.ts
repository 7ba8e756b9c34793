/**
 * What strangers send at once: each line of the storm, as a function that begins it on a port and gives a function that ends it.
 * Sockets are plain, because a client library would read, wait and repeat as this is not meant to.
 */
import { connect, type Socket } from 'node:net';
import { repliesOf } from '../connection.ts';

/** The outcome of an attack, as its clients saw it. */
export interface Tally {
  requests: number;
  /** Numbers by status; 0 for connections that ended without one. */
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

/** Attacks by name, in the order of the table. */
export const ATTACKS: Readonly<Record<string, Begin>> = {
  hosts: crowd(60, (nth) => get(`/events.ics?lang=nb&page=${nth % 2}`, `h${unique()}.example`)),
  'hosts that leave': leaving(30, () => get('/events.ics?lang=nb', `l${unique()}.example`)),
  'feeds too large': crowd(30, () => get('/events.ics?lang=nb&pageSize=1000', `t${unique()}.example`)),
  'heavy queries': crowd(120, () => post(heavyQuery())),
  pipelining: pipelined(40, () =>
    post(`{ events(pageSize: 100, page: ${below(10)}) { data { id a${unique()}: desc_nb title_nb } } }`),
  ),
  'unfinished bodies': holding(1_500, () => unfinishedPost()),
  'half-sent bodies': holding(1_300, () => `${headOf(1_000)}{"query":"`),
  'lists of long texts': crowd(30, (nth) =>
    get(`/events.json?pageSize=1000&page=${nth % 20}`, `x${unique()}.example`),
  ),
  'unread downloads': holding(1_500, ({ file }) => get(`/snapshots/${file}`, 'here')),
  'long headers': holding(3_000, () => unfinishedHeaders()),
  pages: crowd(30, () => get('/', `p${unique()}.example`)),
  searches: crowd(24, () => post(searchQuery())),
  'searches that leave': leaving(8, () => post(searchQuery())),
  facets: crowd(40, () => post(facetQuery())),
  'facets of four addresses': together([1, 2, 3, 4].map((nth) => crowd(64, () => post(facetQuery()), nth))),
  'different queries': crowd(60, () =>
    post(
      `{ events(pageSize: 20, page: ${below(70)}) { totalCount data { id a${unique()}: title_nb startDate venue { name } } } }`,
    ),
  ),
};

let uniques = 0;
const unique = () => `${process.pid.toString(36)}x${(uniques++).toString(36)}`;
const below = (bound: number) => Math.floor(Math.random() * bound);

export function get(path: string, host: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
}

export function post(query: string): string {
  const body = JSON.stringify({ query });
  return `${headOf(Buffer.byteLength(body))}${body}`;
}

function headOf(length: number): string {
  return `POST /graphQL HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
}

/** 2 KB: 20 root fields of a full page with descriptions, like no other. */
function heavyQuery(): string {
  const fields = `id u${unique()}: title_nb title_en desc_nb startDate`;
  const roots = Array.from(
    { length: 20 },
    (_, at) => `r${at}: events(pageSize: 1000, page: ${at % 2}) { data { ${fields} } }`,
  );
  return `{ ${roots.join(' ')} }`;
}

/** 6 KB: 20 root fields, each with a search term of 256 characters, of frequent parts in another order. */
function searchQuery(): string {
  const roots = aliased(() => {
    const parts = [...PARTS].sort(() => Math.random() - 0.5);
    const term = parts.join(' ').slice(0, 256);
    return `events(filter: { searchTerm: "${term}" }) { totalCount }`;
  });
  return `{ ${roots} }`;
}

const LETTERS = [...'etanrislogkdmvpfhbuj'];
const PARTS = [...LETTERS, ...LETTERS.flatMap((one) => ['e', 'n', 'r', 'a'].map((other) => one + other))];

/** 4 KB: 20 root fields, each with all facets of a filter of its own. */
function facetQuery(): string {
  const facets = ['tags', 'venues', 'organizers', 'categories', 'municipalities', 'days', 'accessibilities'];
  const counted = facets.map((name) => `${name}(first: 1) { hits }`).join(' ');
  const time = () => `${`${below(24)}`.padStart(2, '0')}:${`${below(60)}`.padStart(2, '0')}`;
  const roots = aliased(
    () => `events(filter: { groupRepetitionsByDay: true, hoursRange: "${time()}-${time()}" }) { ${counted} }`,
  );
  return `{ ${roots} }`;
}

const aliased = (root: () => string) => Array.from({ length: 20 }, (_, at) => `r${at}: ${root()}`).join(' ');

function unfinishedPost(): string {
  const length = 255 * 1_024;
  return `${headOf(length + 1)}{"query":"${'x'.repeat(length - 10)}`;
}

function unfinishedHeaders(): string {
  return `GET / HTTP/1.1\r\nHost: here\r\n${Array.from({ length: 30 }, (_, at) => `X-Long-${at}: ${'y'.repeat(985)}\r\n`).join('')}`;
}

/** Runs so many clients, each of which asks again as soon as it has its reply. */
function crowd(clients: number, request: (nth: number) => string, place = 0): Begin {
  return many({ clients, againMs: 100, isEndCounted: true, place }, ({ socket, tally, send }) => {
    const ask = () => {
      if (!socket.destroyed) send(request(tally.requests + 1));
    };
    const read = repliesOf((status) => {
      count(tally, status);
      // Strangers do not wait; a pause of a moment keeps this process answering.
      setTimeout(ask, 5);
    });
    socket.on('data', read);
    ask();
  });
}

/** Clients that go away after a moment, replaced by others. */
function leaving(clients: number, request: () => string): Begin {
  return many({ clients, againMs: 20 }, ({ socket, send }) => {
    send(request());
    setTimeout(() => socket.destroy(), 50);
  });
}

/** Connections that send one different request after the other and read nothing. */
function pipelined(clients: number, request: () => string): Begin {
  return many({ clients, againMs: 200 }, ({ socket, send }) => {
    const fill = () => {
      if (socket.destroyed) return;
      let more = true;
      for (let nth = 0; nth < 200 && more; nth++) more = send(request());
      if (more) setTimeout(fill, 10);
      else socket.once('drain', fill);
    };
    socket.pause();
    fill();
  });
}

/** Connections that send something, read nothing, and stay; those that are cut come again a little later. */
function holding(clients: number, request: (target: Target) => string): Begin {
  return many({ clients, againMs: 500, isEndCounted: true }, ({ socket, target, send }) => {
    socket.pause();
    send(request(target));
  });
}

interface Clients {
  readonly clients: number;
  /** Milliseconds until another one takes the place of a connection that has ended. */
  readonly againMs: number;
  readonly isEndCounted?: boolean;
  /** Which address they come from. */
  readonly place?: number;
}

interface Line {
  readonly socket: Socket;
  readonly target: Target;
  readonly tally: Tally;
  /** Gives whether the socket takes more. */
  readonly send: (request: string) => boolean;
}

/** Keeps so many connections open; `use` is called with each as soon as it is open. */
function many(
  { clients, againMs, isEndCounted = false, place = 0 }: Clients,
  use: (line: Line) => void,
): Begin {
  return (target) => {
    const tally: Tally = { requests: 0, statuses: {} };
    const sockets = new Set<Socket>();
    let isOver = false;
    const begin = () => {
      if (isOver) return;
      const socket = connect({ port: target.port, host: '127.0.0.1', localAddress: `127.0.${place}.1` });
      sockets.add(socket);
      const send = (request: string) => {
        tally.requests++;
        return socket.write(request);
      };
      socket.on('error', () => undefined);
      socket.on('connect', () => use({ socket, target, tally, send }));
      socket.on('close', () => {
        sockets.delete(socket);
        if (isOver) return;
        if (isEndCounted) count(tally, 0);
        setTimeout(begin, againMs);
      });
    };
    for (let nth = 0; nth < clients; nth++) setTimeout(begin, nth / 2);
    const stop = () => {
      isOver = true;
      for (const socket of sockets) socket.destroy();
    };
    return { tally, stop };
  };
}

/** Several at once, counted as one. */
function together(begins: readonly Begin[]): Begin {
  return (target) => {
    const attacks = begins.map((begin) => begin(target));
    const tally: Tally = { requests: 0, statuses: {} };
    const stop = () => {
      for (const attack of attacks) {
        attack.stop();
        tally.requests += attack.tally.requests;
        for (const [status, times] of Object.entries(attack.tally.statuses))
          tally.statuses[Number(status)] = (tally.statuses[Number(status)] ?? 0) + times;
      }
    };
    return { tally, stop };
  };
}

function count({ statuses }: Tally, status: number): void {
  statuses[status] = (statuses[status] ?? 0) + 1;
}
