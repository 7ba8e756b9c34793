/** Reads the bytes of a table, as any program saves it, as rows of cells. The only importer of the CSV library. */
import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { excerpt, shorten } from '../../../findings.ts';
import { decodeText } from '../../../source/encodings.ts';
import type { AddFinding } from '../last-good.ts';
import {
  collectRows,
  LONGEST_ROW,
  MOST_COLUMNS,
  type Row,
  type TableFormat,
  type WideRow,
} from '../table-rows.ts';
import { WORKBOOK } from '../workbooks/workbook.ts';

interface Table {
  readonly rows: readonly Row[];
  /** False if a quote is never closed: the rest of the file is not read. */
  readonly isComplete: boolean;
}

interface TableOptions {
  /** The name of a sheet of a workbook; null for its first one. */
  readonly sheet: string | null;
  /** Scores the first rows of a table, as split by one of the possible separators. */
  readonly rate: Rate;
  readonly addFinding: AddFinding;
}

type Rate = (rows: readonly Row[]) => number;

/** The kinds of files, besides text, that a table may be. */
const FORMATS: Readonly<Record<string, TableFormat>> = {
  workbook: WORKBOOK,
};

/**
 * The table is a CSV file or of one of these formats, whatever its name is. Throws FeedProblem for a table with too many rows, and for a workbook that
 * cannot be read. Other parts that are too large are reported, and not read.
 */
export function readTable(bytes: Buffer, options: TableOptions): Table {
  const { sheet, addFinding } = options;
  const format = Object.values(FORMATS).find(({ isFormatOf }) => isFormatOf(bytes));
  if (format === undefined) return readText(bytes, options);
  const { rows, tooWide } = format.read(bytes, { sheet, addFinding });
  reportWidth(tooWide, addFinding);
  return { rows, isComplete: true };
}

function readText(bytes: Buffer, { sheet, rate, addFinding }: TableOptions): Table {
  const { text, firstGuess: line } = decodeText(bytes);
  if (line !== null) {
    const found = 'other bytes, and read as Windows-1252';
    addFinding({ action: 'changed value', line, expected: 'UTF-8', found });
  }
  if (sheet !== null) {
    const expected = `a workbook with the sheet ${excerpt(sheet)}`;
    addFinding({ action: 'changed value', expected, found: 'a CSV file, which is one sheet' });
  }
  const separatorLine = SEPARATOR_LINE.exec(text);
  const body = separatorLine === null ? text : text.slice(separatorLine[0].length);
  const separator = separatorLine?.[1] ?? bestSeparator(body, rate);
  const { rows, count, problem, tooWide } = parseRows(body, separator);
  reportWidth(tooWide, addFinding);
  if (problem !== null) {
    const expected = 'a closing quote (the rest is not read)';
    addFinding({ action: 'dropped record', line: count + 1, expected, found: problem });
  }
  return { rows, isComplete: problem === null };
}

function reportWidth(tooWide: WideRow | null, addFinding: AddFinding): void {
  if (tooWide === null) return;
  const { number, columns } = tooWide;
  const expected = `at most ${MOST_COLUMNS} columns (the rest of this row and others is not read)`;
  addFinding({ action: 'changed value', line: number, expected, found: `${columns}` });
}

/** Excel's own line for the separator, which it does not show. */
const SEPARATOR_LINE = /^"?sep=(.)"?(?:\r\n|\n|\r)/i;

const SEPARATORS = [';', ',', '\t', '|'] as const;
/** The beginning of a table that each separator is tried on: characters, and rows in them. */
const RATED_CHARACTERS = 100_000;
const RATED_ROWS = 10;
/** csv-parse's own value for no limit. */
const ALL_ROWS = -1;

/** The separator by which the first rows name the most known columns; of equals, the one with the most columns. */
function bestSeparator(body: string, rate: Rate): string {
  const beginning = body.slice(0, RATED_CHARACTERS);
  const rated = SEPARATORS.map((separator) => {
    const { rows } = parseRows(beginning, separator, RATED_ROWS);
    const columns = Math.max(0, ...rows.map(({ cells }) => cells.length));
    return { separator, named: rate(rows), columns };
  });
  const [best] = rated.sort((left, right) => right.named - left.named || right.columns - left.columns);
  return best?.separator ?? ';';
}

interface ParsedRows {
  /** The rows that are not blank. */
  readonly rows: readonly Row[];
  /** The number of rows, blank ones included. */
  readonly count: number;
  /** What was found in place of the end of a row; null for a complete table. */
  readonly problem: string | null;
  readonly tooWide: WideRow | null;
}

function parseRows(text: string, separator: string, mostRows = ALL_ROWS): ParsedRows {
  const { add, rows, tooWide } = collectRows();
  let count = 0;

  function addRow(written: readonly string[]): null {
    count += 1;
    add(count, written);
    // The library stores no rows itself.
    return null;
  }

  const problem = problemWhile(() =>
    parse(text, {
      delimiter: separator,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
      // A quote that is never closed makes one row of the rest.
      max_record_size: LONGEST_ROW,
      to: mostRows,
      on_record: addRow,
    }),
  );
  return { rows, count, problem, tooWide: tooWide() };
}

/** The library's error; null without one. */
function problemWhile(work: () => void): string | null {
  try {
    work();
    return null;
  } catch (thrown) {
    if (!(thrown instanceof CsvError)) throw thrown;
    return WITHOUT_END[thrown.code] ?? shorten(thrown.message);
  }
}

/** What is found in place of the end of a row, by the library's code. */
const WITHOUT_END: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'the end of the file',
  CSV_MAX_RECORD_SIZE: `a row of more than ${LONGEST_ROW} characters`,
};
