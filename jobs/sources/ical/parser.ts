/** Strangers' files are parsed where a hang or a flood costs nothing: in a child process with limits. */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { extname } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { FeedProblem } from '../../feed-health.ts';
import type { ImportRequest } from '../../feeds/refresh.ts';
import type { IcalFeed } from './calendar.ts';

/** What the child is told, before the feed's bytes. */
export interface IcalTask extends Pick<ImportRequest, 'now' | 'horizonDay' | 'place' | 'config'> {
  readonly feed: IcalFeed;
  /** After which the child ends itself, should nobody be left to do it. */
  readonly milliseconds: number;
}

/** How the child says what it found. */
export const EXIT = { noCalendar: 2, tooManyDates: 3 } as const;

interface IcalParse extends Pick<ImportRequest, 'now' | 'horizonDay' | 'place' | 'config'> {
  readonly feed: IcalFeed;
  readonly bytes: Buffer;
  /** File to write the slice to. */
  readonly output: string;
  readonly limits?: ParserLimits;
}

interface ParserLimits {
  readonly milliseconds: number;
  /** Of JavaScript's heap. */
  readonly megabytes: number;
}

const LIMITS: ParserLimits = { milliseconds: 60_000, megabytes: 1024 };
/** A slice is a few times larger than its feed where events are short. */
const OUTPUT_PER_INPUT = 20;
const OUTPUT_FREELY = 16 * 1024 * 1024;

const CHILD = fileURLToPath(new URL(`./child${extname(import.meta.url)}`, import.meta.url));

/** Throws FeedProblem when the bytes are no calendar, or cost more than the limits allow. */
export async function parseIcal({
  feed,
  bytes,
  output,
  limits = LIMITS,
  ...about
}: IcalParse): Promise<void> {
  const { id, language, defaults, map } = feed;
  const { now, horizonDay, place, config } = about;
  const { milliseconds } = limits;
  const task: IcalTask = {
    feed: { id, language, defaults, map },
    milliseconds,
    now,
    horizonDay,
    place,
    config,
  };
  const options = process.execArgv.filter((option) => !option.startsWith('--inspect'));
  const child = spawn(process.execPath, [...options, `--max-old-space-size=${limits.megabytes}`, CHILD], {
    // Nothing of the environment: the parser has no use for keys.
    env: {},
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: limits.milliseconds,
    killSignal: 'SIGKILL',
  });
  let finding = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    finding = (finding + text).slice(-2000);
  });
  const ended = new Promise<{ readonly code: number | null; readonly signal: string | null }>(
    (resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve({ code, signal }));
    },
  );
  // A child that dies reads no further; what it says by its end is what counts.
  child.stdin.on('error', () => {}).write(`${JSON.stringify(task)}\n`);
  child.stdin.end(bytes);
  const most = OUTPUT_FREELY + OUTPUT_PER_INPUT * bytes.length;
  try {
    await pipeline(child.stdout, upTo(most), createWriteStream(output, { flush: true }));
  } catch (cause) {
    child.kill('SIGKILL');
    await ended;
    throw cause;
  }
  const { code, signal } = await ended;
  if (code === EXIT.noCalendar)
    throw new FeedProblem('not a calendar', 'expected BEGIN:VCALENDAR, found none');
  if (code === EXIT.tooManyDates)
    throw new FeedProblem('size limit', 'expected fewer dates, found more than a million');
  if (code === 0) return;
  const how =
    signal === null ? `exit code ${code}` : `${signal} after at most ${limits.milliseconds / 1000} s`;
  const why =
    finding
      .split('\n')
      .find((line) => /\w*Error|heap/.test(line))
      ?.trim() ?? '';
  throw new FeedProblem(
    'parser killed',
    `expected the feed to be parsed within its limits, got ${how} ${why}`.trim(),
  );
}

function upTo(most: number): Transform {
  let length = 0;
  return new Transform({
    transform(chunk: Buffer, _, done) {
      length += chunk.length;
      if (length <= most) done(null, chunk);
      else done(new FeedProblem('size limit', `expected records of at most ${most} bytes, found more`));
    },
  });
}
