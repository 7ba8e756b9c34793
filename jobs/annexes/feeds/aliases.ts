/**
 * F11: finds the folder's venues by their aliases. The text of a feed's place may be longer than the alias: with a street and a town. The forms
 * of texts are in compared-texts.ts.
 */
import type { JsonObject } from '../../../src/calendar/json.ts';
import { MOST_PARTS } from '../../addresses.ts';
import { comparedName, comparedText, textOrBlank } from './compared-texts.ts';
import { isAtAny, isWhereabouts, type Whereabouts, whereaboutsOf } from './whereabouts.ts';

interface Aliases {
  /** Adds an alias of a venue of the folder. `id`: the venue's. */
  readonly add: (alias: string, id: string, venue: JsonObject) => void;
  /**
   * Finds the venue of a feed's place by its aliases, and returns its id. Tries the place's whole text, then its name, then each beginning up
   * to a comma. Null if no alias fits.
   */
  readonly find: (place: JsonObject) => string | null;
}

/** Of several venues with one alias, the first counts. */
export function createAliases(): Aliases {
  /** By `comparedText` of the alias. */
  const idsByText = new Map<string, string>();
  /** By each beginning of an alias, up to one of its commas. */
  const venuesByBeginning = new Map<string, AliasedVenue>();

  function add(alias: string, id: string, venue: JsonObject): void {
    const text = comparedText(alias);
    if (text === '' || idsByText.has(text)) return;
    idsByText.set(text, id);
    const inAlias = whereaboutsOf({ address: afterName(alias) });
    const whereabouts = new Set([...whereaboutsOf(venue), ...inAlias]);
    for (const beginning of beginningsOf(alias)) {
      if (!venuesByBeginning.has(beginning.text)) venuesByBeginning.set(beginning.text, { id, whereabouts });
    }
  }

  function find(place: JsonObject): string | null {
    const texts = [textOrBlank(place.name), textOrBlank(place.address)];
    const whole = texts.filter((part) => part !== '').join(', ');
    const idOfWhole = idsByText.get(comparedText(whole)) ?? idsByText.get(comparedName(place.name));
    if (idOfWhole !== undefined) return idOfWhole;
    if (idsByText.size === 0) return null;
    for (const { text, rest } of beginningsOf(whole)) {
      const id = idsByText.get(text);
      if (id !== undefined) return id;
      const venue = venuesByBeginning.get(text);
      // A room or a house that the alias does not have is another place.
      const hasNoOtherParts = rest.every(isWhereabouts);
      if (venue !== undefined && hasNoOtherParts && isAtAny(place, venue.whereabouts)) return venue.id;
    }
    return null;
  }

  return { add, find };
}

/** A venue of the folder, with the streets and towns of its address and its alias. */
interface AliasedVenue {
  readonly id: string;
  readonly whereabouts: Whereabouts;
}

interface Beginning {
  /** As it is compared. */
  readonly text: string;
  /** The parts of the text after it. */
  readonly rest: readonly string[];
}

/** A text's beginnings, each up to a comma, the longest first. */
function beginningsOf(whole: string): readonly Beginning[] {
  const parts = whole.split(',', MOST_PARTS);
  const beginnings: Beginning[] = [];
  for (let end = parts.length - 1; end > 0; end--) {
    const text = comparedText(parts.slice(0, end).join(','));
    if (text !== '') beginnings.push({ text, rest: parts.slice(end) });
  }
  return beginnings;
}

/** The text after its first comma; empty without one. */
function afterName(text: string): string {
  const comma = text.indexOf(',');
  return comma === -1 ? '' : text.slice(comma + 1);
}
