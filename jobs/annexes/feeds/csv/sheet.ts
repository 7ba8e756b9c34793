/**
 * F15, F16, F18: sheets that people keep for this calendar: tables with one correction, venue or feed a row. A sheet that may have lost rows
 * by mistake is refused as a whole: hidden events would come back, and events would lose their places or be gone.
 */
import { failureText } from '../../../../src/calendar/failures.ts';
import type { JsonObject } from '../../../../src/calendar/json.ts';
import type { ParsedFeed } from '../config.ts';
import { createFeedFindings } from '../feed-findings.ts';
import { FeedProblem } from '../feed-problem.ts';
import type { SheetKind } from '../kinds.ts';
import type { AddFinding } from '../last-good.ts';
import type { FeedReader } from '../reading.ts';
import type { Row } from '../table-rows.ts';
import type { SheetColumns, SheetLayout } from './sheet-layout.ts';
import { readTable } from './table.ts';

/** A sheet whose columns are known. */
export interface OpenSheet<Field extends string> {
  readonly columns: SheetColumns<Field>;
  /** The rows below the names of the columns. */
  readonly rows: readonly Row[];
  readonly feed: ParsedFeed;
  readonly addFinding: AddFinding;
}

/** Returns the records of a row: none, after a finding, if it cannot be used; null if it says nothing. */
type ReadRow = (row: Row) => readonly JsonObject[] | null;

interface SheetRules<Field extends string> {
  readonly layout: SheetLayout<Field>;
  /** The most records that a sheet may have. */
  readonly most: number;
  /** Whether a cell says nothing. */
  readonly isUnset: (field: Field, cell: (field: Field) => string) => boolean;
  /** Throws FeedProblem for a sheet that cannot be read. */
  readonly createReadRow: (sheet: OpenSheet<Field>) => ReadRow;
}

/** The reader throws FeedProblem for a table that does not name the necessary columns, that is cut off, or that has too many records. */
export function sheetReader<Field extends string>(list: SheetKind, rules: SheetRules<Field>): FeedReader {
  return ([document], { feed }, emit) => {
    const findings = createFeedFindings(emit);
    const { rows, isComplete } = readTable(document?.bytes ?? Buffer.alloc(0), {
      sheet: feed.sheet,
      rate: rules.layout.countNamed,
      addFinding: findings.add,
    });
    if (!isComplete) throw new FeedProblem('truncated', failureText('openQuote'));
    const [head, ...rowsBelow] = rows;
    const columns = rules.layout.columnsOf(head, findings.add);
    const readRow = rules.createReadRow({ columns, rows: rowsBelow, feed, addFinding: findings.add });
    /** Rows that gave records, and those that could not be used. */
    let used = 0;
    let dropped = 0;
    let emitted = 0;
    for (const row of rowsBelow) {
      const records = readRow(row);
      if (records === null) continue;
      emitted += records.length;
      if (emitted > rules.most)
        throw new FeedProblem('size limit', `expected at most ${rules.most} ${list}, found more`);
      for (const value of records) emit({ list, line: row.number, value });
      if (records.length === 0) dropped += 1;
      else used += 1;
    }
    findings.end();
    const isFilled = (field: Field) =>
      rowsBelow.some((row) => !rules.isUnset(field, (name) => columns.cellOf(row, name)));
    const filled = columns.fields.map((field) => [field, isFilled(field)] as const);
    return {
      counts: { entries: used + dropped, events: 0, merged: 0, dropped, [list]: used },
      dates: 0,
      isComplete,
      columns: Object.fromEntries(filled),
    };
  };
}
