/** The oracle for B10. */
import { isValidAt, publishedEvents } from './nodes.ts';
import type { Calendar, CalendarEvent } from './source.ts';
import { editDistance, fold, stripMarkup, wordsOf } from './text.ts';

/** A longer term is cut here, in code points. */
const LONGEST_TERM = 256;

interface Search {
  readonly matches: (event: CalendarEvent) => boolean;
  /** The second way was taken. */
  readonly isApproximate: boolean;
}

/** Which events match the term; null when the term is as if not given. */
export function searchFor(calendar: Calendar, term: string, now: number): Search | null {
  const folded = fold([...term.trim()].slice(0, LONGEST_TERM).join(''));
  const words = folded.split(/\s+/).filter((word) => word !== '');
  if (words.length === 0) return null;
  const literal = (event: CalendarEvent) => matches('literal', textsOf(event, calendar), words);
  // The approximate step depends on what is visible now, whatever the other conditions say.
  const visible = publishedEvents(calendar, now).filter(({ occurrences }) =>
    occurrences.some((occurrence) => isValidAt(occurrence, now)),
  );
  if (visible.some(literal)) return { matches: literal, isApproximate: false };
  return {
    matches: (event) => matches('approximate', textsOf(event, calendar), wordsOf(folded)),
    isApproximate: true,
  };
}

/** The searched texts of an event, folded. */
export interface Texts {
  /** Titles and descriptions without markup, and their words. */
  readonly main: readonly string[];
  readonly words: ReadonlySet<string>;
  /** Tags, names of venues and organizers, labels of categories. */
  readonly elsewhere: readonly string[];
}

export function foldedTexts(main: readonly string[], elsewhere: readonly string[]): Texts {
  return { main: main.map(fold), words: new Set(main.flatMap(wordsOf)), elsewhere: elsewhere.map(fold) };
}

export type Step = 'literal' | 'approximate';

/** Literally, every word is somewhere; approximately, it is nearly a word of the event's own, or in there when it has one or two letters. */
export function matches(step: Step, { main, words, elsewhere }: Texts, term: readonly string[]): boolean {
  const isIn = (texts: readonly string[], word: string) => texts.some((text) => text.includes(word));
  if (step === 'literal') return term.every((word) => isIn([...main, ...elsewhere], word));
  const isNear = (word: string) =>
    [...words].some((other) => isWithin([...word].length < 6 ? 1 : 2, word, other));
  return term.length > 0 && term.every((word) => ([...word].length < 3 ? isIn(main, word) : isNear(word)));
}

/** Each step changes the length by one letter at most: most words need no table of distances. */
function isWithin(steps: number, word: string, other: string): boolean {
  return Math.abs([...word].length - [...other].length) <= steps && editDistance(word, other) <= steps;
}

/** The searched texts do not depend on the question: they are folded once an event. */
const known = new WeakMap<CalendarEvent, Texts>();

function textsOf(event: CalendarEvent, { categories }: Calendar): Texts {
  const { title_nb, title_en, record, occurrences, organizers } = event;
  const labels = categories
    .flatMap((category) => [category, ...category.subcategories])
    .filter(({ id }) => event.categories.includes(id))
    .flatMap(({ name_nb, name_en }) => [name_nb, name_en]);
  const texts =
    known.get(event) ??
    foldedTexts(
      [title_nb ?? '', title_en ?? '', stripMarkup(record.desc_nb ?? ''), stripMarkup(record.desc_en ?? '')],
      [
        ...(record.tags ?? []),
        ...occurrences.flatMap(({ venue }) => venue?.name ?? []),
        ...organizers.map(({ name }) => name),
        ...labels,
      ],
    );
  known.set(event, texts);
  return texts;
}
