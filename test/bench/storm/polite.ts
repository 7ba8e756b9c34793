/** Entry point of a process with two polite clients: one requests `/healthz`, the other a small page. Each sends its next request after the reply. */
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

/** Asks for as long as it is not stopped, over a new connection when the server has closed the last one. */
function startAsking(port: number, request: () => string): Client {
  const times: number[] = [];
  let refused = 0;
  let isOver = false;
  const onReply = (status: number, time: number) => {
    times.push(time);
    if (status !== 200) refused++;
  };
  const begin = () => {
    if (isOver) return;
    const onClose = () => setTimeout(begin, REST_MS);
    openConnection({ port, request, onReply, onClose, isOver: () => isOver });
  };
  begin();
  const stop = () => {
    isOver = true;
  };
  return { times, refused: () => refused, stop };
}

interface Connection {
  readonly port: number;
  readonly request: () => string;
  /** Status 0 for none. */
  readonly onReply: (status: number, time: number) => void;
  readonly onClose: () => void;
  readonly isOver: () => boolean;
}

/** One request after the other, each a rest after the reply to the one before. */
function openConnection({ port, request, onReply, onClose, isOver }: Connection): void {
  const socket = connect({ port, host: '127.0.0.1', localAddress: OWN_ADDRESS });
  // A connection that cannot be opened has not answered, either.
  let started = performance.now();
  let isWaiting = true;
  let patience: NodeJS.Timeout | undefined;
  let rest: NodeJS.Timeout | undefined;
  const settle = (status: number, time = performance.now() - started) => {
    if (!isWaiting) return;
    isWaiting = false;
    clearTimeout(patience);
    onReply(status, time);
  };
  const giveUp = () => {
    settle(0, PATIENCE_MS);
    socket.destroy();
  };
  const send = () => {
    if (isOver()) return void socket.destroy();
    if (!isWaiting) started = performance.now();
    isWaiting = true;
    patience = setTimeout(giveUp, PATIENCE_MS);
    socket.write(request());
  };
  const read = repliesOf((status) => {
    settle(status);
    rest = setTimeout(send, REST_MS);
  });
  socket.on('error', () => undefined);
  socket.on('connect', send);
  socket.on('data', read);
  socket.on('close', () => {
    clearTimeout(rest);
    if (!isOver()) settle(0);
    clearTimeout(patience);
    onClose();
  });
}

let sent = 0;
let health: Client | undefined;
let polite: Client | undefined;

process.on('message', (message: { readonly port: number } | { readonly end: true }) => {
  if ('port' in message) {
    health = startAsking(message.port, () => get('/healthz', 'here'));
    polite = startAsking(message.port, () =>
      post(`{ events(pageSize: 3, page: ${sent++ % 50}) { totalCount data { id p${sent}: title_nb } } }`),
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
