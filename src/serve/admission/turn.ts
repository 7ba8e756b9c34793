/**
 * A turn of the event loop, shared by all work that takes the thread. Node accepts one connection in a turn: where turns take
 * 50 ms, the hundredth client that connects waits for 5 s. So work is done for a few milliseconds in each of them, piece by piece.
 */
export interface Turn {
  /** Whether others have to have the thread before more work is done. */
  readonly isOver: () => boolean;
  /** Calls back in this turn or in a later one, after all that waited before. */
  readonly wait: (piece: () => void) => void;
  /** Called with each new connection: waiting connections precede the work that waits here, for as long as one turn. */
  readonly letIn: () => void;
}

/** Milliseconds of work in one turn. */
const TURN_MS = 8;

/** `clock`: milliseconds since any fixed time. */
export function createTurn(clock: () => number = () => performance.now()): Turn {
  const waiting: (() => void)[] = [];
  /** When the first work of this turn began. */
  let began: number | undefined;
  let isConnecting = false;
  let heldSince: number | undefined;

  const begin = () => {
    if (began !== undefined) return;
    began = clock();
    setImmediate(goOn);
  };
  const isOver = () => {
    begin();
    return clock() - (began ?? 0) >= TURN_MS;
  };
  /** At least one piece is done in each turn, however long other work was. */
  const goOn = () => {
    if (isConnecting) heldSince ??= clock();
    const isHeld = isConnecting && clock() - (heldSince ?? 0) < TURN_MS;
    isConnecting = false;
    if (isHeld) {
      setImmediate(goOn);
      return;
    }
    heldSince = undefined;
    const piece = waiting.shift();
    if (piece === undefined) {
      began = undefined;
      return;
    }
    // A promise that the piece resolves goes on in microtasks; a tick that begins in a microtask comes after all of them.
    queueMicrotask(() => process.nextTick(goOnOrEnd));
    piece();
  };
  const goOnOrEnd = () => {
    if (waiting.length > 0 && !isOver()) return goOn();
    began = undefined;
    if (waiting.length > 0) begin();
  };

  return {
    isOver,
    wait: (piece) => {
      waiting.push(piece);
      begin();
    },
    letIn: () => {
      isConnecting = true;
    },
  };
}
