/**
 * The memory budget of a serving process (D14). `ALMANAKK_MEMORY_MB` sets it. The program and the open snapshots take their part first;
 * everything that requests make the process hold is a share of the rest.
 */
import { LRUCache } from 'lru-cache';
import { freeMemory } from '../../snapshot/memory.ts';

interface Budget {
  /** Bytes that the process may take, resident. */
  readonly memory: number;
  /** Bytes left for requests after the program and its snapshots. */
  readonly rest: () => number;
  /** Bytes of one share at present. */
  readonly share: (name: ShareName) => number;
  /** Called after a snapshot was opened. Returns a warning for the log if the budget is too small, else null. */
  readonly measured: (resident: Resident) => string | null;
}

/** Resident bytes, as measured. */
interface Resident {
  /** The process without its snapshot. */
  readonly program: number;
  /** One open snapshot: during a swap there are two. */
  readonly snapshot: number;
}

/** Parts of the rest. Together with the caches of `shareOfMemory` they leave a quarter as overhead of V8 and malloc. */
export const SHARES = {
  /** Large answers that are being made. */
  answers: 0.2,
  /** Answers that wait for their readers. */
  outgoing: 0.12,
  /** Bodies of requests that are not answered yet. */
  bodies: 0.05,
  /** Files that are being sent. */
  downloads: 0.02,
  /** Connections with their headers. */
  connections: 0.1,
} as const;

type ShareName = keyof typeof SHARES;

const MB = 1_024 * 1_024;
/** Bytes of the program, as assumed before it is measured. */
const PROGRAM_BYTES = 120 * MB;
/** The least part of the budget that is shared out, however small the budget: the process must answer something. */
const LEAST_REST = 1 / 8;

export function createBudget(memory: number): Budget {
  let base = PROGRAM_BYTES;
  const rest = () => Math.max(Math.floor(memory * LEAST_REST), memory - base);
  return {
    memory,
    rest,
    share: (name) => Math.floor(SHARES[name] * rest()),
    measured: ({ program, snapshot }) => {
      base = program + 2 * snapshot;
      if (memory - base >= memory * LEAST_REST) return null;
      const least = Math.ceil(base / (1 - LEAST_REST) / MB);
      return `ALMANAKK_MEMORY_MB: expected at least ${least} for this calendar, found ${Math.floor(memory / MB)}: the program takes ${megabytes(program)} MB, and each of two snapshots during a swap ${megabytes(snapshot)} MB`;
    },
  };
}

const megabytes = (bytes: number): number => Math.ceil(bytes / MB);

export const DEFAULT_MEMORY = 512 * MB;

let current = createBudget(DEFAULT_MEMORY);

/** The budget of this process. */
export const budget = (): Budget => current;

/** Called before anything is loaded that takes a share. */
export function beginBudget(memory: number): Budget {
  current = createBudget(memory);
  return current;
}

/** Bytes that a cache may hold: its part of the rest, and at most `most`. */
export function shareOfMemory(part: number, most: number): number {
  return Math.min(most, Math.floor(part * current.rest()));
}

interface BoundedCache<Value extends object> {
  readonly get: (key: string) => Value | undefined;
  /** Caches the value, or does not. The least recently used is evicted first. */
  readonly offer: (key: string, value: Value) => void;
  /** Called when a cached value has grown. */
  readonly reweigh: (key: string, value: Value) => void;
  readonly clear: () => void;
  readonly size: () => { readonly entries: number; readonly weight: number };
}

interface BoundedCacheOptions<Value> {
  /** The most that all values may weigh together. */
  readonly most: number;
  /** Returns whole numbers above 0. */
  readonly weigh: (value: Value, key: string) => number;
  /** Part of the bound up to which values are admitted whose keys were not requested before; NEARLY_FULL unless given. */
  readonly open?: number;
}

/**
 * Caches values within a bound. Up to a part of it, every value is admitted. Beyond that, values requested once would evict those requested
 * all the time, and each eviction is work for the garbage collector: so an admission filter admits only keys that were requested before.
 */
export function createBoundedCache<Value extends object>({
  most,
  weigh,
  open = NEARLY_FULL,
}: BoundedCacheOptions<Value>): BoundedCache<Value> {
  const store = new LRUCache<string, Value>({ maxSize: Math.max(1, most), sizeCalculation: weigh });
  const wasRequested = createAdmissionFilter();
  return {
    get: (key) => store.get(key),
    offer: (key, value) => {
      if (wasRequested(key) || store.calculatedSize < open * most) store.set(key, value);
    },
    reweigh: (key, value) => {
      if (store.peek(key) !== value) return;
      // Without the deletion, `set` would keep the old size.
      store.delete(key);
      store.set(key, value);
    },
    clear: () => store.clear(),
    size: () => ({ entries: store.size, weight: store.calculatedSize }),
  };
}

/** The part of a cache's bound from which it counts as nearly full. */
const NEARLY_FULL = 0.9;

/**
 * Whether a key was requested recently. It remembers hashes, not keys: a collision admits an entry that was not requested before, which
 * is harmless.
 */
export function createAdmissionFilter(): (key: string) => boolean {
  const lately = new Int32Array(KEYS_REMEMBERED);
  return (key) => {
    const mark = markOf(key);
    const place = mark & (KEYS_REMEMBERED - 1);
    const wasRequested = lately[place] === mark;
    lately[place] = mark;
    return wasRequested;
  };
}

/** Upper bound; a power of two. */
const KEYS_REMEMBERED = 4_096;

/** FNV-1a over the UTF-16 units, with its bits mixed once more; never 0. */
function markOf(key: string): number {
  let mark = 0x811c9dc5;
  for (let place = 0; place < key.length; place++) mark = Math.imul(mark ^ key.charCodeAt(place), 0x01000193);
  mark ^= mark >>> 15;
  return mark === 0 ? 1 : mark;
}

export interface TextCache {
  readonly get: (place: number) => string | undefined;
  /** Drops the older half of all texts if there is no room. A text larger than a half is not cached. */
  readonly set: (place: number, text: string) => void;
  readonly clear: () => void;
}

/**
 * Caches texts by their places, below `count`, in `most` bytes outside of V8's heap: 30 MB of strings make the heap grow by 45. The younger
 * half is written until it is full; then the older one is emptied and becomes the younger.
 */
export function createTextCache(count: number, most: number): TextCache {
  const size = Math.floor(most / 2);
  let [young, old] = [createHalf(count), createHalf(count)];
  return {
    get: (place) => textAt(young, place) ?? textAt(old, place),
    set: (place, text) => {
      const isWide = WIDE.test(text);
      const length = isWide ? Buffer.byteLength(text) : text.length;
      if (length > size) return;
      if (young.end + length > size) {
        [young, old] = [old, young];
        empty(young);
      }
      // The system gives it memory as it is written.
      young.bytes ??= Buffer.allocUnsafeSlow(size);
      young.bytes.write(text, young.end, isWide ? 'utf8' : 'latin1');
      young.starts[place] = young.end;
      young.lengths[place] = isWide ? -length : length;
      young.end += length;
    },
    clear: () => {
      for (const half of [young, old]) {
        empty(half);
        if (half.bytes !== undefined) freeMemory(half.bytes.buffer);
        delete half.bytes;
      }
    },
  };
}

/** A character above U+00FF. Other texts are cached in Latin-1, which is read ten times as fast as UTF-8: 1.5 KB in 0.3 µs. */
const WIDE = /[^\0-\xff]/;

interface Half {
  bytes?: Buffer;
  end: number;
  /** By place. */
  readonly starts: Int32Array;
  /** In bytes: negative for UTF-8, 0 for none. */
  readonly lengths: Int32Array;
}

const createHalf = (count: number): Half => ({
  end: 0,
  starts: new Int32Array(count),
  lengths: new Int32Array(count),
});

function empty(half: Half): void {
  half.lengths.fill(0);
  half.end = 0;
}

function textAt({ bytes, starts, lengths }: Half, place: number): string | undefined {
  const length = lengths[place] ?? 0;
  if (length === 0) return undefined;
  const start = starts[place] ?? 0;
  return bytes?.toString(length < 0 ? 'utf8' : 'latin1', start, start + Math.abs(length));
}
