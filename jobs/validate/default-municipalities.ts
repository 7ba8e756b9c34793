/** F8: the municipalities that feeds have for their places, where neither a venue nor its postal code gives one. */
import type { Reporter } from '../findings.ts';
import { isInMunicipality, type Municipality, type VenueRecord } from '../records.ts';
import type { DefaultMunicipality } from '../source/source.ts';
import type { PostalCodes } from './postal-codes.ts';

interface Defaults {
  /** By the id of the venue; undefined if no source has any. */
  readonly defaults: ReadonlyMap<string, DefaultMunicipality> | undefined;
  readonly postalCodes: Pick<PostalCodes, 'municipalityNamed'>;
  readonly reporter: Pick<Reporter, 'addFinding'>;
}

/** Gives a municipality to the venues that have none. A default that the register does not list is reported once. */
export function withDefaultMunicipalities(
  venues: readonly VenueRecord[],
  { defaults, postalCodes, reporter }: Defaults,
): readonly VenueRecord[] {
  const read = new Map<DefaultMunicipality, Municipality | null>();

  function municipalityIn(given: DefaultMunicipality): Municipality | null {
    const known = read.get(given);
    if (known !== undefined) return known;
    const subject = { origin: given.origin, id: null, reporter };
    const municipality = postalCodes.municipalityNamed(given.written, subject, ['defaults', 'municipality']);
    read.set(given, municipality);
    return municipality;
  }

  if (defaults === undefined || defaults.size === 0) return venues;
  return venues.map((venue) => {
    const given = defaults.get(venue.id);
    if (given === undefined || isInMunicipality(venue)) return venue;
    return { ...venue, ...municipalityIn(given) };
  });
}
