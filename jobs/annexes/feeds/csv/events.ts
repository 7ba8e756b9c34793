/**
 * Reads a table into native records. Every row becomes an event or a date of an event, or is named in a finding. A row has these forms, in order:
 *
 * | type | file | what it is | made by |
 * | --- | --- | --- | --- |
 * | `Row` | `../table-rows.ts` | the cells, as the file has them | `readTable` |
 * | `TableContext` | `row.ts` | what all rows of the table have in common | `readTableFeed` |
 * | `RowCells` | `row.ts` | a row and its context: each cell by its field, and functions that report cells | `readRow` |
 * | `RowDates` | `row.ts` | the dates that are read from its cells | `datesOfRow` |
 * | `ReadRow` | `row.ts` | these dates, with all other values of the row | `readRow` |
 * | `Group` | `row-groups.ts` | the rows of one event | `groupsOf` |
 * | `FeedEvent` | `../collector.ts` | the event of a group | `eventOfRows` |
 */
import { onOneLine } from '../../../../src/calendar/display-text.ts';
import { nameKey } from '../../../../src/calendar/text.ts';
import { createCollector } from '../collector.ts';
import { createIds } from '../ical/ids.ts';
import { createZones } from '../ical/zones.ts';
import type { FeedReader } from '../reading.ts';
import { eventId } from '../record-ids.ts';
import type { Row } from '../table-rows.ts';
import { findColumns, mostFieldsNamed } from './column-search.ts';
import type { Columns } from './columns.ts';
import { dateReader } from './date-order.ts';
import { eventOfRows } from './event-of-rows.ts';
import type { TableContext } from './row.ts';
import { type Group, groupsOf, placesIn } from './row-groups.ts';
import { readTable } from './table.ts';
import { reportHidden } from './visibility.ts';

/** Throws FeedProblem for a table without the necessary columns, or whose dates are in an uncertain order. */
export const readTableFeed: FeedReader = ([document], task, emit) => {
  const { feed } = task;
  const { addFinding, addEvent, end, directory, categories, allowance } = createCollector(feed, task, emit);
  const rate = (rows: readonly Row[]) => mostFieldsNamed(rows, feed);
  const table = readTable(document?.bytes ?? Buffer.alloc(0), { sheet: feed.sheet, rate, addFinding });
  const columns = findColumns(table.rows, feed, addFinding);
  const rows = table.rows.filter(({ number }) => number > columns.head);
  const idOf = (id: string) => eventId(feed, id);
  const read = dateReader({ rows, columns }, feed.format);
  // No part of a private row is used, such as its venue's address.
  const shown = rows.filter((row) => !reportHidden(row, { columns, read, addFinding, idOf }));
  const context: TableContext = {
    feed,
    columns,
    directory,
    categories,
    read,
    // F17: a row that is not approved gives no address to others.
    addressOfVenue: feed.needsApproval ? () => null : addressesOf(shown, columns),
    addFinding,
    idOf,
    zones: createZones([], allowance),
    now: task.now,
  };
  const ids = createIds({ lastIds: task.ids ?? [], uids: new Set(), now: task.now, emit });
  for (const { rows: group, suffix } of groupsOf(shown, context).flatMap((group) => placesIn(group, ids))) {
    const event = eventOfRows(group, suffix, context);
    if (addEvent(event)) continue;
    // The collector has reported a dropped event at its first row. Nothing has reported rows without a title.
    reportRows(event === null ? group : group.slice(1), context);
  }
  ids.end();
  return { ...end(rows.length), isComplete: table.isComplete };
};

/** A venue without an address means the one of that name that has one, if there is only one. */
function addressesOf(rows: readonly Row[], { cellOf }: Columns): (name: string) => string | null {
  /** By name; null if rows give several addresses. */
  const addresses = new Map<string, string | null>();
  for (const row of rows) {
    const name = nameKey(cellOf(row, 'venue'));
    const address = onOneLine(cellOf(row, 'address'));
    if (name === '' || address === '') continue;
    const known = addresses.get(name);
    if (known === undefined) addresses.set(name, address);
    else if (known === null || nameKey(known) !== nameKey(address)) addresses.set(name, null);
  }
  return (name) => addresses.get(nameKey(name)) ?? null;
}

/** Rows of a dropped event are reported, too. */
function reportRows(group: Group, { addFinding }: TableContext): void {
  const expected = 'an event that is kept (this row is one of its dates)';
  for (const { row, id } of group) {
    const about = { line: row.number, id: id === '' ? null : id };
    addFinding({ action: 'dropped record', ...about, expected, found: 'one that is left out' });
  }
}
