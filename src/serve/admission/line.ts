/**
 * Work that waits for its turn: in order of arrival, fair between addresses, for a few seconds at most. A line is bounded; where it
 * is full, an address with little in it takes the last place of the one with most.
 */
export interface Waiting {
  /** Whose turn it is. */
  readonly address: string;
  /** Of the answer, as far as it is known. */
  readonly bytes: number;
  readonly begin: () => void;
  /** Called in place of `begin` when the turn did not come in time. */
  readonly onRefused: () => void;
}

export interface Line {
  /** Null, at once, for what would not get its turn in time; else what takes it out of the line again. */
  readonly join: (work: Waiting) => (() => void) | null;
  readonly first: () => Waiting | undefined;
  /** Takes out the first. The next turn is another address's. */
  readonly next: () => Waiting | undefined;
  readonly size: () => number;
}

export interface LineOptions {
  readonly most?: number;
  /** Milliseconds. */
  readonly longestWait?: number;
  /** Milliseconds, of any beginning. */
  readonly clock: () => number;
}

const MOST_WAITING = 256;
/** D14, in milliseconds. */
const LONGEST_WAIT = 5_000;
/** Of the latest interval between two turns in their mean. */
const LATEST = 0.2;

export function createLine({ most = MOST_WAITING, longestWait = LONGEST_WAIT, clock }: LineOptions): Line {
  /** None of them is empty; the first has the next turn. */
  const byAddress = new Map<string, Entry[]>();
  let size = 0;
  /** Milliseconds between two turns, and when the latest was. */
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

  /** Whether there is a place for one more of an address that has so many. */
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

/** Whether the entry still waited. */
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
