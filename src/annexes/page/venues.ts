/** Names of venues for readers, who cannot distinguish two of one name by their slugs. */
import type { Venue } from '../../calendar/model.ts';
import { nameKey } from '../../calendar/text.ts';
import type { Lists } from '../../snapshot/meta.ts';

const labels = new WeakMap<Lists, ReadonlyMap<Venue, string>>();

/**
 * The names of venues. Equal names are distinguished by municipality; if that is equal too, by address; if that is equal or missing, by
 * slug.
 */
export function venueLabels(lists: Lists): ReadonlyMap<Venue, string> {
  const known = labels.get(lists);
  if (known !== undefined) return known;
  const { venues } = lists;
  const namesakes = countBy(venues, ({ name }) => name);
  const shared = venues.filter((venue) => namesakes(venue) > 1);
  const places = PLACES.map((place) => ({
    place,
    count: countBy(shared, (venue) => `${venue.name}\n${place(venue)}`),
  }));
  const labelOf = (venue: Venue) => {
    if (namesakes(venue) === 1) return venue.name;
    const found = places.find(({ place, count }) => place(venue) !== null && count(venue) === 1);
    return `${venue.name} (${found?.place(venue) ?? venue.slug})`;
  };
  const made = new Map(venues.map((venue) => [venue, labelOf(venue)]));
  labels.set(lists, made);
  return made;
}

const PLACES: readonly ((venue: Venue) => string | null)[] = [
  ({ municipality }) => municipality || null,
  ({ address }) => address || null,
];

/** How many of these venues have the same text as one of them, whatever its case, accents and signs. */
function countBy(venues: readonly Venue[], textOf: (venue: Venue) => string): (venue: Venue) => number {
  const keys = new Map(venues.map((venue) => [venue, nameKey(textOf(venue))]));
  const counts = new Map<string, number>();
  for (const key of keys.values()) counts.set(key, (counts.get(key) ?? 0) + 1);
  return (venue) => counts.get(keys.get(venue) ?? '') ?? 0;
}
