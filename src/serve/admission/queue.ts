/**
 * A queue of work: in order of arrival, fair between addresses, with a wait of a few seconds at most. The queue is bounded; when it is
 * full, an address with few entries takes the last place of the address with most.
 */

export interface Waiting {
  /** The caller's address. */
  readonly address: string;
  /** Bytes of the answer, as far as known. */
  readonly bytes: number;
  readonly begin: () => void;
  /** Called in place of `begin` when the turn did not come in time. */
  readonly onRefused: () => void;
}

export interface Queue {
  /** Returns what takes the work out of the queue; null if its turn would come too late. */
  readonly join: (work: Waiting) => (() => void) | null;
  readonly first: () => Waiting | undefined;
  /** Takes out the first entry. The next turn belongs to another address. */
  readonly next: () => Waiting | undefined;
  readonly size: () => number;
}

export interface QueueOptions {
  readonly most?: number;
  /** Milliseconds. */
  readonly longestWait?: number;
  /** Milliseconds since any fixed time. */
  readonly clock: () => number;
}

const MOST_WAITING = 256;
/** Milliseconds (D14). */
const LONGEST_WAIT = 5_000;
/** Weight of the latest interval between two turns in the moving mean. */
const LATEST = 0.2;

export function createQueue({ most = MOST_WAITING, longestWait = LONGEST_WAIT, clock }: QueueOptions): Queue {
  /** Entries by address, no list empty; the first address has the next turn. */
  const byAddress = new Map<string, Entry[]>();
  let size = 0;
  /** Mean milliseconds between two turns, and when the latest turn was. */
  let interval = 0;
  let latest = 0;

  const remove = (entry: Entry) => {
    const isRemoved = takeOut(byAddress, entry);
    if (isRemoved) size--;
    return isRemoved;
  };
  const refuse = (entry: Entry) => {
    if (remove(entry)) entry.work.onRefused();
  };

  /** Returns whether an address with `own` entries may add one; may refuse the last entry of the address with most. */
  const makeRoom = (own: number): boolean => {
    if (size < most) return true;
    const longest = longestOf(byAddress.values());
    const last = longest.at(-1);
    if (last === undefined || longest.length <= own + 1) return false;
    refuse(last);
    return true;
  };

  const first = () => byAddress.values().next().value?.[0];

  return {
    join: (work) => {
      const own = byAddress.get(work.address);
      const ahead = Math.min(size, ((own?.length ?? 0) + 1) * byAddress.size);
      if (ahead * interval > longestWait || !makeRoom(own?.length ?? 0)) return null;
      if (size === 0) latest = clock();
      const entry: Entry = { work, timer: setTimeout(() => refuse(entry), longestWait) };
      if (own === undefined) byAddress.set(work.address, [entry]);
      else own.push(entry);
      size++;
      return () => void remove(entry);
    },
    first: () => first()?.work,
    next: () => {
      const entry = first();
      if (entry === undefined) return undefined;
      const { work } = entry;
      remove(entry);
      moveToEnd(byAddress, work.address);
      const now = clock();
      interval += LATEST * (now - latest - interval);
      latest = now;
      return work;
    },
    size: () => size,
  };
}

/** Returns whether the entry was still in the queue. */
function takeOut(byAddress: Map<string, Entry[]>, entry: Entry): boolean {
  const { address } = entry.work;
  const own = byAddress.get(address);
  const place = own?.indexOf(entry) ?? -1;
  if (own === undefined || place === -1) return false;
  clearTimeout(entry.timer);
  own.splice(place, 1);
  if (own.length === 0) byAddress.delete(address);
  return true;
}

function longestOf(lists: Iterable<readonly Entry[]>): readonly Entry[] {
  let longest: readonly Entry[] = [];
  for (const entries of lists) if (entries.length > longest.length) longest = entries;
  return longest;
}

function moveToEnd<Value>(map: Map<string, Value>, key: string): void {
  const value = map.get(key);
  if (value === undefined) return;
  map.delete(key);
  map.set(key, value);
}

interface Entry {
  readonly work: Waiting;
  readonly timer: NodeJS.Timeout;
}

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
