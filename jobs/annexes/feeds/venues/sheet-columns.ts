/** F16: the columns of a sheet with venues, by their names in the first row, in any order and case. */
import { namedColumns, tableNames } from '../csv/named-columns.ts';
import { quotedCells, type Row } from '../csv/row.ts';
import { FeedProblem } from '../health.ts';
import type { AddFinding } from '../last-good.ts';

/** The fields of a row, each with the folded names of its column. The first is the one that findings suggest. */
const NAMES = {
  name: ['sted', 'stad', 'navn', 'namn', 'stedsnavn', 'stadnamn', 'venue', 'place', 'name'],
  id: ['id'],
  address: tableNames('address'),
  postalCode: tableNames('postalCode'),
  locality: tableNames('locality'),
  municipality: tableNames('municipality'),
  latitude: tableNames('latitude'),
  longitude: tableNames('longitude'),
  aliases: ['andre navn', 'andre namn', 'aliases', 'alias', 'other names'],
  accessibility: [
    'tilgjengelighet',
    'tilgjenge',
    'tilgjengelegheit',
    'accessibility',
    ...tableNames('venueAccessibility'),
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type VenueField = keyof typeof NAMES;

const COLUMNS = namedColumns(Object.keys(NAMES) as readonly VenueField[], NAMES);

export interface VenueColumns {
  /** The fields that have a column. */
  readonly fields: readonly VenueField[];
  /** Empty for a field without a column. */
  readonly cellOf: (row: Row, field: VenueField) => string;
  /** The column's name in the sheet; a name that it may have if there is no such column. */
  readonly nameOf: (field: VenueField) => string;
}

/** Throws FeedProblem for a first row that does not name the column of the places, so that the previous venues stay. */
export function findVenueColumns(head: Row | undefined, addFinding: AddFinding): VenueColumns {
  const indexes = COLUMNS.indexesIn(head);
  if (head === undefined || !indexes.has('name')) {
    const found = head === undefined ? 'no row' : quotedCells(head.cells);
    throw new FeedProblem('unreadable answer', `expected ${A_HEAD}, found ${found}`);
  }
  COLUMNS.reportOthers(head, addFinding);
  const indexOf = (field: VenueField) => indexes.get(field) ?? -1;
  return {
    fields: COLUMNS.fields.filter((field) => indexes.has(field)),
    cellOf: ({ cells }, field) => cells[indexOf(field)] ?? '',
    nameOf: (field) => head.cells[indexOf(field)] ?? COLUMNS.titleOf(field),
  };
}

const A_HEAD = 'a first row that names the column Sted';

/** The number of fields that a row names. */
export const venueFieldsNamed = COLUMNS.countIn;

/** The name of a field's column, as findings write it; a name that is not that of a field as it is. */
export function venueColumnTitle(name: string): string {
  const field = COLUMNS.fields.find((known) => known === name);
  return field === undefined ? name : COLUMNS.titleOf(field);
}
