/** Search indexes of events that a test writes down, and the slow way to search the same events. */
import { createSearchIndexer } from '../../jobs/search.ts';
import { shownText } from '../../src/calendar/display-text.ts';
import { createSearch } from '../../src/serve/query/search.ts';
import { bitsOf } from '../../src/snapshot/bitmaps.ts';
import type { LexiconColumns } from '../../src/snapshot/lexicon.ts';
import { foldedTexts, matches, type Step } from '../oracle/search.ts';
import { category, organizerRecord, venueRecord } from './records.ts';

/** The texts of an event that a search looks through. */
export interface Texts {
  readonly title_nb?: string;
  readonly title_en?: string;
  readonly desc_nb?: string;
  readonly desc_en?: string;
  readonly tags?: readonly string[];
}

/** The index of these events. Every one has the venue Ås, the organizer Ørnulf and is music. */
export function indexed(events: readonly Texts[]) {
  const columns = columnsOf(events);
  const search = createSearch({ ...columns, publishing: new Float64Array(events.length) });
  /** Ordinals of the events that all words of a step find. */
  const find = async (step: Step, words: readonly string[]) => [...bitsOf(await search(step, words))];
  return { columns, search, find };
}

/** Indexes the events in another order than that of their ordinals, among others that are left out. */
export function columnsOf(events: readonly Texts[]): LexiconColumns {
  const indexer = createSearchIndexer(NAMES);
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

const NAMES = {
  venues: [{ ...venueRecord('v1', 'Ås'), slug: 'as' }],
  organizers: [{ ...organizerRecord('o1', 'Ørnulf'), slug: 'ornulf' }],
  categories: [{ ...category('MUSIC'), name_nb: 'Musikk', name_en: 'Music' }],
};
const NO_TEXTS = { title_nb: null, title_en: null, desc_nb: null, desc_en: null, tags: [] };
const LEFT_OUT = { title_nb: 'Konsert utelatt', desc_en: 'night left-out', tags: ['qz?', 'ubrukt#'] };

/** The events that the oracle finds. */
export function slowly(events: readonly Texts[], step: Step, words: readonly string[]): readonly number[] {
  const found = [...events.entries()].filter(
    ([, texts]) => words.length > 0 && matches(step, foldedOf(texts), words),
  );
  return found.map(([event]) => event);
}

const known = new WeakMap<Texts, ReturnType<typeof foldedTexts>>();

function foldedOf(texts: Texts) {
  const { title_nb = '', title_en = '', desc_nb = '', desc_en = '', tags = [] } = texts;
  const mainTexts = [title_nb, title_en, shownText(desc_nb), shownText(desc_en)];
  const folded = known.get(texts) ?? foldedTexts(mainTexts, [...tags, 'Ås', 'Ørnulf', 'Musikk', 'Music']);
  known.set(texts, folded);
  return folded;
}
