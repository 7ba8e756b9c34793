/** B10: the events that a search term means. What a term finds in the index is kept as long as the snapshot. */
import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { isWord, readTerm, toleranceOf } from '../../calendar/search.ts';
import { type Bitmap, emptyBitmap, isEmpty, keepCommon, somePlace } from '../../snapshot/bitmaps.ts';
import type { Columns } from '../../snapshot/columns.ts';
import { type Marks, markContaining, markSimilar } from '../../snapshot/lexicon.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { readSearchIndex, type SearchIndex } from '../../snapshot/search.ts';
import { ALWAYS_SET, LONGEST_SHORT, markSet } from '../../snapshot/short-needles.ts';
import { type Steps, stretches } from './steps.ts';

/** What the searches of a snapshot share: the index, and what has been found in it. */
export interface Search {
  /** The events that every word finds; without words none. Not to be changed by the caller. */
  readonly find: (step: Step, words: readonly string[]) => Promise<Bitmap>;
  /** By event: the second at which the last of its occurrences is over. */
  readonly lastOver: Float64Array;
  /** Lifts the index into memory, which the first search does otherwise. */
  readonly load: () => Promise<void>;
}

interface Searched {
  readonly columns: Pick<Columns, 'publishing'>;
  readonly search: Search;
}

/** One byte an event, 1 where it matches at that second; null when the term is as if not given (B1). */
export async function searchEvents(view: Searched, term: string, now: number): Promise<Uint8Array | null> {
  const { parts, words } = readTerm(term);
  if (parts.length === 0) return null;
  const { search, columns } = view;
  const literal = await search.find('literal', parts);
  const isVisible = (event: number) =>
    (columns.publishing[event] as number) <= now && (search.lastOver[event] as number) > now;
  const found = somePlace(literal, isVisible) ? literal : await search.find('approximate', words);
  return maskOf(found, columns.publishing.length);
}

/** Bytes of all that is kept of what was found. */
const KEPT_BYTES = 16_000_000;
/** What an entry costs beside. */
const OVERHEAD = 256;

export function* createSearch({ query, columns }: Pick<Snapshot, 'query' | 'columns'>): Steps<Search> {
  const lastOver = yield* lastOverOf(columns);
  const count = columns.publishing.length;
  const index = shared(() => readSearchIndex(query));
  const kept = new LRUCache<string, Bitmap>({
    maxSize: KEPT_BYTES,
    sizeCalculation: (found, key) => found.byteLength + 2 * key.length + OVERHEAD,
  });

  async function find(step: Step, words: readonly string[]): Promise<Bitmap> {
    // No word holds a blank.
    const key = `${step} ${words.join(' ')}`;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const found = await findCommon(await index(), { step, words, count });
    kept.set(key, found);
    return found;
  }

  return { find, lastOver, load: async () => void (await index()) };
}

type Mark = (index: SearchIndex, word: string, events: Bitmap) => Promise<void> | void;
type Step = keyof typeof STEPS;

/** How each step marks the events that a single word finds. */
const STEPS = {
  literal: (index, word, events) => markLiteral(index, word, { events, textsOnly: false }),
  approximate: (index, word, events) => {
    const tolerance = toleranceOf([...word].length);
    const marks = { events, textsOnly: true };
    if (tolerance === null) return markLiteral(index, word, marks);
    return markSimilar(index.words, word, tolerance, marks);
  },
} satisfies Record<string, Mark>;

async function markLiteral(index: SearchIndex, word: string, marks: Marks): Promise<void> {
  const needle = encoder.encode(word);
  const set = needle.length > LONGEST_SHORT ? undefined : await index.short(needle);
  if (set !== undefined) markSet(set, marks);
  else if (needle.length > ALWAYS_SET) {
    markContaining(isWord(word) ? index.words : index.parts, needle, marks);
  }
}

const encoder = new TextEncoder();

interface Asked {
  readonly step: Step;
  readonly words: readonly string[];
  /** How many events there are. */
  readonly count: number;
}

/** So many take a few milliseconds in 200,000 events. */
const WORDS_AT_ONCE = 4;

async function findCommon(index: SearchIndex, { step, words, count }: Asked): Promise<Bitmap> {
  const [first, ...others] = words;
  const common = emptyBitmap(count);
  if (first !== undefined) await STEPS[step](index, first, common);
  for (const [before, word] of others.entries()) {
    if (isEmpty(common)) break;
    // Few terms have as many words; those that do let other requests in between.
    if (before % WORDS_AT_ONCE === WORDS_AT_ONCE - 1) await setImmediate();
    const events = emptyBitmap(count);
    await STEPS[step](index, word, events);
    keepCommon(common, events);
  }
  return common;
}

function maskOf(events: Bitmap, count: number): Uint8Array {
  const mask = new Uint8Array(count);
  for (let word = 0; word < events.length; word++) {
    const bits = events[word] as number;
    // Past the last event no bit is set and no byte is there to take it.
    for (let bit = 0; bits !== 0 && bit < 32; bit++) mask[32 * word + bit] = (bits >>> bit) & 1;
  }
  return mask;
}

function* lastOverOf({ event, over, publishing }: Columns): Steps<Float64Array> {
  const last = new Float64Array(publishing.length).fill(Number.NEGATIVE_INFINITY);
  yield* stretches(event.length, (from, to) => {
    for (let row = from; row < to; row++) {
      const ordinal = event[row] as number;
      if ((over[row] as number) > (last[ordinal] as number)) last[ordinal] = over[row] as number;
    }
  });
  return last;
}

/** Made when first asked for, and again after a failure. */
function shared<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((cause) => {
      made = undefined;
      throw cause;
    });
    return made;
  };
}
