/** Reads the bytes of a table, saved by any program, as rows of cells. The only importer of the CSV library. */
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

type Rate = (rows: readonly Row[]) => number;

interface Table {
  readonly rows: readonly Row[];
  /** False if a quote is never closed: the rest of the file is not read. */
  readonly isComplete: boolean;
}

/** `rate` scores the first rows as split by a separator. Throws FeedProblem if the table is too large. */
export function readTable(bytes: Buffer, rate: Rate, addFinding: AddFinding): Table {
  const { text, firstGuess: line } = decodeText(bytes);
  if (line !== null) {
    const found = 'other bytes, and read as Windows-1252';
    addFinding({ action: 'changed value', line, expected: 'UTF-8', found });
  }
  const separatorLine = SEPARATOR_LINE.exec(text);
  const body = separatorLine === null ? text : text.slice(separatorLine[0].length);
  const separator = separatorLine?.[1] ?? bestSeparator(body, rate);
  const { rows, count, problem, tooWide } = parseRows(body, separator, null);
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

/** Excel's own line for the separator, which it does not show. */
const SEPARATOR_LINE = /^"?sep=(.)"?(?:\r\n|\n|\r)/i;

const SEPARATORS = [';', ',', '\t', '|'] as const;
const FIRST_LETTERS = 100_000;
const FIRST_ROWS = 10;

/** The separator by which the first rows name the most known columns; of equals, the one with the most columns. */
function bestSeparator(body: string, rate: Rate): string {
  const beginning = body.slice(0, FIRST_LETTERS);
  const rated = SEPARATORS.map((separator) => {
    const { rows } = parseRows(beginning, separator, FIRST_ROWS);
    return { separator, named: rate(rows), columns: Math.max(0, ...rows.map(({ cells }) => cells.length)) };
  });
  rated.sort((left, right) => right.named - left.named || right.columns - left.columns);
  return rated[0]?.separator ?? ';';
}

const WITHOUT_END: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'the end of the file',
  CSV_MAX_RECORD_SIZE: `a row of more than ${LONGEST_ROW} characters`,
};

/** With the number of rows, blank ones included, the first that has more columns than are read, and what was found in place of the end of a row. */
function parseRows(text: string, separator: string, most: number | null) {
  const rows: Row[] = [];
  let number = 0;
  let tooWide: { readonly number: number; readonly columns: number } | null = null;
  try {
    parse(text, {
      delimiter: separator,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      relax_quotes: true,
      max_record_size: LONGEST_ROW,
      ...(most !== null && { to: most }),
      on_record: (written: readonly string[]) => {
        number++;
        const cells = written.slice(0, MOST_COLUMNS).map((cell) => cell.trim());
        // Programs write blank cells up to the end of their sheet.
        if (tooWide === null && written.slice(MOST_COLUMNS).some((cell) => cell.trim() !== ''))
          tooWide = { number, columns: written.length };
        if (cells.every((cell) => cell === '')) return null;
        if (rows.length === MOST_ROWS)
          throw new FeedProblem('size limit', `expected at most ${MOST_ROWS} rows, found more`);
        rows.push({ number, cells });
        return null;
      },
    });
    return { rows, count: number, problem: null, tooWide };
  } catch (thrown) {
    if (!(thrown instanceof CsvError)) throw thrown;
    return { rows, count: number, tooWide, problem: WITHOUT_END[thrown.code] ?? shorten(thrown.message) };
  }
}
