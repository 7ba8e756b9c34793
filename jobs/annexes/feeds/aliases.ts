/** F11: finds the folder's venues by their aliases. The text of a feed's place may be longer than the alias: with a street and a town. */
import type { JsonObject } from '../../../src/calendar/json.ts';
import { MOST_PARTS } from '../../addresses.ts';
import {
  isAtAny,
  isWhereabouts,
  textKey,
  textOrBlank,
  type Whereabouts,
  whereaboutsOf,
} from './whereabouts.ts';

interface Aliases {
  /** Adds an alias of a venue of the folder. `id`: the venue's. */
  readonly add: (alias: string, id: string, venue: JsonObject) => void;
  /**
   * Finds the venue of a feed's place by its aliases, and returns its id. Tries the place's whole text, then its name, then each beginning up
   * to a comma. Null if no alias fits. `nameKey`: the name of the place, folded.
   */
  readonly find: (place: JsonObject, nameKey: string) => string | null;
}

/** Of several venues with one alias, the first counts. */
export function createAliases(): Aliases {
  const idsByText = new Map<string, string>();
  /** By each beginning of an alias, up to one of its commas. */
  const venuesByBeginning = new Map<string, AliasedVenue>();

  function add(alias: string, id: string, venue: JsonObject): void {
    const key = textKey(alias);
    if (key === '' || idsByText.has(key)) return;
    idsByText.set(key, id);
    const inAlias = whereaboutsOf({ address: afterName(alias) });
    const whereabouts = new Set([...whereaboutsOf(venue), ...inAlias]);
    for (const beginning of beginningsOf(alias)) {
      if (!venuesByBeginning.has(beginning.key)) venuesByBeginning.set(beginning.key, { id, whereabouts });
    }
  }

  function find(place: JsonObject, nameKey: string): string | null {
    const texts = [textOrBlank(place.name), textOrBlank(place.address)];
    const text = texts.filter((part) => part !== '').join(', ');
    const idOfWhole = idsByText.get(textKey(text)) ?? idsByText.get(nameKey);
    if (idOfWhole !== undefined) return idOfWhole;
    if (idsByText.size === 0) return null;
    for (const { key, rest } of beginningsOf(text)) {
      const id = idsByText.get(key);
      if (id !== undefined) return id;
      const venue = venuesByBeginning.get(key);
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
  /** Folded. */
  readonly key: string;
  /** The parts of the text after it. */
  readonly rest: readonly string[];
}

/** A text's beginnings, each up to a comma, the longest first. */
function beginningsOf(text: string): readonly Beginning[] {
  const parts = text.split(',', MOST_PARTS);
  const beginnings: Beginning[] = [];
  for (let end = parts.length - 1; end > 0; end--) {
    const key = textKey(parts.slice(0, end).join(','));
    if (key !== '') beginnings.push({ key, rest: parts.slice(end) });
  }
  return beginnings;
}

/** The text after its first comma; empty without one. */
function afterName(text: string): string {
  const comma = text.indexOf(',');
  return comma === -1 ? '' : text.slice(comma + 1);
}
