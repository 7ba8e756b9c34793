/** A table as native records. Every row becomes an event or a date of one, or is named in a finding. */
import type { JsonObject } from '../../../../src/calendar/json.ts';
import { nameKey } from '../../../../src/calendar/text.ts';
import { excerpt } from '../../../records.ts';
import { eventSchema } from '../../../validate/schemas.ts';
import { createCollector, createPlaces, textId } from '../collector.ts';
import { createCategories, withDefaults } from '../config.ts';
import { createExpansionCheck } from '../expansion-check.ts';
import { ownValues, sharedValues } from '../own-values.ts';
import type { FeedReader } from '../reading.ts';
import type { AddFinding, FeedRecord } from '../slice.ts';
import { TABLE_FIELDS, type TableField } from '../table-fields.ts';
import { type Columns, findColumns, rateHead } from './columns.ts';
import { dateReaders } from './date-order.ts';
import { type Entry, isShown, type RowContext, readRow } from './rows.ts';
import { type Row, readTable } from './table.ts';

export const readTableFeed: FeedReader = ([document], task, emit) => {
  const { feed } = task;
  const { addFinding, add, end } = createCollector(emit);
  const rate = (rows: readonly Row[]) => rateHead(rows, feed);
  const table = readTable(document?.bytes ?? Buffer.alloc(0), { rate, addFinding });
  const columns = findColumns(table.rows, feed, addFinding);
  const rows = table.rows.filter(({ number }) => number > columns.head);
  const idOf = (id: string) => (feed.keepIds ? id : `${feed.id}:${id}`);
  // No part of a private row is used, such as its venue's address.
  const shown = rows.filter((row) => isShown(row, { columns, addFinding, idOf }));
  const places = createPlaces(feed.id);
  const context: RowContext = {
    feed,
    columns,
    places,
    categories: createCategories(feed),
    readerOf: dateReaders(rows, columns, feed.format),
    addressOfVenue: addressesOf(shown, columns),
    addFinding,
    idOf,
  };
  const check = createExpansionCheck(task);
  let events = 0;
  let merged = 0;
  for (const group of groupsOf(shown, context)) {
    const event = eventOf(group, context);
    const added = event === null ? null : add(event.record);
    if (event === null || added === null) reportRows(event === null ? group : group.slice(1), context);
    else {
      check(added);
      events++;
      merged += event.rows - 1;
    }
  }
  for (const record of places.records()) add(record);
  return { counts: end({ entries: rows.length, events, merged }), isComplete: table.isComplete };
};

/** A venue without an address means the one of that name that has one, if there is only one. */
function addressesOf(rows: readonly Row[], { cellOf }: Columns): (name: string) => string | null {
  const known = new Map<string, string | null>();
  for (const row of rows) {
    const name = nameKey(cellOf(row, 'venue'));
    const address = cellOf(row, 'address').replace(/\s+/g, ' ');
    if (name === '' || address === '') continue;
    const other = known.get(name);
    known.set(
      name,
      other === undefined || (other !== null && nameKey(other) === nameKey(address))
        ? (other ?? address)
        : null,
    );
  }
  return (name) => known.get(nameKey(name)) ?? null;
}

type Group = readonly Entry[];

/** Rows of one event, in the table's order: those with equal ids or, without ids, with equal title and place. */
function groupsOf(rows: readonly Row[], context: RowContext): Iterable<Group> {
  const groups = new Map<string, Entry[]>();
  for (const row of rows) {
    const entry = readRow(row, context);
    if (entry === null) continue;
    const key = entry.id === '' ? `title ${nameKey(entry.title)}\n${entry.place}` : `id ${entry.id}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [entry]);
    else group.push(entry);
  }
  return groups.values();
}

function reportRows(entries: Group, { addFinding }: RowContext): void {
  const expected = 'an event that is kept (this row is one of its dates)';
  for (const { row, id } of entries) {
    const about = { line: row.number, id: id === '' ? null : id };
    addFinding({ action: 'dropped record', ...about, expected, found: 'one that is left out' });
  }
}

interface TableEvent {
  readonly record: FeedRecord;
  readonly rows: number;
}

/** Null if no row of it has a title. */
function eventOf(group: Group, context: RowContext): TableEvent | null {
  const [first] = group;
  const title = group.find((entry) => entry.title !== '')?.title ?? '';
  if (first === undefined || title === '') return null;
  const { feed, idOf, columns } = context;
  const id = first.id === '' ? textId(feed.id, [title, first.place]) : idOf(first.id);
  const addFinding: AddFinding = (finding) => context.addFinding({ ...finding, id });
  const shared = sharedValues(group.map(({ own }) => own));
  const fields = { ...commonFields(group, { ...context, addFinding }), ...shared };
  const { dates, repeats, rows } = datesIn(group, shared, addFinding);
  const value = {
    ...unknownIn(group, columns),
    id,
    ...withDefaults(fields, feed.defaults),
    dates,
    ...(repeats.length === 0 ? {} : { repeats }),
  };
  return { record: { list: 'events', line: first.row.number, value }, rows };
}

/** The first value of each field: an event has one. */
function commonFields(group: Group, { columns, addFinding }: RowContext): JsonObject {
  const fields = new Map<string, { readonly value: unknown; readonly row: number }>();
  for (const { row, fields: said } of group) {
    for (const [field, value] of Object.entries(said)) {
      const known = fields.get(field);
      if (known === undefined) fields.set(field, { value, row: row.number });
      else if (JSON.stringify(known.value) !== JSON.stringify(value)) {
        const expected = `what row ${known.row} says, because it is the same event`;
        const title = columns.titleOf(isColumn(field) && columns.has(field) ? field : 'categories');
        const found = excerpt(value);
        addFinding({ action: 'changed value', line: row.number, field: title, expected, found });
      }
    }
  }
  return Object.fromEntries([...fields].map(([field, { value }]) => [field, value]));
}

function isColumn(field: string): field is TableField {
  return Object.hasOwn(TABLE_FIELDS, field);
}

function datesIn(group: Group, event: ReturnType<typeof sharedValues>, addFinding: AddFinding) {
  const seen = new Map<string, number>();
  const dates: JsonObject[] = [];
  const repeats: JsonObject[] = [];
  let rows = 0;
  for (const { row, own, ...said } of group) {
    const values = ownValues(own, event);
    let added = 0;
    const addTo = (list: JsonObject[], date: object) => {
      const value = { ...date, ...values };
      const key = JSON.stringify(value);
      const same = seen.get(key);
      if (same === undefined) {
        seen.set(key, row.number);
        list.push(value);
        added++;
        return;
      }
      const expected = 'a date that no row of the event before it has';
      addFinding({ action: 'left out', line: row.number, expected, found: `that of row ${same}` });
    };
    for (const date of said.dates) addTo(dates, date);
    for (const repeat of said.repeats) addTo(repeats, repeat);
    if (added > 0) rows++;
  }
  return { dates, repeats, rows };
}

/** Unknown columns are unknown fields of the event: ignored, and counted in the report. */
function unknownIn(group: Group, { others }: Columns): JsonObject {
  const named = others.filter(
    ([name, place]) =>
      !Object.hasOwn(eventSchema.shape, name) && group.some(({ row }) => (row.cells[place] ?? '') !== ''),
  );
  return Object.fromEntries(named.map(([name]) => [name, null]));
}
