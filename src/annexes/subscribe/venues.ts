/** The venues to choose from, for the list of one venue and for the boxes of the form: a calendar may have thousands. */
import { valuesOf } from '../events/choices.ts';
import type { EventList } from '../events/event-list.ts';
import { venueLabels } from '../page/venues.ts';

/** Besides the chosen ones. */
const MOST_VENUES = 60;

interface VenueChoice {
  readonly slug: string;
  readonly label: string;
  readonly isChosen: boolean;
}

/** The busiest venues and the chosen ones, in alphabetical order. */
export function venueChoices({ view, parameters }: EventList): readonly VenueChoice[] {
  const chosen = valuesOf(parameters, 'venues');
  const { lists, facets, directory } = view;
  const busiest = facets.entities(view.unfilteredCounts(), 'venues').slice(0, MOST_VENUES);
  const given = [...chosen].flatMap((slug) => directory.venueBySlug.get(slug) ?? []);
  // Ordinals are in Norwegian alphabetical order.
  const shown = [...new Set([...busiest.map(({ ordinal }) => ordinal), ...given])].sort(
    (one, other) => one - other,
  );
  const labels = venueLabels(lists);
  return shown.flatMap((ordinal) => {
    const venue = lists.venues[ordinal];
    // Its address may name it by a former slug.
    const isChosen = given.includes(ordinal);
    return venue ? { slug: venue.slug, label: labels.get(venue) ?? venue.name, isChosen } : [];
  });
}
