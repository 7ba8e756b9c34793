/**
 * Which rows are shown (G2). A row is left out if a cell says, or may say, that the row is private or unpublished. Only an unknown `Status` says
 * nothing about that, because the column is free text.
 */
import { excerpt, WORDS_OF_VISIBILITY } from '../../../findings.ts';
import type { AddFinding } from '../last-good.ts';
import type { DateOrder } from '../moment-forms.ts';
import { momentReader, type ReadMoment } from '../moments.ts';
import { instantAt, writtenAt } from '../native-dates.ts';
import type { Row } from '../table-rows.ts';
import { wordKey, wordReader, words } from './cells.ts';
import type { Columns } from './columns.ts';

interface VisibilityContext {
  readonly columns: Columns;
  readonly read: ReadMoment;
  readonly addFinding: AddFinding;
  /** An id of the table as an id of the calendar. */
  readonly idOf: (id: string) => string;
}

/** Reports a row that a cell hides, and one with a cell that cannot be read. Returns whether it has reported it. */
export function reportHidden(row: Row, context: VisibilityContext): boolean {
  const { columns, read, addFinding, idOf } = context;
  for (const field of ['private', 'sensitivity', 'published', 'status'] as const) {
    for (const { column, value } of columns.cellsOf(row, field)) {
      const cell = String(value);
      const isHidden = cell === '' ? false : HIDES[field](cell, read);
      if (isHidden === false) continue;
      const id = columns.cellOf(row, 'id');
      const understood = field === 'published' ? WORDS_OF_VISIBILITY.published : WORDS_OF_VISIBILITY.private;
      addFinding({
        action: isHidden ? 'left out' : 'dropped record',
        line: row.number,
        id: id === '' ? null : idOf(id),
        field: column,
        expected: isHidden ? 'a row that is public' : understood,
        found: excerpt(cell),
      });
      return true;
    }
  }
  return false;
}

/** The latest time in the `Published` columns of a row if it has not passed, in the native format: the row's event is shown from then on. */
export function publishedLater(
  row: Row,
  { columns, read, now }: Pick<VisibilityContext, 'columns' | 'read'> & { readonly now: number },
): string | undefined {
  const times = columns.cellsOf(row, 'published').map(({ value }) => timeIn(String(value), read));
  const later = times.filter((time) => time !== null).filter((time) => instantAt(time) > now);
  return later.sort((left, right) => instantAt(left) - instantAt(right)).at(-1);
}

/** A date or a time of a `Published` column, in the native format; null for any other text, and for a span of days. */
function timeIn(cell: string, read: ReadMoment): string | null {
  for (const reader of [read, ...READERS]) {
    const moment = reader(cell);
    if (moment === null || moment.day === null || moment.lastDay !== null) continue;
    return writtenAt({ day: moment.day, time: moment.time ?? '00:00', offset: moment.offset });
  }
  return null;
}

/** Programs may write the time of publishing in another form than the dates of events, also in a table whose `format` is set. */
const READERS = (['day first', 'month first'] satisfies DateOrder[]).map((order) =>
  momentReader(null, order),
);

/** Words for a row that not everyone may see, in Norwegian and English. Their letters are folded. */
const PRIVATE = words(
  'privat|private|personlig|personleg|personal|konfidensiell|konfidensielt|konfidensiellt|fortrolig|fortruleg|confidential|skjult|goymd|goymt|loynd|hidden|hemmelig|hemmeleg|secret|intern|internt|internal',
);

/** Words for a row that is not published yet, or no longer. */
const UNPUBLISHED = words(
  'upublisert|ikke publisert|ikkje publisert|unpublished|not published|utkast|kladd|draft|pending|pending review|til godkjenning|slettet|sletta|deleted|trash|arkivert|archived|avvist|rejected|ikke godkjent|ikkje godkjend|ikkje godkjent|not approved|venter pa godkjenning|ventar pa godkjenning|awaiting approval',
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
  yes: words(
    'publisert|published|publish|offentlig|offentleg|public|live|synlig|synleg|visible|vis|vises|show|apen|apent|open|ope|alle|all|everyone|ok|pa|on|aktiv|active|✓|✔|☑',
  ),
  no: [
    ...HIDING,
    ...words(
      'usynlig|usynleg|ikke synlig|ikkje synleg|invisible|not visible|skjul|skjules|goym|goymast|hide|av|off|inaktiv|inactive|☐|✗|✘',
    ),
  ],
});

/** A `Status` is free text, such as `Få plasser`. It hides a row only if it is one of these words. */
const HIDDEN_STATUS = new Set(HIDING);

/** Whether a cell of a `Published` column hides its row. A date does not: it says from when the row is shown (`publishedLater`). */
function hidesUnpublished(cell: string, read: ReadMoment): boolean | undefined {
  const isPublished = readPublished(cell);
  if (isPublished !== undefined) return !isPublished;
  return timeIn(cell, read) === null ? undefined : false;
}

/** Whether a cell hides its row; undefined for an unknown word. */
const HIDES = {
  private: readPrivate,
  sensitivity: readPrivate,
  published: hidesUnpublished,
  status: (cell: string) => HIDDEN_STATUS.has(wordKey(cell)),
} as const;
