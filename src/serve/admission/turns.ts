/**
 * Turns of the event loop. In each of them Node accepts one connection, and requests that are at hand are answered. So long work is done in
 * pieces of a millisecond or two, and a turn has one of them, whichever request it belongs to (D14): where turns take 50 ms, the hundredth
 * client that connects waits for 5 s.
 *
 *     for (const row of rows) {
 *       write(row);
 *       if (isLong()) await nextTurn();
 *     }
 */

/** Pieces of work, in the order in which they have their turns. */
const waiting: (() => void)[] = [];
let isScheduled = false;
/** Whether this turn accepted a connection, and how many turns in a row did only that. */
let hasAccepted = false;
let turnsWithoutWork = 0;

/** Turns in a row that only accept connections, each some 50 µs, while clients connect and work waits. */
const MOST_WITHOUT_WORK = 64;

/** Resolves in a later turn, after all that waited before. */
export function nextTurn(): Promise<void> {
  return new Promise(inTurn);
}

/** Calls back in a later turn, after all that waited before. */
export function inTurn(piece: () => void): void {
  waiting.push(piece);
  if (isScheduled) return;
  isScheduled = true;
  setImmediate(takeTurn);
}

/** Called with each new connection: those that wait are accepted before work goes on. */
export function noteConnection(): void {
  hasAccepted = true;
}

function takeTurn(): void {
  if (hasAccepted && turnsWithoutWork < MOST_WITHOUT_WORK) {
    turnsWithoutWork++;
    hasAccepted = false;
    setImmediate(takeTurn);
    return;
  }
  turnsWithoutWork = 0;
  hasAccepted = false;
  const piece = waiting.shift();
  isScheduled = waiting.length > 0;
  if (isScheduled) setImmediate(takeTurn);
  piece?.();
}
