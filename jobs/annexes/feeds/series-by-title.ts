/**
 * L4, `"series": "title"`: entries of equal title and place are the dates of one event. Its id is made of the feed, title and place, and the
 * ids of the entries find it.
 */
import { addToGroup, unlessEmpty } from '../../../src/calendar/groups.ts';
import { isObject, type JsonObject } from '../../../src/calendar/json.ts';
import { nameKey } from '../../../src/calendar/text.ts';
import { withoutBlanks } from './event-fields.ts';
import type { AddFinding, Emit, FeedRecord } from './last-good.ts';
import { textId } from './record-ids.ts';
import { lettersOf, MOST_LETTERS } from './record-length.ts';

type Value = FeedRecord['value'];

interface SeriesOptions {
  readonly feed: string;
  /** Ids of the series at the reading before: one of which a single date is left keeps its id. */
  readonly lastIds: readonly string[];
  readonly emit: Emit;
  readonly addFinding: AddFinding;
}

interface SeriesByTitle {
  readonly add: (record: FeedRecord) => void;
  /** Called at the end. Returns the number of events that became dates of another. */
  readonly end: () => number;
}

/** Records are held until the end, and emitted then. `feed`: its id. */
export function createSeriesByTitle({ feed, lastIds, emit, addFinding }: SeriesOptions): SeriesByTitle {
  const groups = new Map<string, FeedRecord[]>();
  const lastSeries = new Set(lastIds);

  function add(record: FeedRecord): void {
    addToGroup(groups, groupKey(record.value), record);
  }

  function end(): number {
    let joined = 0;
    for (const group of groups.values()) {
      const [first, ...others] = group;
      if (first === undefined) continue;
      const id = seriesId(feed, first.value);
      const isSingle = others.length === 0 && !lastSeries.has(id);
      const series = isSingle ? null : seriesRecord(id, first, group);
      if (series === null) {
        for (const record of group) emit(record);
        continue;
      }
      joined += others.length;
      emit(series);
      for (const { value } of group) emit({ list: 'merged', id: String(value.id), survivor: id });
      reportTexts(id, group, addFinding);
    }
    return joined;
  }

  /** Null, after a finding, if the series would be too long a record. */
  function seriesRecord(id: string, first: FeedRecord, group: readonly FeedRecord[]): FeedRecord | null {
    const value = { ...seriesOf(group.map(({ value }) => value)), id };
    const letters = lettersOf(value);
    if (letters <= MOST_LETTERS) return { ...first, value };
    addFinding({
      action: 'changed value',
      line: first.line,
      id,
      expected: `a series of at most ${MOST_LETTERS} letters`,
      found: `${letters}; its entries stay events of their own`,
    });
    return null;
  }

  return { add, end };
}

/** Fields that an entry has itself, and that each date of a series may have. */
const DATE_FIELDS = ['ticketsURL', 'prices', 'status', 'eventCancelled', 'eventSoldOut'] as const;

/** An entry that cannot be joined has a group of its own. */
function groupKey(value: Value): string {
  const apart = isJoinable(value) ? null : value.id;
  return JSON.stringify([...titlesOf(value).map(nameKey), value.venue ?? null, apart]);
}

/** A container has its parts, and a rule's dates cannot each have a state of their own. */
function isJoinable({ isSuperEvent, series, repeats, ...value }: Value): boolean {
  const isRepeated = series !== undefined || (Array.isArray(repeats) && repeats.length > 0);
  const hasState = DATE_FIELDS.some((name) => value[name] !== undefined);
  return isSuperEvent !== true && !(isRepeated && hasState);
}

function titlesOf({ title_nb, title_en }: Value): readonly string[] {
  return [String(title_nb ?? ''), String(title_en ?? '')];
}

function seriesId(feed: string, value: Value): string {
  const place = String(value.venue ?? '').slice(`${feed}:`.length);
  return textId(feed, [...titlesOf(value), place]);
}

/**
 * The first entry's fields, filled in from the others, with the dates of all. If entries differ in a field of `DATE_FIELDS`, the dates of each
 * entry get its own value.
 */
function seriesOf(values: readonly Value[]): JsonObject {
  const differing = differingFields(values);
  const dates = values.flatMap((value) =>
    listOf(value.dates).map((date) => withOwnValues(date, value, differing)),
  );
  const repeats = values.flatMap((value) => listOf(value.repeats));
  const series = values.flatMap((value) => value.series ?? []);
  return withoutBlanks({
    ...sharedFields(values, differing),
    ...createdAndUpdated(values),
    dates: unique(dates),
    repeats: unlessEmpty(repeats),
    series: unlessEmpty(series),
  });
}

/** The fields of dates that are not the same in all entries. */
function differingFields(values: readonly Value[]): readonly string[] {
  const [first = {}] = values;
  return DATE_FIELDS.filter((name) => {
    const json = JSON.stringify(first[name]);
    return values.some((value) => JSON.stringify(value[name]) !== json);
  });
}

/** Each field with the value of the first entry that has one, without those that differ. */
function sharedFields(values: readonly Value[], differing: readonly string[]): JsonObject {
  const shared: Record<string, unknown> = {};
  for (const value of values) {
    for (const [name, own] of Object.entries(value)) {
      if (!Object.hasOwn(shared, name) && !differing.includes(name)) shared[name] = own;
    }
  }
  return shared;
}

function withOwnValues(date: unknown, value: Value, names: readonly string[]): unknown {
  if (!isObject(date)) return date;
  const own = names.flatMap((name) => (value[name] === undefined ? [] : [[name, value[name]] as const]));
  return { ...Object.fromEntries(own), ...date };
}

/** The series is as old as its first entry, and as new as its last change. Only calendars have these, all in UTC and one form: texts sort by time. */
function createdAndUpdated(values: readonly Value[]): JsonObject {
  const [created] = sortedTexts('created_at', values);
  const updated = sortedTexts('updated_at', values).at(-1);
  return { created_at: created, updated_at: updated };
}

function sortedTexts(name: string, values: readonly Value[]): readonly string[] {
  return values.flatMap((value) => (typeof value[name] === 'string' ? value[name] : [])).sort();
}

/** Each date once: two entries may be of the same one. */
function unique(dates: readonly unknown[]): readonly unknown[] {
  return [...new Map(dates.map((date) => [JSON.stringify(date), date])).values()];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** G2: an event has one description, and its dates have none. */
function reportTexts(id: string, records: readonly FeedRecord[], addFinding: AddFinding): void {
  const [first] = records;
  const texts = new Set(records.flatMap(({ value }) => value.desc_nb ?? value.desc_en ?? []));
  if (first === undefined || texts.size < 2) return;
  const expected = 'one description for all dates of a series (the first is shown)';
  addFinding({
    action: 'changed value',
    line: first.line,
    id,
    field: 'desc',
    expected,
    found: `${texts.size}`,
  });
}
