/** The second reading of B10. */
import type { Category } from './directory.ts';
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
  const literal = (event: CalendarEvent) => matchesLiterally(event, words, calendar.categories);
  // The approximate step depends on what is visible now, whatever the other conditions say.
  const visible = publishedEvents(calendar, now).filter(({ occurrences }) =>
    occurrences.some((occurrence) => isValidAt(occurrence, now)),
  );
  if (visible.some(literal)) return { matches: literal, isApproximate: false };
  return { matches: (event) => matchesApproximately(event, wordsOf(folded)), isApproximate: true };
}

/** What is looked through does not depend on the question: it is folded once an event. */
const literalTexts = new WeakMap<CalendarEvent, readonly string[]>();
const ownWords = new WeakMap<CalendarEvent, ReadonlySet<string>>();

/** Every word is somewhere in the event's texts. */
function matchesLiterally(
  event: CalendarEvent,
  words: readonly string[],
  taxonomy: readonly Category[],
): boolean {
  const texts = literalTexts.get(event) ?? foldedTexts(event, taxonomy);
  literalTexts.set(event, texts);
  return words.every((word) => texts.some((text) => text.includes(word)));
}

function foldedTexts(event: CalendarEvent, taxonomy: readonly Category[]): readonly string[] {
  const labels = taxonomy
    .flatMap((category) => [category, ...category.subcategories])
    .filter(({ id }) => event.categories.includes(id))
    .flatMap(({ name_nb, name_en }) => [name_nb, name_en]);
  return [
    ...ownTexts(event),
    ...(event.record.tags ?? []),
    ...event.occurrences.flatMap(({ venue }) => (venue === null ? [] : [venue.name])),
    ...event.organizers.map(({ name }) => name),
    ...labels,
  ].map(fold);
}

/** Every word is nearly a word of the titles and descriptions; one or two letters are there literally. */
function matchesApproximately(event: CalendarEvent, words: readonly string[]): boolean {
  const there = ownWords.get(event) ?? new Set(ownTexts(event).flatMap(wordsOf));
  ownWords.set(event, there);
  return (
    words.length > 0 &&
    words.every((word) => {
      const letters = [...word].length;
      if (letters < 3) return ownTexts(event).some((text) => fold(text).includes(word));
      return [...there].some((other) => isNear(word, other, letters < 6 ? 1 : 2));
    })
  );
}

/** Each step changes the length by one letter at most: most words need no table of distances. */
function isNear(word: string, other: string, steps: number): boolean {
  return Math.abs([...word].length - [...other].length) <= steps && editDistance(word, other) <= steps;
}

/** Titles and descriptions, without markup. */
function ownTexts({ title_nb, title_en, record }: CalendarEvent): readonly string[] {
  const descriptions = [record.desc_nb ?? '', record.desc_en ?? ''].map(stripMarkup);
  return [title_nb ?? '', title_en ?? '', ...descriptions];
}
