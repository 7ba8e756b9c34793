/** B10, search: the events that match a search term. Matches are cached for as long as the snapshot is open. */
import { setImmediate } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { isWord, readTerm, toleranceOf } from '../../calendar/text.ts';
import {
  type Bitmap,
  bitsOf,
  type Columns,
  emptyBitmap,
  isEmpty,
  keepCommon,
} from '../../snapshot/columns.ts';
import {
  entriesContaining,
  entriesSimilar,
  type Lexicon,
  type LexiconColumns,
  markEvents,
} from '../../snapshot/lexicon.ts';

/** The events that match every word; none without words. All requests share the sets: the caller must not change them. */
export type Search = (step: Step, words: readonly string[]) => Promise<Bitmap>;

interface Searched {
  readonly columns: Pick<Columns, 'publishing' | 'eventOver'>;
  readonly search: Search;
}

interface SearchMatch {
  /** The caller must not change it. */
  readonly events: Bitmap;
  /** B10: no event matched literally. */
  readonly isApproximate: boolean;
}

/** The events that match at that second; null if the term counts as not given (B1, not given). */
export async function searchEvents(view: Searched, term: string, now: number): Promise<SearchMatch | null> {
  const { parts, words } = readTerm(term);
  if (parts.length === 0) return null;
  const { search, columns } = view;
  const literal = await search('literal', parts);
  const isVisible = (event: number) =>
    (columns.publishing[event] as number) <= now && (columns.eventOver[event] as number) > now;
  if (bitsOf(literal).some(isVisible)) return { events: literal, isApproximate: false };
  return { events: await search('approximate', words), isApproximate: true };
}

/**
 * Bytes of all cached sets: a term's pages and filters come within minutes, of 700 terms in 20,000 events and of 80 in 200,000.
 */
const CACHE_BYTES = 2_000_000;
/** Bytes of an entry besides its set and key. */
const OVERHEAD = 256;

export function createSearch(columns: LexiconColumns & Pick<Columns, 'publishing'>): Search {
  const count = columns.publishing.length;
  const cache = new LRUCache<string, Bitmap>({
    maxSize: CACHE_BYTES,
    sizeCalculation: (found, key) => found.byteLength + 2 * key.length + OVERHEAD,
  });

  return async (step, words) => {
    // No word contains a blank.
    const key = `${step} ${words.join(' ')}`;
    const known = cache.get(key);
    if (known !== undefined) return known;
    const found = await findCommon(columns, { step, words, count });
    cache.set(key, found);
    return found;
  };
}

type Step = keyof typeof STEPS;

/** The entries that match a word, by step (B10). */
const STEPS = {
  literal: (columns, word) => entriesWith(columns, word, false),
  approximate: (columns, word) => {
    const tolerance = toleranceOf([...word].length);
    if (tolerance === null) return entriesWith(columns, word, true);
    return { lexicon: 'word', entries: entriesSimilar(columns, word, tolerance), textsOnly: true };
  },
} satisfies Record<string, (columns: LexiconColumns, word: string) => Matches>;

interface Matches {
  readonly lexicon: Lexicon;
  readonly entries: Iterable<number>;
  /** Whether only titles and descriptions count. */
  readonly textsOnly: boolean;
}

function entriesWith(columns: LexiconColumns, word: string, textsOnly: boolean): Matches {
  const lexicon = isWord(word) ? 'word' : 'part';
  return { lexicon, entries: entriesContaining(columns, lexicon, encoder.encode(word)), textsOnly };
}

const encoder = new TextEncoder();

/** Events of entries that are marked before other requests may run: a few milliseconds. */
const AT_ONCE = 1_000_000;
/** What an entry costs besides its events. */
const ENTRY = 50;

interface Wanted {
  readonly step: Step;
  readonly words: readonly string[];
  /** The number of events. */
  readonly count: number;
}

async function findCommon(columns: LexiconColumns, { step, words, count }: Wanted): Promise<Bitmap> {
  let common: Bitmap | null = null;
  let work = 0;
  for (const word of words) {
    const { lexicon, entries, textsOnly } = STEPS[step](columns, word);
    const events = emptyBitmap(count);
    // Each word scans all entries.
    work += columns[`${lexicon}Ends`].length;
    for (const entry of entries) {
      work += ENTRY + markEvents(columns, { lexicon, entry, events, textsOnly });
      if (work < AT_ONCE) continue;
      work = 0;
      await setImmediate();
    }
    if (common === null) common = events;
    else keepCommon(common, events);
    if (isEmpty(common)) break;
  }
  return common ?? emptyBitmap(count);
}
