/** Clients that ask a server all kinds of questions, one request after another, and check each answer. */
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { generationOf, QUESTIONS } from './generations.ts';

export interface Tally {
  requests: number;
  /** Of these, the ones that were answered with 304. */
  notModified: number;
  failed: number;
  /** What was wrong with the first few. */
  readonly failures: string[];
  /** That were ever opened. */
  connections: number;
  /** Different ones that were seen. */
  generations: number;
}

interface MixedLoadOptions {
  /** Without a slash at the end. */
  readonly url: string;
  readonly connections: number;
  /** Milliseconds that each client rests between two requests. */
  readonly restMs?: number;
}

export function startMixedLoad({ url, connections, restMs = 0 }: MixedLoadOptions) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const sockets = new WeakSet<object>();
  const generations = new Set<number>();
  /** Generation of each ETag: it stands for one answer and no other. */
  const tagged = new Map<string, number>();
  const tally: Tally = {
    requests: 0,
    notModified: 0,
    failed: 0,
    failures: [],
    connections: 0,
    generations: 0,
  };
  let stopped = false;

  async function client(number: number): Promise<void> {
    /** What this client was answered last: the next answer must not be older. */
    let newest = 0;
    const tags = new Map<string, string>();
    for (let turn = number; !stopped; turn++) {
      const question = QUESTIONS[turn % QUESTIONS.length]?.(turn) ?? '';
      // Some are asked again and again, so that finished answers are used, and some are not.
      const query = `query Load${turn % 2 === 0 ? '' : `x${number}x${turn}`} ${question}`;
      try {
        const generation = await ask(query, turn, tags);
        if (generation < newest) throw new Error(`expected g${newest} or later, found g${generation}`);
        newest = generation;
        tally.generations = generations.add(generation).size;
      } catch (cause) {
        if (stopped) return;
        tally.failed++;
        if (tally.failures.length < 10) tally.failures.push(String(cause));
      }
      tally.requests++;
      await pause(restMs);
    }
  }

  async function ask(query: string, turn: number, tags: Map<string, string>): Promise<number> {
    const isPost = turn % 5 < 3;
    const known = tags.get(query);
    const headers = {
      ...(isPost ? { 'content-type': 'application/json' } : { 'gateway-require-preflight': 'true' }),
      ...(turn % 3 === 0 && { 'accept-encoding': 'gzip' }),
      ...(!isPost && known !== undefined && { 'if-none-match': known }),
    };
    const path = isPost ? '/graphQL' : `/graphQL?query=${encodeURIComponent(query)}`;
    const incoming = await send(path, headers, isPost ? JSON.stringify({ query }) : undefined);
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    if (incoming.statusCode === 304) {
      tally.notModified++;
      return tagged.get(known ?? '') ?? -1;
    }
    const bytes = Buffer.concat(chunks);
    const text = `${incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes}`;
    if (incoming.statusCode !== 200) throw new Error(`status ${incoming.statusCode}: ${text.slice(0, 200)}`);
    const generation = generationOf(text);
    const { etag } = incoming.headers;
    if (etag === undefined) return generation;
    if ((tagged.get(etag) ?? generation) !== generation) throw new Error(`ETag ${etag} of two generations`);
    tagged.set(etag, generation);
    if (turn % 2 === 0) tags.set(query, etag);
    return generation;
  }

  function send(path: string, headers: object, body: string | undefined): Promise<IncomingMessage> {
    const method = body === undefined ? 'GET' : 'POST';
    return new Promise((resolve, reject) => {
      const outgoing = request(`${url}${path}`, { agent, method, headers: { ...headers } });
      outgoing.on('response', resolve).on('error', reject);
      outgoing.on('socket', (socket) => {
        if (!sockets.has(socket)) tally.connections++;
        sockets.add(socket);
      });
      outgoing.end(body);
    });
  }

  const clients = Promise.all(Array.from({ length: connections }, (_, number) => client(number)));
  const end = () => {
    stopped = true;
    agent.destroy();
  };
  return {
    tally: (): Readonly<Tally> => tally,
    /** Resolves when the last answers are in. */
    stop: async (): Promise<Readonly<Tally>> => {
      stopped = true;
      await clients;
      end();
      return tally;
    },
    kill: end,
  };
}
