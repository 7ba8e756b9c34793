/** The log: one line an event; unexpected errors with their stacks, under an id that the client sees. */
import { randomUUID } from 'node:crypto';
import type { Mask } from '../graphql/refusal.ts';

/** The server's logger; a pino logger is one. The values of an event are fields. */
export interface Log {
  readonly debug: Write;
  readonly info: Write;
  readonly warn: Write;
  readonly error: Write;
}

type Write = (fields: Readonly<Record<string, unknown>>, event: string) => void;

interface MaskOptions {
  readonly newId?: () => string;
  /** Milliseconds since any fixed time. */
  readonly clock?: () => number;
}

/**
 * D12: a client can cause the same failure a thousand times a second. So failures at one place in the code share one line and one id a
 * minute, and the next line counts them.
 */
export function createMask(log: Pick<Log, 'error'>, options: MaskOptions = {}): Mask {
  const { newId = randomUUID, clock = () => performance.now() } = options;
  const lines = new Map<string, Line>();
  return (thrown) => {
    const now = clock();
    const own = placeOf(thrown);
    const place = lines.has(own) || lines.size < MOST_PLACES ? own : ELSEWHERE;
    const known = lines.get(place);
    if (known !== undefined && now < known.until) {
      known.more++;
      return known.id;
    }
    const id = newId();
    const before = known !== undefined && known.more > 0 && { before: known.id, more: known.more };
    log.error({ id, ...before, err: thrown }, 'unexpected failure');
    lines.set(place, { id, until: now + EACH_MS, more: 0 });
    return id;
  };
}

interface Line {
  readonly id: string;
  readonly until: number;
  /** Failures since the last line. */
  more: number;
}

/** Milliseconds between two lines for one place. */
const EACH_MS = 60_000;
/** Ample: a process meets only a few such places in its whole life. */
const MOST_PLACES = 50;
const ELSEWHERE = '';

/** The frames of the stack without the message, which may contain text of the request. */
function placeOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  const { name, stack = '', message } = thrown;
  const at = stack.indexOf(message);
  const frames = at === -1 ? stack : stack.slice(at + message.length);
  return [name, ...frames.slice(0, LONGEST_FRAMES).split('\n', 3)].join(' ');
}

/** Characters of a stack that are compared. */
const LONGEST_FRAMES = 1_000;
