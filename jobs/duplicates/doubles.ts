/**
 * G9: a calendar without feeds. Only people join its records, so they pass through unchanged. Records that are listed twice are reported once
 * all have been read.
 */
import { addToGroup } from '../../src/calendar/groups.ts';
import { momentOf } from '../event-dates.ts';
import { openSpool } from '../materialise/spool.ts';
import { type DateRecord, type EventRecord, isPublicAt, type Records } from '../records.ts';
import type { Report } from '../report/report.ts';
import { type Comparable, titlesOf, titleWords } from './comparable.ts';
import { createExpander } from './expander.ts';
import { groupEvents } from './groups.ts';
import { createPartFinder } from './places.ts';
import { createGroupReporter } from './report-groups.ts';

interface DoublesOptions {
  /** Instant, whole seconds. */
  readonly now: number;
  /** A11: day number. */
  readonly horizonDay: number;
  readonly report: Pick<Report, 'addFinding' | 'countFate' | 'addDuplicates'>;
  /** Path of a file that may be created, and that the build removes. */
  readonly scratch: string;
}

/** Returns the same records. Those that are listed twice are reported once all events have been read. */
export function withDoublesReported(records: Records, options: DoublesOptions): Records {
  const { now } = options;

  async function* events(): AsyncGenerator<EventRecord, void, undefined> {
    const outlines = openOutlines(options);
    try {
      for await (const record of records.events()) {
        // A9: an unpublished event is compared with none.
        if (isPublicAt(record, now)) outlines.add(record);
        yield record;
      }
      reportDoubles(outlines.bySharedTitle(), records, options);
    } finally {
      outlines.close();
    }
  }

  return { ...records, events };
}

/** The parts of an event that are compared, as JSON in a file: most titles are unique, and their outlines are never read back. */
interface Outline {
  readonly record: Pick<EventRecord, 'id' | 'origin' | 'title_nb' | 'title_en' | 'isSuperEvent'>;
  /** The moment and the venue of each date, for an event without rules. */
  readonly listed: readonly (readonly [moment: number, venue: string | null])[];
  /** The record without its descriptions, for an event with rules, which are only expanded where the title is shared. */
  readonly ruled: EventRecord | null;
}

interface ReadOutline extends Pick<Outline, 'record'> {
  readonly places: Comparable['places'];
}

function openOutlines(options: DoublesOptions) {
  const expandedOf = createExpander(options);
  const spool = openSpool(options.scratch);
  /** Numbers in the spool. */
  const byTitle = new Map<string, number[]>();

  function add(record: EventRecord): void {
    const number = spool.add(JSON.stringify(outlineOf(record)));
    addToGroup(byTitle, titleKey(record), number);
  }

  function read(number: number): ReadOutline {
    const { record, listed, ruled }: Outline = JSON.parse(spool.read(number));
    const dates = ruled === null ? listed : [...expandedOf(ruled), ...ruled.dates].map(placeAt);
    return { record, places: new Map(dates) };
  }

  /** The events of each title that several have. Only those of one title are in memory: together, they would take more than the calendar. */
  function* bySharedTitle(): Generator<readonly ReadOutline[], void, undefined> {
    for (const same of byTitle.values()) if (same.length > 1) yield same.map(read);
  }

  return {
    add,
    bySharedTitle,
    close: spool.close,
  };
}

function outlineOf(record: EventRecord): Outline {
  const { id, origin, title_nb, title_en, isSuperEvent } = record;
  const hasRules = record.series.length > 0;
  return {
    record: { id, origin, title_nb, title_en, isSuperEvent },
    listed: hasRules ? [] : record.dates.map(placeAt),
    ruled: hasRules ? { ...record, desc_nb: null, desc_en: null } : null,
  };
}

function placeAt({ start, allDay, venue }: Pick<DateRecord, 'start' | 'allDay' | 'venue'>) {
  return [momentOf(start, allDay), venue] as const;
}

/** Events of one source are the same only where their titles have the same words. */
function titleKey({ title_nb, title_en }: EventRecord): string {
  return [...titleWords(title_nb ?? title_en)].sort().join(' ');
}

function reportDoubles(
  titles: Iterable<readonly ReadOutline[]>,
  { venues }: Pick<Records, 'venues'>,
  { now, report }: DoublesOptions,
): void {
  const isPart = createPartFinder(venues);
  for (const outlines of titles) {
    const comparables = outlines.map(comparableOf);
    const { apart } = groupEvents(comparables, {
      same: [],
      different: [],
      statements: [],
      numbersById: new Map(),
      isPart,
    });
    if (apart.length === 0) continue;
    const reportGroup = createGroupReporter({
      ids: outlines.map(({ record }) => record.id),
      recordOf: (number) => outlineAt(outlines, number).record,
      comparables,
      venues,
      now,
      report,
    });
    for (const group of apart) reportGroup(group, group.why);
  }
}

function outlineAt(outlines: readonly ReadOutline[], number: number): ReadOutline {
  const outline = outlines[number];
  if (outline === undefined)
    throw new RangeError(`expected a number below ${outlines.length}, found ${number}`);
  return outline;
}

function comparableOf({ record, places }: ReadOutline, number: number): Comparable {
  return {
    number,
    feed: null,
    titles: titlesOf(record),
    places,
    isContainer: record.isSuperEvent,
    form: null,
    // Read only where doubles may be joined.
    ends: () => new Map(),
  };
}
