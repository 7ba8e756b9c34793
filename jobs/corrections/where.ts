/** F13: which events and dates a correction is of, by what their sources say of them. */

import { wordsOf } from '../../src/calendar/search-term.ts';
import { fold } from '../../src/calendar/text.ts';
import { osloDay, wallOf } from '../../src/calendar/time.ts';
import type { DateRecord, EventRecord, VenueRecord } from '../records.ts';
import type { Correction } from './read.ts';

/** A correction, with its conditions prepared for fast matching. */
export interface Matcher {
  readonly correction: Correction;
  /** Whether all holds that is of an event as a whole. */
  readonly isOf: (facts: Facts) => boolean;
  /** Whether values of dates are for those there. */
  readonly isAt: (venue: string | null) => boolean;
  /** Null for one that names no date. */
  readonly isOfDate: ((date: Pick<DateRecord, 'start' | 'allDay' | 'venue'>) => boolean) | null;
  /** The day, if the correction names a date. */
  readonly day: number | null;
}

/** Creates the function that finds the corrections of an event, in the order of the file. */
export function createFinder(
  corrections: readonly Correction[],
  venues: readonly VenueRecord[],
): (event: EventRecord) => readonly Matcher[] {
  const byId = new Map<string, Matcher[]>();
  const byWord = new Map<string, Matcher[]>();
  const others: Matcher[] = [];
  const placeWords = corrections.some(({ where }) => where.place != null)
    ? venues.map(({ id, name, address }) => ({ id, words: wordSet(`${name} ${address ?? ''}`) }))
    : [];
  for (const correction of corrections) {
    const { id, title } = correction.where;
    const [word = ''] = title == null ? [] : wordsOf(fold(title));
    const matcher = matcherOf(correction, placeWords);
    if (id != null) listIn(byId, id).push(matcher);
    else if (word !== '') listIn(byWord, word).push(matcher);
    else others.push(matcher);
  }
  return (event) => {
    const titles = titlesOf(event);
    const words = byWord.size === 0 ? [] : new Set(titles.flatMap((title) => [...title]));
    const tried = [...others, ...(byId.get(event.id) ?? [])];
    for (const word of words) tried.push(...(byWord.get(word) ?? []));
    if (tried.length === 0) return [];
    const facts = factsOf(event, titles);
    return tried
      .filter(({ isOf }) => isOf(facts))
      .sort((left, right) => left.correction.number - right.correction.number);
  };
}

function listIn<Item>(lists: Map<string, Item[]>, key: string): Item[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

interface Facts {
  readonly event: EventRecord;
  /** The folded words of each. */
  readonly titles: readonly ReadonlySet<string>[];
  readonly tags: ReadonlySet<string>;
  /** The venues of its dates, or its own if it is a container without dates. */
  readonly venues: ReadonlySet<string | null>;
}

function factsOf(event: EventRecord, titles: Facts['titles']): Facts {
  const { tags, venue, dates, series } = event;
  const ofDates = dates.map((date) => date.venue);
  const ofSeries = series.flatMap(({ phases }) => phases.map(({ own }) => own.venue));
  const venues = new Set([...ofDates, ...ofSeries]);
  return {
    event,
    titles,
    tags: new Set(tags.map(fold)),
    venues: venues.size === 0 ? new Set([venue]) : venues,
  };
}

function titlesOf({ title_nb, title_en }: EventRecord): Facts['titles'] {
  return [title_nb, title_en].map((title) => wordSet(title ?? ''));
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(wordsOf(fold(text)));
}

function hasAll(words: ReadonlySet<string>, wanted: readonly string[]): boolean {
  return wanted.every((word) => words.has(word));
}

interface PlaceWords {
  readonly id: string;
  readonly words: ReadonlySet<string>;
}

function matcherOf(correction: Correction, places: readonly PlaceWords[]): Matcher {
  const { id, feed, title, place, tag, date } = correction.where;
  const ofTitle = title == null ? [] : wordsOf(fold(title));
  const ofPlace = place == null ? [] : wordsOf(fold(place));
  const foldedTag = tag == null ? null : fold(tag);
  const matching = place == null ? [] : places.filter(({ words }) => hasAll(words, ofPlace));
  const venues = new Set<string | null>(matching.map((one) => one.id));
  const isAt = (venue: string | null) => place == null || venues.has(venue);
  const isOf = (facts: Facts) =>
    (id == null || facts.event.id === id) &&
    (feed == null || facts.event.feed === feed) &&
    (title == null || facts.titles.some((words) => hasAll(words, ofTitle))) &&
    (foldedTag === null || facts.tags.has(foldedTag)) &&
    (place == null || [...facts.venues].some(isAt));
  if (date == null) return { correction, isOf, isAt, isOfDate: null, day: null };
  const day = osloDay(date.instant);
  const minute = Math.floor(wallOf(date.instant) / 60);
  const isThen = ({ start, allDay }: Pick<DateRecord, 'start' | 'allDay'>) =>
    date.isDay ? osloDay(start) === day : !allDay && Math.floor(wallOf(start) / 60) === minute;
  return { correction, isOf, isAt, isOfDate: (one) => isThen(one) && isAt(one.venue), day };
}
