/**
 * Entry point of the process that makes the load: runs the jobs that it receives, one after the other. A job is a bounded number of requests
 * over a few connections, each of which sends the next request as soon as it has its reply.
 */
import { type Connection, openConnection } from './connection.ts';
import type { Job, Outcome } from './load.ts';
import { percentile } from './rounds.ts';

process.on('message', async (job: Job) => {
  try {
    process.send?.({ outcome: await runLoad(job) });
  } catch (cause) {
    process.send?.({ failure: cause instanceof Error ? cause.message : String(cause) });
  }
});
process.send?.({ isReady: true });

async function runLoad({ port, count, pace, ...job }: Job): Promise<Outcome> {
  const requests = job.requests.map((text) => Buffer.from(text));
  const latencies = new Float64Array(count);
  let bytes = 0;
  let next = 0;
  const started = performance.now();

  async function converse({ ask }: Connection): Promise<void> {
    for (let place = next++; place < count; place = next++) {
      const due = pace === undefined ? performance.now() : await until(started + (place * 1_000) / pace);
      const request = requests[place % requests.length] ?? NOTHING;
      let reply = await ask(request);
      // A server may be overloaded for a moment if the machine has other work. The wait counts.
      for (let again = 0; reply.status === 503 && again < MOST_AGAIN; again++) reply = await ask(request);
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
    for (const { close } of connections) close();
  }
  const seconds = (performance.now() - started) / 1_000;
  latencies.sort();
  const at = (share: number) => percentile(latencies, share) ?? 0;
  return { count, seconds, p50: at(0.5), p99: at(0.99), bytes: bytes / count };
}

const NOTHING = Buffer.alloc(0);
const MOST_AGAIN = 20;

/**
 * Keeps the event loop running, so that the core never sleeps. The kernel charges the waking of a sleeping core to the server that writes to
 * it. In a virtual machine that costs more than many replies do, and only slow servers would pay, because only they let the load fall asleep.
 * At a pace, the core may sleep: it is then free for the server's other processes.
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

/**
 * Gives the moment from which the latency of a reply counts: the moment at which the request was due, if the connection was still busy then;
 * otherwise the present one, because timers are up to a millisecond late.
 */
async function until(due: number): Promise<number> {
  const wait = due - performance.now();
  if (wait <= 0) return due;
  await new Promise((wake) => setTimeout(wake, Math.ceil(wait)));
  return performance.now();
}
