/**
 * G9, one event once: decides whether two events are likely the same: they start at the same minute, at the same place, under similar
 * titles.
 */
import {
  alignerOf,
  codePointsOf,
  fold,
  letterSet,
  lettersAllow,
  toleranceOf,
  wordsOf,
} from '../../../src/calendar/text.ts';

export interface Comparable {
  /** Its number, in the order of the sources. */
  readonly entry: number;
  readonly source: string;
  /** For each of its titles, the folded words. */
  readonly titles: readonly (readonly string[])[];
  /** Its starts, ascending and each once; see `momentOf`. */
  readonly moments: readonly number[];
  /** Its place at each of them: a venue's id, or null. */
  readonly places: readonly (string | null)[];
  readonly isContainer: boolean;
}

/** Reasons why two events are likely the same; the strongest first. */
export const REASONS = ['the same words', 'one title within the other', 'typing errors'] as const;

interface Likeness {
  readonly reason: (typeof REASONS)[number];
  /** False if one of them has no place at each common start. */
  readonly isPlaced: boolean;
  readonly agreeing: number;
}

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

/** Null for two that are not alike. */
export function likenessOf(left: Comparable, right: Comparable): Likeness | null {
  if (left.isContainer !== right.isContainer) return null;
  const reason = titlesAlike(left, right);
  if (reason === null) return null;
  const { agreeing, placed } = agreementOf(left, right);
  const fewer = Math.min(left.moments.length, right.moments.length);
  if (agreeing === 0 || agreeing * 2 < fewer) return null;
  return { reason, isPlaced: placed > 0, agreeing };
}

/** Common starts, at the same place or with one of them lacking a place. */
function agreementOf(left: Comparable, right: Comparable) {
  let agreeing = 0;
  let placed = 0;
  for (let at = 0, other = 0; at < left.moments.length && other < right.moments.length; ) {
    const apart = (left.moments[at] ?? 0) - (right.moments[other] ?? 0);
    if (apart === 0) {
      const [here, there] = [left.places[at] ?? null, right.places[other] ?? null];
      if (here === null || there === null || here === there) agreeing++;
      if (here !== null && here === there) placed++;
    }
    if (apart <= 0) at++;
    if (apart >= 0) other++;
  }
  return { agreeing, placed };
}

function titlesAlike(left: Comparable, right: Comparable): Likeness['reason'] | null {
  let best: number = REASONS.length;
  for (const title of left.titles)
    for (const other of right.titles) {
      const reason = reasonOf(title, other);
      if (reason !== null) best = Math.min(best, REASONS.indexOf(reason));
    }
  return REASONS[best] ?? null;
}

function reasonOf(title: readonly string[], other: readonly string[]): Likeness['reason'] | null {
  const [fewer, more] = title.length <= other.length ? [title, other] : [other, title];
  if (fewer.length === 0) return null;
  if (fewer.every((word) => more.includes(word)))
    return fewer.length === more.length ? 'the same words' : 'one title within the other';
  return isMisspelt(fewer, more) ? 'typing errors' : null;
}

/** The same words except for typing errors (B10, search), or the same letters with other blanks (`Jule konsert`). */
function isMisspelt(fewer: readonly string[], more: readonly string[]): boolean {
  if (fewer.length === more.length) {
    const left = [...more];
    return fewer.every((word) => {
      const at = left.indexOf(word);
      const near = at === -1 ? left.findIndex((other) => isNear(word, other)) : at;
      if (near !== -1) left.splice(near, 1);
      return near !== -1;
    });
  }
  return more.length - fewer.length === 1 && fewer.join('') === more.join('');
}

/**
 * Differences in digits are not typing errors: week 48 is not week 49. Typing errors at the beginning of a word are rare, but other words
 * differ there.
 */
function isNear(word: string, other: string): boolean {
  if (HAS_DIGIT.test(word) || HAS_DIGIT.test(other)) return false;
  // Nearly all pairs of words end here, before any costly work.
  if (Math.abs(word.length - other.length) > MOST_ERRORS) return false;
  const [letters, others] = [codePointsOf(word), codePointsOf(other)];
  const tolerance = toleranceOf(Math.min(letters.length, others.length));
  if (tolerance === null) return false;
  const [set, otherSet] = [letterSet(letters, 0, letters.length), letterSet(others, 0, others.length)];
  if (!lettersAllow(set, otherSet, tolerance)) return false;
  const allowed = letters[0] === others[0] ? tolerance : 1;
  return alignerOf(letters, allowed)(others, 0, others.length);
}

const HAS_DIGIT = /\p{N}/u;
/** UTF-16 units; a character has at most two. */
const MOST_ERRORS = 4;
