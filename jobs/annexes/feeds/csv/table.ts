/** Reads the bytes of a table, as any program saves it, as rows of cells. The only importer of the CSV library. */
import { CsvError } from 'csv-parse';
import { parse } from 'csv-parse/sync';
import { decodeText } from '../../../encodings.ts';
import { shorten } from '../../../records.ts';
import { FeedProblem } from '../health.ts';
import type { AddFinding } from '../last-good.ts';

export interface Row {
  /** 1-based, as in spreadsheet programs: the names of the columns are row 1 unless rows stand above them. */
  readonly number: number;
  /** Trimmed. */
  readonly cells: readonly string[];
}

/** Rows that are not blank: more than a large region has in a year. */
const MOST_ROWS = 200_000;
/** Characters; a quote that is never closed makes one row of the rest. */
const LONGEST_ROW = 1024 * 1024;

/** Ten times what people make by hand. */
const MOST_COLUMNS = 1_000;

interface Table {
  readonly rows: readonly Row[];
  /** False if a quote is never closed: the rest of the file is not read. */
  readonly isComplete: boolean;
}

/** Scores the first rows of a table, as split by one of the possible separators. */
type Rate = (rows: readonly Row[]) => number;

/** Throws FeedProblem if the table has too many rows. Other parts that are too large are reported, and not read. */
export function readTable(bytes: Buffer, rate: Rate, addFinding: AddFinding): Table {
  const { text, firstGuess: line } = decodeText(bytes);
  if (line !== null) {
    const found = 'other bytes, and read as Windows-1252';
    addFinding({ action: 'changed value', line, expected: 'UTF-8', found });
  }
  const separatorLine = SEPARATOR_LINE.exec(text);
  const body = separatorLine === null ? text : text.slice(separatorLine[0].length);
  const separator = separatorLine?.[1] ?? bestSeparator(body, rate);
  const { rows, count, problem, tooWide } = parseRows(body, separator);
  if (tooWide !== null) {
    const { number, columns } = tooWide;
    const expected = `at most ${MOST_COLUMNS} columns (the rest of this row and others is not read)`;
    addFinding({ action: 'changed value', line: number, expected, found: `${columns}` });
  }
  if (problem !== null) {
    const expected = 'a closing quote (the rest is not read)';
    addFinding({ action: 'dropped record', line: count + 1, expected, found: problem });
  }
  return { rows, isComplete: problem === null };
}

/** Cells as a finding shows them. */
export function quotedCells(cells: readonly string[]): string {
  const quoted = cells.slice(0, MOST_QUOTED).map((cell) => JSON.stringify(cell));
  return shorten(quoted.join(', '));
}

/** More than fit into a finding. */
const MOST_QUOTED = 100;

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
  /** Those that are not blank. */
  readonly rows: readonly Row[];
  /** The number of rows, blank ones included. */
  readonly count: number;
  /** What was found in place of the end of a row; null for a complete table. */
  readonly problem: string | null;
  /** The first row that has more columns than are read. */
  readonly tooWide: WideRow | null;
}

interface WideRow {
  readonly number: number;
  readonly columns: number;
}

function parseRows(text: string, separator: string, mostRows = ALL_ROWS): ParsedRows {
  const rows: Row[] = [];
  let count = 0;
  let tooWide: WideRow | null = null;

  function addRow(written: readonly string[]): null {
    count += 1;
    const cells = written.slice(0, MOST_COLUMNS).map((cell) => cell.trim());
    // Programs write blank cells up to the end of their sheet.
    const isTooWide = written.slice(MOST_COLUMNS).some((cell) => cell.trim() !== '');
    if (isTooWide) tooWide ??= { number: count, columns: written.length };
    if (cells.every((cell) => cell === '')) return null;
    if (rows.length === MOST_ROWS)
      throw new FeedProblem('size limit', `expected at most ${MOST_ROWS} rows, found more`);
    rows.push({ number: count, cells });
    // The library stores no rows itself.
    return null;
  }

  const problem = problemWhile(() =>
    parse(text, {
      delimiter: separator,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
      max_record_size: LONGEST_ROW,
      to: mostRows,
      on_record: addRow,
    }),
  );
  return { rows, count, problem, tooWide };
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
