/** Names of venues for the names of lists and for the choices of forms. Readers cannot distinguish two of one name by their slugs. */
import type { Venue } from '../../calendar/model.ts';
import { oncePer } from '../../calendar/once-per.ts';
import { nameKey } from '../../calendar/text.ts';
import type { Lists } from '../../snapshot/lists.ts';

/**
 * The names of venues. Equal ones, whatever their case, accents and signs, are distinguished by address, and by slug if the address is
 * unknown or equal too.
 */
export const venueLabels = oncePer(({ venues }: Lists) => labelsOf(venues));

function labelsOf(venues: Lists['venues']): ReadonlyMap<Venue, string> {
  const keyOf = ({ name }: Venue) => nameKey(name);
  const addressedKeyOf = (venue: Venue) => JSON.stringify([keyOf(venue), nameKey(venue.address ?? '')]);
  const sharedNames = repeatedIn(venues.map(keyOf));
  const sharedAddresses = repeatedIn(venues.map(addressedKeyOf));
  const labelOf = (venue: Venue) => {
    const { name, address, slug } = venue;
    if (!sharedNames.has(keyOf(venue))) return name;
    const isAddressShared = sharedAddresses.has(addressedKeyOf(venue));
    return `${name} (${isAddressShared ? slug : (address ?? slug)})`;
  };
  return new Map(venues.map((venue) => [venue, labelOf(venue)]));
}

function repeatedIn(keys: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const key of keys) {
    if (seen.has(key)) repeated.add(key);
    seen.add(key);
  }
  return repeated;
}
