/** F15: the tickets, pictures, organizers and ages that a row of a correction sheet gives, read as in a table of events. */
import type { JsonObject } from '../../../../src/calendar/json.ts';
import { nameKey } from '../../../../src/calendar/text.ts';
import { MOST_IN_TEXT, MOST_IN_URL, MOST_ITEMS } from '../../../validate/lengths.ts';
import { INTEGER, organizersIn, picturesIn, WEB_ADDRESS, words } from '../csv/cells.ts';
import { withoutBlanks } from '../event-fields.ts';
import { A_PRICE, readPrices, ticketsOf } from '../prices.ts';
import type { SheetField } from './sheet-columns.ts';

/** The cells of a row, and what becomes of those that cannot be used. */
export interface SheetCells {
  /** Empty for a blank cell, and without such a column. */
  readonly cell: (field: SheetField) => string;
  /** Notes a cell that is not used; the others are. `action`: of a cell that is used in another way than it is written. */
  readonly reportCell: (field: SheetField, expected: string, action?: 'changed value') => void;
}

export interface PriceCells extends SheetCells {
  /** The price in its cell: a number if the cell of a workbook contains one, otherwise text. */
  readonly price: string | number;
  /** The language of the names of tickets. */
  readonly language: 'nb' | 'en';
}

export function pricesOf({ price, language, reportCell }: PriceCells): JsonObject {
  if (price === '') return {};
  const { prices, unread } = readPrices(price, language);
  if (prices.length === 0) {
    reportCell('prices', 'a price such as 150 or 149,50, or gratis');
    return {};
  }
  if (unread.length > 0) reportCell('prices', A_PRICE, 'changed value');
  return { ...ticketsOf(prices) };
}

/** A longer address is reported here already: a row of several dates repeats it for each of them. */
export function ticketsURLOf({ cell, reportCell }: SheetCells): JsonObject {
  const written = cell('ticketsURL');
  if (written === '') return {};
  const url = written.length > MOST_IN_URL ? undefined : WEB_ADDRESS.read(written);
  if (url !== undefined) return { ticketsURL: url };
  reportCell('ticketsURL', WEB_ADDRESS.expected);
  return {};
}

/** Folded. */
const NO_PICTURE = new Set(
  words(
    'ingen|ingen bilde|ingen bilder|ingen bilete|ikkje bilete|fjern|slett|none|no image|no picture|no pictures|remove|delete',
  ),
);

/** Null removes the pictures of the event. */
export function imagesOf({ cell, reportCell }: SheetCells): JsonObject {
  const written = cell('images');
  if (written === '') return {};
  if (NO_PICTURE.has(nameKey(written))) return { images: null };
  const images = picturesIn(written, () =>
    reportCell('images', 'the http or https URL of an image, or ingen'),
  );
  return images.length === 0 ? {} : { images };
}

/** Ids or names. */
export function organizersOf({ cell, reportCell }: SheetCells): readonly string[] {
  const names = organizersIn(cell('organizers'), (expected) => reportCell('organizers', expected));
  if (names.length > MOST_ITEMS)
    reportCell('organizers', `at most ${MOST_ITEMS} organizers`, 'changed value');
  return names.slice(0, MOST_ITEMS).map((name) => name.slice(0, MOST_IN_TEXT));
}

export function agesOf({ cell, reportCell }: SheetCells): JsonObject {
  const inYears = (field: 'minimumAge' | 'maximumAge') => {
    if (cell(field) === '') return null;
    const years = INTEGER.read(cell(field)) ?? null;
    if (years === null) reportCell(field, INTEGER.expected);
    return years;
  };
  const restriction = cell('ageRestriction');
  return withoutBlanks({
    ageRestriction: restriction === '' ? null : restriction,
    minimumAge: inYears('minimumAge'),
    maximumAge: inYears('maximumAge'),
  });
}
