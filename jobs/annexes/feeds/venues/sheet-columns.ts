/** F16: the columns of a sheet with venues, by their names in the first row, in any order and case. */
import { failureText } from '../../../../src/calendar/failures.ts';
import { createSheetLayout, tableNames } from '../csv/sheet-layout.ts';

/** The fields of a place, each with the folded names of its column. The first is the one that findings suggest. */
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

export const VENUE_LAYOUT = createSheetLayout<VenueField>({
  names: NAMES,
  isSufficient: (fields) => fields.includes('name'),
  expected: failureText('noPlaceColumn'),
});
