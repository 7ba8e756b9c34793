/** A table as native records. Every row becomes an event or a date of one, or is named in a finding. */
import type { JsonObject } from '../../../src/calendar/json.ts';
import { nameKey } from '../../../src/calendar/text.ts';
import { createCollector, createPlaces, textId } from '../../feeds/collector.ts';
import { createCategories, withDefaults } from '../../feeds/config.ts';
import { momentReader } from '../../feeds/moments.ts';
import { ownValues, sharedValues } from '../../feeds/own-values.ts';
import type { AddFinding, FeedRecord } from '../../feeds/slice.ts';
import { excerpt } from '../../records.ts';
import { eventSchema } from '../../validate/schemas.ts';
import type { FeedReader } from '../parser.ts';
import { type Columns, findColumns, rateHead } from './columns.ts';
import { type Entry, type RowContext, readRow } from './rows.ts';
import { type Row, readTable } from './table.ts';

export const readTableFeed: FeedReader = ([document], { feed }, emit) => {
  const { addFinding, add, end } = createCollector(emit);
  const rate = (rows: readonly Row[]) => rateHead(rows, feed);
  const table = readTable(document?.bytes ?? Buffer.alloc(0), { rate, addFinding });
  const columns = findColumns(table.rows, feed, addFinding);
  const rows = table.rows.filter(({ number }) => number > columns.head);
  const places = createPlaces(feed.id);
  const context: RowContext = {
    feed,
    columns,
    places,
    categories: createCategories(feed.map),
    readMoment: momentReader(feed.format),
    addressOfVenue: addressesOf(rows, columns),
    addFinding,
    idOf: (id) => (feed.keepIds ? id : `${feed.id}:${id}`),
  };
  let events = 0;
  let merged = 0;
  for (const group of groupsOf(rows, context)) {
    const event = eventOf(group, context);
    if (event === null) reportRows(group, context);
    else if (add(event.record) === null) reportRows(group.slice(1), context);
    else {
      events++;
      merged += event.dates - 1;
    }
  }
  for (const record of places.records()) add(record);
  return { counts: end({ entries: rows.length, events, merged }), isComplete: table.isComplete };
};

/** A venue without an address means the one that is called so and has one, where there is only one. */
function addressesOf(rows: readonly Row[], { places }: Columns): (name: string) => string | null {
  const known = new Map<string, string | null>();
  for (const { cells } of rows) {
    const name = nameKey(cells[places.get('venue') ?? -1] ?? '');
    const address = (cells[places.get('address') ?? -1] ?? '').replace(/\s+/g, ' ');
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

/** Rows of one event, in the table's order: those with its id, or with its title and place where there is none. */
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
  readonly dates: number;
}

/** Null when no row of it has a title. */
function eventOf(group: Group, context: RowContext): TableEvent | null {
  const [first] = group;
  const title = group.find((entry) => entry.title !== '')?.title ?? '';
  if (first === undefined || title === '') return null;
  const { feed, idOf, columns } = context;
  const id = first.id === '' ? textId(feed.id, [title, first.place]) : idOf(first.id);
  const addFinding: AddFinding = (finding) => context.addFinding({ ...finding, id });
  const shared = sharedValues(group.map(({ own }) => own));
  const fields = { ...commonFields(group, { ...context, addFinding }), ...shared };
  const dates = datesOf(group, shared, addFinding);
  const value = { ...unknownIn(group, columns), id, ...withDefaults(fields, feed.defaults), dates };
  return { record: { list: 'events', line: first.row.number, value }, dates: dates.length };
}

/** Of each field the first value; an event has one. */
function commonFields(group: Group, { columns, addFinding }: RowContext): JsonObject {
  const fields = new Map<string, { readonly value: unknown; readonly row: number }>();
  for (const { row, fields: said } of group) {
    for (const [field, value] of Object.entries(said)) {
      const known = fields.get(field);
      if (known === undefined) fields.set(field, { value, row: row.number });
      else if (JSON.stringify(known.value) !== JSON.stringify(value)) {
        const expected = `what row ${known.row} says, because it is the same event`;
        const title = columns.titleOf(isColumn(field, columns) ? field : 'categories');
        const found = excerpt(value);
        addFinding({ action: 'changed value', line: row.number, field: title, expected, found });
      }
    }
  }
  return Object.fromEntries([...fields].map(([field, { value }]) => [field, value]));
}

function isColumn(field: string, { places }: Columns): field is Parameters<Columns['titleOf']>[0] {
  return [...places.keys()].some((known) => known === field);
}

function datesOf(
  group: Group,
  event: ReturnType<typeof sharedValues>,
  addFinding: AddFinding,
): readonly JsonObject[] {
  const rows = new Map<string, number>();
  return group.flatMap(({ row, date, own }) => {
    const value = { ...date, ...ownValues(own, event) };
    const key = JSON.stringify(value);
    const same = rows.get(key);
    if (same === undefined) {
      rows.set(key, row.number);
      return [value];
    }
    const expected = 'a date that no row of the event before it has';
    addFinding({ action: 'left out', line: row.number, expected, found: `that of row ${same}` });
    return [];
  });
}

/** Columns that are nothing that is known are unknown fields of the event: ignored, and counted in the report. */
function unknownIn(group: Group, { others }: Columns): JsonObject {
  const named = others.filter(
    ([name, place]) =>
      !Object.hasOwn(eventSchema.shape, name) && group.some(({ row }) => (row.cells[place] ?? '') !== ''),
  );
  return Object.fromEntries(named.map(([name]) => [name, null]));
}
