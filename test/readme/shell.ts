/** Commands as the pages print them, in folders that look like a clone. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../helpers/folder.ts';
import { ROOT } from '../helpers/program.ts';
import { until } from '../helpers/until.ts';

/** Where the pages have their server. */
export const ADDRESS = 'http://localhost:4000';

/** What a clone has, and what the commands write. */
const OWN = new Set(['data', 'dist', '.git', '.env']);

/** A folder with all that a clone has, set up and ready; what commands write lands in it and not in the clone. */
export function makeClone(): string {
  const folder = temporaryFolder();
  for (const name of readdirSync(ROOT)) {
    if (!OWN.has(name)) symlinkSync(join(ROOT, name), join(folder, name));
  }
  // By name: setting up may replace the folder.
  symlinkSync(join(ROOT, 'dist'), join(folder, 'dist'));
  mkdirSync(join(folder, 'data'));
  symlinkSync(join(ROOT, 'data/sample'), join(folder, 'data/sample'));
  return folder;
}

export interface ShellOptions {
  readonly folder: string;
  /** Takes the place of the pages' own. */
  readonly address?: string;
}

export interface Done {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) killGroup(child, 'SIGKILL');
});

/** Runs lines to their end; the first that fails is the last. */
export async function runShell(text: string, options: ShellOptions): Promise<Done> {
  const child = startShell(text, options);
  const said = collect(child);
  const [code] = await once(child, 'close');
  return { code, ...said() };
}

export interface Service {
  /** Without a slash at the end; empty for a program that does not say it. */
  readonly url: string;
  readonly said: () => string;
  /** As Control-C does. Resolves when it has ended. */
  readonly stop: () => Promise<void>;
}

/** Starts what goes on until it is stopped, and waits for a line that says that it is ready. */
export async function startService(text: string, ready: RegExp, options: ShellOptions): Promise<Service> {
  const child = startShell(text, options);
  const collected = collect(child);
  const said = () => Object.values(collected()).join('');
  const isOver = () => ready.test(said()) || child.exitCode !== null;
  await until(`a line like ${ready}`, isOver).catch(() => undefined);
  const [line] = ready.exec(said()) ?? [];
  if (line === undefined) {
    killGroup(child, 'SIGKILL');
    throw new Error(`expected a line like ${ready}, found\n${said()}`);
  }
  return {
    url: /https?:\/\/[^/\s]+/.exec(line)?.[0] ?? '',
    said,
    stop: async () => {
      killGroup(child, 'SIGINT');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}

function startShell(text: string, { folder, address = ADDRESS }: ShellOptions): ChildProcess {
  const child = spawn('sh', ['-e', '-c', text.replaceAll(ADDRESS, address)], {
    cwd: folder,
    // Nothing of what the tests were started with.
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      HOST: '127.0.0.1',
      PORT: '0',
      PYTHONUNBUFFERED: '1',
      npm_config_update_notifier: 'false',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

function collect(child: ChildProcess): () => Omit<Done, 'code'> {
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  }
  return () => said;
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal);
  } catch {
    // Gone already.
  }
}
