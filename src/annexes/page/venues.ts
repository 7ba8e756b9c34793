/** Names of venues for the names of lists and for the choices of forms. Readers cannot distinguish two of one name by their slugs. */
import type { Venue } from '../../calendar/model.ts';
import { nameKey } from '../../calendar/text.ts';
import type { Lists } from '../../snapshot/lists.ts';

const cache = new WeakMap<Lists, ReadonlyMap<Venue, string>>();

/** The names of venues. Equal ones, whatever their case, accents and signs, are distinguished by address, else by slug. */
export function venueLabels(lists: Lists): ReadonlyMap<Venue, string> {
  const cached = cache.get(lists);
  if (cached !== undefined) return cached;
  const shared = sharedKeys(lists);
  const labelOf = ({ name, address, slug }: Venue) =>
    shared.has(nameKey(name)) ? `${name} (${address ?? slug})` : name;
  const labels = new Map(lists.venues.map((venue) => [venue, labelOf(venue)]));
  cache.set(lists, labels);
  return labels;
}

/** Keys of names that several venues have. */
function sharedKeys({ venues }: Lists): ReadonlySet<string> {
  const keys = new Set<string>();
  const shared = new Set<string>();
  for (const { name } of venues) {
    const key = nameKey(name);
    if (keys.has(key)) shared.add(key);
    keys.add(key);
  }
  return shared;
}
