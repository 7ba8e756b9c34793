/** The log: one line an event, and unexpected errors with their stacks, under an id for the client. */
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
  /** Milliseconds, of any beginning. */
  readonly clock?: () => number;
}

/**
 * D12: a failure that can be brought about by a request can be brought about a thousand times a second. So the failures of
 * one place in the code have one line and one id a minute, and the next line says how many there were.
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
  /** Failures since the line. */
  more: number;
}

/** Milliseconds. */
const EACH_MS = 60_000;
/** With room to spare: what one process sees of them in its whole life is a handful. */
const MOST_PLACES = 50;
const ELSEWHERE = '';

/** Where it was thrown, and from where that was called: the message before that may be of a stranger's making. */
function placeOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return typeof thrown;
  const { name, stack = '', message } = thrown;
  const at = stack.indexOf(message);
  const frames = at === -1 ? stack : stack.slice(at + message.length);
  return [name, ...frames.slice(0, LONGEST_FRAMES).split('\n', 3)].join(' ');
}

/** Characters of a stack that are looked at. */
const LONGEST_FRAMES = 1_000;
