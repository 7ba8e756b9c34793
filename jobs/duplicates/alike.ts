/** G9: decides whether two events are likely the same: they start at the same minute, at the same place, under similar titles. */

import { codePointsOf, testDistance } from '../../src/calendar/edit-distance.ts';
import { toleranceOf, wordsOf } from '../../src/calendar/search-term.ts';
import { fold } from '../../src/calendar/text.ts';
import type { IsPart } from './places.ts';

export interface Comparable {
  /** Its number, in the order of the sources. */
  readonly entry: number;
  readonly feed: string | null;
  /** For each of its titles, the folded words. */
  readonly titles: readonly (readonly string[])[];
  /** Its place at each of its starts, as `placeKey` writes it or null, by `momentOf`. */
  readonly places: ReadonlyMap<number, string | null>;
  readonly isContainer: boolean;
  /** A single date, or a series; null for anything between. */
  readonly form: 'single' | 'series' | null;
  /** Its ends by `momentOf` of the starts. Read when two of one source may be listed twice. */
  readonly ends: () => ReadonlyMap<number, number>;
}

/** Reasons why two events are likely the same; the strongest first. */
const REASONS = ['the same words', 'one title within the other', 'typing errors'] as const;
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

/** How much two agree on a place; the most first. */
const AGREEMENTS = ['the same place', 'one place is a part of the other', 'one has no place'] as const;

export interface Similarity {
  readonly reason: Reason;
  readonly where: (typeof AGREEMENTS)[number];
  /** Common starts at which the places agree. */
  readonly agreeing: number;
  /** The likeliest pairs have the lowest rank. */
  readonly rank: number;
}

/** Null for events that are not similar, or agree on less than half of the dates of the one with fewer dates. */
export function similarityOf(left: Comparable, right: Comparable, isPart: IsPart): Similarity | null {
  if (left.isContainer !== right.isContainer) return null;
  const reason = titlesAlike(left.titles, right.titles);
  if (reason === null) return null;
  let agreeing = 0;
  let grade: number = AGREEMENTS.length;
  const [fewer, more] = left.places.size <= right.places.size ? [left, right] : [right, left];
  for (const [moment, here] of fewer.places) {
    const there = more.places.get(moment);
    const found = there === undefined ? null : agreementOn(here, there, isPart);
    if (found === null) continue;
    agreeing++;
    grade = Math.min(grade, found);
  }
  const where = AGREEMENTS[grade];
  if (where === undefined || agreeing * 2 < fewer.places.size) return null;
  return { reason, where, agreeing, rank: REASONS.indexOf(reason) * AGREEMENTS.length + grade };
}

/** The index in AGREEMENTS; null for two places. */
function agreementOn(here: string | null, there: string | null, isPart: IsPart): number | null {
  if (here === null || there === null) return 2;
  if (here === there) return 0;
  return isPart(here, there) ? 1 : null;
}

/** The strongest reason for which one of the titles is like one of the others. */
export function titlesAlike(titles: Comparable['titles'], others: Comparable['titles']): Reason | null {
  const found = titles.flatMap((title) => others.map((other) => reasonOf(title, other)));
  return REASONS.find((one) => found.includes(one)) ?? null;
}

/** Of one source: the same words, starts and places, on half of the fewer dates; `isWhole`: the same ends as well. Else null. */
export function doubleOf(left: Comparable, right: Comparable): { readonly isWhole: boolean } | null {
  if (left.isContainer !== right.isContainer || titlesAlike(left.titles, right.titles) !== REASONS[0])
    return null;
  const common = [...left.places].flatMap(([moment, here]) =>
    right.places.get(moment) === here ? moment : [],
  );
  const needed = Math.min(left.places.size, right.places.size) / 2;
  if (common.length === 0 || common.length < needed) return null;
  const [ends, otherEnds] = [left.ends(), right.ends()];
  const isWhole = common.filter((moment) => ends.get(moment) === otherEnds.get(moment)).length >= needed;
  return { isWhole };
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
  return testDistance(letters, letters[0] === others[0] ? tolerance : 1)(others, 0, others.length);
}

/** UTF-16 units; a character has at most two. */
const MOST_ERRORS = 4;
