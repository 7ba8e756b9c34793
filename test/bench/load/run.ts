/** A bounded number of requests over a few connections, each of which asks again as soon as it has its reply. */
import { percentile } from '../rounds.ts';
import { type Connection, openConnection } from './http.ts';

export interface Job {
  readonly port: number;
  readonly connections: number;
  /** Raw requests; taken in turn, over and over. */
  readonly requests: readonly string[];
  readonly count: number;
  /** Requests a second, evenly spread; without it each connection goes on as soon as it can. */
  readonly pace?: number;
}

export interface Outcome {
  readonly count: number;
  readonly seconds: number;
  /** Milliseconds from when a request was due until its reply was there as a whole. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** Mean of a reply's body. */
  readonly bytes: number;
}

export async function runLoad({ port, count, pace, ...job }: Job): Promise<Outcome> {
  const requests = job.requests.map((text) => Buffer.from(text));
  const latencies = new Float64Array(count);
  let bytes = 0;
  let next = 0;
  const started = performance.now();

  async function converse(connection: Connection): Promise<void> {
    for (let place = next++; place < count; place = next++) {
      const due = pace === undefined ? performance.now() : await until(started + (place * 1_000) / pace);
      const reply = await connection.ask(requests[place % requests.length] ?? NOTHING);
      if (reply.status !== 200) throw new Error(`expected status 200, found ${reply.status}`);
      latencies[place] = performance.now() - due;
      bytes += reply.bytes;
    }
  }

  const connections = await Promise.all(
    Array.from({ length: Math.min(job.connections, count) }, () => openConnection(port)),
  );
  const sleep = pace === undefined ? stayAwake() : () => undefined;
  try {
    await Promise.all(connections.map(converse));
  } finally {
    sleep();
    for (const connection of connections) connection.close();
  }
  const seconds = (performance.now() - started) / 1_000;
  latencies.sort();
  const at = (share: number) => percentile(latencies, share) ?? 0;
  return { count, seconds, p50: at(0.5), p99: at(0.99), max: at(1), bytes: bytes / count };
}

/**
 * Looks for replies without ever waiting for them. Waking a core that sleeps takes the one who writes to it longer than
 * many a reply does, in a virtual machine above all: it would be on the bill of those servers that are slow enough for
 * the load to fall asleep, and of no other. At a pace it sleeps: the core is left to what a server has beside itself.
 */
function stayAwake(): () => void {
  let ended = false;
  const look = () => {
    if (!ended) setImmediate(look);
  };
  look();
  return () => {
    ended = true;
  };
}

const NOTHING = Buffer.alloc(0);

/**
 * Gives the moment from which a reply is waited for: now if nothing kept this connection, because timers are a millisecond
 * late; else the moment that has passed while it waited for the reply before.
 */
export async function until(due: number): Promise<number> {
  const wait = due - performance.now();
  if (wait <= 0) return due;
  await new Promise((wake) => setTimeout(wake, Math.ceil(wait)));
  return performance.now();
}
