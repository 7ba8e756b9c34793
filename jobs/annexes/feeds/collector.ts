/** The output of importers: records for the build, a bounded number of findings, and how many entries became events, dates, or nothing. */
import { withNearest } from '../../../src/calendar/nearest.ts';
import { excerpt, type Flaw, withCause } from '../../findings.ts';
import { type Allowance, createAllowance } from '../../recurrence/allowance.ts';
import { id as idSchema } from '../../validate/schemas.ts';
import { A_CATEGORY } from '../../validate/taxonomy.ts';
import { type Categories, createCategories, type UnnamedCategory } from './categories.ts';
import type { Feed } from './config.ts';
import { createDateCount, type DateCount } from './date-count.ts';
import { createFeedDirectory, type FeedDirectory } from './directory.ts';
import { createFeedFindings } from './feed-findings.ts';
import type { AddFinding, Emit, FeedFinding, FeedRecord, NewFinding } from './last-good.ts';
import type { FeedSummary, ReadTask } from './reading.ts';
import { lettersOf, MOST_LETTERS } from './record-length.ts';
import { createMarkupAllowance, sanitizeRecord } from './sanitize-record.ts';
import { createSeriesByTitle } from './series-by-title.ts';

/** An event that a reader found. */
export interface FeedEvent {
  readonly record: FeedRecord;
  /** Findings about dates that could not be read. */
  readonly lost?: readonly NewFinding[];
  /** Names in place of its categories that are tags of it. */
  readonly unnamed?: readonly UnnamedCategory[];
  /** The number of entries that became dates of it, besides its own. */
  readonly entriesAsDates: number;
}

/** What is reported of an event with its record. */
type EventFindings = Pick<FeedEvent, 'lost' | 'unnamed'>;

/** What the reading of one feed has in common, and where its results go. */
export interface Collector {
  readonly addFinding: AddFinding;
  readonly directory: FeedDirectory;
  readonly categories: Categories;
  readonly dates: DateCount;
  /** Limits on the work for all rules of the feed. */
  readonly allowance: Allowance;
  /** Passes a record to the build, which validates it. False, after a finding, for a record without a valid id or an event without dates. */
  readonly add: (record: FeedRecord, findings?: EventFindings) => boolean;
  /** Passes on an event of the feed, and counts it; null for one that could not be read. */
  readonly addEvent: (event: FeedEvent | null) => boolean;
  /** Called at the end. An entry that became no event, and is no copy of another one, counts as dropped. */
  readonly end: (entries: number, copies?: number) => Omit<FeedSummary, 'isComplete'>;
}

/** `emit` receives each record and finding; `reading` says when, and up to which day, the feed is read. */
export function createCollector(
  feed: Pick<Feed, 'id' | 'map' | 'categoryNames' | 'needsApproval' | 'series'>,
  reading: Pick<ReadTask, 'now' | 'horizonDay' | 'series' | 'places'>,
  emit: Emit,
): Collector {
  const allowance = createAllowance();
  const markup = createMarkupAllowance();
  const dates = createDateCount(reading, allowance);
  const directory = createFeedDirectory(feed, reading);
  const findings = createFeedFindings(emit);
  const addFinding = findings.add;
  const series =
    feed.series === 'title'
      ? createSeriesByTitle({ feed: feed.id, lastIds: reading.series ?? [], emit, addFinding })
      : null;
  let events = 0;
  let merged = 0;

  function add(record: FeedRecord, { lost = [], unnamed = [] }: EventFindings = {}): boolean {
    const about = aboutOf(record);
    const flaw = flawOf(record, lost);
    if (flaw !== null) {
      addFinding({ ...about, action: 'dropped record', kind: record.list, ...flaw });
      return false;
    }
    for (const finding of lost) addFinding({ ...about, ...finding });
    const sanitized = sanitizeRecord(record, addFinding, markup);
    reportUnnamed(sanitized, unnamed, addFinding);
    if (sanitized.list === 'events' && series !== null) series.add(sanitized);
    else emit(sanitized);
    return true;
  }

  function addEvent(event: FeedEvent | null): boolean {
    if (event === null || !add(event.record, event)) return false;
    dates.addEvent(event.record);
    events += 1;
    merged += event.entriesAsDates;
    return true;
  }

  function end(entries: number, copies = 0): Omit<FeedSummary, 'isComplete'> {
    const joined = series?.end() ?? 0;
    events -= joined;
    merged += copies + joined;
    for (const record of directory.records()) add(record);
    for (const place of directory.gonePlaces()) emit(place);
    findings.end();
    const counts = { entries, events, merged, dropped: entries - events - merged };
    return { counts, dates: dates.total() };
  }

  const categories = createCategories(feed);
  return { addFinding, directory, categories, dates, allowance, add, addEvent, end };
}

/** G2: words in the place of a category that name none, and become tags of the event. */
function reportUnnamed(
  record: FeedRecord,
  unnamed: readonly UnnamedCategory[],
  addFinding: AddFinding,
): void {
  for (const { word, nearest } of unnamed) {
    const expected = withNearest(A_CATEGORY, nearest);
    const found = excerpt(word);
    addFinding({ ...aboutOf(record), action: 'kept as tag', field: 'categories', expected, found });
  }
}

/**
 * Only what concerns more than the record is checked here: findings that cost an event its dates, an id that other rows of a table name,
 * and the length of a line.
 */
function flawOf(record: FeedRecord, lost: readonly NewFinding[]): Flaw | null {
  if (record.list === 'events' && !isDated(record.value))
    return withCause(
      NO_DATE,
      lost.map(({ field = null, expected, found }) => ({ field, expected, found })),
    );
  const [issue] = idSchema.safeParse(record.value.id).error?.issues ?? [];
  if (issue !== undefined) return { field: 'id', expected: issue.message, found: excerpt(record.value.id) };
  const letters = lettersOf(record.value);
  if (letters <= MOST_LETTERS) return null;
  return { field: null, expected: `a record of at most ${MOST_LETTERS} letters`, found: `${letters}` };
}

const NO_DATE: Flaw = {
  field: 'dates',
  expected: 'at least one date that is not excluded',
  found: 'none',
};

/** A container may have its dates from its programme. */
function isDated({ dates, repeats, series, isSuperEvent }: FeedRecord['value']): boolean {
  const hasItems = (list: unknown) => Array.isArray(list) && list.length > 0;
  return hasItems(dates) || hasItems(repeats) || series !== undefined || isSuperEvent === true;
}

/** The place of a finding about a record. */
function aboutOf({ line, value }: FeedRecord): Pick<FeedFinding, 'line' | 'id'> {
  return { line, id: typeof value.id === 'string' ? value.id : null };
}
