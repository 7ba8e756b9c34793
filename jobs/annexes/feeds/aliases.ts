/** F11: the folder's venues by their aliases, which are other texts for them. A feed's place may go on where an alias ends. */
import type { JsonObject } from '../../../src/calendar/json.ts';
import { MOST_PARTS } from '../../addresses.ts';
import {
  isThere,
  isWhereabouts,
  textKey,
  textOrBlank,
  type Whereabouts,
  whereaboutsOf,
} from './whereabouts.ts';

interface Aliases {
  /** `id`: of the folder's venue that has this alias. */
  readonly add: (alias: string, id: string, venue: JsonObject) => void;
  /** The id of the venue that a feed's place means by its whole text, or by `name`, or by another beginning of its text; null for none. */
  readonly find: (venue: JsonObject, name: string) => string | null;
}

export function createAliases(): Aliases {
  const idsByText = new Map<string, string>();
  /** By each beginning of an alias that has commas, up to one of them. */
  const byBeginning = new Map<string, { readonly id: string; readonly whereabouts: Whereabouts }>();

  function add(alias: string, id: string, venue: JsonObject): void {
    const key = textKey(alias);
    if (key === '' || idsByText.has(key)) return;
    idsByText.set(key, id);
    const ofAlias = whereaboutsOf({ address: afterName(alias) });
    const whereabouts = new Set([...whereaboutsOf(venue), ...ofAlias]);
    for (const { key: beginning } of beginningsOf(alias))
      if (!byBeginning.has(beginning)) byBeginning.set(beginning, { id, whereabouts });
  }

  function find(venue: JsonObject, name: string): string | null {
    const text = [textOrBlank(venue.name), textOrBlank(venue.address)]
      .filter((part) => part !== '')
      .join(', ');
    const whole = idsByText.get(textKey(text)) ?? idsByText.get(name);
    if (whole !== undefined) return whole;
    if (idsByText.size === 0) return null;
    for (const { key: beginning, rest } of beginningsOf(text)) {
      const id = idsByText.get(beginning);
      if (id !== undefined) return id;
      const begun = byBeginning.get(beginning);
      // A room or a house that the alias does not have is another place.
      const isSame = begun !== undefined && rest.every(isWhereabouts) && isThere(venue, begun.whereabouts);
      if (isSame) return begun.id;
    }
    return null;
  }

  return { add, find };
}

interface Beginning {
  readonly key: string;
  /** The parts after it. */
  readonly rest: readonly string[];
}

/** A text's beginnings, each up to a comma, the longest first. */
function beginningsOf(text: string): readonly Beginning[] {
  const parts = text.split(',', MOST_PARTS);
  const ends = parts.slice(0, -1).map((_, index) => index + 1);
  return ends
    .reverse()
    .map((end) => ({ key: textKey(parts.slice(0, end).join(',')), rest: parts.slice(end) }))
    .filter(({ key }) => key !== '');
}

function afterName(text: string): string {
  const comma = text.indexOf(',');
  return comma === -1 ? '' : text.slice(comma + 1);
}
