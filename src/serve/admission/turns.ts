/**
 * Turns of the event loop. In each of them Node accepts one connection, reads requests and answers what is at hand. So long work is done in
 * pieces of a millisecond or two, and a turn has one of them (D14): where turns take 50 ms, the hundredth client that connects waits for
 * 5 s. The next piece goes to the address that has used the least time recently. A turn that reads for long, such as hundreds of pipelined
 * requests, has as much time for work.
 *
 *     for (const row of rows) {
 *       write(row);
 *       await work.nextTurn();
 *     }
 */
import { addToGroup } from '../../calendar/groups.ts';
import { createUsage, type Usage } from './usage.ts';

/** The address that some work is for, and the time that the pieces of the work have taken. */
export interface Account {
  readonly address: string;
  milliseconds: number;
}

export interface Turns {
  /** Calls back in a later turn. Pieces of one address keep their order. */
  readonly inTurn: (begin: () => void, account?: Account) => void;
  /** Milliseconds that this account has had the thread for; Infinity if another one has it. */
  readonly elapsed: (account: Account) => number;
  /** Called with each new connection: those that wait are accepted before work goes on. */
  readonly noteConnection: () => void;
}

/** Milliseconds in which turns only accept connections, while clients connect and work waits. */
const ACCEPTING_MS = 3;
/** The longest time for work in one turn, in milliseconds: with as much for reading it stays below 50 (D14). */
const WORKING_MS = 20;

interface TurnsOptions {
  /** Milliseconds since any fixed time. */
  readonly clock: () => number;
  readonly usage: Usage;
}

interface Piece {
  readonly account: Account;
  readonly begin: () => void;
}

export function createTurns({ clock, usage }: TurnsOptions): Turns {
  const waiting = createFairQueue<Piece>(usage);
  const meter = createMeter({ clock, usage });
  let isScheduled = false;
  /** When the latest piece of work ended, or the first one of a time without work was scheduled. */
  let workedAt = 0;
  /** When the work of this turn ends. */
  let workUntil = 0;
  /** Whether this turn accepted a connection. */
  let hasAccepted = false;

  const beginTurn = () => {
    const now = clock();
    const awayMs = now - workedAt;
    const isAccepting = hasAccepted && awayMs < ACCEPTING_MS;
    hasAccepted = false;
    if (isAccepting) {
      setImmediate(beginTurn);
      return;
    }
    workUntil = now + Math.min(awayMs, WORKING_MS);
    work();
  };
  const work = () => {
    const piece = waiting.take();
    meter.begin(piece?.account);
    // After all promises that wait for this piece.
    queueMicrotask(() => process.nextTick(endPiece));
    piece?.begin();
  };
  const endPiece = () => {
    workedAt = meter.end();
    isScheduled = waiting.size() > 0;
    if (!isScheduled) return;
    if (workedAt < workUntil) work();
    else setImmediate(beginTurn);
  };
  const inTurn = (begin: () => void, account: Account = { address: '', milliseconds: 0 }) => {
    waiting.add(account.address, { account, begin });
    if (isScheduled) return;
    isScheduled = true;
    workedAt = clock();
    setImmediate(beginTurn);
  };

  return {
    inTurn,
    elapsed: meter.elapsed,
    noteConnection: () => {
      hasAccepted = true;
    },
  };
}

/** Measures the piece that has the thread, and adds its time to the account and the address. */
function createMeter({ clock, usage }: TurnsOptions) {
  let current: Account | undefined;
  let begunAt = 0;
  return {
    begin: (account: Account | undefined) => {
      current = account;
      begunAt = clock();
    },
    /** Returns when the piece ended. */
    end: (): number => {
      const endedAt = clock();
      if (current === undefined) return endedAt;
      const milliseconds = endedAt - begunAt;
      current.milliseconds += milliseconds;
      usage.add(current.address, milliseconds);
      current = undefined;
      return endedAt;
    },
    elapsed: (account: Account) => (current === account ? clock() - begunAt : Number.POSITIVE_INFINITY),
  };
}

/** Takes from the address that has used least time lately. */
function createFairQueue<Item>(usage: Pick<Usage, 'of'>) {
  const queues = new Map<string, Item[]>();
  let size = 0;
  return {
    size: () => size,
    add: (address: string, item: Item) => {
      size++;
      addToGroup(queues, address, item);
    },
    take: (): Item | undefined => {
      let least = Number.POSITIVE_INFINITY;
      let chosen: string | undefined;
      // Most of the time only one address waits.
      for (const address of queues.keys()) {
        const used = queues.size === 1 ? 0 : usage.of(address);
        if (used >= least) continue;
        least = used;
        chosen = address;
      }
      if (chosen === undefined) return undefined;
      const queue = queues.get(chosen) ?? [];
      const item = queue.shift();
      size--;
      // Equals take turns.
      queues.delete(chosen);
      if (queue.length > 0) queues.set(chosen, queue);
      return item;
    },
  };
}

const now = () => performance.now();
/** The accounts and turns of this process. */
export const USAGE = createUsage(now);
export const TURNS = createTurns({ clock: now, usage: USAGE });
