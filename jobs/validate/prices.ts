import type { Price } from '../../src/calendar/model.ts';
import { addFinding, oneLine, type Path, type Subject, written } from './entry.ts';
import type { RawPrice } from './schemas.ts';

/** F7. A price that is there and is no number becomes null, which is reported: nobody should have to wonder why. */
export function pricesOf(raw: readonly RawPrice[], at: Path, subject: Subject): readonly Price[] {
  return raw.map(({ type, price, name_nb, name_en }, place) => {
    const whole = wholePrice(price);
    if (whole === null && !isEmpty(price)) {
      addFinding(subject, 'changed value', {
        at: [...at, place, 'price'],
        expected:
          'a number, or digits with an optional "." fraction, from 0 to 2147483647 (without one: null)',
        found: price,
      });
    }
    return {
      type: oneLine(type, [...at, place, 'type'], subject) ?? '',
      price: whole,
      name_nb: oneLine(name_nb, [...at, place, 'name_nb'], subject),
      name_en: oneLine(name_en, [...at, place, 'name_en'], subject),
    };
  });
}

const LARGEST = 2 ** 31 - 1;
const DECIMAL = /^(\d+)(?:\.(\d)\d*)?$/;

/** F7: rounded half up; null when it is no number, negative, or beyond 32 bits. */
function wholePrice(price: unknown): number | null {
  const rounded =
    typeof price === 'string' ? roundText(price) : typeof price === 'number' ? round(price) : null;
  return rounded === null || rounded > LARGEST ? null : rounded;
}

function round(price: number): number | null {
  // Plus zero: a price of -0 is 0.
  return price < 0 ? null : Math.round(price) + 0;
}

/** By its digits, because the nearest double of a long fraction may lie on the other side of a half. */
function roundText(price: string): number | null {
  const match = DECIMAL.exec(price);
  if (match === null) return null;
  return Number(match[1]) + (Number(match[2] ?? 0) >= 5 ? 1 : 0);
}

function isEmpty(price: unknown): boolean {
  return price === null || price === undefined || (typeof price === 'string' && written(price) === null);
}
