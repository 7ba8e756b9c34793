/** Names of venues for readers, who cannot distinguish two of one name by their slugs. */
import type { Venue } from '../../calendar/model.ts';
import { nameKey } from '../../calendar/text.ts';
import type { Lists } from '../../snapshot/lists.ts';

const labels = new WeakMap<Lists, ReadonlyMap<Venue, string>>();

/** The names of venues. Equal ones, whatever their case, accents and signs, are distinguished by address, else by slug. */
export function venueLabels(lists: Lists): ReadonlyMap<Venue, string> {
  const cached = labels.get(lists);
  if (cached !== undefined) return cached;
  const keys = new Set<string>();
  const shared = new Set<string>();
  for (const key of lists.venues.map(({ name }) => nameKey(name))) (keys.has(key) ? shared : keys).add(key);
  const labelOf = ({ name, address, slug }: Venue) =>
    shared.has(nameKey(name)) ? `${name} (${address ?? slug})` : name;
  const made = new Map(lists.venues.map((venue) => [venue, labelOf(venue)]));
  labels.set(lists, made);
  return made;
}
