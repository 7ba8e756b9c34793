/**
 * An invented region: its towns, and the feeds of each, such as those of a library, a church and a newspaper. The same size and day give the
 * same region.
 */
import { type Random, seeded } from '../../helpers/random.ts';
import { compound, personName, pick, skewed } from '../source/taxonomy.ts';
import words from '../source/words.json' with { type: 'json' };

export type FeedKind = 'ical' | 'csv' | 'page' | 'listing';

export interface TownFeed {
  readonly id: string;
  /** Number of its town: each town has a host of its own. */
  readonly town: number;
  readonly kind: FeedKind;
  readonly entries: readonly Entry[];
}

export interface Entry {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** Norwegian wall-clock time, `2026-12-04T18:00`. */
  readonly start: string;
  readonly end: string;
  /** Of a weekly event: the number of its dates. */
  readonly weeks: number | null;
  readonly venue: Venue;
  readonly category: string;
  /** NOK; null if it is free. */
  readonly price: number | null;
}

export interface Venue {
  readonly name: string;
  readonly address: string;
}

export interface RegionSize {
  readonly towns: number;
  readonly feeds: number;
}

const SEED = 40;
/** Of twenty feeds, ten are calendars, five tables, four pages, and one a listing that links to a page for each event. */
const KINDS: readonly FeedKind[] = [
  ...Array.from({ length: 10 }, () => 'ical' as const),
  ...Array.from({ length: 5 }, () => 'csv' as const),
  ...Array.from({ length: 4 }, () => 'page' as const),
  'listing',
];
/** The most entries of a feed. Most feeds have far fewer. */
const MOST_ENTRIES: Readonly<Record<FeedKind, number>> = { ical: 320, csv: 240, page: 160, listing: 30 };
const FEWEST_ENTRIES = 8;
/** Percent of entries that another feed of the town has, too. */
const SHARED = 8;

/** `now`: milliseconds since 1970. All dates are later. */
export function makeRegion({ towns, feeds }: RegionSize, now: number): readonly TownFeed[] {
  const random = seeded(SEED);
  const firstDay = (Math.floor(now / DAY) + 2) * DAY;
  const venues = Array.from({ length: towns }, () => venuesOfTown(random));
  const entriesOfTown = venues.map((): Entry[] => []);
  return Array.from({ length: feeds }, (_, nth): TownFeed => {
    const town = nth % towns;
    const kind = pick(random, KINDS);
    const known = entriesOfTown[town] ?? [];
    const place = { feed: nth, venues: venues[town] ?? [], firstDay };
    const count = FEWEST_ENTRIES + skewed(random, MOST_ENTRIES[kind] - FEWEST_ENTRIES);
    const entries = Array.from({ length: count }, (_, at): Entry => {
      const id = `${nth}-${at}`;
      const isShared = known.length > 0 && random(100) < SHARED;
      return isShared ? { ...pick(random, known), id } : makeEntry(random, { ...place, id });
    });
    known.push(...entries);
    return { id: `feed-${nth}`, town, kind, entries };
  });
}

/** The feed after an editor's work: the first event is an hour later, and there is a new one. */
export function edited(feed: TownFeed, edition: number): TownFeed {
  const [first, ...others] = feed.entries;
  if (first === undefined) return feed;
  const hourLater = (time: string) => wallTime(Date.parse(`${time}Z`) + edition * HOUR);
  const moved = { ...first, start: hourLater(first.start), end: hourLater(first.end) };
  const added = { ...moved, id: `${first.id}-${edition}`, title: `${first.title} (ekstra ${edition})` };
  return { ...feed, entries: [moved, ...others, added] };
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const VENUES_OF_TOWN = 12;

function venuesOfTown(random: Random): readonly Venue[] {
  const { postalCode, town } = pick(random, words.places);
  return Array.from({ length: VENUES_OF_TOWN }, () => ({
    name: `${compound(random)} ${pick(random, words.lastNames)}`,
    address: `${pick(random, words.lastNames)}s gate ${1 + random(80)}, ${postalCode} ${town}`,
  }));
}

interface EntryPlace {
  readonly id: string;
  readonly venues: readonly Venue[];
  /** Milliseconds since 1970, read as a wall clock. */
  readonly firstDay: number;
}

function makeEntry(random: Random, { id, venues, firstDay }: EntryPlace): Entry {
  const start = firstDay + random(300) * DAY + 10 * HOUR + random(44) * (HOUR / 4);
  const sentences = Array.from({ length: 4 + random(6) }, () => pick(random, words.sentences.nb));
  return {
    id,
    title: `${pick(random, words.openings).nb} ${random(2) === 0 ? personName(random) : compound(random)}`,
    text: sentences
      .join(' ')
      .replaceAll('{compound}', () => compound(random).toLowerCase())
      .replaceAll('{name}', () => personName(random)),
    start: wallTime(start),
    end: wallTime(start + pick(random, [1, 1.5, 2, 3]) * HOUR),
    weeks: random(100) < 8 ? 4 + random(12) : null,
    venue: pick(random, venues),
    category: pick(random, words.categories).name_nb,
    price: random(2) === 0 ? null : 50 + 10 * random(40),
  };
}

function wallTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 16);
}
