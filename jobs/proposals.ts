/** G2: proposes improvements from the accepted events: words that could give a category, and titles that could be series. */
import { addToGroup } from '../src/calendar/groups.ts';
import { wordsOf } from '../src/calendar/search-term.ts';
import { fold, nameKey } from '../src/calendar/text.ts';
import type { EventRecord, Records } from './records.ts';
import type { Proposals, Report } from './report.ts';

interface ProposeOptions {
  /** Instant, whole seconds. */
  readonly now: number;
  readonly report: Pick<Report, 'setProposals'>;
  /** Feeds of which `"series": "title"` may be said. */
  readonly feeds: ReadonlySet<string>;
}

/** Returns the same records. Proposals are reported once all records have been read. */
export function withProposals(records: Records, { now, report, feeds }: ProposeOptions): Records {
  async function* events(
    ...given: Parameters<Records['events']>
  ): AsyncGenerator<EventRecord, void, undefined> {
    const words = createWords();
    const series = createSeries(new Map(records.venues.map(({ id, name }) => [id, name])));
    for await (const record of records.events(...given)) {
      if (!isOver(record, now)) {
        if (record.categories.length === 0) words.add(record);
        if (record.feed !== null && feeds.has(record.feed)) series.add(record.feed, record);
      }
      yield record;
    }
    report.setProposals({ ...words.proposals(), series: series.proposals() });
  }

  return { ...records, events };
}

function isOver({ dates, series, isSuperEvent }: EventRecord, now: number): boolean {
  return !isSuperEvent && series.length === 0 && dates.every(({ end }) => end < now);
}

/** Titles whose words are counted; more titles would hardly add other words. */
const MOST_TITLES = 50_000;
const MOST_PROPOSED = 10;
/** A word of fewer events does not help. */
const FEWEST = 3;
const SHORTEST = 3;

function createWords() {
  const byWord = new Map<string, number[]>();
  let uncategorised = 0;

  function add({ title_nb, title_en }: EventRecord): void {
    const event = uncategorised++;
    if (event >= MOST_TITLES) return;
    for (const word of new Set(wordsOf(fold(title_nb ?? title_en ?? '')))) {
      if (word.length < SHORTEST || COMMON.has(word) || /\p{N}/u.test(word)) continue;
      addToGroup(byWord, word, event);
    }
  }

  /** The word that reaches most events, then the one that reaches most of the rest, and so on. */
  function proposals(): Omit<Proposals, 'series'> {
    const reached = new Set<number>();
    const left = new Map([...byWord].filter(([, events]) => events.length >= FEWEST));
    const titleWords: Proposals['titleWords'][number][] = [];
    while (titleWords.length < MOST_PROPOSED) {
      let best: readonly number[] = [];
      let named = '';
      for (const [word, events] of left) {
        if (events.length <= best.length) continue;
        const more = events.filter((event) => !reached.has(event));
        if (more.length < events.length) left.set(word, more);
        if (more.length > best.length) [best, named] = [more, word];
      }
      if (best.length < FEWEST) break;
      for (const event of best) reached.add(event);
      titleWords.push({ word: named, events: best.length });
    }
    return { uncategorised, titleWords };
  }

  return { add, proposals };
}

/** Folded words that do not describe an event. */
const COMMON = new Set(
  (
    'and the for with from our your you all new free open day night week weekly monthly annual event events at in of to on by ' +
    'med til for fra ved som kan har vil den det deg oss alle ny nye apen apent dag kveld uke hver arrangement pa og av ' +
    'monday tuesday wednesday thursday friday saturday sunday mandag tirsdag onsdag torsdag fredag lordag sondag ' +
    'january february march april may june july august september october november december ' +
    'januar februar mars mai juni juli oktober desember'
  ).split(' '),
);

/** L4: above this many single events of one title and place are a series. */
const FEW_ALIKE = 10;

function createSeries(venueNames: ReadonlyMap<string, string>) {
  const groups = new Map<
    string,
    { readonly series: Omit<Proposals['series'][number], 'events'>; events: number }
  >();

  function add(feed: string, { title_nb, title_en, venue, dates, series }: EventRecord): void {
    if (series.length > 0 || dates.length !== 1) return;
    const title = title_nb ?? title_en ?? '';
    const key = `${feed}\n${venue ?? ''}\n${nameKey(title)}`;
    const group = groups.get(key);
    if (group !== undefined) group.events++;
    else {
      const place = venue === null ? null : (venueNames.get(venue) ?? null);
      groups.set(key, { series: { feed, title, place }, events: 1 });
    }
  }

  function proposals(): Proposals['series'] {
    return [...groups.values()]
      .filter(({ events }) => events > FEW_ALIKE)
      .map(({ series, events }) => ({ ...series, events }))
      .sort((left, right) => right.events - left.events)
      .slice(0, MOST_SERIES);
  }

  return { add, proposals };
}

const MOST_SERIES = 100;
