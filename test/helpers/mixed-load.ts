/** Clients that send a server queries of all kinds, one after another, and check each answer. */
import { Agent, type IncomingMessage, request } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { generationOf, QUESTIONS } from './generations.ts';

interface MixedLoadOptions {
  /** Without a slash at the end. */
  readonly url: string;
  readonly connections: number;
  /** Milliseconds that each client rests between two requests. */
  readonly restMs?: number;
}

export function startMixedLoad({ url, connections, restMs = 0 }: MixedLoadOptions) {
  const { ask, opened, close } = createAsker(url, connections);
  const generations = new Set<number>();
  /** The first few failures, and the number of all. */
  const failures: string[] = [];
  let requests = 0;
  let failed = 0;
  let stopped = false;

  async function client(number: number): Promise<void> {
    /** The generation of this client's last answer: the next one must not be older. */
    let newest = 0;
    for (let turn = number; !stopped; turn++) {
      try {
        const generation = await ask(queryOf(number, turn), turn % 5 < 3 ? 'POST' : 'GET');
        if (generation < newest) throw new Error(`expected g${newest} or later, found g${generation}`);
        newest = generation;
        generations.add(generation);
      } catch (cause) {
        if (stopped) return;
        failed++;
        if (failures.length < 10) failures.push(String(cause));
      }
      requests++;
      await pause(restMs);
    }
  }

  const clients = Promise.all(Array.from({ length: connections }, (_, number) => client(number)));
  const tally = () => ({
    requests,
    failed,
    failures,
    /** Connections that were opened, also closed ones. */
    connections: opened(),
    /** Different generations of answers. */
    generations: generations.size,
  });
  const kill = () => {
    stopped = true;
    close();
  };
  return {
    tally,
    /** Resolves when the last answers are in. */
    stop: async () => {
      stopped = true;
      await clients;
      kill();
      return tally();
    },
    kill,
  };
}

/** Half of the queries are repeated, and get cached answers. */
function queryOf(client: number, turn: number): string {
  const question = QUESTIONS[turn % QUESTIONS.length]?.(turn) ?? '';
  return `query Load${turn % 2 === 0 ? '' : `x${client}x${turn}`} ${question}`;
}

/** Asks the server over connections that stay open: `ask` resolves with the generation of the answer. */
function createAsker(url: string, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const sockets = new Set<object>();

  async function ask(query: string, method: 'GET' | 'POST'): Promise<number> {
    const incoming =
      method === 'POST'
        ? await send('/graphQL', { 'content-type': 'application/json' }, JSON.stringify({ query }))
        : await send(`/graphQL?query=${encodeURIComponent(query)}`, { 'gateway-require-preflight': 'true' });
    const text = await readText(incoming);
    if (incoming.statusCode !== 200) throw new Error(`status ${incoming.statusCode}: ${text.slice(0, 200)}`);
    return generationOf(text);
  }

  function send(path: string, headers: Record<string, string>, body?: string): Promise<IncomingMessage> {
    const method = body === undefined ? 'GET' : 'POST';
    return new Promise((resolve, reject) => {
      const outgoing = request(`${url}${path}`, { agent, method, headers });
      outgoing.on('response', resolve).on('error', reject);
      outgoing.on('socket', (socket) => sockets.add(socket));
      outgoing.end(body);
    });
  }

  return { ask, opened: () => sockets.size, close: () => agent.destroy() };
}
