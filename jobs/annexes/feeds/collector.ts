/** The output of importers: records for the build, a bounded number of findings, and the number of entries by their fate. */

import * as z from 'zod';
import { withNearest } from '../../../src/calendar/nearest.ts';
import { excerpt, type Flaw, withCause } from '../../records.ts';
import { type Allowance, createAllowance } from '../../recurrence/allowance.ts';
import { A_CATEGORY } from '../../validate/licence.ts';
import { id } from '../../validate/schemas.ts';
import { type Categories, createCategories } from './categories.ts';
import type { Feed } from './config.ts';
import { createDateCount, type DateCount } from './date-count.ts';
import { createFeedDirectory, type FeedDirectory } from './directory.ts';
import {
  type AddFinding,
  type Emit,
  type FeedRecord,
  lettersOf,
  MOST_LETTERS,
  type NewFinding,
} from './last-good.ts';
import { createMarkupAllowance, sanitizeRecord } from './made-safe.ts';
import type { FeedSummary, ReadTask } from './reading.ts';
import { createSeriesByTitle } from './series-by-title.ts';

export interface FeedEvent {
  readonly record: FeedRecord;
  /** Findings about dates that could not be read. */
  readonly lost?: readonly NewFinding[];
  /** The number of entries that became dates of it, besides its own. */
  readonly merged: number;
}

export interface Collector {
  readonly addFinding: AddFinding;
  readonly directory: FeedDirectory;
  readonly categories: Categories;
  readonly dates: DateCount;
  /** Limits on the work for all rules of the feed. */
  readonly allowance: Allowance;
  /** Passes a record to the build, which validates it. False, after a finding, for an event without dates; `lost`: why they could not be read. */
  readonly add: (record: FeedRecord, lost?: readonly NewFinding[]) => boolean;
  /** Passes on an event of the feed, and counts it; null for one that could not be read. */
  readonly addEvent: (event: FeedEvent | null) => boolean;
  /** Called at the end. An entry that became no event, and is no copy of another one, counts as dropped. */
  readonly end: (entries: number, copies?: number) => Omit<FeedSummary, 'isComplete'>;
}

/** More than a report stores. */
const MOST_FINDINGS = 20_000;

export function createCollector(
  feed: Pick<Feed, 'id' | 'map' | 'categoryNames' | 'series'>,
  reading: Pick<ReadTask, 'now' | 'horizonDay' | 'series'>,
  emit: Emit,
): Collector {
  const allowance = createAllowance();
  const markup = createMarkupAllowance();
  const dates = createDateCount(reading, allowance);
  const directory = createFeedDirectory(feed.id);
  let findings = 0;
  let events = 0;
  let merged = 0;

  const emitFinding: AddFinding = ({ line = null, id = null, field = null, ...finding }) =>
    emit({ list: 'findings', ...finding, line, id, field });
  const addFinding: AddFinding = (finding) => {
    if (++findings <= MOST_FINDINGS) emitFinding(finding);
  };

  const series =
    feed.series === 'title'
      ? createSeriesByTitle({ feed: feed.id, lastIds: reading.series ?? [], emit, addFinding })
      : null;

  function add({ value: { unnamed, ...value }, ...rest }: FeedRecord, lost: readonly NewFinding[] = []) {
    const written = { ...rest, value };
    const about = aboutOf(written);
    const flaw = flawOf(written, lost);
    if (flaw !== null) {
      addFinding({ ...about, action: 'dropped record', kind: written.list, ...flaw });
      return false;
    }
    for (const finding of lost) addFinding({ ...about, ...finding });
    const record = sanitizeRecord(written, addFinding, markup);
    reportUnnamed(record, unnamed, addFinding);
    if (record.list === 'events' && series !== null) series.add(record);
    else emit(record);
    return true;
  }

  function addEvent(event: FeedEvent | null): boolean {
    if (event === null || !add(event.record, event.lost)) return false;
    dates.addEvent(event.record);
    events++;
    merged += event.merged;
    return true;
  }

  function end(entries: number, copies = 0): Omit<FeedSummary, 'isComplete'> {
    const joined = series?.end() ?? 0;
    events -= joined;
    merged += copies + joined;
    for (const record of directory.records()) add(record);
    if (findings > MOST_FINDINGS) emitFinding(onlyCounted(findings - MOST_FINDINGS));
    const counts = { entries, events, merged, dropped: entries - events - merged };
    return { counts, dates: dates.total() };
  }

  return { addFinding, directory, categories: createCategories(feed), dates, allowance, add, addEvent, end };
}

function onlyCounted(findings: number): NewFinding {
  return {
    action: 'changed value',
    expected: `at most ${MOST_FINDINGS} findings about a feed`,
    found: `${findings} more, which are only counted`,
  };
}

/** G2: words in the place of a category that name none, and become tags of the event. */
function reportUnnamed(record: FeedRecord, unnamed: unknown, addFinding: AddFinding): void {
  for (const { word, nearest } of unnamedSchema.parse(unnamed ?? [])) {
    const expected = withNearest(A_CATEGORY, nearest);
    const found = excerpt(word);
    addFinding({ ...aboutOf(record), action: 'kept as tag', field: 'categories', expected, found });
  }
}

const unnamedSchema = z.array(z.object({ word: z.string(), nearest: z.string().nullable() }));

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
  const [issue] = id.safeParse(record.value.id).error?.issues ?? [];
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

function isDated({ dates, repeats, series, isSuperEvent }: FeedRecord['value']): boolean {
  const some = (list: unknown) => Array.isArray(list) && list.length > 0;
  return some(dates) || some(repeats) || series !== undefined || isSuperEvent === true;
}

function aboutOf({ line, value }: FeedRecord) {
  return { line, id: typeof value.id === 'string' ? value.id : null };
}
