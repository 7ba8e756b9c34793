/** F15: the columns of a correction sheet, by their names in the first row, in any order and case. */
import { createNearest, withNearest } from '../../../../src/calendar/nearest.ts';
import { nameKey } from '../../../../src/calendar/text.ts';
import { createColumns, type Columns as DateColumns } from '../csv/columns.ts';
import { nameForms } from '../csv/origins.ts';
import { quotedCells, type Row } from '../csv/table.ts';
import { FeedProblem } from '../health.ts';
import type { AddFinding } from '../last-good.ts';
import { TABLE_FIELDS, type TableField } from '../table-fields.ts';

/** The names that the column of a field has in a table of events. */
function tableNames(field: TableField): readonly string[] {
  return [...TABLE_FIELDS[field].names.split('|').filter((name) => name !== ''), field];
}

/**
 * The fields of a row, each with the folded names of its column. The first is the one that findings suggest. Descriptions have the names that
 * they have in a table of events, but there, `ingress` is a description, too.
 */
const NAMES = {
  id: ['id', 'lenke', 'link', 'url'],
  date: ['dato', 'date', 'dag', 'day'],
  hide: ['skjul', 'hide'],
  title: ['tittel', 'title'],
  norwegianTitle: ['norsk tittel', 'norwegian title', 'title nb'],
  englishTitle: ['engelsk tittel', 'english title', 'title en'],
  summary: ['ingress', 'kort tekst', 'summary'],
  norwegianSummary: ['norsk ingress', 'norsk kort tekst', 'norwegian summary', 'summary nb'],
  englishSummary: ['engelsk ingress', 'engelsk kort tekst', 'english summary', 'summary en'],
  start: ['start', 'starttid', 'klokkeslett', 'start time'],
  end: ['slutt', 'sluttid', 'end', 'end time'],
  category: ['kategori', 'kategorier', 'category', 'categories'],
  venue: ['sted', 'venue', 'place'],
  municipality: tableNames('municipality'),
  status: ['status'],
  featured: ['fremhev', 'fremhevet', 'featured', 'feature'],
  description: [
    'beskrivelse',
    'omtale',
    'tekst',
    'info',
    'informasjon',
    'om arrangementet',
    'description',
    'details',
    'about',
  ],
  norwegianDescription: ['norsk beskrivelse', 'beskrivelse norsk', 'desc_nb', 'norwegian description'],
  englishDescription: [
    'engelsk beskrivelse',
    'english description',
    'description english',
    'beskrivelse engelsk',
    'desc_en',
  ],
  prices: tableNames('prices'),
  ticketsURL: tableNames('ticketsURL'),
  images: tableNames('images'),
  organizers: ['arrangør', ...tableNames('organizers')],
  ageRestriction: tableNames('ageRestriction'),
  minimumAge: tableNames('minimumAge'),
  maximumAge: tableNames('maximumAge'),
  same: ['samme som', 'same as'],
  different: ['ikke samme som', 'not same as', 'not the same as', 'different from'],
  note: ['merknad', 'note', 'notat', 'kommentar', 'comment'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type SheetField = keyof typeof NAMES;

type Language = 'nb' | 'en';

/** The fields with texts, and their languages; null for that of the feed. */
const TEXTS = [
  { field: 'title', text: 'title', named: null },
  { field: 'norwegianTitle', text: 'title', named: 'nb' },
  { field: 'englishTitle', text: 'title', named: 'en' },
  { field: 'summary', text: 'summary', named: null },
  { field: 'norwegianSummary', text: 'summary', named: 'nb' },
  { field: 'englishSummary', text: 'summary', named: 'en' },
  { field: 'description', text: 'desc', named: null },
  { field: 'norwegianDescription', text: 'desc', named: 'nb' },
  { field: 'englishDescription', text: 'desc', named: 'en' },
] as const satisfies readonly { field: SheetField; text: string; named: Language | null }[];

/** Each field with a text, and the field of `set` that it gives (F13). A later one takes precedence over an earlier one that gives the same. */
export function textFields(
  language: Language,
): readonly { readonly field: SheetField; readonly path: string }[] {
  return TEXTS.map(({ field, text, named }) => ({ field, path: `${text}_${named ?? language}` }));
}

const FIELDS = Object.keys(NAMES) as readonly SheetField[];
/** The fields that change something. */
const EFFECTS = FIELDS.filter((field) => !['id', 'date', 'note'].includes(field));

export interface SheetColumns {
  /** The fields that have a column. */
  readonly fields: readonly SheetField[];
  /** Empty for a field without a column. */
  readonly cellOf: (row: Row, field: SheetField) => string;
  /** The column's name in the sheet; a name that it may have if there is no such column. */
  readonly nameOf: (field: SheetField) => string;
  /** The columns with days and times of day, as tables have them. */
  readonly dates: DateColumns;
}

/** Throws FeedProblem for a first row that does not name the columns, so that the previous corrections stay in effect. */
export function findSheetColumns(head: Row | undefined, addFinding: AddFinding): SheetColumns {
  const indexes = indexesIn(head);
  const fields = FIELDS.filter((field) => indexes.has(field));
  if (head === undefined || !isSufficient(fields)) throw unnamedColumns(head);
  reportOthers(head, indexes, addFinding);
  const indexOf = (field: SheetField) => indexes.get(field) ?? -1;
  const dateFields = (['date', 'start', 'end'] as const).filter((field) => indexes.has(field));
  return {
    fields,
    cellOf: ({ cells }, field) => cells[indexOf(field)] ?? '',
    nameOf: (field) => head.cells[indexOf(field)] ?? titleOf(field),
    dates: createColumns(head, new Map(dateFields.map((field) => [field, [indexOf(field)]])), []),
  };
}

/** The number of fields that a row names: of a table's possible separators, the right one gives the most. */
export function fieldsNamed([head]: readonly Row[]): number {
  return indexesIn(head).size;
}

/** A name of the column of a field, as findings write it: `Kategori`. */
function titleOf(field: SheetField): string {
  const [name] = NAMES[field];
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

/** As `titleOf`; a name that is not that of a field as it is. */
export function columnTitle(name: string): string {
  const field = FIELDS.find((known) => known === name);
  return field === undefined ? name : titleOf(field);
}

function isSufficient(fields: readonly SheetField[]): boolean {
  return fields.includes('id') && EFFECTS.some((field) => fields.includes(field));
}

function unnamedColumns(head: Row | undefined): FeedProblem {
  const found = head === undefined ? 'no row' : quotedCells(head.cells);
  const effects = EFFECTS.map(titleOf).join(', ');
  const expected = `a first row that names the column Id and at least one of ${effects}`;
  return new FeedProblem('unreadable answer', `expected ${expected}, found ${found}`);
}

/** The first column of each field. */
function indexesIn(head: Row | undefined): ReadonlyMap<SheetField, number> {
  const indexes = new Map<SheetField, number>();
  for (const [index, cell] of (head?.cells ?? []).entries()) {
    const field = nameForms(cell).flatMap((form) => FIELD_BY_NAME.get(form) ?? [])[0];
    if (field !== undefined && !indexes.has(field)) indexes.set(field, index);
  }
  return indexes;
}

const FIELD_BY_NAME: ReadonlyMap<string, SheetField> = new Map(
  FIELDS.flatMap((field) => NAMES[field].map((name) => [nameKey(name), field] as const)),
);

/** Reports columns that are not read: those with an unknown name, and those with a name that an earlier column has. */
function reportOthers(
  { number, cells }: Row,
  indexes: ReadonlyMap<SheetField, number>,
  addFinding: AddFinding,
): void {
  const used = new Set(indexes.values());
  const others = cells.filter((name, index) => name !== '' && !used.has(index));
  if (others.length === 0) return;
  const missing = FIELDS.filter((field) => !indexes.has(field));
  const nearest = createNearest(
    missing.flatMap((field) => NAMES[field]),
    (name) => [name],
  );
  const near = others.slice(0, MOST_COMPARED).flatMap((name) => nearMiss(name, nearest(name)))[0] ?? null;
  addFinding({
    action: 'changed value',
    line: number,
    expected: withNearest(
      `each of ${FIELDS.map(titleOf).join(', ')} at most once (other columns are not read)`,
      near,
    ),
    found: quotedCells(others),
  });
}

/** Unknown names that are compared with the known ones. */
const MOST_COMPARED = 50;

/** A name that only contains the word is not a mistyped one. */
function nearMiss(name: string, nearest: string | null): readonly string[] {
  return nearest !== null && Math.abs(nearest.length - name.length) <= MOST_LETTERS_APART ? [nearest] : [];
}

const MOST_LETTERS_APART = 2;

interface NamedCells {
  readonly columns: SheetColumns;
  readonly language: Language;
  readonly cell: (field: SheetField) => string;
}

/** The names of a sheet's columns, by the field of an entry of `corrections.json` that each of them gives (F13) in a row. */
export function columnsByField({ columns, language, cell }: NamedCells): Readonly<Record<string, string>> {
  const others: Readonly<Partial<Record<SheetField, readonly string[]>>> = {
    id: ['where', 'where.id'],
    date: ['where.date'],
    start: ['set.start'],
    end: ['set.end'],
    category: ['set.categories'],
    venue: ['set.venue'],
    municipality: ['set.municipality'],
    status: ['set.status', 'set.eventSoldOut'],
    featured: ['set.isFeaturedEvent'],
    prices: ['set.prices'],
    ticketsURL: ['set.ticketsURL'],
    images: ['set.images'],
    organizers: ['set.organizers'],
    ageRestriction: ['set.ageRestriction'],
    minimumAge: ['set.minimumAge'],
    maximumAge: ['set.maximumAge'],
    same: ['same'],
    different: ['different'],
  };
  const given = textFields(language).filter(({ field }) => cell(field) !== '');
  const texts = Object.fromEntries(given.map(({ field, path }) => [field, [`set.${path}`]]));
  const paths: Readonly<Partial<Record<SheetField, readonly string[]>>> = { ...others, ...texts };
  const named = columns.fields.flatMap((field) =>
    (paths[field] ?? []).map((path) => [path, columns.nameOf(field)] as const),
  );
  return Object.fromEntries(named);
}
