/** G9: reads all events, and keeps in memory only what is compared. The records themselves are in a spool. */
import { momentOf } from '../event-dates.ts';
import type { Spool } from '../materialise/spool.ts';
import { type EventRecord, isPublicAt, type Records } from '../records.ts';
import { type Comparable, isSingle, titlesOf } from './comparable.ts';
import { createExpander } from './expander.ts';
import type { Member } from './merge.ts';
import { placeKey } from './places.ts';
import type { SheetDecisions } from './sheet-decisions.ts';

/** All events of the sources. An event's number is its place in their order. */
export interface ReadEvents {
  /** By number. */
  readonly ids: readonly string[];
  /** Numbers of the published events, by id. */
  readonly numbersById: ReadonlyMap<string, number>;
  /** The published events. */
  readonly comparables: readonly Comparable[];
  /** F15: those that limited sheets hide. */
  readonly hidden: ReadonlySet<number>;
  readonly recordOf: (number: number) => EventRecord;
  readonly memberOf: (number: number) => Member;
}

interface ReadOptions {
  /** Instant, whole seconds. */
  readonly now: number;
  /** A11: day number. */
  readonly horizonDay: number;
  readonly sheets: Pick<SheetDecisions, 'note'>;
}

export async function readAll(records: Records, spool: Spool, options: ReadOptions): Promise<ReadEvents> {
  const expandedOf = createExpander(options);
  const recordOf = (number: number): EventRecord => JSON.parse(spool.read(number));
  const memberOf = (number: number): Member => {
    const record = recordOf(number);
    return { number, record, expanded: expandedOf(record) };
  };
  const ids: string[] = [];
  const numbersById = new Map<string, number>();
  const comparables: Comparable[] = [];
  const hidden = new Set<number>();
  for await (const record of records.events()) {
    const number = spool.add(JSON.stringify(record));
    ids.push(record.id);
    // A9: an unpublished event neither gives nor takes values.
    if (!isPublicAt(record, options.now)) continue;
    numbersById.set(record.id, number);
    options.sheets.note(record);
    if (record.hiddenBy !== undefined) hidden.add(number);
    const member = { number, record, expanded: expandedOf(record) };
    comparables.push(comparableOf(member, () => endsOf(memberOf(number))));
  }
  return { ids, numbersById, comparables, hidden, recordOf, memberOf };
}

function comparableOf({ number, record, expanded }: Member, ends: Comparable['ends']): Comparable {
  const dated = [...expanded, ...record.dates];
  return {
    number,
    feed: record.feed,
    titles: titlesOf(record),
    places: new Map(
      dated.map(({ start, allDay, venue }) => [momentOf(start, allDay), placeKey(venue, record.rooms)]),
    ),
    isContainer: record.isSuperEvent,
    form: formOf(record),
    ends,
  };
}

function endsOf({ record, expanded }: Member): ReadonlyMap<number, number> {
  const dated = [...expanded, ...record.dates];
  return new Map(dated.map(({ start, end, allDay }) => [momentOf(start, allDay), end]));
}

/** Two listed dates are an evening and its repeat; more are a series. */
const MOST_REPEATS = 2;

function formOf(record: EventRecord): Comparable['form'] {
  if (isSingle(record)) return 'single';
  return record.series.length > 0 || record.dates.length > MOST_REPEATS ? 'series' : null;
}
