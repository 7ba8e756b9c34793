/** Search indexes of events that a test writes down, and the slow way to search the same events. */
import { createSearchIndexer } from '../../jobs/indexes/search.ts';
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

/** The names that every event has besides its texts. */
const NAMES = {
  venues: [{ ...venueRecord('v1', 'Ås'), slug: 'as' }],
  organizers: [{ ...organizerRecord('o1', 'Ørnulf'), slug: 'ornulf' }],
  categories: [{ ...category('MUSIC'), name_nb: 'Musikk', name_en: 'Music' }],
};

/** The index of these events, and the function that searches it. */
export function indexed(events: readonly Texts[]) {
  const columns = columnsOf(events);
  const search = createSearch({ ...columns, publishing: new Float64Array(events.length) });
  /** Ordinals of the events that all words of a step find. */
  const find = async (step: Step, words: readonly string[]) => [...bitsOf(await search(step, words))];
  return { columns, search, find };
}

/** The ordinal of an event that the build leaves out. */
const LEFT_OUT = -1;
const TEXTS_LEFT_OUT: Texts = {
  title_nb: 'Konsert utelatt',
  desc_en: 'night left-out',
  tags: ['qz?', 'ubrukt#'],
};

/**
 * The columns of an index, whose events a build takes in another order than that of their ordinals, as it does: every third one comes last.
 * Before both parts comes an event that is left out.
 */
export function columnsOf(events: readonly Texts[]): LexiconColumns {
  const byOrdinal = [...events.entries()];
  const taken: readonly (readonly [ordinal: number, texts: Texts])[] = [
    [LEFT_OUT, TEXTS_LEFT_OUT],
    ...byOrdinal.filter(([ordinal]) => ordinal % 3 !== 0),
    [LEFT_OUT, TEXTS_LEFT_OUT],
    ...byOrdinal.filter(([ordinal]) => ordinal % 3 === 0),
  ];
  const indexer = createSearchIndexer(NAMES);
  for (const [, texts] of taken) indexer.take({ ...NO_TEXTS, ...texts }, ENTITIES, VENUES);
  return indexer.finish(Int32Array.from(taken, ([ordinal]) => ordinal));
}

const NO_TEXTS = { title_nb: null, title_en: null, desc_nb: null, desc_en: null, tags: [] };

/** Indexes in NAMES. */
const ENTITIES = { organizers: [0], categories: [0], ownCategories: 1 };
const VENUES = [0];

/** The ordinals of the events that the oracle finds. */
export function slowly(events: readonly Texts[], step: Step, words: readonly string[]): readonly number[] {
  if (words.length === 0) return [];
  const found = [...events.entries()].filter(([, texts]) => matches(step, foldedOf(texts), words));
  return found.map(([ordinal]) => ordinal);
}

/** Folded once for each event: random searches look through the same events many times. */
const foldedByEvent = new WeakMap<Texts, ReturnType<typeof foldedTexts>>();

function foldedOf(texts: Texts): ReturnType<typeof foldedTexts> {
  const found = foldedByEvent.get(texts);
  if (found !== undefined) return found;
  const { title_nb = '', title_en = '', desc_nb = '', desc_en = '', tags = [] } = texts;
  const mainTexts = [title_nb, title_en, shownText(desc_nb), shownText(desc_en)];
  const folded = foldedTexts(mainTexts, [...tags, 'Ås', 'Ørnulf', 'Musikk', 'Music']);
  foldedByEvent.set(texts, folded);
  return folded;
}
