/**
 * F16: reads a sheet with venues, a table with one place a row. A sheet that may have lost rows by mistake is refused as a whole, because
 * events would lose their places.
 */
import { accessibilityNamed } from '../../../../src/annexes/common/accessibility.ts';
import type { JsonObject } from '../../../../src/calendar/json.ts';
import { slugOf } from '../../../../src/calendar/text.ts';
import { excerpt } from '../../../records.ts';
import { partsOf } from '../csv/cells.ts';
import type { Row } from '../csv/row.ts';
import { readTable } from '../csv/table.ts';
import { createFindings } from '../findings.ts';
import { FeedProblem } from '../health.ts';
import type { AddFinding, NewFinding } from '../last-good.ts';
import { readPlace } from '../places.ts';
import type { FeedReader } from '../reading.ts';
import { findVenueColumns, type VenueColumns, type VenueField, venueFieldsNamed } from './sheet-columns.ts';

/** People write them by hand. */
const MOST_VENUES = 10_000;

/** Throws FeedProblem for a table that does not name the necessary column, or that is cut off. */
export const readVenueSheet: FeedReader = ([document], { feed }, emit) => {
  const findings = createFindings(emit);
  const { rows, isComplete } = readTable(document?.bytes ?? Buffer.alloc(0), {
    sheet: feed.sheet,
    rate: venueFieldsNamed,
    addFinding: findings.add,
  });
  if (!isComplete) throw new FeedProblem('truncated', 'expected a closing quote, found the end of the sheet');
  const [head, ...written] = rows;
  const columns = findVenueColumns(head, findings.add);
  let venues = 0;
  let dropped = 0;
  for (const row of written) {
    const isBlank = columns.fields.every((field) => columns.cellOf(row, field) === '');
    if (isBlank) continue;
    const value = venueOf(row, { columns, sheet: feed.id, addFinding: findings.add });
    if (value === null) {
      dropped += 1;
      continue;
    }
    venues += 1;
    if (venues > MOST_VENUES)
      throw new FeedProblem('size limit', `expected at most ${MOST_VENUES} venues, found more`);
    emit({ list: 'venues', line: row.number, value });
  }
  findings.end();
  const counts = { entries: venues + dropped, events: 0, merged: 0, dropped, venues };
  const filled = columns.fields.map(
    (field) => [field, written.some((row) => columns.cellOf(row, field) !== '')] as const,
  );
  return { counts, dates: 0, isComplete, columns: Object.fromEntries(filled) };
};

interface VenueContext {
  readonly columns: VenueColumns;
  /** The id of the feed. */
  readonly sheet: string;
  readonly addFinding: AddFinding;
}

/** A record as in `venues.json` (F2); null, after a finding, for a row without a name. */
function venueOf(row: Row, { columns, sheet, addFinding }: VenueContext): JsonObject | null {
  const cell = (field: VenueField) => columns.cellOf(row, field);
  const id = cell('id') || `${sheet}:${slugOf(cell('name')) || row.number}`;
  const refuse = (field: VenueField, expected: string, lost: Pick<NewFinding, 'action' | 'kind'> = VALUE) =>
    addFinding({
      ...lost,
      line: row.number,
      id,
      field: columns.nameOf(field),
      expected,
      found: excerpt(cell(field) || undefined),
    });
  const place = readPlace({
    name: cell('name'),
    address: cell('address'),
    postalCode: cell('postalCode'),
    locality: cell('locality'),
    municipality: cell('municipality'),
    latitude: cell('latitude'),
    longitude: cell('longitude'),
  });
  if (cell('name') === '' || place.venue === null) {
    refuse('name', 'the name of a place', ROW);
    return null;
  }
  for (const { part, expected } of place.lost)
    refuse(part === 'position' && cell('latitude') === '' ? 'longitude' : PARTS[part], expected);
  const accessibility = partsOf(cell('accessibility'), /[,;\n]/).flatMap((name) => {
    const word = accessibilityNamed(name);
    if (word === undefined) refuse('accessibility', FEATURES);
    return word ?? [];
  });
  return { ...place.venue, id, aliases: partsOf(cell('aliases'), /[;|\n]/), accessibility };
}

const VALUE = { action: 'dropped value' } as const;
const ROW = { action: 'dropped record', kind: 'venues' } as const;

/** The columns of the parts of a place that cannot be stored. */
const PARTS = { position: 'latitude', postalCode: 'postalCode' } as const;

const FEATURES = 'words such as rullestol, teleslynge, tegnspråk or synstolking';
