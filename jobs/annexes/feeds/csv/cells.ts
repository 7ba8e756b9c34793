/** Readers of cells: flags, numbers, web addresses, lists. Undefined for any other text. */
import { nameKey } from '../../../../src/calendar/text.ts';
import { webAddress } from '../../../validate/sanitize.ts';
import { oneLine } from '../event-fields.ts';
import type { TableField as Field } from '../table-fields.ts';

export interface CellRow {
  /** Empty if there is no such column. */
  readonly cell: (field: Field) => string;
  readonly refuse: (field: Field, expected: string, action?: 'dropped record' | 'dropped date') => void;
}

/** A cell's native value. Undefined for a blank cell and, after a finding, for an invalid one. */
export function cellAs<Value>(
  field: Field,
  { cell, refuse }: CellRow,
  { expected, read }: CellReader<Value>,
): Value | undefined {
  if (cell(field) === '') return undefined;
  const value = read(cell(field));
  if (value === undefined) refuse(field, expected);
  return value;
}

export interface CellReader<Value> {
  readonly expected: string;
  readonly read: (cell: string) => Value | undefined;
}

export const URL_OF: CellReader<string> = { expected: 'an http or https URL', read: urlOf };
export const INTEGER: CellReader<number> = {
  expected: 'a whole number',
  read: (cell) => (/^\d{1,6}$/.test(cell) ? Number(cell) : undefined),
};
export const DURATION: CellReader<number> = {
  expected: 'minutes, or hours and minutes such as 1:30',
  read: durationOf,
};

/** Words of one kind of column, besides those of all columns. */
interface Words {
  readonly yes: readonly string[];
  readonly no: readonly string[];
}

const listed = (words: string): readonly string[] => words.split('|');

const YES = listed('ja|yes|true|sann|1|x|j|y');
const NO = listed('nei|no|false|usann|0|n|-');

function wordReader(columnWords: Words): CellReader<boolean>['read'] {
  const yes = new Set([...YES, ...columnWords.yes]);
  const no = new Set([...NO, ...columnWords.no]);
  return (cell) => {
    const key = nameKey(cell).replace(/(?<![.!])[.!]+$/, '');
    if (yes.has(key)) return true;
    return no.has(key) ? false : undefined;
  };
}

export const FLAG: CellReader<boolean> = {
  expected: 'ja or nei',
  read: wordReader({ yes: [], no: [] }),
};

/** Whether a date is cancelled or sold out: people repeat the word of the column. */
export const STATE_FLAG: CellReader<boolean> = {
  expected: 'ja or nei',
  read: wordReader({ yes: listed('avlyst|cancelled|canceled|utsolgt|sold out'), no: [] }),
};

/** Whether a word of a `Private` or `Sensitivity` column, in Norwegian or English, hides a row. */
export const readPrivate = wordReader({
  yes: listed(
    'privat|private|personlig|personal|konfidensiell|konfidensielt|fortrolig|confidential|skjult|hidden|hemmelig|secret|intern|internt|internal',
  ),
  no: listed(
    'offentlig|public|normal|standard|default|vanlig|apen|apent|open|alle|all|everyone|ikke privat|not private',
  ),
});

/** Whether a word of a `Published` column, in Norwegian or English, shows a row. */
export const readPublished = wordReader({
  yes: listed('publisert|published|offentlig|public|live'),
  no: listed(
    'upublisert|ikke publisert|unpublished|not published|utkast|kladd|draft|pending|skjult|hidden|privat|private',
  ),
});

/** A `Status` is free text; these words of it hide a row. */
const HIDDEN_STATUS =
  /^(?:utkast|kladd|draft|upublisert|ikke publisert|unpublished|not published|pending(?: review)?|til godkjenning|privat|private|konfidensiel[lt]t?|confidential|skjult|hidden|slettet|deleted|trash|arkivert|archived|avvist|rejected)$/;

export function isHiddenStatus(cell: string): boolean {
  return HIDDEN_STATUS.test(nameKey(cell));
}

/** People omit the scheme, as browsers allow. */
export function urlOf(cell: string): string | undefined {
  return webAddress(/^www\.[^\s/.]+\.\S+$/i.test(cell) ? `https://${cell}` : cell) ?? undefined;
}

/** Parts of a list, each once; names of organizers may contain commas. */
export function partsOf(cell: string, separators: RegExp): readonly string[] {
  const parts = cell.split(separators).map(oneLine);
  return [...new Set(parts.filter((part) => part !== ''))];
}

/** Minutes: `90`, `90 min`, `1:30`, `1,5 t`, `1 t 30 min`. */
function durationOf(cell: string): number | undefined {
  const key = nameKey(cell).replace(/^(?:~|ca\.?) ?/, '');
  const [, minutes] = /^(\d{1,5}) ?(?:m|min\.?|minutter|minutes)?$/.exec(key) ?? [];
  if (minutes !== undefined) return Number(minutes);
  const [, hours, rest] = /^(\d{1,3}):([0-5]\d)(?::[0-5]\d)?(?: ?(?:t|h|timer|hours))?$/.exec(key) ?? [];
  if (hours !== undefined) return Number(hours) * 60 + Number(rest);
  const [, whole, more] =
    /^(\d{1,3}(?:[.,]\d{1,2})?) ?(?:t|h|timer?|hours?)\.?(?: (?:og )?(\d{1,2}) ?(?:m|min\.?|minutter|minutes))?$/.exec(
      key,
    ) ?? [];
  if (whole === undefined) return undefined;
  return Math.round(Number(whole.replace(',', '.')) * 60) + Number(more ?? 0);
}
