/** The previous snapshot, read again event by event for the comparison. */
import { parseSourceDay } from '../../../src/calendar/time.ts';
import { type Columns, readColumns } from '../../../src/snapshot/columns.ts';
import { BODY_SQL } from '../../../src/snapshot/fragments.ts';
import { readLists } from '../../../src/snapshot/meta.ts';
import { integerOf, openReader, type Reader, type Row, textOf } from '../../../src/snapshot/sqlite.ts';
import type { Previous } from '../../previous.ts';
import { COMPARED_COLUMNS, type PublicEvent, publicEventsOf } from './compare.ts';
import type { BuildRow, EventChange, GoneSequence, HistoryRow } from './rows.ts';

export interface EarlierEvent {
  readonly event: PublicEvent;
  readonly change: EventChange;
}

export interface Earlier {
  /** By row. */
  readonly sequence: Columns['sequence'];
  /** Day number. */
  readonly horizonDay: number;
  readonly builtAt: number;
  /** JSON: the changes of the latest builds. */
  readonly changes: string;
  /** Ascending; its own build is the last one. */
  readonly builds: readonly BuildRow[];
  readonly history: readonly HistoryRow[];
  readonly sequences: readonly GoneSequence[];
  /** By id in code point order. */
  readonly events: () => AsyncIterable<EarlierEvent>;
  readonly close: () => Promise<void>;
}

/** Null if it has another format, whose contents are not comparable. */
export async function openEarlier({
  path,
  id,
  meta,
  changes,
  isComparable,
}: Previous): Promise<Earlier | null> {
  if (!isComparable) return null;
  const reader = await openReader(path, { connections: 1, timeout: 0 });
  try {
    const { venues, organizers } = await readLists(reader);
    const builds = await reader.all('select number, id, built_at from build order by number', [], buildOf);
    const columns = await readColumns(reader, COMPARED_COLUMNS);
    const eventOf = publicEventsOf({ columns, venues, organizers });
    return {
      sequence: columns.sequence,
      horizonDay: parseSourceDay(meta.horizonDay) ?? 0,
      builtAt: Date.parse(meta.builtAt) / 1_000,
      changes,
      builds: builds.map((build) => ({ ...build, id: build.id ?? id })),
      history: await reader.all(HISTORY, [], historyOf),
      sequences: await reader.all(SEQUENCES, [], sequenceOf),
      events: () => readEvents(reader, meta.counts.events, eventOf),
      close: reader.close,
    };
  } catch (cause) {
    await reader.close();
    throw cause;
  }
}

const HISTORY = 'select id, build, seen, changed from history order by id, build';
const SEQUENCES = 'select occurrence, count, held from sequence order by occurrence';
const EVENTS = `select event.*, ${BODY_SQL} as lines, event_change.seen, event_change.over, event_change.changed from event
  join event_change on event_change.event = event.ordinal
  where event.ordinal >= ? order by event.ordinal limit ?`;

const BATCH = 250;

async function* readEvents(
  reader: Reader,
  count: number,
  eventOf: ReturnType<typeof publicEventsOf>,
): AsyncGenerator<EarlierEvent> {
  for (let from = 0; from < count; from += BATCH) {
    yield* await reader.all(EVENTS, [from, BATCH], (row) => ({
      event: eventOf({ ordinal: integerOf(row, 'ordinal'), row, body: textOf(row, 'lines') }),
      change: {
        seen: integerOf(row, 'seen'),
        over: integerOf(row, 'over'),
        changed: integerOf(row, 'changed'),
      },
    }));
  }
}

function buildOf(row: Row): BuildRow {
  const id = row.id === null ? null : textOf(row, 'id');
  return { number: integerOf(row, 'number'), id, builtAt: integerOf(row, 'built_at') };
}

function historyOf(row: Row): HistoryRow {
  return {
    id: textOf(row, 'id'),
    build: integerOf(row, 'build'),
    seen: row.seen === null ? null : integerOf(row, 'seen'),
    changed: integerOf(row, 'changed'),
  };
}

function sequenceOf(row: Row): GoneSequence {
  return {
    occurrence: textOf(row, 'occurrence'),
    count: integerOf(row, 'count'),
    held: integerOf(row, 'held'),
  };
}
