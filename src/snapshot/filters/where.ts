/** Filters by where an event takes place. B9, B13: online events have no place. */
import { objectOf, text, texts } from '../../calendar/arguments.ts';
import { CIRCLE, EDGES, venuesInside, venuesNear } from '../../calendar/positions.ts';
import { fold } from '../../calendar/text.ts';
import { type Bitmap, intersect, subtract } from '../bitmaps.ts';
import { rowsFlagged } from '../flags.ts';
import { farAway } from './far-away.ts';
import { asGiven, type FilterView, filter, listed, type NamedKind } from './filter.ts';
import { keepNamed, rowsCarrying } from './rows.ts';

const VENUE_KIND: NamedKind = {
  find: (slug, { directory }) => listed(directory.venueBySlug.get(slug)),
  index: 'venue',
  values: ({ lists, directory }) =>
    lists.venues
      .filter(({ slug }) => directory.venueBySlug.has(slug))
      .map(({ slug, name, id }) => [slug, name, id]),
  basis: ({ directory }) => directory,
  predicate: 'venue has this slug',
  query: 'venues',
};

const MUNICIPALITY_KIND: NamedKind = {
  find: (name, { directory }) => directory.venuesByMunicipality.get(fold(name)) ?? [],
  index: 'venue',
  values: ({ directory }) => directory.municipalities.map(({ name }) => [name, name, ...name.split(' - ')]),
  basis: ({ directory }) => directory,
  predicate: 'venue is in a municipality of this name or number',
  query: 'events { municipalities }',
};

const POSTAL_CODE_KIND: NamedKind = {
  find: (code, { directory }) => directory.venuesByPostalCode.get(code) ?? [],
  index: 'venue',
  values: ({ directory }) => Array.from(directory.venuesByPostalCode.keys(), (code) => [code]),
  basis: ({ directory }) => directory,
  predicate: 'venue has this postal code',
  query: 'venues',
};

const readCircle = objectOf(
  CIRCLE,
  'latitude from -90 to 90, longitude from -180 to 180, km above 0 and at most 1000',
);

const readBox = objectOf(EDGES, 'latitudes from -90 to 90, longitudes from -180 to 180');

export const WHERE = {
  venues: filter({
    type: '[String]',
    en: 'Venue slugs; any of them matches.',
    nb: 'Steder etter slug; ett av dem er nok.',
    read: texts,
    condition: keepNamed(VENUE_KIND),
    words: (slugs, { venue }) => slugs.map(venue).join(', '),
    named: VENUE_KIND,
  }),
  venueSlug: filter({
    type: 'String',
    en: 'One venue slug.',
    nb: 'Slugen til ett sted.',
    read: text,
    condition: keepNamed(VENUE_KIND),
    words: (slug, { venue }) => venue(slug),
    named: VENUE_KIND,
  }),
  municipality: filter({
    type: 'String',
    en: "Name (case- and accent-insensitive) or four-digit number of the municipality of the venue's address.",
    nb: 'Navnet på kommunen i stedets adresse (uten hensyn til store og små bokstaver eller aksenter), eller det firesifrede nummeret.',
    read: text,
    condition: keepNamed(MUNICIPALITY_KIND),
    words: (name, { municipality }) => municipality(name),
    named: MUNICIPALITY_KIND,
  }),
  municipalities: filter({
    type: '[String!]',
    en: 'Like `municipality`, for several municipalities; any of them matches.',
    nb: 'Som `municipality`, for flere kommuner; én av dem er nok.',
    read: texts,
    condition: keepNamed(MUNICIPALITY_KIND),
    words: (given, { municipality }) => given.map(municipality).join(', '),
    named: MUNICIPALITY_KIND,
  }),
  postalCodes: filter({
    type: '[String]',
    en: "Postal codes of the venue's address; any of them matches.",
    nb: 'Postnumre i stedets adresse; ett av dem er nok.',
    read: texts,
    condition: keepNamed(POSTAL_CODE_KIND),
    words: asGiven,
    named: POSTAL_CODE_KIND,
  }),
  near: filter({
    type: 'Near',
    en: 'Venues within a number of kilometres of a point. Online events and venues without a location are never near. The order stays chronological.',
    nb: 'Steder innenfor en avstand fra et punkt: `latitude` og `longitude` i grader, `km` over 0 og høyst 1000, i luftlinje. Digitale arrangementer og steder uten posisjon er aldri i nærheten.',
    types: `"""
A point and how far from it, on a sphere with the Earth's mean radius of 6,371.0088 km, edge included. Anything out of range is
\`BAD_USER_INPUT\`. Two decimals of a degree are a kilometre: precise enough, without showing where a person lives.
"""
input Near {
  "Degrees north, -90 to 90."
  # nb: Grader nord, fra -90 til 90.
  latitude: Float!
  "Degrees east, -180 to 180."
  # nb: Grader øst, fra -180 til 180.
  longitude: Float!
  "Kilometres: above 0, at most 1000."
  # nb: Kilometer: over 0, høyst 1000.
  km: Float!
}`,
    read: readCircle,
    condition: (rows, circle, view) => keepAtVenues(rows, venuesNear(view.lists.venues, circle), view),
    words: ({ latitude, longitude, km }) => [
      `innen ${km} km fra ${latitude}, ${longitude}`,
      `within ${km} km of ${latitude}, ${longitude}`,
      `innan ${km} km frå ${latitude}, ${longitude}`,
    ],
    hints: (circle, { lists }) => {
      const { latitude, longitude, km } = circle;
      const box = { latitude: [latitude, latitude], longitude: [longitude, longitude] } as const;
      return farAway({ ...box, value: circle, reach: km }, lists);
    },
  }),
  area: filter({
    type: 'Area',
    en: 'Venues inside a box, as in `allUpcomingEventsInArea`, edges included. Online events and venues without a location are never inside.',
    nb: 'Steder innenfor en firkant på kartet, som i `allUpcomingEventsInArea`: `minLatitude`, `maxLatitude`, `minLongitude` og `maxLongitude` i grader, kantene medregnet.',
    types: `"A box on the map. With \`minLongitude > maxLongitude\` it crosses the antimeridian. Anything out of range is \`BAD_USER_INPUT\`."
input Area {
  "Southern edge in degrees, -90 to 90."
  # nb: Sørkanten i grader, fra -90 til 90.
  minLatitude: Float!
  "Northern edge in degrees, -90 to 90."
  # nb: Nordkanten i grader, fra -90 til 90.
  maxLatitude: Float!
  "Western edge in degrees, -180 to 180."
  # nb: Vestkanten i grader, fra -180 til 180.
  minLongitude: Float!
  "Eastern edge in degrees, -180 to 180."
  # nb: Østkanten i grader, fra -180 til 180.
  maxLongitude: Float!
}`,
    read: readBox,
    condition: (rows, box, view) => keepAtVenues(rows, venuesInside(view.lists.venues, box), view),
    words: ({ minLatitude: south, maxLatitude: north, minLongitude: west, maxLongitude: east }) => [
      `området ${south}, ${west} – ${north}, ${east}`,
      `the area ${south}, ${west} – ${north}, ${east}`,
      `området ${south}, ${west} – ${north}, ${east}`,
    ],
    hints: (area, { lists }) => {
      const { minLatitude, maxLatitude, minLongitude, maxLongitude } = area;
      const box = { latitude: [minLatitude, maxLatitude], longitude: [minLongitude, maxLongitude] } as const;
      return farAway({ ...box, value: area, reach: 0 }, lists);
    },
  }),
};

/** Keeps what takes place at these venues, and not online. */
export function keepAtVenues(
  rows: Bitmap,
  venues: readonly number[],
  { columns }: Pick<FilterView, 'columns'>,
): void {
  intersect(rows, rowsCarrying(columns, 'venue', venues));
  subtract(rows, rowsFlagged(columns, 'online'));
}
