/** Which rows are shown: rows that are, or may be, private or unpublished are left out (G2). */
import { excerpt } from '../../../findings.ts';
import type { AddFinding } from '../last-good.ts';
import type { Row } from '../table-rows.ts';
import { wordKey, wordReader, words } from './cells.ts';
import type { Columns } from './columns.ts';

interface VisibilityContext {
  readonly columns: Columns;
  readonly addFinding: AddFinding;
  /** An id of the table as an id of the calendar. */
  readonly idOf: (id: string) => string;
}

/** Reports a row that a cell hides, and one with a cell that cannot be read. Returns whether it has reported it. */
export function reportHidden(row: Row, context: VisibilityContext): boolean {
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
      field: columns.columnIn(row, field),
      expected: isHidden ? 'a row that is public' : 'ja, nei or a word such as Normal or Privat',
      found: excerpt(cell),
    });
    return true;
  }
  return false;
}

/** Words for a row that not everyone may see, in Norwegian and English. Their letters are folded. */
const PRIVATE = words(
  'privat|private|personlig|personleg|personal|konfidensiell|konfidensielt|konfidensiellt|fortrolig|fortruleg|confidential|skjult|goymd|goymt|loynd|hidden|hemmelig|hemmeleg|secret|intern|internt|internal',
);

/** Words for a row that is not published yet, or no longer. */
const UNPUBLISHED = words(
  'upublisert|ikke publisert|ikkje publisert|unpublished|not published|utkast|kladd|draft|pending|pending review|til godkjenning|slettet|sletta|deleted|trash|arkivert|archived|avvist|rejected',
);

const HIDING = [...PRIVATE, ...UNPUBLISHED];

/** Whether a cell of a `Private` or `Sensitivity` column hides its row. */
const readPrivate = wordReader({
  yes: PRIVATE,
  no: words(
    'offentlig|offentleg|public|normal|standard|default|vanlig|vanleg|apen|apent|open|ope|alle|all|everyone|ikke privat|ikkje privat|not private',
  ),
});

/** Whether a cell of a `Published` column shows its row. */
const readPublished = wordReader({
  yes: words('publisert|published|offentlig|offentleg|public|live'),
  no: HIDING,
});

/** A `Status` is free text. It hides a row if it is one of these words. */
const HIDDEN_STATUS = new Set(HIDING);

/** Whether a cell hides its row; undefined for an unknown word. */
const HIDES = {
  private: readPrivate,
  sensitivity: readPrivate,
  // Columns of this name may also contain dates.
  published: (cell: string) => readPublished(cell) === false,
  status: (cell: string) => HIDDEN_STATUS.has(wordKey(cell)),
} as const;
