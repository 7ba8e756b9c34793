/** Clients that send request after request, until they are told to stop. */
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export interface LoadOptions {
  /** Without a slash at the end. */
  readonly url: string;
  readonly clients: number;
  /** Milliseconds that each client rests between two requests. */
  readonly restMs: number;
  /** Whether clients keep their connections, as is usual; else each request has one of its own. */
  readonly keepAlive?: boolean;
  /** What is wrong with an answer; null when nothing is. */
  readonly check: (answer: unknown) => string | null;
}

export interface Load {
  readonly count: () => number;
  readonly failures: readonly string[];
  /** Resolves when the last answers are in. */
  readonly stop: () => Promise<void>;
}

const QUERY = '{ events(pageSize: 5) { totalCount data { id title_nb startDate } venues { id hits } } }';

export function startLoad({ url, clients, restMs, keepAlive = true, check }: LoadOptions): Load {
  const agent = new Agent({ keepAlive, maxSockets: clients });
  const failures: string[] = [];
  let count = 0;
  let stopped = false;
  const client = async (number: number) => {
    for (let turn = 0; !stopped; turn++) {
      // Each one different, so that none is answered by a finished answer alone; every third a GET.
      const query = `query Load${number % 7}x${turn % 50} ${QUERY}`;
      const wrong = await exchange(agent, url, { query, isPost: turn % 3 !== 0 })
        .then(check)
        .catch((cause: Error) => cause.message);
      count++;
      if (wrong !== null) failures.push(wrong);
      await pause(restMs);
    }
  };
  const done = Promise.all(Array.from({ length: clients }, (_, number) => client(number)));
  return {
    count: () => count,
    failures,
    stop: async () => {
      stopped = true;
      await done;
      agent.destroy();
    },
  };
}

interface Exchange {
  readonly query: string;
  readonly isPost: boolean;
}

function exchange(agent: Agent, url: string, { query, isPost }: Exchange): Promise<unknown> {
  const path = isPost ? '/graphQL' : `/graphQL?query=${encodeURIComponent(query)}`;
  const headers = isPost ? { 'content-type': 'application/json' } : { 'gateway-require-preflight': 'true' };
  return new Promise((resolve, reject) => {
    const outgoing = request(`${url}${path}`, { agent, method: isPost ? 'POST' : 'GET', headers });
    outgoing.on('error', reject);
    outgoing.on('response', async (incoming) => {
      const chunks: Buffer[] = [];
      try {
        for await (const chunk of incoming) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString();
        if (incoming.statusCode !== 200)
          throw new Error(`status ${incoming.statusCode}: ${text.slice(0, 200)}`);
        resolve(JSON.parse(text));
      } catch (cause) {
        reject(cause);
      }
    });
    outgoing.end(isPost ? JSON.stringify({ query }) : undefined);
  });
}
