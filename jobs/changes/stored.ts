/** What a comparison leaves in a snapshot: for `changes`, for SEQUENCE, and for the builds to come. */
import type { Writer } from '../../src/snapshot/sqlite.ts';
import { insertRows, type Table } from '../write/tables.ts';
import type { ComparedBuild } from './comparison.ts';
import type { BuildRow, EventChange, GoneSequence, HistoryRow } from './previous.ts';

export async function writeComparison(writer: Writer, compared: ComparedBuild): Promise<void> {
  await insertRows(writer, BUILDS, compared.builds);
  await insertRows(writer, EVENT_CHANGES, compared.events.entries());
  await insertRows(writer, HISTORY, compared.history);
  await insertRows(writer, SEQUENCES, compared.gone);
}

const BUILDS: Table<BuildRow> = {
  name: 'build',
  cells: ({ number, id, builtAt }) => ({ number, id, built_at: builtAt }),
};

const EVENT_CHANGES: Table<readonly [event: number, change: EventChange]> = {
  name: 'event_change',
  cells: ([event, { seen, over, changed }]) => ({ event, seen, over, changed }),
};

const HISTORY: Table<HistoryRow> = {
  name: 'history',
  cells: ({ id, build, seen, changed }) => ({ id, build, seen, changed }),
};

const SEQUENCES: Table<GoneSequence> = {
  name: 'sequence',
  cells: ({ occurrence, count, held }) => ({ occurrence, count, held }),
};
