/** F7: the ticket prices of an event or of a date. */
import type { Price } from '../../src/calendar/model.ts';
import { addFinding, type Subject } from './entry-findings.ts';
import type { Path } from './salvage.ts';
import type { RawPrice } from './schemas.ts';
import { firstItems, longLine, nonBlank, shortLine } from './texts.ts';

/** A price that is not a number becomes null, which is reported, so that its author learns why. */
export function pricesOf(raw: readonly RawPrice[], at: Path, subject: Subject): readonly Price[] {
  return firstItems(raw, at, subject).map(({ type, price, name_nb, name_en }, index) => {
    const whole = wholePrice(price);
    if (whole === null && !isEmpty(price)) {
      addFinding(subject, 'changed value', { at: [...at, index, 'price'], expected: PRICE, found: price });
    }
    return {
      type: longLine(type, [...at, index, 'type'], subject) ?? '',
      price: whole,
      name_nb: shortLine(name_nb, [...at, index, 'name_nb'], subject),
      name_en: shortLine(name_en, [...at, index, 'name_en'], subject),
    };
  });
}

const PRICE =
  'a number, or digits with an optional "." fraction (but not thousands such as "1.200"), from 0 to 2147483647 (without one: null)';
const LARGEST = 2 ** 31 - 1;
const DECIMAL = /^(\d+)(?:\.(\d)\d*)?$/;
/** As Norwegians write thousands: `1.200` would otherwise be a ticket of one krone. */
const THOUSANDS = /^[1-9]\d{0,2}\.\d{3}$/;

/** Rounded half up; null if it is not a number, negative, or beyond 32 bits. */
function wholePrice(price: unknown): number | null {
  const rounded = roundedPrice(price);
  return rounded === null || rounded > LARGEST ? null : rounded;
}

function roundedPrice(price: unknown): number | null {
  if (typeof price === 'string') return roundText(price);
  return typeof price === 'number' ? round(price) : null;
}

function round(price: number): number | null {
  // Plus zero: a price of -0 is 0.
  return price < 0 ? null : Math.round(price) + 0;
}

/** By its digits, because the nearest double of a long fraction may be on the other side of a half. */
function roundText(price: string): number | null {
  const match = DECIMAL.exec(price);
  if (match === null || THOUSANDS.test(price)) return null;
  return Number(match[1]) + (Number(match[2] ?? 0) >= 5 ? 1 : 0);
}

function isEmpty(price: unknown): boolean {
  return price === null || price === undefined || (typeof price === 'string' && nonBlank(price) === null);
}
