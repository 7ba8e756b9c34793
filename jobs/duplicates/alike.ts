/** G9: decides whether two events are likely the same: they start at the same minute, at the same place, under similar titles. */
import { PLACES_ALIKE, TITLES_ALIKE } from '../../src/calendar/duplicate-reasons.ts';
import { codePointsOf, createIsWithin } from '../../src/calendar/edit-distance.ts';
import { toleranceOf } from '../../src/calendar/search-term.ts';
import type { Comparable } from './comparable.ts';
import type { IsPart } from './places.ts';

/** The strongest first. */
const REASONS = Object.values(TITLES_ALIKE);
type Reason = (typeof REASONS)[number];

/** The most first. */
const AGREEMENTS = Object.values(PLACES_ALIKE);
type Agreement = (typeof AGREEMENTS)[number];

/** The rank of a pair with the strongest reason at the same place. */
export const LIKELIEST = 0;

export interface Similarity {
  readonly reason: Reason;
  readonly where: Agreement;
  /** Common starts at which the places agree. */
  readonly agreeing: number;
  /** The likeliest pairs have the lowest rank. */
  readonly rank: number;
}

/** How similar two events of different sources are; null if they are not similar, or agree on less than half of the dates of the one with fewer dates. */
export function similarityOf(left: Comparable, right: Comparable, isPart: IsPart): Similarity | null {
  if (left.isContainer !== right.isContainer) return null;
  const reason = titlesAlike(left.titles, right.titles);
  if (reason === null) return null;
  const [fewer, more] = byDates(left, right);
  let agreeing = 0;
  /** Index of the best agreement so far. */
  let best: number = AGREEMENTS.length;
  for (const [moment, here] of fewer.places) {
    const there = more.places.get(moment);
    const agreement = there === undefined ? null : agreementOn(here, there, isPart);
    if (agreement === null) continue;
    agreeing++;
    best = Math.min(best, AGREEMENTS.indexOf(agreement));
  }
  const where = AGREEMENTS[best];
  if (where === undefined || agreeing * 2 < fewer.places.size) return null;
  return { reason, where, agreeing, rank: REASONS.indexOf(reason) * AGREEMENTS.length + best };
}

/** The two events, the one with fewer dates first. */
export function byDates(left: Comparable, right: Comparable): readonly [fewer: Comparable, more: Comparable] {
  return left.places.size <= right.places.size ? [left, right] : [right, left];
}

/** Null for two different places. */
function agreementOn(here: string | null, there: string | null, isPart: IsPart): Agreement | null {
  if (here === null || there === null) return PLACES_ALIKE.missing;
  if (here === there) return PLACES_ALIKE.same;
  return isPart(here, there) ? PLACES_ALIKE.part : null;
}

/** How much the two events of a double agree. */
interface Agreeing {
  /** Whether enough of the dates also have the same end. */
  readonly isWhole: boolean;
}

/**
 * Two events of one source are a double if their titles have the same words and enough of their dates have the same start and place: at
 * least half of the dates of the event with fewer dates. Null for any others.
 */
export function doubleOf(left: Comparable, right: Comparable): Agreeing | null {
  if (left.isContainer !== right.isContainer) return null;
  if (titlesAlike(left.titles, right.titles) !== TITLES_ALIKE.words) return null;
  const common = commonMoments(left, right);
  const [fewer] = byDates(left, right);
  const needed = fewer.places.size / 2;
  if (common.length === 0 || common.length < needed) return null;
  const ends = left.ends();
  const otherEnds = right.ends();
  const sameEnds = common.filter((moment) => ends.get(moment) === otherEnds.get(moment));
  return { isWhole: sameEnds.length >= needed };
}

/** The starts that both have at the same place. */
function commonMoments(left: Comparable, right: Comparable): readonly number[] {
  return [...left.places].flatMap(([moment, here]) => (right.places.get(moment) === here ? moment : []));
}

/** The strongest reason for which one of the titles is like one of the others. */
export function titlesAlike(titles: Comparable['titles'], others: Comparable['titles']): Reason | null {
  const found = titles.flatMap((title) => others.map((other) => reasonOf(title, other)));
  return REASONS.find((reason) => found.includes(reason)) ?? null;
}

function reasonOf(title: readonly string[], other: readonly string[]): Reason | null {
  const [fewer, more] = title.length <= other.length ? [title, other] : [other, title];
  if (fewer.length === 0) return null;
  if (fewer.every((word) => more.includes(word)))
    return fewer.length === more.length ? TITLES_ALIKE.words : TITLES_ALIKE.part;
  return isMisspelt(fewer, more) ? TITLES_ALIKE.typing : null;
}

/** The same words except for typing errors (B10), or the same letters with other blanks (`Jule konsert`). */
function isMisspelt(fewer: readonly string[], more: readonly string[]): boolean {
  if (more.length - fewer.length === 1) return fewer.join('') === more.join('');
  if (fewer.length !== more.length) return false;
  const unmatched = more.filter((word) => !fewer.includes(word));
  for (const word of fewer) {
    if (more.includes(word)) continue;
    const index = unmatched.findIndex((other) => isNear(word, other));
    if (index === -1) return false;
    // Two words never match the same one.
    unmatched.splice(index, 1);
  }
  return true;
}

/**
 * Differences in digits are not typing errors: week 48 is not week 49. Typing errors at the beginning of a word are rare, but other words
 * differ there.
 */
function isNear(word: string, other: string): boolean {
  // Nearly all pairs of words end here, before any costly work.
  if (Math.abs(word.length - other.length) > MOST_ERRORS) return false;
  if (/\p{N}/u.test(word + other)) return false;
  const letters = codePointsOf(word);
  const others = codePointsOf(other);
  const tolerance = toleranceOf(Math.min(letters.length, others.length));
  if (tolerance === null) return false;
  const isWithin = createIsWithin(letters, letters[0] === others[0] ? tolerance : 1);
  return isWithin(others, 0, others.length);
}

/** UTF-16 units; a character has at most two. */
const MOST_ERRORS = 4;
