/** F15: the municipalities that limit a correction sheet. They are compared with those of places before any correction. */
import { municipalityName } from '../../src/calendar/municipality.ts';
import { type VenueId, venuesOf } from '../event-dates.ts';
import type { Reporter } from '../findings.ts';
import { type EventRecord, type Municipality, NO_MUNICIPALITY, type VenueRecord } from '../records.ts';
import type { MunicipalityLimit } from '../source/source.ts';
import { isSameMunicipality, type MunicipalityNamed } from '../validate/postal-codes.ts';

export interface Area {
  /** Such as `Stjørdal or Meråker`. */
  readonly name: string;
  readonly includesVenue: (venue: VenueId) => boolean;
  /**
   * Whether all dates of a record are in the area, also by what its own feed says of the places: another feed may have named their
   * municipality. A record without `statedPlaces` is never included.
   */
  readonly includesRecord: (record: EventRecord) => boolean;
  /** The finding's words about an event at these venues; null if all of them are in the area. */
  readonly findingFor: (venues: Iterable<VenueId>) => Outside | null;
}

interface Outside {
  readonly expected: string;
  readonly foundText: string;
}

/** Each limit is read once, so that a mistake in it is reported once. */
export type FindArea = (limit: MunicipalityLimit) => Area;

interface Places {
  readonly venues: readonly VenueRecord[];
  readonly municipalityNamed: MunicipalityNamed;
  readonly report: Pick<Reporter, 'addFinding'>;
}

export function createAreas(places: Places): FindArea {
  const areas = new Map<MunicipalityLimit, Area>();
  return (limit) => {
    const area = areas.get(limit) ?? areaOf(limit, places);
    areas.set(limit, area);
    return area;
  };
}

/** Municipalities that the register does not list are left out after a finding. Without any other, the area includes no place. */
function areaOf({ names, origin }: MunicipalityLimit, { venues, municipalityNamed, report }: Places): Area {
  const subject = { origin, id: null, reporter: report };
  const municipalities = names.flatMap(
    (written, index) => municipalityNamed(written, subject, ['municipalities', index]) ?? [],
  );
  const isInside = (place: Municipality) => municipalities.some((one) => isSameMunicipality(place, one));
  const inside = new Set<VenueId>(venues.filter(isInside).map(({ id }) => id));
  const byId = new Map<VenueId, VenueRecord>(venues.map((venue) => [venue.id, venue]));
  const known = municipalities.flatMap((one) => municipalityName(one) ?? []);
  const name = (known.length === 0 ? names : known).join(' or ');

  function findingFor(all: Iterable<VenueId>): Outside | null {
    const list = [...all];
    const others = list.filter((venue) => !inside.has(venue));
    if (others.length === 0) return null;
    const found = others.flatMap((venue) => municipalityName(byId.get(venue) ?? NO_MUNICIPALITY) ?? []);
    const isPartlyInside = others.length < list.length;
    return { expected: `an event in ${name}`, foundText: elsewhere([...new Set(found)], isPartlyInside) };
  }

  const includesVenue = (venue: VenueId) => inside.has(venue);
  const includesRecord = (record: EventRecord) =>
    [...venuesOf(record)].every(includesVenue) && (record.statedPlaces?.every(isInside) ?? false);
  return { name, includesVenue, includesRecord, findingFor };
}

/** Municipalities that a finding lists. */
const MOST_LISTED = 5;

/** `names`: those of the other municipalities. */
function elsewhere(names: readonly string[], isPartlyInside: boolean): string {
  const listed = names.slice(0, MOST_LISTED).join(', ');
  if (listed !== '') return isPartlyInside ? `one that is also in ${listed}` : `one in ${listed}`;
  // Whole texts, because /status has Norwegian words for each.
  return isPartlyInside ? 'one that is also in a place without a municipality' : 'one without a municipality';
}
