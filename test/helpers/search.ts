/** Search indexes of events that a test writes down, and the slow way to search the same events. */
import { createSearchIndexer } from '../../jobs/search.ts';
import { shownText } from '../../src/calendar/text.ts';
import { createSearch, type Search } from '../../src/serve/query/search.ts';
import { bitsOf } from '../../src/snapshot/columns.ts';
import type { LexiconColumns } from '../../src/snapshot/lexicon.ts';
import { editDistance, fold, wordsOf } from '../oracle/text.ts';
import { makeCalendar } from './calendar.ts';

/** What is searched of an event. */
export interface Texts {
  readonly title_nb?: string;
  readonly title_en?: string;
  readonly desc_nb?: string;
  readonly desc_en?: string;
  readonly tags?: readonly string[];
}

export interface Indexed {
  readonly columns: LexiconColumns;
  readonly search: Search;
  /** Ordinals of the events that all words of a step find. */
  readonly find: (step: 'literal' | 'approximate', words: readonly string[]) => Promise<readonly number[]>;
}

/** The index of these events. Every one has the venue Ås, the organizer Ørnulf and is music. */
export function indexed(events: readonly Texts[]): Indexed {
  const columns = columnsOf(events);
  const search = createSearch({ ...columns, publishing: new Float64Array(events.length) });
  const find: Indexed['find'] = async (step, words) => [...bitsOf(await search.find(step, words))];
  return { columns, search, find };
}

/** Indexes the events in another order than that of their ordinals, among others that are left out. */
export function columnsOf(events: readonly Texts[]): LexiconColumns {
  const { calendar } = makeCalendar({ events: 1 });
  const indexer = createSearchIndexer(calendar);
  const ordinals: number[] = [];
  const take = (texts: Texts, ordinal: number): void => {
    ordinals.push(ordinal);
    const places = { organizers: [0], categories: [0], ownCategories: 1 };
    indexer.take({ ...NO_TEXTS, ...texts }, places, [0]);
  };
  take(LEFT_OUT, -1);
  for (const [ordinal, texts] of events.entries()) if (ordinal % 3 !== 0) take(texts, ordinal);
  take(LEFT_OUT, -1);
  for (const [ordinal, texts] of events.entries()) if (ordinal % 3 === 0) take(texts, ordinal);
  return indexer.finish(Int32Array.from(ordinals));
}

const NO_TEXTS = { title_nb: null, title_en: null, desc_nb: null, desc_en: null, tags: [] };
const LEFT_OUT = { title_nb: 'Konsert utelatt', desc_en: 'night left-out', tags: ['qz?', 'ubrukt#'] };

/** B10, word by word over all texts. */
export function slowly(
  events: readonly Texts[],
  step: 'literal' | 'approximate',
  words: readonly string[],
): readonly number[] {
  const isFound = { literal: isFoundLiterally, approximate: isFoundApproximately }[step];
  if (words.length === 0) return [];
  return [...events.keys()].filter((event) =>
    words.every((word) => isFound(foldedOf(events[event] ?? {}), word)),
  );
}

interface Folded {
  readonly own: readonly string[];
  readonly elsewhere: readonly string[];
  readonly words: readonly string[];
}

const known = new WeakMap<Texts, Folded>();

function foldedOf(texts: Texts): Folded {
  const before = known.get(texts);
  if (before !== undefined) return before;
  const own = ownTexts(texts).map(fold);
  const elsewhere = [...(texts.tags ?? []), 'Ås', 'Ørnulf', 'Musikk', 'Music'].map(fold);
  const folded = { own, elsewhere, words: [...new Set(own.flatMap(wordsOf))] };
  known.set(texts, folded);
  return folded;
}

function isFoundLiterally({ own, elsewhere }: Folded, word: string): boolean {
  return [...own, ...elsewhere].some((text) => text.includes(word));
}

function isFoundApproximately({ own, words }: Folded, word: string): boolean {
  const letters = [...word].length;
  if (letters < 3) return own.some((text) => text.includes(word));
  const most = letters < 6 ? 1 : 2;
  return words.some((other) => editDistance(word, other) <= most);
}

function ownTexts({ title_nb = '', title_en = '', desc_nb = '', desc_en = '' }: Texts): readonly string[] {
  return [title_nb, title_en, shownText(desc_nb), shownText(desc_en)];
}
