/**
 * Verifies a file in its own process. Hashing then does not delay requests, and that process can be killed, whatever the file does to
 * SQLite or to this program's memory.
 */
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads';
import { CalendarError, messageOf } from '../calendar/errors.ts';
import { isCount, isObject, isText, objectOf, parsedJson } from '../calendar/json.ts';
import { callChild, programPath } from '../package.ts';
import { type Lift, readLift } from './lift.ts';
import { isCounts } from './meta.ts';
import type { Expected, VerifiedFile } from './verify.ts';

interface VerifyOptions {
  /** Aborts at once. */
  readonly signal: AbortSignal;
  /** Milliseconds until the process is killed. */
  readonly timeoutMs?: number;
  /** The program that verifies, a `serveVerifier`; `verify-child.ts` by default. */
  readonly script?: string;
}

interface Lifted extends VerifiedFile {
  /** What a server loads of it, if that process hands it over. */
  readonly lift?: Lift;
}

/** Like `verifyApart`, from a thread: forking a large process takes long, and so does taking what the other one hands over. */
export async function verifyInThread(
  path: string,
  expected: Expected,
  { signal }: Pick<VerifyOptions, 'signal'>,
): Promise<Lifted> {
  const task: Task = { path, expected };
  const thread = new Worker(programPath('src/snapshot/verify-apart'), { workerData: task });
  const end = () => void thread.terminate();
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  const [answer]: unknown[] = await Promise.race([once(thread, 'message'), once(thread, 'exit')]);
  signal.removeEventListener('abort', end);
  if (isObject(answer)) return answer as unknown as Lifted;
  throw new CalendarError('SNAPSHOT_UNUSABLE', isText(answer) ? `${answer}` : `${path}: not verified`);
}

/** Runs in the thread. Its end ends the process that it has started, too. */
async function answerIn(port: MessagePort, { path, expected }: Task): Promise<void> {
  const answer = await verifyApart(path, expected, new AbortController()).catch(messageOf);
  const memory = typeof answer === 'string' ? undefined : answer.lift?.columns.start.buffer;
  port.postMessage(answer, memory instanceof ArrayBuffer ? [memory] : []);
}

/** Throws SNAPSHOT_UNUSABLE: what was expected, and what was found. */
export async function verifyApart(
  path: string,
  expected: Expected,
  { signal, timeoutMs, script = SCRIPT }: VerifyOptions,
): Promise<Lifted> {
  const milliseconds = timeoutMs ?? (await patienceFor(path));
  const task: Task = { path, expected };
  const input = [JSON.stringify(task)];
  const limits = { milliseconds, signal, megabytes: MOST_MEMORY };
  let lift: Lift | null = null;
  const takeAside = async (output: Readable) => {
    lift = await readLift(output);
  };
  const { how, limit, printed } = await callChild([script], { input, takeAside, isBackground: true }, limits);
  const answer = limit === null ? parsedJson(printed) : undefined;
  if (isAnswer(answer)) {
    if ('verified' in answer) return lift === null ? answer.verified : { ...answer.verified, lift };
    throw new CalendarError('SNAPSHOT_UNUSABLE', answer.problem);
  }
  const ending = how === null ? 'another answer' : `its process ${how}`;
  const found = { time: `no end of it after ${milliseconds / 1_000} s`, signal: 'a program that stops' };
  const message = `${basename(path)}: expected to be verified, found ${limit === null ? ending : found[limit]}`;
  throw new CalendarError('SNAPSHOT_UNUSABLE', message);
}

/** Milliseconds: ten times the time on a slow disk. */
async function patienceFor(path: string): Promise<number> {
  const found = await stat(path).catch(() => null);
  return LEAST_PATIENCE_MS + Math.round((found?.size ?? 0) / LEAST_BYTES_A_MS);
}

/** On a machine that is slow and busy, the process has come to its end after more than 20 s. */
const LEAST_PATIENCE_MS = 60_000;
const LEAST_BYTES_A_MS = 4_000;

/** The input of the process, as JSON; `Answer` is its output. */
interface Task {
  readonly path: string;
  readonly expected: Expected;
}

type Answer = { readonly verified: VerifiedFile } | { readonly problem: string };

/** The whole of such a process: reads the task, verifies, prints the answer. */
export async function serveVerifier(
  verify: (path: string, expected: Expected) => Promise<VerifiedFile>,
): Promise<void> {
  // An endless statement would block any other way to end.
  process.once('disconnect', end);
  // The parent may have ended while modules were loading.
  if (process.connected === false) end();
  const { path, expected }: Task = JSON.parse(await text(process.stdin));
  const answer = await verify(path, expected).then(
    (verified): Answer => ({ verified }),
    (cause): Answer => ({ problem: messageOf(cause) }),
  );
  // A statement that still runs would hold up any other end.
  process.stdout.write(JSON.stringify(answer), end);
}

function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

const SCRIPT = programPath('src/snapshot/verify-child');

/** Megabytes of JavaScript heap: the process parses lists whole, and texts one by one. */
const MOST_MEMORY = 1_024;

function isAnswer(value: unknown): value is Answer {
  if (!isObject(value)) return false;
  return value.verified === undefined ? isText(value.problem) : isVerified(value.verified);
}

const isVerified = objectOf<VerifiedFile>({
  bytes: isCount,
  sha256: isText,
  builtAt: isText,
  counts: isCounts,
  licence: isText,
});

/** The data of this thread, not of another that imports this module. */
const isTask = (value: unknown): value is Task => isObject(value) && 'expected' in value;

if (parentPort !== null && isTask(workerData)) void answerIn(parentPort, workerData);
