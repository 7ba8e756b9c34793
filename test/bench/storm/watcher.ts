/** Entry point of a process of polite clients: one asks for `/healthz`, one for something small, each once at a time. */
import { connect } from 'node:net';
import { get, post, repliesOf } from './attacks.ts';

export interface Seen {
  /** Milliseconds of each reply, in order; those that were not answered within the patience count as that. */
  readonly health: number[];
  readonly polite: number[];
  /** Replies of the polite client that were not 200. */
  readonly refused: number;
}

/** Turns go by address (D14): a polite client has one of its own. */
const OWN_ADDRESS = '127.0.0.2';
const PATIENCE_MS = 10_000;
const REST_MS = 20;

let nth = 0;

interface Client {
  readonly times: number[];
  refused: number;
  stop: () => void;
}

function ask(port: number, request: () => string): Client {
  const client: Client = {
    times: [],
    refused: 0,
    stop: () => {
      isOver = true;
    },
  };
  let isOver = false;
  const begin = () => {
    if (isOver) return;
    const socket = connect({ port, host: '127.0.0.1', localAddress: OWN_ADDRESS });
    let started = performance.now();
    let timer: NodeJS.Timeout | undefined;
    let isWaiting = true;
    const settle = (status: number) => {
      if (!isWaiting) return;
      isWaiting = false;
      clearTimeout(timer);
      client.times.push(status === -1 ? PATIENCE_MS : performance.now() - started);
      if (status !== 200) client.refused++;
    };
    const send = () => {
      if (isOver) return void socket.destroy();
      if (!isWaiting) started = performance.now();
      isWaiting = true;
      timer = setTimeout(() => {
        settle(-1);
        socket.destroy();
      }, PATIENCE_MS);
      socket.write(request());
    };
    socket.on('error', () => undefined);
    socket.on('connect', send);
    socket.on(
      'data',
      repliesOf((status) => {
        settle(status);
        setTimeout(send, REST_MS);
      }),
    );
    socket.on('close', () => {
      if (isWaiting && !isOver) settle(0);
      setTimeout(begin, REST_MS);
    });
  };
  begin();
  return client;
}

let health: Client | undefined;
let polite: Client | undefined;

process.on('message', (message: { readonly port: number } | { readonly end: true }) => {
  if ('port' in message) {
    health = ask(message.port, () => get('/healthz', 'here'));
    polite = ask(message.port, () =>
      post(`{ events(pageSize: 3, page: ${nth++ % 50}) { totalCount data { id p${nth}: title_nb } } }`),
    );
  } else {
    health?.stop();
    polite?.stop();
    process.send?.({
      health: health?.times ?? [],
      polite: polite?.times ?? [],
      refused: polite?.refused ?? 0,
    } satisfies Seen);
  }
});

process.send?.({ isReady: true });
