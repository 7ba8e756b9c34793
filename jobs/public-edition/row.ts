/** A row of the public edition (J5), and the parts of a snapshot that rows are made of. */
import type { Columns } from '../../src/snapshot/columns.ts';
import type { EventFragment } from '../../src/snapshot/fragments.ts';
import type { Lists } from '../../src/snapshot/lists.ts';
import type { Cell } from './cells.ts';
import type { FilledTable } from './shape.ts';

export type PublicRow = Readonly<Record<string, Cell>>;
/** Cells as JSON, in the order of the table's columns. */
type FinishedRow = readonly string[];
/** `row`: by column, unless it is finished. */
export type Put = (table: FilledTable, row: PublicRow | FinishedRow) => void;

export function isFinished(row: PublicRow | FinishedRow): row is FinishedRow {
  return Array.isArray(row);
}

/** The columns of a snapshot that the rows are made of. */
export const READ_COLUMNS = [
  'accessibility',
  'categories',
  'categoriesAt',
  'changed',
  'duration',
  'end',
  'eventOver',
  'nth',
  'occurrenceFlags',
  'movedRow',
  'movedFrom',
  'occurrences',
  'occurrencesAt',
  'organizerFrom',
  'organizers',
  'organizersAt',
  'over',
  'prices',
  'publishing',
  'start',
  'startTime',
  'ticketsURL',
  'venue',
  'venueFrom',
] as const satisfies readonly (keyof Columns)[];

export type ReadColumns = Pick<Columns, (typeof READ_COLUMNS)[number]>;

export interface SnapshotParts {
  readonly columns: ReadColumns;
  readonly lists: Lists;
}

export interface NumberedEvent {
  readonly ordinal: number;
  readonly eventId: string;
  readonly fragment: EventFragment;
}
