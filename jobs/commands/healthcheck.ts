/** `almanakk healthcheck`: whether the server of a container has a calendar to serve. It can kill a server that hangs (D13). */
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { CalendarError, messageOf, systemCodeOf } from '../../src/calendar/errors.ts';
import type { Log } from '../../src/calendar/log.ts';
import { commandLine } from '../../src/package.ts';
import { createLog } from '../../src/runtime/log.ts';
import { parseArguments } from '../arguments.ts';
import { readSettings } from '../settings.ts';

const USAGE = `Usage: ${commandLine('healthcheck', '[options]')}

  Exits with 0 if the server on this machine has a calendar to serve, else with 1.

  --kill-after SECONDS  in a container, kill a server that accepts a connection and does not answer for that long
  --port N              port of the server (PORT)
  --help                print this help
`;

const OPTIONS = {
  'kill-after': { type: 'string' },
  port: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

interface Surroundings {
  /** Where the kernel describes processes: `/proc`. */
  readonly processes: string;
  /** Port of the server, unless an option gives another. */
  readonly port: number;
  /** For what becomes of a server that hangs. */
  readonly log: Pick<Log, 'error'>;
  readonly stdout: (text: string) => void;
}

/** The command with this process's settings. Resolves to the exit code. Throws INVALID_SETTING. */
export async function healthcheckByCommand(args: readonly string[]): Promise<number> {
  const { settings } = readSettings(process.env, process.cwd());
  const stdout = (text: string) => process.stdout.write(text);
  // The log of a container does not have the output of its checks, but that of process 1.
  const write = (line: string) => {
    stdout(line);
    appendToLogOf('/proc/1', line);
  };
  const log = createLog({ level: 'info', format: settings.logFormat, output: { write } });
  return checkHealth(args, { processes: '/proc', port: settings.port, log, stdout });
}

function appendToLogOf(folder: string, line: string): void {
  try {
    appendFileSync(join(folder, 'fd/2'), line);
  } catch {
    // It belongs to another user, or its output is closed. The line is in the output of the check.
  }
}

/** Returns the exit code. Throws INVALID_SETTING. */
export async function checkHealth(args: readonly string[], surroundings: Surroundings): Promise<0 | 1> {
  const { values } = parseArguments({ args: [...args], options: OPTIONS }, USAGE);
  if (values.help) {
    surroundings.stdout(USAGE);
    return 0;
  }
  const { log, processes, stdout } = surroundings;
  const killAfter = optional('--kill-after', values['kill-after'], SECONDS);
  const url = `http://127.0.0.1:${optional('--port', values.port, PORT) ?? surroundings.port}`;
  try {
    // A server without a calendar answers this one.
    await statusOf(`${url}/healthz`, killAfter);
    return (await statusOf(`${url}/readyz`, killAfter)) === 200 ? 0 : 1;
  } catch (error) {
    if (killAfter !== undefined && isTimeout(error)) killServer(processes, { log, killAfter });
    else stdout(`expected an answer from ${url}, found none: ${messageOf(error)}\n`);
    return 1;
  }
}

interface NumberKind {
  readonly expected: string;
  readonly isValid: (value: number) => boolean;
}

/** Timers cannot count to every number. */
const SECONDS: NumberKind = {
  expected: 'a number above 0, and at most 3600',
  isValid: (value) => value > 0 && value <= 3_600,
};
const PORT: NumberKind = {
  expected: 'a whole number from 1 to 65535',
  isValid: (value) => Number.isInteger(value) && value >= 1 && value <= 65_535,
};

/** The number of an option that may be missing. Throws INVALID_SETTING. */
function optional(
  option: string,
  text: string | undefined,
  { expected, isValid }: NumberKind,
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (isValid(value)) return value;
  throw new CalendarError(
    'INVALID_SETTING',
    `${option}: expected ${expected}, found ${JSON.stringify(text)}`,
  );
}

/** Seconds until a check without an option gives up. */
const LONGEST = 30;

/** Not by `fetch`, whose code takes longer to load than all the rest of a check. */
async function statusOf(url: string, seconds = LONGEST): Promise<number | undefined> {
  // A timeout is in whole milliseconds, which some products of floating point are not.
  const signal = AbortSignal.timeout(Math.ceil(seconds * 1_000));
  const request = get(url, { agent: false, signal });
  const [response]: IncomingMessage[] = await once(request, 'response');
  response?.destroy();
  return response?.statusCode;
}

/** The request fails with an AbortError. Its cause is that of the signal. */
const isTimeout = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && error.cause.name === 'TimeoutError';

interface Killing {
  readonly log: Pick<Log, 'error'>;
  readonly killAfter: number;
}

/** Kills the server that process 1 of the container has started. The engine restarts a container whose server ends. */
function killServer(processes: string, { log, killAfter }: Killing): void {
  const servers = childrenOfFirst(processes).filter((pid) => isOfThisPackage(processes, pid));
  for (const pid of servers)
    if (kill(pid)) log.error({ pid, seconds: killAfter }, 'server killed: it did not answer');
  if (servers.length === 0) log.error({}, 'expected a server started by process 1, found none to kill');
}

/** False if it has ended since its command was read. */
function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (cause) {
    if (HAS_ENDED.includes(systemCodeOf(cause))) return false;
    throw cause;
  }
}

function childrenOfFirst(processes: string): readonly number[] {
  const text = readFileSync(join(processes, '1/task/1/children'), 'utf8');
  return (text.match(/\d+/g) ?? []).map(Number);
}

/** Whether a process runs a program of this package. On a machine that is no container, process 1 has other children. */
function isOfThisPackage(processes: string, pid: number): boolean {
  const words = commandOf(processes, pid).split('\0');
  return words.some((word) => word.endsWith('dist/jobs/cli.js'));
}

/** Empty for a process that has ended since the list of children was read. */
function commandOf(processes: string, pid: number): string {
  try {
    return readFileSync(join(processes, `${pid}`, 'cmdline'), 'utf8');
  } catch (cause) {
    if (HAS_ENDED.includes(systemCodeOf(cause))) return '';
    throw cause;
  }
}

/** The second is the code for a process that ends while its file is read. */
const HAS_ENDED = ['ENOENT', 'ESRCH'];
