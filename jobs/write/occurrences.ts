/** Rows of dated happenings, and of the unfiltered totals over time. */
import { formatMinute } from '../../src/calendar/time.ts';
import { ABSENT, type Columns, DATETIME_WIDTH, OCCURRENCE_FLAGS } from '../../src/snapshot/columns.ts';
import type { Writer } from '../../src/snapshot/sqlite.ts';
import type { FacetCount } from '../records.ts';
import { insertRows, type Table } from './rows.ts';

/** `ticketsURLs` by event ordinal: what the column of that name points into. */
export async function writeOccurrences(
  writer: Writer,
  columns: Columns,
  ticketsURLs: readonly (readonly string[])[],
): Promise<void> {
  await insertRows(writer, occurrenceTable(columns, ticketsURLs), columns.start.keys());
}

function occurrenceTable(columns: Columns, ticketsURLs: readonly (readonly string[])[]): Table<number> {
  const startTexts = textsOf(columns.startText);
  const endTexts = textsOf(columns.endText);
  return {
    name: 'occurrence',
    columns: [
      'row',
      'event',
      'start',
      'end',
      'over',
      'start_text',
      'end_text',
      'start_time',
      'duration',
      'venue',
      'tickets_url',
      'cancelled',
      'sold_out',
    ],
    cells(row) {
      const event = columns.event[row] ?? -1;
      const url = columns.ticketsURL[row] ?? ABSENT;
      const flags = columns.occurrenceFlags[row] ?? 0;
      return [
        row,
        event,
        columns.start[row] ?? null,
        columns.end[row] ?? null,
        columns.over[row] ?? null,
        startTexts(row),
        endTexts(row),
        formatMinute(columns.startTime[row] ?? 0),
        unlessAbsent(columns.duration[row]),
        unlessAbsent(columns.venue[row]),
        url === ABSENT ? null : (ticketsURLs[event]?.[url] ?? null),
        Number((flags & OCCURRENCE_FLAGS.cancelled) !== 0),
        Number((flags & OCCURRENCE_FLAGS.soldOut) !== 0),
      ];
    },
  };
}

/** Columns write -1 for null where nothing is negative. */
function unlessAbsent(value: number | undefined): number | null {
  return value === undefined || value < 0 ? null : value;
}

function textsOf(column: Uint8Array): (row: number) => string {
  const bytes = Buffer.from(column.buffer, column.byteOffset, column.byteLength);
  return (row) => bytes.toString('latin1', row * DATETIME_WIDTH, (row + 1) * DATETIME_WIDTH);
}

export async function writeFacetCounts(writer: Writer, counts: Iterable<FacetCount>): Promise<void> {
  await insertRows(writer, FACET_COUNTS, counts);
}

const FACET_COUNTS: Table<FacetCount> = {
  name: 'facet_count',
  columns: ['kind', 'id', 'since', 'until', 'hits'],
  cells: ({ kind, id, since, until, hits }) => [kind, id, since, until, hits],
};
