/** Starts programs, each as a process of its own, one ready before the next, and reads what they cost. */
import { type ChildProcess, type Serializable, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Served {
  readonly name: string;
  readonly child: ChildProcess;
  readonly port: number;
  /** Milliseconds from the start of the process until it answered that it is ready. */
  readonly readyAfter: number;
  readonly usage: () => Promise<Usage>;
  /** Starts to watch the event loop anew. */
  readonly watchLoop: () => Promise<void>;
  /** The longest time for which the event loop was blocked, in milliseconds. */
  readonly longestStall: () => Promise<number>;
  /** The end of its output. */
  readonly output: () => string;
  readonly stop: () => Promise<void>;
}

export interface Usage {
  /** User and system time of all threads, in microseconds. */
  readonly cpu: number;
  /** Resident bytes. */
  readonly rss: number;
}

export interface ServerOptions {
  readonly name: string;
  readonly file: string;
  readonly args?: readonly string[];
  /** For Node. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly ready: Ready;
  /** Whether it may use all cores, and not only the first: for work in several processes. */
  readonly allCores?: boolean;
  /** Called as soon as there is a process. */
  readonly spawned?: (pid: number) => void;
}

/** The path to request until the server is ready, and the status to wait for; without one, any. */
interface Ready {
  readonly path: string;
  readonly status?: number;
}

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const PROBE = new URL('./probe.mjs', import.meta.url).href;
export const ALMANAKK_PATH = '/graphQL';

const { serve, rebuild } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts;
/** For malloc and for Node, as `npm run serve` and `npm run rebuild` start almanakk. */
const [SERVER_ENV, SERVER_FLAGS] = launchOf(serve);
export const [BUILDER_ENV] = launchOf(rebuild);

function launchOf(script: string): readonly [Readonly<Record<string, string>>, readonly string[]] {
  const [, variables = '', flags = ''] = /exec env ((?:\w+=\S+ )+)node ((?:-\S+ )*)dist\//.exec(script) ?? [];
  const pairs = words(variables).map((pair) => pair.split('=') as [string, string]);
  return [Object.fromEntries(pairs), words(flags)];
}

function words(text: string): readonly string[] {
  return text.split(' ').filter((word) => word !== '');
}

export interface Almanakk extends Pick<ServerOptions, 'allCores' | 'env' | 'spawned'> {
  readonly name?: string;
  /** Folder of compiled programs. */
  readonly dist: string;
  /** Snapshot folder. */
  readonly folder: string;
}

/** Serves a snapshot folder as `npm run serve` does. */
export function startAlmanakk({ name = 'almanakk', dist, folder, env, ...more }: Almanakk): Promise<Served> {
  return startServer({
    ...more,
    name,
    file: resolve(ROOT, dist, 'src/main.js'),
    args: ['serve'],
    flags: SERVER_FLAGS,
    env: {
      ...SERVER_ENV,
      ALMANAKK_SNAPSHOTS: folder,
      ALMANAKK_KEYS: join(folder, 'no-keys.json'),
      ALMANAKK_LOG_FORMAT: 'json',
      ALMANAKK_POLL_SECONDS: '3600',
      ...env,
    },
    ready: { path: '/readyz', status: 200 },
  });
}

const READY_WITHIN = 120_000;
const STOP_WITHIN = 15_000;
const OUTPUT = 100_000;

export async function startServer(options: ServerOptions): Promise<Served> {
  const { name, file, args = [], flags = [], env = {}, ready } = options;
  const port = await freePort();
  const started = performance.now();
  const program = [process.execPath, ...flags, '--import', PROBE, file, ...args] as const;
  const [command, ...rest] = options.allCores === true ? program : onCore(SERVER_CORE, program);
  const address = { HOST: '127.0.0.1', PORT: `${port}` };
  const child = spawn(command, rest, {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: 'production', ...env, ...address, BENCH_MEASURED: '1' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  endWithThis(child);
  options.spawned?.(child.pid ?? 0);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-OUTPUT);
    });
  }
  await untilReady(child, { ...ready, port, name, output: () => output });
  const readyAfter = performance.now() - started;
  return {
    name,
    child,
    port,
    readyAfter,
    usage: async () => (await ask(child, 'usage')) as Usage,
    watchLoop: async () => void (await ask(child, 'watchLoop')),
    longestStall: async () => (await ask(child, 'longestStall')) as number,
    output: () => output,
    stop: () => stop(child),
  };
}

/** Ends a process with the benchmark, however that ends. */
function endWithThis(child: ChildProcess): void {
  RUNNING.add(child);
  child.once('exit', () => RUNNING.delete(child));
}

const RUNNING = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of RUNNING) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

export function isOver({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

async function stop(child: ChildProcess): Promise<void> {
  if (isOver(child)) return;
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
    if (isOver(child)) throw new Error(`${name} ended instead of listening:\n${output()}`);
    if (await answers(awaited)) return;
    await new Promise((wake) => setTimeout(wake, 2));
  }
  throw new Error(`${name} was not ready within ${READY_WITHIN / 1_000} s:\n${output()}`);
}

/** Over a plain socket: the start of an HTTP client would be part of the figure. */
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

/** Starts a program of the benchmark. Resolves when it sends its first message. */
export async function startHelper(program: URL, core?: number): Promise<ChildProcess> {
  const line = [process.execPath, '--import', 'tsx', fileURLToPath(program)] as const;
  const [command, ...args] = core === undefined ? line : onCore(core, line);
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'] as const;
  const child = spawn(command, args, { cwd: ROOT, stdio: [...stdio], serialization: 'advanced' });
  endWithThis(child);
  await once(child, 'message');
  return child;
}

export async function ask(child: ChildProcess, question: Serializable): Promise<unknown> {
  const answered = once(child, 'message');
  child.send(question);
  const [answer]: unknown[] = await answered;
  return answer;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('expected a port, found none');
  server.close();
  await once(server, 'close');
  return address.port;
}

const SERVER_CORE = 0;
export const LOAD_CORE = 1;

/** A command line that runs on that core, if the system can do that. */
function onCore(core: number, command: readonly [string, ...string[]]): readonly [string, ...string[]] {
  return canPin ? ['taskset', '-c', `${core}`, ...command] : command;
}

export const canPin =
  cpus().length >= 2 &&
  spawnSync('taskset', ['-c', `${LOAD_CORE}`, 'true'], { stdio: 'ignore' }).status === 0;
