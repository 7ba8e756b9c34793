/** The event of a group of rows: its fields, which are the same in each row, and its dates, which may have values of their own. */
import { unlessEmpty } from '../../../../src/calendar/groups.ts';
import type { JsonObject } from '../../../../src/calendar/json.ts';
import { excerpt } from '../../../findings.ts';
import { eventSchema } from '../../../validate/schemas.ts';
import type { FeedEvent } from '../collector.ts';
import type { DateTitle } from '../date-titles.ts';
import {
  assembleEvent,
  ownFields,
  type SharedValues,
  sharedValues,
  withTitleState,
} from '../event-assembly.ts';
import { withoutBlanks } from '../event-fields.ts';
import type { AddFinding } from '../last-good.ts';
import { instantAt } from '../native-dates.ts';
import { textId } from '../record-ids.ts';
import { TABLE_FIELDS, type TableField } from '../table-fields.ts';
import type { Row } from '../table-rows.ts';
import { stateOfDate, THE_SAME_TITLE, titleWithoutState } from '../title-words.ts';
import type { Columns } from './columns.ts';
import type { ReadRow, TableContext } from './row.ts';
import type { Group } from './row-groups.ts';

/** L0: of rows that differ only in a word such as "avlyst", the one without it names the event. Undefined if no row has a title. */
function namingRow(group: Group): ReadRow | undefined {
  const titled = group.filter((row) => row.title !== '');
  return titled.find(({ title }) => titleWithoutState(title) === title) ?? titled[0];
}

/** Null if no row of it has a title. */
export function eventOfRows(group: Group, suffix: string, context: TableContext): FeedEvent | null {
  const [first] = group;
  const naming = namingRow(group);
  if (first === undefined || naming === undefined) return null;
  const { feed, idOf, columns } = context;
  const { title } = naming;
  const madeId = `${textId(feed.id, [titleWithoutState(title), first.place])}${suffix}`;
  const id = first.id === '' ? madeId : idOf(first.id);
  const addFinding: AddFinding = (finding) => context.addFinding({ ...finding, id });
  const contextOfEvent = { ...context, addFinding };
  const rows = group.map((row) => withTitleRead(row, title, contextOfEvent));
  const shared = sharedValues(rows.map(({ values }) => values));
  const fields = { ...titlesOf([naming, ...group]), ...commonFields(rows, contextOfEvent), ...shared };
  reportShownRows(rows, contextOfEvent);
  const { dates, repeats, usedRows } = datesIn(rows, shared, addFinding);
  const record = assembleEvent(
    {
      id,
      line: first.row.number,
      fields,
      dateTitles: rows.flatMap((row) => dateTitlesOf(row, title)),
      programme: withoutBlanks({ dates, repeats: unlessEmpty(repeats) }),
      unknown: unknownIn(group, columns),
    },
    context,
  );
  const unnamed = rows.find((row) => row.unnamed.length > 0)?.unnamed ?? [];
  return { record, unnamed, entriesAsDates: usedRows - 1 };
}

/** L0: a row with the state that its title gives its dates, and without the fields of titles, which are read apart (`titlesOf`). */
function withTitleRead(row: ReadRow, eventTitle: string, { columns, addFinding }: TableContext): ReadRow {
  const state = stateOfDate(row.title, eventTitle);
  const field = columns.columnIn(row.row, columns.has('title_nb') ? 'title_nb' : 'title_en');
  const report = (expected: string) =>
    addFinding({
      action: 'changed value',
      line: row.row.number,
      field,
      expected,
      found: excerpt(row.title),
    });
  const values = withTitleState(row.values, state, report);
  if (state.isOwn) report(THE_SAME_TITLE);
  const { title_nb: _, title_en: __, ...fields } = row.fields;
  return { ...row, values, fields };
}

function titlesOf(group: Group): JsonObject {
  const first = (field: 'title_nb' | 'title_en') =>
    group.find(({ fields }) => field in fields)?.fields[field];
  return withoutBlanks({ title_nb: first('title_nb'), title_en: first('title_en') });
}

function dateTitlesOf({ title, dates, repeats }: ReadRow, eventTitle: string): readonly DateTitle[] {
  if (!stateOfDate(title, eventTitle).isOwn) return [];
  return [...dates, ...repeats].map(({ start }) => {
    const isAllDay = start.length === 'YYYY-MM-DD'.length;
    return { start: instantAt(isAllDay ? `${start} 00:00` : start), isAllDay, title };
  });
}

/** The first value of each field: an event has one. */
function commonFields(group: Group, { columns, addFinding }: TableContext): JsonObject {
  const firsts = new Map<string, { readonly value: unknown; readonly row: Row }>();
  for (const { row, fields } of group) {
    for (const [field, value] of Object.entries(fields)) {
      const first = firsts.get(field);
      if (first === undefined) {
        firsts.set(field, { value, row });
        continue;
      }
      if (JSON.stringify(first.value) === JSON.stringify(value)) continue;
      addFinding({
        action: 'changed value',
        line: row.number,
        field: differingColumn(sourceOf(field, columns), { row, first: first.row, columns }),
        expected: `what row ${first.row.number} says, because it is the same event`,
        found: excerpt(value),
      });
    }
  }
  return Object.fromEntries([...firsts].map(([field, { value }]) => [field, value]));
}

/** Reports rows that say that they are published, although a later date in the same column of another row hides the whole event until then. */
function reportShownRows(group: Group, { columns, addFinding }: TableContext): void {
  const later = group.find(({ fields }) => 'publishingDate' in fields);
  if (later === undefined || columns.has('publishingDate')) return;
  const shown = group.filter(({ row, fields }) => {
    return columns.cellOf(row, 'published') !== '' && !('publishingDate' in fields);
  });
  for (const { row } of shown)
    addFinding({
      action: 'changed value',
      line: row.number,
      field: columns.columnIn(row, 'published'),
      expected: `what row ${later.row.number} says, because it is the same event`,
      found: excerpt(columns.cellOf(row, 'published')),
    });
}

/** The column of a value. Values without one of their own are words among the categories, except those of `OTHER_SOURCES`. */
function sourceOf(field: string, columns: Columns): TableField {
  if (isColumn(field) && columns.has(field)) return field;
  return OTHER_SOURCES.get(field) ?? 'categories';
}

const OTHER_SOURCES: ReadonlyMap<string, TableField> = new Map<string, TableField>([
  // The web address of a place may be a stream.
  ['streamingURL', 'venue'],
  ['publishingDate', 'published'],
]);

interface DifferingRows {
  readonly row: Row;
  readonly first: Row;
  readonly columns: Columns;
}

/** The first column of a field in which a row does not say what the first row says. */
function differingColumn(field: TableField, { row, first, columns }: DifferingRows): string {
  const valuesOfFirst = new Set(columns.usedCellsOf(first, field).map(({ value }) => value));
  const other = columns.usedCellsOf(row, field).find(({ value }) => !valuesOfFirst.has(value));
  return other?.column ?? columns.columnIn(row, field);
}

function isColumn(field: string): field is TableField {
  return Object.hasOwn(TABLE_FIELDS, field);
}

interface EventDates {
  readonly dates: readonly JsonObject[];
  readonly repeats: readonly JsonObject[];
  /** The number of rows that gave any of them. */
  readonly usedRows: number;
}

/** The dates and rules of all rows, each once. */
function datesIn(group: Group, shared: SharedValues, addFinding: AddFinding): EventDates {
  const rowByDate = new Map<string, number>();
  const usedRows = new Set<Row>();

  /** Without those that an earlier row has. */
  function newDates(dates: readonly object[], { row, values }: ReadRow): readonly JsonObject[] {
    const dateFields = ownFields(values, shared);
    return dates.flatMap((date) => {
      const value = { ...date, ...dateFields };
      const key = JSON.stringify(value);
      const earlierRow = rowByDate.get(key);
      if (earlierRow !== undefined) {
        const expected = 'a date that no earlier row of the event has';
        const found = `that of row ${earlierRow}`;
        addFinding({ action: 'left out', line: row.number, expected, found });
        return [];
      }
      rowByDate.set(key, row.number);
      usedRows.add(row);
      return [value];
    });
  }

  const byRow = group.map((row) => ({
    dates: newDates(row.dates, row),
    repeats: newDates(row.repeats, row),
  }));
  return {
    dates: byRow.flatMap(({ dates }) => dates),
    repeats: byRow.flatMap(({ repeats }) => repeats),
    usedRows: usedRows.size,
  };
}

/** Unknown columns are unknown fields of the event: ignored, and counted in the report. */
function unknownIn(group: Group, columns: Columns): JsonObject {
  const used = columns.unknown.filter(({ name, index }) => {
    const hasValue = group.some(({ row }) => (row.cells[index] ?? '') !== '');
    return hasValue && !Object.hasOwn(eventSchema.shape, name);
  });
  return Object.fromEntries(used.map(({ name }) => [name, null]));
}
