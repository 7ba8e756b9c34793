/** A table as native records. Every row becomes an event or a date of one, or is named in a finding. */
import type { JsonObject } from '../../../../src/calendar/json.ts';
import { nameKey } from '../../../../src/calendar/text.ts';
import { excerpt } from '../../../records.ts';
import { eventSchema } from '../../../validate/schemas.ts';
import { createCollector, type FeedEvent } from '../collector.ts';
import { textId } from '../directory.ts';
import { ownValues, sharedValues, withDefaults, withoutBlanks } from '../event-fields.ts';
import { createZones } from '../ical/zones.ts';
import type { AddFinding } from '../last-good.ts';
import { instantAt } from '../moments.ts';
import type { FeedReader } from '../reading.ts';
import { TABLE_FIELDS, type TableField } from '../table-fields.ts';
import {
  A_NEW_DATE,
  stateOfDate,
  THE_SAME_TITLE,
  titleWithoutState,
  withOwnTitles,
  withTitleState,
} from '../title-words.ts';
import { type Columns, findColumns, rateHead } from './columns.ts';
import { dateReader } from './row-dates.ts';
import { type Entry, isShown, type RowContext, readRow } from './rows.ts';
import { type Row, readTable } from './table.ts';

export const readTableFeed: FeedReader = ([document], task, emit) => {
  const { feed } = task;
  const { addFinding, addEvent, end, places, categories, allowance } = createCollector(feed, task, emit);
  const rate = (rows: readonly Row[]) => rateHead(rows, feed);
  const table = readTable(document?.bytes ?? Buffer.alloc(0), rate, addFinding);
  const columns = findColumns(table.rows, feed, addFinding);
  const rows = table.rows.filter(({ number }) => number > columns.head);
  const idOf = (id: string) => (feed.keepIds ? id : `${feed.id}:${id}`);
  // No part of a private row is used, such as its venue's address.
  const shown = rows.filter((row) => isShown(row, { columns, addFinding, idOf }));
  const context: RowContext = {
    feed,
    columns,
    places,
    categories,
    read: dateReader({ rows, columns }, feed.format),
    addressOfVenue: addressesOf(shown, columns),
    addFinding,
    idOf,
    zones: createZones([], allowance),
    now: task.now,
  };
  for (const group of groupsOf(shown, context)) {
    const event = eventOf(group, context);
    if (!addEvent(event)) reportRows(event === null ? group : group.slice(1), context);
  }
  return { ...end(rows.length), isComplete: table.isComplete };
};

/** A venue without an address means the one of that name that has one, if there is only one. */
function addressesOf(rows: readonly Row[], { cellOf }: Columns): (name: string) => string | null {
  const known = new Map<string, string | null>();
  for (const row of rows) {
    const name = nameKey(cellOf(row, 'venue'));
    const address = cellOf(row, 'address').replace(/\s+/g, ' ');
    if (name === '' || address === '') continue;
    const other = known.get(name) ?? address;
    const isSame = known.get(name) !== null && nameKey(other) === nameKey(address);
    known.set(name, isSame ? other : null);
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
    const title = nameKey(titleWithoutState(entry.title));
    const key = entry.id === '' ? `title ${title}\n${entry.place}` : `id ${entry.id}`;
    const group = groups.get(key) ?? [];
    group.push(entry);
    groups.set(key, group);
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

/** Null if no row of it has a title. */
function eventOf(group: Group, context: RowContext): FeedEvent | null {
  const [first] = group;
  const titled = group.filter((entry) => entry.title !== '');
  // L0: of rows that differ in such a word alone, the one without it names the event.
  const named = titled.find(({ title }) => titleWithoutState(title) === title) ?? titled[0];
  if (first === undefined || named === undefined) return null;
  const { feed, idOf, columns } = context;
  const id =
    first.id === '' ? textId(feed.id, [titleWithoutState(named.title), first.place]) : idOf(first.id);
  const addFinding: AddFinding = (finding) => context.addFinding({ ...finding, id });
  const own = { ...context, addFinding };
  const said = group.map((entry) => withState(entry, named.title, own));
  const shared = sharedValues(said.map((entry) => entry.own));
  const fields = { ...titlesOf([named, ...group]), ...commonFields(said, own), ...shared };
  const { dates, repeats, rows } = datesIn(said, shared, addFinding);
  const value = {
    ...unknownIn(group, columns),
    id,
    ...withOwnTitles(
      withoutBlanks(withDefaults(fields, feed.defaults)),
      ownTitles(said, named.title, context),
    ),
    dates,
    ...(repeats.length > 0 && { repeats }),
  };
  return { record: { list: 'events', line: first.row.number, value }, merged: rows - 1 };
}

/** L0: a row whose title says that its dates are cancelled or sold out. */
function withState(entry: Entry, title: string, { columns, addFinding }: RowContext): Entry {
  const state = stateOfDate(entry.title, title);
  const field = columns.titleOf(columns.has('title_nb') ? 'title_nb' : 'title_en');
  const about = { line: entry.row.number, field, found: excerpt(entry.title) };
  if (state.status === 'POSTPONED') addFinding({ action: 'changed value', ...about, expected: A_NEW_DATE });
  if (state.isOwn) addFinding({ action: 'changed value', ...about, expected: THE_SAME_TITLE });
  const own = withTitleState(entry.own, state);
  const { title_nb: _, title_en: __, ...fields } = entry.fields;
  return { ...entry, own, fields };
}

function titlesOf(group: Group): JsonObject {
  const first = (field: 'title_nb' | 'title_en') =>
    group.find(({ fields }) => field in fields)?.fields[field];
  return withoutBlanks({ title_nb: first('title_nb'), title_en: first('title_en') });
}

function ownTitles(group: Group, title: string, { feed, now }: RowContext) {
  const titles = group
    .filter((entry) => stateOfDate(entry.title, title).isOwn)
    .flatMap((entry) =>
      [...entry.dates, ...entry.repeats].map(({ start }) => {
        const isAllDay = start.length === 'YYYY-MM-DD'.length;
        return { start: instantAt(isAllDay ? `${start} 00:00` : start), isAllDay, title: entry.title };
      }),
    );
  return { titles, now, language: feed.language };
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
  const rows = new Set<Row>();
  for (const { row, own, ...said } of group) {
    const values = ownValues(own, event);
    const addTo = (list: JsonObject[], date: object) => {
      const value = { ...date, ...values };
      const key = JSON.stringify(value);
      const same = seen.get(key);
      const expected = 'a date that no row of the event before it has';
      if (same !== undefined)
        addFinding({ action: 'left out', line: row.number, expected, found: `that of row ${same}` });
      else {
        seen.set(key, row.number);
        list.push(value);
        rows.add(row);
      }
    };
    for (const date of said.dates) addTo(dates, date);
    for (const repeat of said.repeats) addTo(repeats, repeat);
  }
  return { dates, repeats, rows: rows.size };
}

/** Unknown columns are unknown fields of the event: ignored, and counted in the report. */
function unknownIn(group: Group, { others }: Columns): JsonObject {
  const named = others.filter(
    ([name, place]) =>
      !Object.hasOwn(eventSchema.shape, name) && group.some(({ row }) => (row.cells[place] ?? '') !== ''),
  );
  return Object.fromEntries(named.map(([name]) => [name, null]));
}
