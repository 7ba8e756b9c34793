/** The forms of a row in a table of events, from its cells to its values. `events.ts` lists them in order. */
import type { JsonObject } from '../../../../src/calendar/json.ts';
import type { Categories, UnnamedCategory } from '../categories.ts';
import type { ParsedFeed } from '../config.ts';
import type { FeedDirectory } from '../directory.ts';
import type { DateValues } from '../event-assembly.ts';
import type { Zones } from '../ical/zones.ts';
import type { AddFinding } from '../last-good.ts';
import type { ReadMoment } from '../moments.ts';
import type { WrittenDate, WrittenRepeat } from '../native-dates.ts';
import type { TableField } from '../table-fields.ts';
import type { Row } from '../table-rows.ts';
import type { Columns, NamedCell, UsedCell } from './columns.ts';

/** What the rows of a table have in common. */
export interface TableContext {
  readonly feed: ParsedFeed;
  readonly columns: Columns;
  readonly directory: FeedDirectory;
  readonly categories: Categories;
  readonly read: ReadMoment;
  readonly zones: Zones;
  /** Instant of the build. */
  readonly now: number;
  /** The address of a venue if another row has it, otherwise null. */
  readonly addressOfVenue: (name: string) => string | null;
  readonly addFinding: AddFinding;
  /** Converts an id in the table to an id in the calendar. */
  readonly idOf: (id: string) => string;
}

/** A row that is being read: its cells, by the fields of their columns. */
export interface RowCells extends TableContext {
  readonly row: Row;
  /** Empty if there is no such column. */
  readonly cell: (field: TableField) => string;
  /** The cells of a field that are not blank: only the first one, unless the field joins the texts of its columns. */
  readonly usedCells: (field: TableField) => readonly UsedCell[];
  /** Reports a cell that cannot be read. By default, its value is left out; `action` says if anything else is. */
  readonly reportCell: (field: TableField, expected: string, action?: 'dropped record') => void;
  /** Like `reportCell`, for one of the cells of a field that joins several columns. */
  readonly reportIn: (
    cell: Pick<NamedCell, 'column' | 'value'>,
    expected: string,
    action?: 'dropped record',
  ) => void;
}

/** The dates of a row in the native format. */
export interface RowDates {
  readonly dates: readonly WrittenDate[];
  readonly repeats: readonly WrittenRepeat[];
}

/** A row's values, as those of an event and its dates. */
export interface ReadRow extends RowDates {
  readonly row: Row;
  /** The id in the table; empty without one. */
  readonly id: string;
  /** Rows of one event have the same title, in one of its languages, and the same place. */
  readonly title: string;
  readonly place: string;
  /** Folded; empty if the row gives none. */
  readonly municipality: string;
  /** Values that a date may have of its own (F5). */
  readonly values: DateValues;
  /** The other fields: only those that the row has. */
  readonly fields: JsonObject;
  readonly unnamed: readonly UnnamedCategory[];
}
