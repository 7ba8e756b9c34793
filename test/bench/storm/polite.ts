/** Entry point of a process of polite clients: one asks for `/healthz`, one for something small, each once at a time. */
import { connect } from 'node:net';
import { repliesOf } from '../connection.ts';
import { get, post } from './attacks.ts';

export interface Seen {
  /** Milliseconds of each reply, in order; those that were not answered within the patience count as that. */
  readonly health: readonly number[];
  readonly polite: readonly number[];
  /** Replies of the polite client that were not 200. */
  readonly refused: number;
}

/** Turns go by address (D14): a polite client has one of its own. */
const OWN_ADDRESS = '127.0.0.2';
const PATIENCE_MS = 10_000;
const REST_MS = 20;

interface Client {
  readonly times: readonly number[];
  readonly refused: () => number;
  readonly stop: () => void;
}

function startAsking(port: number, request: () => string): Client {
  const times: number[] = [];
  let refused = 0;
  let isOver = false;
  const begin = () => {
    if (isOver) return;
    const socket = connect({ port, host: '127.0.0.1', localAddress: OWN_ADDRESS });
    let started = performance.now();
    let timer: NodeJS.Timeout | undefined;
    let isWaiting = true;
    const settle = (status: number, time = performance.now() - started) => {
      if (!isWaiting) return;
      isWaiting = false;
      clearTimeout(timer);
      times.push(time);
      if (status !== 200) refused++;
    };
    const giveUp = () => {
      settle(0, PATIENCE_MS);
      socket.destroy();
    };
    const send = () => {
      if (isOver) return void socket.destroy();
      if (!isWaiting) started = performance.now();
      isWaiting = true;
      timer = setTimeout(giveUp, PATIENCE_MS);
      socket.write(request());
    };
    const read = repliesOf((status) => {
      settle(status);
      setTimeout(send, REST_MS);
    });
    socket.on('error', () => undefined);
    socket.on('connect', send);
    socket.on('data', read);
    socket.on('close', () => {
      if (!isOver) settle(0);
      setTimeout(begin, REST_MS);
    });
  };
  begin();
  const stop = () => {
    isOver = true;
  };
  return { times, refused: () => refused, stop };
}

let nth = 0;
let health: Client | undefined;
let polite: Client | undefined;

process.on('message', (message: { readonly port: number } | { readonly end: true }) => {
  if ('port' in message) {
    health = startAsking(message.port, () => get('/healthz', 'here'));
    polite = startAsking(message.port, () =>
      post(`{ events(pageSize: 3, page: ${nth++ % 50}) { totalCount data { id p${nth}: title_nb } } }`),
    );
  } else {
    health?.stop();
    polite?.stop();
    const seen = {
      health: health?.times ?? [],
      polite: polite?.times ?? [],
      refused: polite?.refused() ?? 0,
    };
    process.send?.(seen satisfies Seen);
  }
});

process.send?.({ isReady: true });
