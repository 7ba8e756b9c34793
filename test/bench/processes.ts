/** Starts the processes that are measured, each on its core and with the probe inside, and asks them what they cost. */
import { type ChildProcess, fork, type Serializable, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HeapSpaceInfo } from 'node:v8';
import { onCore, SERVER_CORE } from './machine.ts';

export interface Served {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  /** Milliseconds from the start of the process until it answered that it is ready. */
  readonly readyAfter: number;
  readonly usage: () => Promise<Usage>;
  /** Resident bytes of V8's heap, by the names of its spaces. */
  readonly spaces: () => Promise<Readonly<Record<string, number>>>;
  /** Forgets what was seen of the event loop until now. */
  readonly watchLoop: () => Promise<void>;
  readonly loop: () => Promise<LoopDelay>;
  /** What it has printed so far. */
  readonly output: () => string;
  readonly stop: () => Promise<void>;
}

export interface Usage {
  /** User and system time of all threads, in microseconds. */
  readonly cpu: number;
  /** Bytes. */
  readonly rss: number;
  readonly heap: number;
  readonly outside: number;
}

/** Milliseconds that the event loop kept others waiting. */
export interface LoopDelay {
  readonly max: number;
  readonly p99: number;
}

export interface ServerOptions {
  readonly name: string;
  readonly file: string;
  readonly args?: readonly string[];
  /** For Node. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly ready: Ready;
  /** Whether it has all cores, and not the first alone: for what it does in several processes. */
  readonly allCores?: boolean;
}

/** What to ask until it is ready, and the status that says so; without one, any. */
interface Ready {
  readonly path: string;
  readonly status?: number;
}

const PROBE = new URL('./probe.mjs', import.meta.url);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const { serve, rebuild } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts;
/** For malloc and for Node, as `npm run serve` and `npm run rebuild` start almanakk. */
const [SERVER_ENV, SERVER_FLAGS] = launchOf(serve);
const [BUILDER_ENV] = launchOf(rebuild);

export { BUILDER_ENV, SERVER_ENV, SERVER_FLAGS };

function launchOf(script: string): readonly [Readonly<Record<string, string>>, readonly string[]] {
  const [, variables = '', flags = ''] = /exec env ((?:\w+=\S+ )+)node ((?:-\S+ )*)dist\//.exec(script) ?? [];
  const pairs = words(variables).map((pair) => pair.split('=') as [string, string]);
  return [Object.fromEntries(pairs), words(flags)];
}

function words(text: string): readonly string[] {
  return text.split(' ').filter((word) => word !== '');
}

const READY_WITHIN = 120_000;
const STOP_WITHIN = 15_000;

export async function startServer(options: ServerOptions): Promise<Served> {
  const { name, file, args = [], flags = [], env = {}, ready } = options;
  const port = await freePort();
  const started = performance.now();
  const program = [process.execPath, ...flags, '--import', PROBE.href, file, ...args] as const;
  const [command, ...rest] = options.allCores === true ? program : onCore(SERVER_CORE, program);
  const child = spawn(command, rest, {
    cwd: ROOT,
    env: {
      ...process.env,
      NODE_ENV: 'production',
      ...env,
      BENCH_MEASURED: '1',
      HOST: '127.0.0.1',
      PORT: `${port}`,
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  RUNNING.add(child);
  child.once('exit', () => RUNNING.delete(child));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-100_000);
    });
  }
  await untilReady(child, { ...ready, port, name, output: () => output });
  const readyAfter = performance.now() - started;
  return {
    name,
    pid: child.pid ?? 0,
    port,
    readyAfter,
    spaces: async () => spacesOf(await ask(child, 'spaces')),
    usage: async () => usageOf(await ask(child, 'usage')),
    watchLoop: async () => void (await ask(child, 'watchLoop')),
    loop: async () => loopOf(await ask(child, 'loop')),
    output: () => output,
    stop: () => stop(child),
  };
}

/** Whatever happens, no server outlives the benchmark. */
const RUNNING = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of RUNNING) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const late = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN);
  await exited;
  clearTimeout(late);
}

interface Awaited extends Ready {
  readonly port: number;
  readonly name: string;
  readonly output: () => string;
}

async function untilReady(child: ChildProcess, awaited: Awaited): Promise<void> {
  const { name, output } = awaited;
  const deadline = performance.now() + READY_WITHIN;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`${name} ended instead of listening:\n${output()}`);
    if (await answers(awaited)) return;
    await new Promise((wake) => setTimeout(wake, 2));
  }
  throw new Error(`${name} was not ready within ${READY_WITHIN / 1_000} s:\n${output()}`);
}

/** One request by hand: nothing of a client's own start-up is in the figure. */
function answers({ port, path, status }: Ready & { readonly port: number }): Promise<boolean> {
  return new Promise((tell) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => tell(false));
    socket.once('connect', () =>
      socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n`),
    );
    socket.once('data', (chunk) => {
      tell(chunk.toString('latin1').startsWith(`HTTP/1.1 ${status ?? ''}`));
      socket.destroy();
    });
    socket.once('close', () => tell(false));
  });
}

/** Forks a program of the benchmark. Resolves when it can be sent to: on a busy machine, that takes longer than an attack. */
export async function startHelper(program: URL): Promise<ChildProcess> {
  const child = fork(fileURLToPath(program), { cwd: ROOT, execArgv: ['--import', 'tsx'] });
  RUNNING.add(child);
  child.once('exit', () => RUNNING.delete(child));
  await once(child, 'message');
  return child;
}

export async function ask(child: ChildProcess, question: Serializable): Promise<unknown> {
  const answered = once(child, 'message');
  child.send(question);
  const [answer] = await answered;
  return answer;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port, found none');
  server.close();
  await once(server, 'close');
  return address.port;
}

interface UsageAnswer {
  readonly cpu: NodeJS.CpuUsage;
  readonly memory: NodeJS.MemoryUsage;
}

function usageOf(answer: unknown): Usage {
  const { cpu, memory } = answer as UsageAnswer;
  return {
    cpu: cpu.user + cpu.system,
    rss: memory.rss,
    heap: memory.heapUsed,
    outside: memory.external,
  };
}

function spacesOf(answer: unknown): Readonly<Record<string, number>> {
  const spaces = answer as readonly HeapSpaceInfo[];
  return Object.fromEntries(spaces.map((space) => [space.space_name, space.physical_space_size]));
}

const loopOf = (answer: unknown): LoopDelay => answer as LoopDelay;
