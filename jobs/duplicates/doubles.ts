/**
 * G9: a calendar without feeds. Its own records are joined by nobody but people, so they pass through; those that are listed twice are
 * reported once all have been read.
 */
import { createDating } from '../materialise/dating.ts';
import type { EventRecord, Records } from '../records.ts';
import { createAllowance } from '../recurrence/allowance.ts';
import type { Report } from '../report.ts';
import { type Comparable, momentOf, titleWords } from './alike.ts';
import { groupEvents } from './groups.ts';
import { createPartFinder } from './places.ts';
import { createGroupReporter } from './report-groups.ts';

interface Kept {
  readonly record: Pick<EventRecord, 'id' | 'origin' | 'title_nb' | 'title_en' | 'isSuperEvent'>;
  /** By `momentOf`. Most events share their title with no other, and their rules are never expanded here. */
  readonly places: () => Comparable['places'];
}

interface DoublesOptions {
  /** Instant, whole seconds. */
  readonly now: number;
  /** A11: day number. */
  readonly horizonDay: number;
  readonly report: Pick<Report, 'addFinding' | 'countFate' | 'addDuplicates'>;
}

export function withDoublesReported(records: Records, options: DoublesOptions): Records {
  const { now, report } = options;

  async function* events(
    ...given: Parameters<Records['events']>
  ): AsyncGenerator<EventRecord, void, undefined> {
    const datesOf = createDates(options);
    const byTitle = new Map<string, Kept[]>();
    for await (const record of records.events(...given)) {
      // A9: an unpublished event is compared with none.
      if ((record.publishingDate ?? now) <= now) keep(record, datesOf, byTitle);
      yield record;
    }
    const kept = [...byTitle.values()].filter(({ length }) => length > 1).flat();
    const comparables = kept.map(comparableOf);
    const isPart = createPartFinder(records.venues);
    const { apart } = groupEvents(comparables, { same: [], different: [], entries: new Map(), isPart });
    const recordOf = (entry: number) => kept[entry]?.record ?? NO_RECORD;
    const ids = kept.map(({ record }) => record.id);
    const reportGroup = createGroupReporter({
      ids,
      recordOf,
      comparables,
      venues: records.venues,
      now,
      report,
    });
    for (const group of apart) reportGroup(group, group.why);
  }

  return { ...records, events };
}

const NO_RECORD = { origin: { file: '' }, title_nb: null, title_en: null };

function createDates(options: DoublesOptions): (record: EventRecord) => EventRecord['dates'] {
  const date = createDating({ ...options, allowance: createAllowance(), report: SILENT });
  return (record) => [...date({ ...record, dates: [] }).upcoming, ...record.dates];
}

/** Rules are expanded again when records are materialised: their flaws are reported there. */
const SILENT = { addFinding: () => {}, countIgnored: () => {}, countFate: () => {} };

type DatesOf = ReturnType<typeof createDates>;

function keep(record: EventRecord, datesOf: DatesOf, byTitle: Map<string, Kept[]>): void {
  const { id, origin, title_nb, title_en, isSuperEvent } = record;
  const kept = {
    record: { id, origin, title_nb, title_en, isSuperEvent },
    places: record.series.length === 0 ? listedPlaces(record) : ruledPlaces(record, datesOf),
  };
  const key = titleKey(record);
  const same = byTitle.get(key);
  if (same === undefined) byTitle.set(key, [kept]);
  else same.push(kept);
}

/** Keeps some bytes a date. */
function listedPlaces({ dates }: EventRecord): Kept['places'] {
  const moments = Float64Array.from(dates, ({ start, allDay }) => momentOf(start, allDay));
  const venues = dates.map(({ venue }) => venue);
  return () => new Map(Array.from(moments, (moment, at) => [moment, venues[at] ?? null]));
}

function ruledPlaces(record: EventRecord, datesOf: DatesOf): Kept['places'] {
  const slim = { ...record, desc_nb: null, desc_en: null };
  return () => new Map(datesOf(slim).map(({ start, allDay, venue }) => [momentOf(start, allDay), venue]));
}

/** Events of one source are the same only where their titles have the same words. */
function titleKey({ title_nb, title_en }: EventRecord): string {
  return [...titleWords(title_nb ?? title_en)].sort().join(' ');
}

function comparableOf({ record, places }: Kept, entry: number): Comparable {
  const { title_nb, title_en, isSuperEvent } = record;
  return {
    entry,
    feed: null,
    titles: [titleWords(title_nb), titleWords(title_en)].filter((words) => words.length > 0),
    places: places(),
    isContainer: isSuperEvent,
    form: null,
    // Asked for only where doubles may be joined.
    ends: () => new Map(),
  };
}
