/** G9: decides whether two events are likely the same: they start at the same minute, at the same place, under similar titles. */
import { alignerOf, codePointsOf, fold, toleranceOf, wordsOf } from '../../src/calendar/text.ts';

export interface Comparable {
  /** Its number, in the order of the sources. */
  readonly entry: number;
  readonly feed: string | null;
  /** For each of its titles, the folded words. */
  readonly titles: readonly (readonly string[])[];
  /** Its place at each of its starts, a venue's id or null, by `momentOf`. */
  readonly places: ReadonlyMap<number, string | null>;
  readonly isContainer: boolean;
}

/** Reasons why two events are likely the same; the strongest first. */
export const REASONS = ['the same words', 'one title within the other', 'typing errors'] as const;
type Reason = (typeof REASONS)[number];

/** The minute of a start, or the day of one without a time: never the same number. */
export function momentOf(start: number, allDay: boolean): number {
  return 2 * Math.floor(start / 60) + (allDay ? 1 : 0);
}

/** Longer titles are descriptions. */
const MOST_WORDS = 40;

export function titleWords(title: string | null): readonly string[] {
  const words = [...new Set(wordsOf(fold(title ?? '')))].slice(0, MOST_WORDS);
  const telling = words.filter((word) => !CONNECTING.has(word));
  return telling.length === 0 ? words : telling;
}

/** Words that only connect two names: `m/`, `med`, `&`, `feat.` */
const CONNECTING = new Set(['og', 'and', 'med', 'm', 'with', 'w', 'feat', 'ft']);

/** Null for two that are not alike. `isPlaced` is false if one of them has no place at each common start. */
export function likenessOf(left: Comparable, right: Comparable) {
  if (left.isContainer !== right.isContainer) return null;
  const found = left.titles.flatMap((title) => right.titles.map((other) => reasonOf(title, other)));
  const reason = REASONS.find((one) => found.includes(one));
  if (reason === undefined) return null;
  /** Common starts, at the same place or with one of them lacking a place. */
  const agreeing = [...left.places].filter(([moment, here]) => {
    const there = right.places.get(moment);
    return there !== undefined && (here === null || there === null || here === there);
  });
  const isPlaced = agreeing.some(([moment, here]) => here !== null && right.places.get(moment) === here);
  const fewer = Math.min(left.places.size, right.places.size);
  if (agreeing.length === 0 || agreeing.length * 2 < fewer) return null;
  return { reason, isPlaced, agreeing: agreeing.length };
}

function reasonOf(title: readonly string[], other: readonly string[]): Reason | null {
  const [fewer, more] = title.length <= other.length ? [title, other] : [other, title];
  if (fewer.length === 0) return null;
  if (fewer.every((word) => more.includes(word)))
    return fewer.length === more.length ? 'the same words' : 'one title within the other';
  return isMisspelt(fewer, more) ? 'typing errors' : null;
}

/** The same words except for typing errors (B10), or the same letters with other blanks (`Jule konsert`). */
function isMisspelt(fewer: readonly string[], more: readonly string[]): boolean {
  if (more.length - fewer.length === 1) return fewer.join('') === more.join('');
  const left = more.filter((word) => !fewer.includes(word));
  return (
    fewer.length === more.length &&
    fewer.every((word) => {
      if (more.includes(word)) return true;
      const at = left.findIndex((other) => isNear(word, other));
      if (at !== -1) left.splice(at, 1);
      return at !== -1;
    })
  );
}

/**
 * Differences in digits are not typing errors: week 48 is not week 49. Typing errors at the beginning of a word are rare, but other words
 * differ there.
 */
function isNear(word: string, other: string): boolean {
  // Nearly all pairs of words end here, before any costly work.
  if (Math.abs(word.length - other.length) > MOST_ERRORS) return false;
  if (/\p{N}/u.test(word + other)) return false;
  const [letters, others] = [codePointsOf(word), codePointsOf(other)];
  const tolerance = toleranceOf(Math.min(letters.length, others.length));
  if (tolerance === null) return false;
  return alignerOf(letters, letters[0] === others[0] ? tolerance : 1)(others, 0, others.length);
}

/** UTF-16 units; a character has at most two. */
const MOST_ERRORS = 4;
