/**
 * G2: proposes improvements from the accepted events: words that could give a category, titles that could be series, and places that
 * need a municipality.
 */
import { addToGroup } from '../src/calendar/groups.ts';
import { wordsOf } from '../src/calendar/search-term.ts';
import { compareCodePoints, fold, nameKey } from '../src/calendar/text.ts';
import { overAt } from '../src/calendar/time.ts';
import type { EventFeed } from './annex.ts';
import { correctedVenues } from './corrections/places.ts';
import { type EventRecord, isInMunicipality, type Records, type VenueRecord } from './records.ts';
import type { Report } from './report/report.ts';
import type { Proposals } from './report/summary.ts';

interface ProposeOptions {
  /** Instant, whole seconds. */
  readonly now: number;
  readonly report: Pick<Report, 'setProposals' | 'summary'>;
  readonly feeds: readonly EventFeed[];
}

/** Returns the same records. Proposals are reported once all records have been read. */
export function withProposals(records: Records, { now, report, feeds }: ProposeOptions): Records {
  const seriesFeeds = new Set(feeds.filter(({ takesSeries }) => takesSeries).map(({ id }) => id));

  async function* events(
    ...given: Parameters<Records['events']>
  ): AsyncGenerator<EventRecord, void, undefined> {
    const words = createWordProposals();
    const series = createSeriesProposals(byId(records.venues));
    const places = createPlaceProposals();
    for await (const record of records.events(...given)) {
      if (!isOver(record, now)) {
        places.add(record);
        if (record.categories.length === 0) words.add(record);
        if (record.feed !== null && seriesFeeds.has(record.feed)) series.add(record.feed, record);
      }
      yield record;
    }
    const hasRegister = report.summary().lists.postalCodes.kept > 0;
    const venues = byId(correctedVenues(records.venues, records.finish()));
    report.setProposals({
      ...words.proposals(),
      series: series.proposals(),
      withoutMunicipality: { hasRegister, ...places.proposals(venues) },
    });
  }

  return { ...records, events };
}

function byId(venues: readonly VenueRecord[]): ReadonlyMap<string, VenueRecord> {
  return new Map(venues.map((venue) => [venue.id, venue]));
}

function isOver({ dates, series, isSuperEvent }: EventRecord, now: number): boolean {
  return !isSuperEvent && series.length === 0 && dates.every(({ start, end }) => overAt(start, end) <= now);
}

/** Titles whose words are counted: more titles would hardly add other words. */
const MOST_TITLES = 50_000;
/** Words, and places, that are proposed. */
const MOST_PROPOSED = 10;
/** Series that are proposed. */
const MOST_SERIES = 100;
/** Least events of a word that is proposed. */
const FEWEST_EVENTS = 3;
/** Characters of a word that is counted. */
const SHORTEST_WORD = 3;

interface WordProposals {
  readonly add: (record: EventRecord) => void;
  readonly proposals: () => Pick<Proposals, 'uncategorised' | 'titleWords'>;
}

/** Finds the words in titles by which most events without a category could get one. */
function createWordProposals(): WordProposals {
  const byWord = new Map<string, number[]>();
  let uncategorised = 0;

  function add({ title_nb, title_en }: EventRecord): void {
    const event = uncategorised++;
    if (event >= MOST_TITLES) return;
    for (const word of new Set(wordsOf(fold(title_nb ?? title_en ?? '')))) {
      if (word.length < SHORTEST_WORD || COMMON.has(word) || /\p{N}/u.test(word)) continue;
      addToGroup(byWord, word, event);
    }
  }

  /** The word that reaches most events, then the one that reaches most of the rest, and so on. */
  function proposals(): ReturnType<WordProposals['proposals']> {
    const reached = new Set<number>();
    /** The events of each word, without those that were reached when it was last looked at. */
    const candidates = new Map([...byWord].filter(([, events]) => events.length >= FEWEST_EVENTS));
    const titleWords: Proposals['titleWords'][number][] = [];
    while (titleWords.length < MOST_PROPOSED) {
      let best: WordEvents = { word: '', events: [] };
      for (const [word, earlier] of candidates) {
        if (earlier.length <= best.events.length) continue;
        const events = earlier.filter((event) => !reached.has(event));
        candidates.set(word, events);
        if (events.length > best.events.length) best = { word, events };
      }
      if (best.events.length < FEWEST_EVENTS) break;
      for (const event of best.events) reached.add(event);
      titleWords.push({ word: best.word, events: best.events.length });
    }
    return { uncategorised, titleWords };
  }

  return { add, proposals };
}

interface WordEvents {
  readonly word: string;
  readonly events: readonly number[];
}

/** Folded words that do not describe an event. */
const COMMON = new Set(
  (
    'and the for with from our your you all new free open day night week weekly monthly annual event events at in of to on by ' +
    'med til for fra ved som kan har vil den det deg oss alle ny nye apen apent dag kveld uke veke hver kvar ein ei utan arrangement pa og av ' +
    'monday tuesday wednesday thursday friday saturday sunday mandag tirsdag onsdag torsdag fredag lordag sondag tysdag laurdag sundag ' +
    'january february march april may june july august september october november december ' +
    'januar februar mars mai juni juli oktober desember'
  ).split(' '),
);

/** L4: above this many single events of one title and place are a series. */
const FEW_ALIKE = 10;

type SeriesProposal = Proposals['series'][number];

interface SeriesProposals {
  readonly add: (feed: string, record: EventRecord) => void;
  readonly proposals: () => readonly SeriesProposal[];
}

type VenuesById = ReadonlyMap<string, KnownVenue>;

/** Finds the titles that a feed has often at one place. */
function createSeriesProposals(venues: VenuesById): SeriesProposals {
  const groups = new Map<string, { readonly series: Omit<SeriesProposal, 'events'>; events: number }>();

  function add(feed: string, { title_nb, title_en, venue, dates, series }: EventRecord): void {
    if (series.length > 0 || dates.length !== 1) return;
    const title = title_nb ?? title_en ?? '';
    const key = `${feed}\n${venue ?? ''}\n${nameKey(title)}`;
    const group = groups.get(key);
    if (group !== undefined) group.events++;
    else {
      const place = venue === null ? null : (venues.get(venue)?.name ?? null);
      groups.set(key, { series: { feed, title, place }, events: 1 });
    }
  }

  function proposals(): readonly SeriesProposal[] {
    return [...groups.values()]
      .filter(({ events }) => events > FEW_ALIKE)
      .map(({ series, events }) => ({ ...series, events }))
      .sort((left, right) => right.events - left.events)
      .slice(0, MOST_SERIES);
  }

  return { add, proposals };
}

interface PlaceProposals {
  readonly add: (record: EventRecord) => void;
  /** `venues`: with all corrections, which are known once all events are read. */
  readonly proposals: (venues: VenuesById) => Omit<Proposals['withoutMunicipality'], 'hasRegister'>;
}

/** F8: finds the events whose places are in no known municipality, and counts them by place and by feed. */
function createPlaceProposals(): PlaceProposals {
  /** By the ids of an event's venues, and its feed. */
  const groups = new Map<string, PlaceGroup>();

  function add({ feed, venue, dates, series }: EventRecord): void {
    const ofSeries = series.flatMap(({ phases }) => phases.map(({ own }) => own.venue));
    const ids = [...new Set([venue, ...dates.map((date) => date.venue), ...ofSeries])];
    const key = JSON.stringify([feed, ids]);
    const group = groups.get(key) ?? { feed, ids, events: 0 };
    group.events++;
    groups.set(key, group);
  }

  function proposals(venues: VenuesById): ReturnType<PlaceProposals['proposals']> {
    const eventsByPlace = new Map<string, number>();
    const eventsByFeed = new Map<string, number>();
    let count = 0;
    for (const { feed, ids, events } of groups.values()) {
      const places = ids.flatMap((id) => venues.get(id ?? '') ?? []);
      if (places.length === 0 || places.some(isInMunicipality)) continue;
      count += events;
      if (feed !== null) addTo(eventsByFeed, feed, events);
      for (const { name } of places) addTo(eventsByPlace, name, events);
    }
    return {
      events: count,
      places: mostFrequent(eventsByPlace),
      feeds: mostFrequent(eventsByFeed),
    };
  }

  return { add, proposals };
}

/** Events of one feed at the same places. */
interface PlaceGroup {
  readonly feed: string | null;
  readonly ids: readonly (string | null)[];
  events: number;
}

function addTo(counts: Map<string, number>, name: string, more: number): void {
  counts.set(name, (counts.get(name) ?? 0) + more);
}

/** Those with most events, the most frequent first. */
function mostFrequent(eventsByName: ReadonlyMap<string, number>) {
  return [...eventsByName]
    .map(([name, events]) => ({ name, events }))
    .sort((left, right) => right.events - left.events || compareCodePoints(left.name, right.name))
    .slice(0, MOST_PROPOSED);
}

type KnownVenue = Pick<VenueRecord, 'name' | 'municipality' | 'municipalityNumber'>;
