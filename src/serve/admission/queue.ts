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
