/** Whether a row is shown: rows that are, or may be, private or unpublished are left out (G2). */
import { nameKey } from '../../../../src/calendar/text.ts';
import { excerpt } from '../../../records.ts';
import type { AddFinding } from '../last-good.ts';
import { wordReader, words } from './cells.ts';
import type { Columns } from './columns.ts';
import type { Row } from './table-rows.ts';

interface VisibilityContext {
  readonly columns: Columns;
  readonly addFinding: AddFinding;
  /** An id of the table as an id of the calendar. */
  readonly idOf: (id: string) => string;
}

/** False, after a finding, for a row that a cell hides, and for one with a cell that cannot be read. */
export function isShown(row: Row, context: VisibilityContext): boolean {
  const { columns, addFinding, idOf } = context;
  for (const field of ['private', 'sensitivity', 'published', 'status'] as const) {
    const cell = columns.cellOf(row, field);
    const isHidden = cell === '' ? false : HIDES[field](cell);
    if (isHidden === false) continue;
    const id = columns.cellOf(row, 'id');
    addFinding({
      action: isHidden ? 'left out' : 'dropped record',
      line: row.number,
      id: id === '' ? null : idOf(id),
      field: columns.columnName(field),
      expected: isHidden ? 'a row that is public' : 'ja, nei or a word such as Normal or Privat',
      found: excerpt(cell),
    });
    return false;
  }
  return true;
}

/** Words of a `Private` or `Sensitivity` column, in Norwegian and English: whether they hide a row. */
const readPrivate = wordReader({
  yes: words(
    'privat|private|personlig|personleg|personal|konfidensiell|konfidensielt|fortrolig|fortruleg|confidential|skjult|goymd|goymt|loynd|hidden|hemmelig|hemmeleg|secret|intern|internt|internal',
  ),
  no: words(
    'offentlig|offentleg|public|normal|standard|default|vanlig|vanleg|apen|apent|open|ope|alle|all|everyone|ikke privat|ikkje privat|not private',
  ),
});

/** Words of a `Published` column, in Norwegian and English: whether they show a row. */
const readPublished = wordReader({
  yes: words('publisert|published|offentlig|offentleg|public|live'),
  no: words(
    'upublisert|ikke publisert|ikkje publisert|unpublished|not published|utkast|kladd|draft|pending|skjult|goymd|goymt|hidden|privat|private',
  ),
});

/** A `Status` is free text; these words of it hide a row. */
const HIDDEN_STATUS = new Set(
  words(
    'utkast|kladd|draft|upublisert|ikke publisert|ikkje publisert|unpublished|not published|pending|pending review|til godkjenning|privat|private|konfidensiell|konfidensielt|konfidensiellt|fortruleg|confidential|skjult|goymd|goymt|loynd|hidden|slettet|sletta|deleted|trash|arkivert|archived|avvist|rejected',
  ),
);

/** Whether a cell hides its row; undefined for an unknown word. */
const HIDES = {
  private: readPrivate,
  sensitivity: readPrivate,
  // Columns of this name may also contain dates.
  published: (cell: string) => readPublished(cell) === false,
  status: (cell: string) => HIDDEN_STATUS.has(nameKey(cell)),
} as const;
