/** Readers of cells: flags, numbers, web addresses, lists. Each returns undefined for a text that it cannot read. */
import { onOneLine } from '../../../../src/calendar/display-text.ts';
import { nameKey } from '../../../../src/calendar/text.ts';
import { webAddress } from '../../../validate/web-address.ts';
import { isMailAddress } from '../event-fields.ts';
import type { TableField } from '../table-fields.ts';
import type { RowCells } from './row.ts';

/** A cell's native value. Undefined for a blank cell and, after a finding, for an invalid one. */
export function cellAs<Value>(
  field: TableField,
  { cell, reportCell }: Pick<RowCells, 'cell' | 'reportCell'>,
  { expected, read }: CellReader<Value>,
): Value | undefined {
  if (cell(field) === '') return undefined;
  const value = read(cell(field));
  if (value === undefined) reportCell(field, expected);
  return value;
}

export interface CellReader<Value> {
  /** The `expected` of a finding about a cell that cannot be read. */
  readonly expected: string;
  readonly read: (cell: string) => Value | undefined;
}

export const WEB_ADDRESS: CellReader<string> = { expected: 'an http or https URL', read: urlOf };

export const INTEGER: CellReader<number> = {
  expected: 'a whole number',
  read: (cell) => (/^\d{1,6}$/.test(cell) ? Number(cell) : undefined),
};

/** Minutes. */
export const DURATION: CellReader<number> = {
  expected: 'minutes, or hours and minutes such as 1:30',
  read: durationOf,
};

export const FLAG: CellReader<boolean> = {
  expected: 'ja or nei',
  read: wordReader({ yes: [], no: [] }),
};

/** Whether a date is cancelled. People write the word of the column in place of `ja`, as in the next reader. */
export const CANCELLED_FLAG: CellReader<boolean> = {
  expected: 'ja or nei',
  read: wordReader({ yes: words('avlyst|cancelled|canceled'), no: [] }),
};

export const SOLD_OUT_FLAG: CellReader<boolean> = {
  expected: 'ja or nei',
  read: wordReader({ yes: words('utsolgt|utseld|utselt|sold out'), no: [] }),
};

/** Folded words of one kind of column, besides those of all columns. */
interface ColumnWords {
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

/** Creates the reader of a flag: true or false; undefined for an unknown word. */
export function wordReader(columnWords: ColumnWords): CellReader<boolean>['read'] {
  const yes = new Set([...words('ja|yes|true|sann|1|x|j|y'), ...columnWords.yes]);
  const no = new Set([...words('nei|no|false|usann|0|n|-'), ...columnWords.no]);
  return (cell) => {
    const key = wordKey(cell);
    if (yes.has(key)) return true;
    return no.has(key) ? false : undefined;
  };
}

/** The key of a cell that consists of a word: `Avlyst!` and `avlyst` are the same. */
export function wordKey(cell: string): string {
  return nameKey(cell).replace(/(?<![.!])[.!]+$/, '');
}

/** Words with a stroke between them: a list in which they are easy to read. */
export function words(listed: string): readonly string[] {
  return listed.split('|');
}

/** People omit the scheme, as browsers allow. */
function urlOf(cell: string): string | undefined {
  return webAddress(/^www\.[^\s/.]+\.\S+$/i.test(cell) ? `https://${cell}` : cell) ?? undefined;
}

/** Parts of a list, each once; names of organizers may contain commas. */
export function splitCell(cell: string, separators: RegExp): readonly string[] {
  const parts = cell.split(separators).map(onOneLine);
  return [...new Set(parts.filter((part) => part !== ''))];
}

type ReportCell = (expected: string) => void;

/** The names of organizers in a cell. Personal addresses are reported. */
export function organizersIn(cell: string, reportCell: ReportCell): readonly string[] {
  return splitCell(cell, /[;|\n]/).filter((name) => {
    const isPersonal = isMailAddress(name);
    if (isPersonal) reportCell('a name, not an email address');
    return !isPersonal;
  });
}

/** As images of a native record. Parts that are no address are reported. */
export function picturesIn(cell: string, reportCell: ReportCell): readonly Picture[] {
  return splitCell(cell, /[\s;|]+/).flatMap((written) => {
    const url = urlOf(written);
    if (url !== undefined) return [{ urlSmall: url, urlLarge: url }];
    reportCell('the http or https URL of an image');
    return [];
  });
}

interface Picture {
  readonly urlSmall: string;
  readonly urlLarge: string;
}

/** In minutes; undefined for another text. */
function durationOf(cell: string): number | undefined {
  const text = nameKey(cell).replace(/^(?:~|ca\.?) ?/, '');
  const groups = DURATION_FORMS.map((form) => form.exec(text)?.groups).find((found) => found !== undefined);
  if (groups === undefined) return undefined;
  const { hours = '0', minutes = '0' } = groups;
  return Math.round(Number(hours.replace(',', '.')) * 60) + Number(minutes);
}

const DURATION_FORMS = [
  // `90`, `90 min`
  /^(?<minutes>\d{1,5}) ?(?:m|min\.?|minutt(?:er)?|minutes)?$/,
  // `1:30`, `1:30:00`, `1:30 t`
  /^(?<hours>\d{1,3}):(?<minutes>[0-5]\d)(?::[0-5]\d)?(?: ?(?:t|h|timer|timar|hours))?$/,
  // `1,5 t`, `1 t 30 min`
  /^(?<hours>\d{1,3}(?:[.,]\d{1,2})?) ?(?:t|h|timer?|timar|hours?)\.?(?: (?:og )?(?<minutes>\d{1,2}) ?(?:m|min\.?|minutt(?:er)?|minutes))?$/,
];
