/** F16: reads a sheet with venues. Its rows become records of the form of `venues.json` (F2). */
import { accessibilityNamed } from '../../../../src/annexes/common/accessibility.ts';
import type { JsonObject } from '../../../../src/calendar/json.ts';
import { slugOf } from '../../../../src/calendar/text.ts';
import { excerpt } from '../../../findings.ts';
import { splitCell } from '../csv/cells.ts';
import { type OpenSheet, sheetReader } from '../csv/sheet.ts';
import type { NewFinding } from '../last-good.ts';
import { readPlace } from '../places.ts';
import type { Row } from '../table-rows.ts';
import { VENUE_LAYOUT, type VenueField } from './sheet-columns.ts';

/** People write them by hand. */
const MOST_VENUES = 10_000;

export const readVenueSheet = sheetReader<VenueField>('venues', {
  layout: VENUE_LAYOUT,
  most: MOST_VENUES,
  isUnset: (field, cell) => cell(field) === '',
  createReadRow: (sheet) => (row) => {
    const { fields, cellOf } = sheet.columns;
    if (fields.every((field) => cellOf(row, field) === '')) return null;
    const venue = venueOf(row, sheet);
    return venue === null ? [] : [venue];
  },
});

/** Null, after a finding, for a row without a name. */
function venueOf(row: Row, { columns, feed, addFinding }: OpenSheet<VenueField>): JsonObject | null {
  const cell = (field: VenueField) => columns.cellOf(row, field);
  const id = cell('id') || `${feed.id}:${slugOf(cell('name')) || row.number}`;
  const reportCell = (
    field: VenueField,
    expected: string,
    lost: Pick<NewFinding, 'action' | 'kind'> = VALUE,
  ) =>
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
    reportCell('name', 'the name of a place', ROW);
    return null;
  }
  for (const { part, expected } of place.lost)
    reportCell(part === 'position' && cell('latitude') === '' ? 'longitude' : PARTS[part], expected);
  const accessibility = splitCell(cell('accessibility'), /[,;\n]/).flatMap((name) => {
    const word = accessibilityNamed(name);
    if (word === undefined) reportCell('accessibility', FEATURES);
    return word ?? [];
  });
  return { ...place.venue, id, aliases: splitCell(cell('aliases'), /[;|\n]/), accessibility };
}

const VALUE = { action: 'dropped value' } as const;
const ROW = { action: 'dropped record', kind: 'venues' } as const;

/** The columns of the parts of a place that cannot be stored. */
const PARTS = { position: 'latitude', postalCode: 'postalCode' } as const;

const FEATURES = 'words such as rullestol, teleslynge, tegnspråk or synstolking';
