/** What a refusal costs beside an answer that is at hand (D14): CPU of this process, which sends the requests, too. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { startStand } from '../../serve/http/stand.ts';
import { post, repliesOf } from './attacks.ts';

export interface RefusalCost {
  /** Microseconds a request. */
  readonly cached: number;
  readonly refused: number;
}

const REQUESTS = 4_000;
const ROUNDS = 5;
/** Pieces of small work that run at a time. */
const WORKING = 8;

export async function measureRefusal(): Promise<RefusalCost> {
  const stand = await startStand({
    admission: { small: { mostWaiting: 0 } },
    execute: ({ sent }) =>
      sent.query.includes('busy')
        ? new Promise(() => undefined)
        : Promise.resolve({ body: Buffer.from(`{"data":{"now":1}}`), failed: false, dependsOnDay: false }),
  });
  const sockets: Socket[] = [];
  const open = async () => {
    const socket = connect(stand.port, '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  try {
    await stand.post('{ now }');
    for (let nth = 0; nth < WORKING; nth++) (await open()).write(post(`{ busy${nth}: now }`));
    while (stand.executions() <= WORKING) await new Promise((turn) => setImmediate(turn));
    const socket = await open();
    const ask = asking(socket);
    const best = { cached: Number.POSITIVE_INFINITY, refused: Number.POSITIVE_INFINITY };
    for (let round = 0; round < ROUNDS; round++) {
      best.cached = Math.min(best.cached, await ask(() => post('{ now }'), 200));
      best.refused = Math.min(best.refused, await ask((nth) => post(`{ r${round}x${nth}: now }`), 503));
    }
    return best;
  } finally {
    for (const socket of sockets) socket.destroy();
    await stand.close();
  }
}

/** One request after the other; gives the CPU of each. */
function asking(socket: Socket) {
  let answered: (status: number) => void = () => undefined;
  socket.on(
    'data',
    repliesOf((status) => answered(status)),
  );
  return async (request: (nth: number) => string, expected: number): Promise<number> => {
    const before = process.cpuUsage();
    for (let nth = 0; nth < REQUESTS; nth++) {
      const reply = new Promise<number>((resolve) => {
        answered = resolve;
      });
      socket.write(request(nth));
      const status = await reply;
      if (status !== expected) throw new Error(`expected status ${expected}, found ${status}`);
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / REQUESTS;
  };
}
