/** Compares the cost of a refusal with that of a cached answer (D14): CPU of this process, which also sends the requests. */
import { until } from '../../helpers/until.ts';
import { resultOf, startStand } from '../../src/serve/http/stand.ts';
import { type Connection, openConnection } from '../connection.ts';
import { post } from './attacks.ts';

export interface RefusalCost {
  /** Microseconds a request. */
  readonly cached: number;
  readonly refused: number;
}

const REQUESTS = 4_000;
const ROUNDS = 5;
const FEWEST_ROUNDS = 3;
/** Pieces of small work of one address that run at a time. */
const WORKING = 4;

interface Effort {
  /** Requests of each kind in a round. */
  readonly requests?: number;
  readonly rounds?: number;
  /** The rounds end early once a refusal costs at most so many times a cached answer. */
  readonly enoughRatio?: number;
}

/** The lowest cost of each in several rounds. */
export async function measureRefusal(effort: Effort = {}): Promise<RefusalCost> {
  const { requests = REQUESTS, rounds = ROUNDS, enoughRatio = 0 } = effort;
  const stand = await startStand({
    admission: { small: { mostWaiting: 0 } },
    execute: ({ sent }) =>
      sent.query.includes('busy')
        ? new Promise(() => undefined)
        : Promise.resolve(resultOf('{"data":{"now":1}}')),
  });
  const connections: Connection[] = [];
  const open = async () => {
    const connection = await openConnection(stand.port);
    connections.push(connection);
    return connection;
  };
  try {
    await stand.post('{ now }');
    for (let nth = 0; nth < WORKING; nth++) {
      void (await open()).ask(Buffer.from(post(`{ busy${nth}: now }`))).catch(() => undefined);
    }
    await until('all of the small work has begun', () => stand.executions() > WORKING);
    const connection = await open();
    const best = { cached: Number.POSITIVE_INFINITY, refused: Number.POSITIVE_INFINITY };
    for (let round = 0; round < rounds; round++) {
      if (round >= FEWEST_ROUNDS && best.refused <= enoughRatio * best.cached) break;
      best.cached = Math.min(
        best.cached,
        await cpuOf(connection, { requests, status: 200, request: () => post('{ now }') }),
      );
      const request = (nth: number) => post(`{ r${round}x${nth}: now }`);
      best.refused = Math.min(best.refused, await cpuOf(connection, { requests, status: 503, request }));
    }
    return best;
  } finally {
    for (const { close } of connections) close();
    await stand.close();
  }
}

interface RequestSeries {
  readonly requests: number;
  /** The expected status of each answer. */
  readonly status: number;
  readonly request: (nth: number) => string;
}

/** Sends the requests one after the other. The CPU time for each, in microseconds. */
async function cpuOf({ ask }: Connection, { requests, status, request }: RequestSeries): Promise<number> {
  const before = process.cpuUsage();
  for (let nth = 0; nth < requests; nth++) {
    const answer = await ask(Buffer.from(request(nth)));
    if (answer.status !== status) throw new Error(`expected status ${status}, found ${answer.status}`);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / requests;
}
