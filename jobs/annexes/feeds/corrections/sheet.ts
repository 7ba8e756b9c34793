/**
 * F15: reads a correction sheet, a table with one correction a row. A sheet that may have lost corrections by mistake is refused as a whole,
 * because hidden events would come back.
 */
import { dateReader } from '../csv/date-order.ts';
import { readTable } from '../csv/table.ts';
import { createFindings } from '../findings.ts';
import { FeedProblem } from '../health.ts';
import type { FeedReader } from '../reading.ts';
import { fieldsNamed, findSheetColumns, type SheetField } from './sheet-columns.ts';
import { readSheetRow } from './sheet-row.ts';
import { isUnset, type SheetContext } from './sheet-values.ts';

/** People write them by hand. A row has one for each of its days. Each one costs work for every date of its event. */
const MOST_CORRECTIONS = 2_000;

/** Throws FeedProblem for a table that does not name the necessary columns, that is cut off, or whose dates are in an uncertain order. */
export const readCorrectionSheet: FeedReader = ([document], { feed }, emit) => {
  const findings = createFindings(emit);
  const { rows, isComplete } = readTable(document?.bytes ?? Buffer.alloc(0), {
    sheet: feed.sheet,
    rate: fieldsNamed,
    addFinding: findings.add,
  });
  if (!isComplete) throw new FeedProblem('truncated', 'expected a closing quote, found the end of the sheet');
  const [head, ...written] = rows;
  const columns = findSheetColumns(head, findings.add);
  const context: SheetContext = {
    columns,
    language: feed.language,
    read: dateReader({ rows: written, columns: columns.dates }, feed.format),
    addFinding: findings.add,
  };
  let emitted = 0;
  let corrections = 0;
  let dropped = 0;
  for (const row of written) {
    const entries = readSheetRow(row, context);
    if (entries === null) continue;
    emitted += entries.length;
    if (emitted > MOST_CORRECTIONS)
      throw new FeedProblem('size limit', `expected at most ${MOST_CORRECTIONS} corrections, found more`);
    for (const value of entries) emit({ list: 'corrections', line: row.number, value });
    if (entries.length === 0) dropped += 1;
    else corrections += 1;
  }
  findings.end();
  const counts = { entries: corrections + dropped, events: 0, merged: 0, dropped, corrections };
  const isFilled = (field: SheetField) =>
    written.some((row) => !isUnset(field, (name) => columns.cellOf(row, name)));
  const filled = columns.fields.map((field) => [field, isFilled(field)] as const);
  return { counts, dates: 0, isComplete, columns: Object.fromEntries(filled) };
};
