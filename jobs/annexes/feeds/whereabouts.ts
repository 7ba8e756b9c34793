/** F11: the streets and towns of a venue, for comparison with a text that does not have the full address (forms: compared-texts.ts). */
import type { JsonObject } from '../../../src/calendar/json.ts';
import { addressParts } from '../../addresses.ts';
import { comparedText, textOrBlank } from './compared-texts.ts';

/** Streets, each with its number, and towns, as `comparedText` writes them. */
export type Whereabouts = ReadonlySet<string>;

/** Reads a venue's municipality and address, without the parts that are rooms or houses. */
export function whereaboutsOf({ municipality, address }: JsonObject): Whereabouts {
  const parts = addressParts(textOrBlank(address)).filter(isWhereabouts);
  const withoutCodes = parts.map((part) => part.replace(POSTAL_CODE, ''));
  const names = [textOrBlank(municipality), ...withoutCodes].map(comparedText);
  return new Set(names.filter((name) => /[a-z]/.test(name)));
}

/** Before its town. */
const POSTAL_CODE = /^\s*(?:NO?-?)?\d{4}\s/i;

/** Whether a part of an address is a street, a postal code, or the town, which stands last. Other parts are rooms and houses. */
export function isWhereabouts(part: string, index: number, parts: readonly string[]): boolean {
  return /\d/.test(part) || index === parts.length - 1;
}

/** Whether the venue's own streets and towns are among these. One of them suffices. */
export function isAtAny(venue: JsonObject, whereabouts: Whereabouts): boolean {
  return [...whereaboutsOf(venue)].some((name) => whereabouts.has(name));
}
