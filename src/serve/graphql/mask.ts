/** Masks unexpected errors: they go to the log with their stacks, under an id that the client sees in their place. */
import { randomUUID } from 'node:crypto';
import { createThrottle, type Log, type Throttle } from '../../calendar/log.ts';

/** Logs an unexpected error, and returns the id that the client is shown in its place. */
export type Mask = (thrown: unknown) => string;

interface MaskOptions {
  readonly newId?: () => string;
  /** Milliseconds since any fixed time. */
  readonly clock?: () => number;
}

/**
 * D12: a client can cause the same failure a thousand times a second. So failures of one origin in the code share one line and one id a
 * minute, and the next line counts them.
 */
export function createMask(log: Pick<Log, 'error'>, options: MaskOptions = {}): Mask {
  const { newId = randomUUID, clock = () => performance.now() } = options;
  const lines = new Map<string, Line>();
  return (thrown) => {
    const frames = framesOf(thrown);
    const origin = lines.has(frames) || lines.size < MOST_ORIGINS ? frames : OTHER_ORIGINS;
    const line = lines.get(origin) ?? {
      id: '',
      throttle: createThrottle({ most: 1, periodMs: EACH_MS, clock }),
    };
    const leftOut = line.throttle();
    if (leftOut === null) return line.id;
    const id = newId();
    const suppressed = leftOut === 0 ? {} : { before: line.id, more: leftOut };
    log.error({ id, ...suppressed, err: thrown }, 'unexpected failure');
    lines.set(origin, { ...line, id });
    return id;
  };
}

interface Line {
  /** Id in the line that was written last. */
  readonly id: string;
  readonly throttle: Throttle;
}

/** Milliseconds between two lines of one origin. */
const EACH_MS = 60_000;
/** Ample: a process meets only a few origins in its whole life. */
const MOST_ORIGINS = 50;
const OTHER_ORIGINS = '';

/** The frames of the stack without the message, which may contain text of the request. */
function framesOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  const { name, stack = '', message } = thrown;
  const at = stack.indexOf(message);
  const frames = at === -1 ? stack : stack.slice(at + message.length);
  return [name, ...frames.slice(0, LONGEST_FRAMES).split('\n', 3)].join(' ');
}

/** Characters of a stack that are compared. */
const LONGEST_FRAMES = 1_000;
