/**
 * Turns of the event loop. In each of them Node accepts one connection, reads requests and answers what is at hand. So long work is done in
 * pieces of a millisecond or two, and a turn has one of them, whichever request it belongs to (D14, bounded together): where turns take 50
 * ms, the hundredth client that connects waits for 5 s. A turn that reads for long, such as hundreds of pipelined requests, has as much
 * time for work.
 *
 *     for (const row of rows) {
 *       write(row);
 *       if (isLong()) await nextTurn();
 *     }
 */

/** Milliseconds in which turns only accept connections, while clients connect and work waits. */
const ACCEPTING_MS = 3;
/** The longest time for work in one turn, in milliseconds: with as much for reading it stays below 50 (D14). */
const WORKING_MS = 20;

interface Turns {
  /** Resolves in a later turn, after all that waited before. */
  readonly nextTurn: () => Promise<void>;
  /** Calls back in a later turn, after all that waited before. */
  readonly inTurn: (piece: () => void) => void;
  /** Called with each new connection: those that wait are accepted before work goes on. */
  readonly noteConnection: () => void;
}

/** `clock`: milliseconds since any fixed time. */
export function createTurns(clock: () => number): Turns {
  /** Pieces of work, in the order in which they have their turns. */
  const waiting: (() => void)[] = [];
  let isScheduled = false;
  /** When the latest piece of work ended, or the first one of a time without work was scheduled. */
  let workedAt = 0;
  /** When the work of this turn ends. */
  let workUntil = 0;
  /** Whether this turn accepted a connection. */
  let hasAccepted = false;

  const beginTurn = () => {
    const now = clock();
    const elsewhere = now - workedAt;
    const isAccepting = hasAccepted && elsewhere < ACCEPTING_MS;
    hasAccepted = false;
    if (isAccepting) return void setImmediate(beginTurn);
    workUntil = now + Math.min(elsewhere, WORKING_MS);
    work();
  };
  const work = () => {
    const piece = waiting.shift();
    // After all promises that wait for this piece.
    queueMicrotask(() => process.nextTick(endPiece));
    piece?.();
  };
  const endPiece = () => {
    workedAt = clock();
    isScheduled = waiting.length > 0;
    if (!isScheduled) return;
    if (workedAt < workUntil) work();
    else setImmediate(beginTurn);
  };
  const inTurn = (piece: () => void) => {
    waiting.push(piece);
    if (isScheduled) return;
    isScheduled = true;
    workedAt = clock();
    setImmediate(beginTurn);
  };

  return {
    nextTurn: () => new Promise(inTurn),
    inTurn,
    noteConnection: () => {
      hasAccepted = true;
    },
  };
}

/** Those of this process. */
export const { nextTurn, inTurn, noteConnection } = createTurns(() => performance.now());
