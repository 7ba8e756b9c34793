/** B10: the events that match a search term. Matches are cached for as long as the snapshot is open. */
import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { isWord, readTerm, toleranceOf } from '../../calendar/text.ts';
import { type Bitmap, emptyBitmap, isEmpty, keepCommon, somePlace } from '../../snapshot/bitmaps.ts';
import type { Columns } from '../../snapshot/columns.ts';
import { type Marks, markContaining, markSimilar } from '../../snapshot/lexicon.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { ALWAYS_SET, LONGEST_SHORT, markSet, type SearchIndex } from '../../snapshot/search.ts';

/** Sets found in a snapshot's index, shared by all requests. */
export interface Search {
  /** The events that match every word; none without words. The caller must not change the set. */
  readonly find: (step: Step, words: readonly string[]) => Promise<Bitmap>;
}

interface Searched {
  readonly columns: Pick<Columns, 'publishing' | 'eventOver'>;
  readonly search: Search;
}

type Searchable = Pick<Snapshot, 'searchIndex'> & Pick<Searched, 'columns'>;

interface SearchMatch {
  /** The caller must not change it. */
  readonly events: Bitmap;
  /** B10: no event matched literally. */
  readonly isApproximate: boolean;
}

/** The events that match at that second; null if the term counts as not given (B1). */
export async function searchEvents(view: Searched, term: string, now: number): Promise<SearchMatch | null> {
  const { parts, words } = readTerm(term);
  if (parts.length === 0) return null;
  const { search, columns } = view;
  const literal = await search.find('literal', parts);
  const isVisible = (event: number) =>
    (columns.publishing[event] as number) <= now && (columns.eventOver[event] as number) > now;
  if (somePlace(literal, isVisible)) return { events: literal, isApproximate: false };
  return { events: await search.find('approximate', words), isApproximate: true };
}

/**
 * Bytes of all cached sets: a term's pages and filters come within minutes, of 700 terms in 20,000 events and of 80 in 200,000. A term
 * takes 30 µs and its own statements in 20,000 events, a mistyped one 60; ten times that in 200,000.
 */
const CACHE_BYTES = 2_000_000;
/** Bytes of an entry besides its set and key. */
const OVERHEAD = 256;

export function createSearch({ searchIndex, columns }: Searchable): Search {
  const count = columns.publishing.length;
  const cache = new LRUCache<string, Bitmap>({
    maxSize: CACHE_BYTES,
    sizeCalculation: (found, key) => found.byteLength + 2 * key.length + OVERHEAD,
  });

  async function find(step: Step, words: readonly string[]): Promise<Bitmap> {
    // No word contains a blank.
    const key = `${step} ${words.join(' ')}`;
    const known = cache.get(key);
    if (known !== undefined) return known;
    const found = await findCommon(searchIndex, { step, words, count });
    cache.set(key, found);
    return found;
  }

  return { find };
}

type Mark = (index: SearchIndex, word: string, events: Bitmap) => Promise<void> | void;
type Step = keyof typeof STEPS;

/** How each step marks the events that match a single word. */
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

interface Wanted {
  readonly step: Step;
  readonly words: readonly string[];
  /** The number of events. */
  readonly count: number;
}

/** So many words take a few milliseconds in 200,000 events. */
const WORDS_AT_ONCE = 4;

async function findCommon(index: SearchIndex, { step, words, count }: Wanted): Promise<Bitmap> {
  const [first, ...others] = words;
  const common = emptyBitmap(count);
  if (first !== undefined) await STEPS[step](index, first, common);
  for (const [before, word] of others.entries()) {
    if (isEmpty(common)) break;
    // Long terms are rare; they pause so that other requests can run.
    if (before % WORDS_AT_ONCE === WORDS_AT_ONCE - 1) await setImmediate();
    const events = emptyBitmap(count);
    await STEPS[step](index, word, events);
    keepCommon(common, events);
  }
  return common;
}
