/** F13: finds the events and dates that a correction applies to, by the values that their sources give. */
import { addToGroup } from '../../src/calendar/groups.ts';
import { wordsOf } from '../../src/calendar/search-term.ts';
import { fold } from '../../src/calendar/text.ts';
import { osloDay, wallOf } from '../../src/calendar/time.ts';
import { venuesOf } from '../event-dates.ts';
import { isNamed, pageKeyOf } from '../naming/event-names.ts';
import type { DateRecord, EventRecord, VenueRecord } from '../records.ts';
import { allowsFeed, allowsVenues } from './limits.ts';
import type { Correction } from './read.ts';

/** A correction, with its conditions prepared for fast matching. */
export interface Matcher {
  readonly correction: Correction;
  /** Whether the event fits every condition, apart from the date. */
  readonly matchesEvent: (facts: Facts) => boolean;
  /** Whether the place of the correction includes this venue; true without a place. */
  readonly matchesVenue: (venue: string | null) => boolean;
  /** Whether a date is the one that the correction names, at its place and in its area; null if the correction names no date. */
  readonly matchesDate: ((date: MatchedDate) => boolean) | null;
  /** The day, if the correction names a date. */
  readonly day: number | null;
}

/** A correction, with the dates of an event that it matches. */
export interface Match extends Matcher {
  readonly dates: ReadonlySet<DateRecord>;
}

type MatchedDate = Pick<DateRecord, 'start' | 'allDay' | 'venue'>;

/** Returns the corrections that match an event, in the order of the file. */
export type FindMatchers = (event: EventRecord) => readonly Matcher[];

/** Indexes the corrections, so that most events are compared with few of them. */
export function createFinder(
  corrections: readonly Correction[],
  venues: readonly VenueRecord[],
): FindMatchers {
  const { byId, byPage, byWord, others } = indexOf(corrections, venues);
  return (event) => {
    const titles = titlesOf(event);
    const page = byPage.size === 0 ? null : pageOfEvent(event);
    const words = byWord.size === 0 ? [] : new Set(titles.flatMap((title) => [...title]));
    const candidates = new Set([
      ...others,
      ...(byId.get(event.id) ?? []),
      ...(byPage.get(page ?? '') ?? []),
      ...[...words].flatMap((word) => byWord.get(word) ?? []),
    ]);
    if (candidates.size === 0) return [];
    const facts = factsOf(event, { titles, page });
    return [...candidates]
      .filter(({ matchesEvent }) => matchesEvent(facts))
      .sort((left, right) => left.correction.number - right.correction.number);
  };
}

/** Each correction is in one of the last three parts: what it names decides which events have to be compared with it. */
interface CorrectionIndex {
  /** By the address of a page, for records that have one of their own. These corrections are in `byId` as well. */
  readonly byPage: ReadonlyMap<string, readonly Matcher[]>;
  readonly byId: ReadonlyMap<string, readonly Matcher[]>;
  /** By the first word of the title: any one of its words would do, because `matchesEvent` compares all of them. */
  readonly byWord: ReadonlyMap<string, readonly Matcher[]>;
  readonly others: readonly Matcher[];
}

function indexOf(corrections: readonly Correction[], venues: readonly VenueRecord[]): CorrectionIndex {
  const byId = new Map<string, Matcher[]>();
  const byPage = new Map<string, Matcher[]>();
  const byWord = new Map<string, Matcher[]>();
  const others: Matcher[] = [];
  const namesPlaces = corrections.some(({ where }) => where.place !== null);
  const placeWords = namesPlaces
    ? venues.map(({ id, name, address }) => ({ id, words: wordSet(`${name} ${address ?? ''}`) }))
    : [];
  for (const correction of corrections) {
    const { event: named, where } = correction;
    const [word = ''] = where.title === null ? [] : wordsOf(fold(where.title));
    const matcher = matcherOf(correction, placeWords);
    if (named !== null) {
      for (const id of new Set(named.ids)) addToGroup(byId, id, matcher);
      if (named.page !== null) addToGroup(byPage, named.page, matcher);
    } else if (word !== '') addToGroup(byWord, word, matcher);
    else others.push(matcher);
  }
  return { byId, byPage, byWord, others };
}

/** An event, as conditions compare it. */
interface Facts {
  readonly event: EventRecord;
  /** The folded words of each title. */
  readonly titles: readonly ReadonlySet<string>[];
  /** The page that its link leads to. Null without a link, and if no correction has an address. */
  readonly page: string | null;
  readonly tags: ReadonlySet<string>;
  /** The venues of its dates, or its own if it is a container without dates. */
  readonly venues: ReadonlySet<string | null>;
}

function factsOf(event: EventRecord, { titles, page }: Pick<Facts, 'titles' | 'page'>): Facts {
  return {
    event,
    titles,
    page,
    tags: new Set(event.tags.map(fold)),
    venues: venuesOf(event),
  };
}

function pageOfEvent({ eventLink }: EventRecord): string | null {
  return eventLink === null ? null : pageKeyOf(eventLink);
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
  const { place, date } = correction.where;
  const wanted = place === null ? [] : wordsOf(fold(place));
  const named = place === null ? [] : places.filter(({ words }) => hasAll(words, wanted));
  const venues = new Set<string | null>(named.map(({ id }) => id));
  const matchesVenue = (venue: string | null) => place === null || venues.has(venue);
  const matchesTime = date === null ? null : dateMatcher(date);
  const isInArea = correction.area?.includesVenue ?? (() => true);
  return {
    correction,
    matchesEvent: eventMatcher(correction, matchesVenue),
    matchesVenue,
    matchesDate:
      matchesTime && ((found) => matchesTime(found) && matchesVenue(found.venue) && isInArea(found.venue)),
    day: date === null ? null : osloDay(date.instant),
  };
}

function eventMatcher(
  { where, event: named, onlyFeeds, area }: Correction,
  matchesVenue: Matcher['matchesVenue'],
): (facts: Facts) => boolean {
  const { feed, title, place, tag } = where;
  const titleWords = title === null ? [] : wordsOf(fold(title));
  const foldedTag = tag === null ? null : fold(tag);
  return (facts) =>
    (named === null || isNamed({ id: facts.event.id, page: facts.page }, named)) &&
    allowsFeed(onlyFeeds, facts.event.feed) &&
    allowsVenues(area, facts.venues, where.date !== null) &&
    (feed === null || facts.event.feed === feed) &&
    (title === null || facts.titles.some((words) => hasAll(words, titleWords))) &&
    (foldedTag === null || facts.tags.has(foldedTag)) &&
    (place === null || [...facts.venues].some(matchesVenue));
}

/** Whether a date begins on this day, or, unless it is an all-day one, in this minute. */
function dateMatcher({
  instant,
  isDay,
}: NonNullable<Correction['where']['date']>): (date: MatchedDate) => boolean {
  if (isDay) {
    const day = osloDay(instant);
    return ({ start }) => osloDay(start) === day;
  }
  const minute = Math.floor(wallOf(instant) / 60);
  return ({ start, allDay }) => !allDay && Math.floor(wallOf(start) / 60) === minute;
}
