/**
 * G9: a calendar without feeds. Its own records are joined by nobody but people, so they pass through; those that are listed twice are
 * reported once all have been read.
 */
import type { EventRecord, Records } from '../records.ts';
import type { Report } from '../report.ts';
import { type Comparable, createExpander, momentOf, titlesOf, titleWords } from './comparable.ts';
import { groupEvents } from './groups.ts';
import { createPartFinder } from './places.ts';
import { createGroupReporter } from './report-groups.ts';

interface DoublesOptions {
  /** Instant, whole seconds. */
  readonly now: number;
  /** A11: day number. */
  readonly horizonDay: number;
  readonly report: Pick<Report, 'addFinding' | 'countFate' | 'addDuplicates'>;
}

/** Returns the same records. Doubles are reported once all events have been read. */
export function withDoublesReported(records: Records, options: DoublesOptions): Records {
  const { now } = options;

  async function* events(
    ...given: Parameters<Records['events']>
  ): AsyncGenerator<EventRecord, void, undefined> {
    const outlines = createOutlines(options);
    for await (const record of records.events(...given)) {
      // A9: an unpublished event is compared with none.
      if ((record.publishingDate ?? now) <= now) outlines.add(record);
      yield record;
    }
    reportDoubles(outlines.withSharedTitle(), records, options);
  }

  return { ...records, events };
}

/** The parts of an event that are remembered. Most events share their title with no other, and their rules are never expanded here. */
interface Outline {
  readonly record: Pick<EventRecord, 'id' | 'origin' | 'title_nb' | 'title_en' | 'isSuperEvent'>;
  readonly places: () => Comparable['places'];
}

function createOutlines(options: DoublesOptions) {
  const expandedOf = createExpander(options);
  const byTitle = new Map<string, Outline[]>();

  function add(record: EventRecord): void {
    const { id, origin, title_nb, title_en, isSuperEvent } = record;
    const outline = {
      record: { id, origin, title_nb, title_en, isSuperEvent },
      places: record.series.length === 0 ? listedPlaces(record) : ruledPlaces(record, expandedOf),
    };
    const key = titleKey(record);
    const same = byTitle.get(key);
    if (same === undefined) byTitle.set(key, [outline]);
    else same.push(outline);
  }

  return {
    add,
    withSharedTitle: () => [...byTitle.values()].filter(({ length }) => length > 1).flat(),
  };
}

/** Stores only some bytes for each date. */
function listedPlaces({ dates }: EventRecord): Outline['places'] {
  const moments = Float64Array.from(dates, ({ start, allDay }) => momentOf(start, allDay));
  const venues = dates.map(({ venue }) => venue);
  return () => new Map(Array.from(moments, (moment, index) => [moment, venues[index] ?? null]));
}

function ruledPlaces(record: EventRecord, expandedOf: ReturnType<typeof createExpander>): Outline['places'] {
  const slim = { ...record, desc_nb: null, desc_en: null };
  return () => {
    const dates = [...expandedOf(slim), ...slim.dates];
    return new Map(dates.map(({ start, allDay, venue }) => [momentOf(start, allDay), venue]));
  };
}

/** Events of one source are the same only where their titles have the same words. */
function titleKey({ title_nb, title_en }: EventRecord): string {
  return [...titleWords(title_nb ?? title_en)].sort().join(' ');
}

function reportDoubles(
  outlines: readonly Outline[],
  { venues }: Pick<Records, 'venues'>,
  { now, report }: DoublesOptions,
): void {
  const comparables = outlines.map(comparableOf);
  const { apart } = groupEvents(comparables, {
    same: [],
    different: [],
    entries: new Map(),
    isPart: createPartFinder(venues),
  });
  const reportGroup = createGroupReporter({
    ids: outlines.map(({ record }) => record.id),
    recordOf: (entry) => outlines[entry]?.record ?? NO_RECORD,
    comparables,
    venues,
    now,
    report,
  });
  for (const group of apart) reportGroup(group, group.why);
}

const NO_RECORD = { origin: { file: '' }, title_nb: null, title_en: null };

function comparableOf({ record, places }: Outline, entry: number): Comparable {
  return {
    entry,
    feed: null,
    titles: titlesOf(record),
    places: places(),
    isContainer: record.isSuperEvent,
    form: null,
    // Read only where doubles may be joined.
    ends: () => new Map(),
  };
}
