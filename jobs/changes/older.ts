/** G15: the dates of a snapshot of version 1.0.0, of its tables `event`, `occurrence` and `event_change`. */
import { parseMinute } from '../../src/calendar/input-datetime.ts';
import { osloDay } from '../../src/calendar/time.ts';
import { ABSENT, type Columns } from '../../src/snapshot/columns.ts';
import { OCCURRENCE_FLAGS } from '../../src/snapshot/flags.ts';
import type { Meta } from '../../src/snapshot/meta.ts';
import { bytesOf, integerOf, type Reader, type Row, textOf } from '../../src/snapshot/reader.ts';
import { indexesByKey } from '../indexes/short-lists.ts';

/** The last format with dates in tables. */
const LAST_WITH_TABLES = 3;

/** Whether the snapshot has dates in tables, and not in columns that this program can read. */
export function isOfTables({ format }: Pick<Meta, 'format'>): boolean {
  return format <= LAST_WITH_TABLES;
}

/** The instants from which each event is public, and at which it is over. Throws for a file that has other tables. */
export async function readOlderTimes({
  all,
}: Pick<Reader, 'all'>): Promise<Pick<Columns, 'publishing' | 'eventOver'>> {
  const publishing = await readPublishing(all);
  const dates = await all(DATES, [], (row) => [integerOf(row, 'event'), integerOf(row, 'over')] as const);
  const event = Int32Array.from(dates, ([ordinal]) => ordinal);
  const over = Float64Array.from(dates, ([, instant]) => instant);
  return { publishing: Float64Array.from(publishing), eventOver: lastOver(event, over, publishing.length) };
}

/** The columns that the comparison needs, from those tables. Throws for a file that has other tables. */
export async function readOlderColumns({ all }: Pick<Reader, 'all'>) {
  const dates = await all(DATES, [], (row) => row);
  const publishing = await readPublishing(all);
  const numbers = (name: string) => dates.map((row) => integerOf(row, name));
  const over = Float64Array.from(numbers('over'));
  const event = Int32Array.from(numbers('event'));
  const { at: occurrencesAt, values: occurrences } = indexesByKey(event, publishing.length);
  const emptyListsAt = new Int32Array(publishing.length + 1);
  return {
    start: Float64Array.from(numbers('start')),
    end: Float64Array.from(numbers('end')),
    over,
    venue: Int32Array.from(dates, ({ venue }) => (venue === null ? -1 : Number(venue))),
    day: Int32Array.from(numbers('start'), osloDay),
    startTime: Uint16Array.from(dates, (row) => parseMinute(textOf(row, 'start_time')) ?? 0),
    duration: Int32Array.from(dates, ({ duration }) => (duration === null ? -1 : Number(duration))),
    occurrenceFlags: Uint8Array.from(dates, flagsOf),
    nth: Int32Array.from(numbers('nth')),
    ticketsURL: new Uint16Array(dates.length).fill(ABSENT),
    prices: new Uint16Array(dates.length).fill(ABSENT),
    olderTexts: new Uint16Array(dates.length).fill(ABSENT),
    movedRow: new Int32Array(),
    movedFrom: new Float64Array(),
    sequence: await readSequence(all, dates.length),
    eventFlags: new Uint8Array(publishing.length),
    occurrencesAt,
    occurrences,
    organizersAt: emptyListsAt,
    organizers: new Int32Array(),
    publishing: Float64Array.from(publishing),
    eventOver: lastOver(event, over, publishing.length),
    changed: await readChanged(all, publishing.length),
  };
}

const ALWAYS = Number.NEGATIVE_INFINITY;
const DATES = `select row, event, start, end, over, start_time, duration, venue, cancelled, sold_out, all_day, nth
  from occurrence order by row`;
const PUBLISHING = 'select publishing_date from event order by ordinal';

function readPublishing(all: Reader['all']): Promise<readonly number[]> {
  return all(PUBLISHING, [], ({ publishing_date: at }) => (at === null ? ALWAYS : Number(at)));
}

/** Whether a date is by a rule is not known: as one of a rule, it is compared up to the earlier horizon. */
function flagsOf(row: Row): number {
  const { cancelled, soldOut, allDay, byRule } = OCCURRENCE_FLAGS;
  return (
    byRule |
    (integerOf(row, 'cancelled') * cancelled) |
    (integerOf(row, 'sold_out') * soldOut) |
    (integerOf(row, 'all_day') * allDay)
  );
}

function lastOver(event: Int32Array, over: Float64Array, events: number): Float64Array<ArrayBuffer> {
  const last = new Float64Array(events).fill(ALWAYS);
  for (const [row, ordinal] of event.entries())
    last[ordinal] = Math.max(last[ordinal] ?? ALWAYS, over[row] ?? ALWAYS);
  return last;
}

/** Counts up to 255 are stored as bytes in every format. */
async function readSequence(all: Reader['all'], rows: number): Promise<Uint8Array<ArrayBuffer>> {
  const sql = "select kind, bytes from column_blob where name = 'sequence'";
  const [column] = await all(sql, [], (row) => ({ kind: textOf(row, 'kind'), bytes: bytesOf(row, 'bytes') }));
  if (column?.kind !== 'u8' || column.bytes.length !== rows)
    throw new Error(
      `expected ${rows} counts as bytes, found ${column?.kind} of ${column?.bytes.length} bytes`,
    );
  return Uint8Array.from(column.bytes);
}

/** Number of the build that changed each event last: format 3 has a table of it. */
async function readChanged(all: Reader['all'], events: number): Promise<Int32Array<ArrayBuffer>> {
  const sql = 'select changed from event_change order by event';
  const changed = Int32Array.from(await all(sql, [], (row) => integerOf(row, 'changed')));
  if (changed.length !== events) throw new Error(`expected ${events} rows, found ${changed.length}`);
  return changed;
}
