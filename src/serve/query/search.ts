/** B10: the events that match a search term. The events of each word are cached for as long as the snapshot is open. */
import { LRUCache } from 'lru-cache';
import { isWord, readTerm, toleranceOf } from '../../calendar/search-term.ts';
import { type Bitmap, bitsOf, countBits, emptyBitmap, intersect, isEmpty } from '../../snapshot/bitmaps.ts';
import type { Columns } from '../../snapshot/columns.ts';
import type { FilterView } from '../../snapshot/filters/filter.ts';
import {
  createMarker,
  entriesContaining,
  entriesSimilar,
  type Lexicon,
  type LexiconColumns,
  type Mark,
} from '../../snapshot/lexicon.ts';
import { UNBOUNDED, type Work } from '../admission/admission.ts';

/** The events that match every word; none without words. All requests share the sets: the caller must not change them. */
export type Search = (step: Step, words: readonly string[], work?: SearchWork) => Promise<Bitmap>;

export type SearchWork = Pick<Work, 'nextTurn'>;

interface Searched {
  readonly search: Search;
  readonly isVisible: FilterView['isVisible'];
}

interface SearchMatch {
  /** The caller must not change it. */
  readonly events: Bitmap;
  /** B10: no event matched literally. */
  readonly isApproximate: boolean;
}

/** The events that match in the epoch of the view; null if the term counts as not given (B1). */
export async function searchEvents(
  { search, isVisible }: Searched,
  term: string,
): Promise<SearchMatch | null> {
  const { parts, words } = readTerm(term);
  if (parts.length === 0) return null;
  const literal = await search('literal', parts);
  if (bitsOf(literal).some(isVisible)) return { events: literal, isApproximate: false };
  return { events: await search('approximate', words), isApproximate: true };
}

/** Bytes of all cached sets: the words of minutes, 700 of them in 20,000 events and 80 in 200,000. */
const CACHE_BYTES = 2_000_000;
/** Bytes of an entry besides its set and key. */
const ENTRY_BYTES = 256;

export function createSearch(columns: LexiconColumns & Pick<Columns, 'publishing'>): Search {
  const count = columns.publishing.length;
  const cache = new LRUCache<string, Bitmap>({
    maxSize: CACHE_BYTES,
    sizeCalculation: (found, key) => found.byteLength + 2 * key.length + ENTRY_BYTES,
  });

  const mark = createMarker(columns, count);
  const eventsOf = async (step: Step, word: string, work: SearchWork): Promise<Bitmap> => {
    const key = `${step} ${word}`;
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const found = await findEvents(columns, { ...STEPS[step](columns, word), mark, count, work });
    cache.set(key, found);
    return found;
  };

  return async (step, words, work = UNBOUNDED) => {
    const [first, ...others] = rarestFirst(step, words);
    if (first === undefined) return emptyBitmap(count);
    const events = await eventsOf(step, first, work);
    if (others.length === 0) return events;
    const common = events.slice();
    for (const word of others) {
      if (isEmpty(common)) break;
      intersect(common, await eventsOf(step, word, work));
    }
    return common;
  };
}

/** Long words are rare. Once no event is left, the others need not be looked for. */
function rarestFirst(step: Step, words: readonly string[]): readonly string[] {
  const longestFirst = words.toSorted((left, right) => right.length - left.length);
  return step === 'literal' ? withoutContained(longestFirst) : longestFirst;
}

/** Without words that a longer one contains: an event that has the longer one has both. */
function withoutContained(longestFirst: readonly string[]): readonly string[] {
  let longer = '';
  return longestFirst.filter((word) => {
    // Half of a surrogate pair is not contained in the pair.
    if (!HALF_PAIR.test(word) && longer.includes(word)) return false;
    // No word contains a blank.
    longer += `${word} `;
    return true;
  });
}

const HALF_PAIR = /\p{Surrogate}/u;

type Step = keyof typeof STEPS;

/** The entries that match a word, by step (B10). */
const STEPS = {
  literal: (columns, word) => ({ ...entriesWith(columns, word), textsOnly: false }),
  approximate: (columns, word) => {
    const tolerance = toleranceOf([...word].length);
    if (tolerance === null) return { ...entriesWith(columns, word), textsOnly: true };
    return { lexicon: 'word', entries: entriesSimilar(columns, word, tolerance), textsOnly: true };
  },
} satisfies Record<string, (columns: LexiconColumns, word: string) => Matches>;

interface Matches {
  readonly lexicon: Lexicon;
  readonly entries: Iterable<number>;
  /** Whether only titles and descriptions count. */
  readonly textsOnly: boolean;
}

function entriesWith(columns: LexiconColumns, word: string): Omit<Matches, 'textsOnly'> {
  const lexicon = isWord(word) ? 'word' : 'part';
  return { lexicon, entries: entriesContaining(columns, lexicon, encoder.encode(word)) };
}

const encoder = new TextEncoder();

/** The cost of a scan is counted in marked events. This much is done before other requests may run: a millisecond or two. */
const COST_AT_ONCE = 500_000;
/** The cost of finding an entry. */
const ENTRY_COST = 100;

interface ScanOptions extends Matches {
  readonly mark: Mark;
  /** The number of events. */
  readonly count: number;
  readonly work: SearchWork;
}

/** Stops once all events are marked: a letter, and many a pair of letters, is in nearly every one. */
async function findEvents(
  columns: LexiconColumns,
  { lexicon, entries, textsOnly, mark, count, work }: ScanOptions,
): Promise<Bitmap> {
  const events = emptyBitmap(count);
  // Each word scans all entries.
  let cost = columns[`${lexicon}Text`].length;
  let unchecked = 0;
  for (const entry of entries) {
    const entryCost = ENTRY_COST + mark({ lexicon, entry, events, textsOnly });
    cost += entryCost;
    unchecked += entryCost;
    if (unchecked >= count) {
      unchecked = 0;
      if (countBits(events) === count) break;
    }
    if (cost < COST_AT_ONCE) continue;
    cost = 0;
    await work.nextTurn();
  }
  return events;
}
