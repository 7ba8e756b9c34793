/** The oracle for F1, F2 and F8: taxonomy, venues and organizers, ready to be answered with. */
import {
  accessibilityOf,
  type CategoryRecord,
  type LicenceRecord,
  type OrganizerRecord,
  olderText,
  type PostalCode,
  type Source,
  type VenueRecord,
} from './records.ts';
import { foldsEqual, slugOf } from './text.ts';

export type Category = ReturnType<typeof readCategories>[number];
export type Venue = ReturnType<typeof readVenues>[number];
export type Organizer = ReturnType<typeof readOrganizers>[number];

/** F1: the taxonomy in the licence's order, as the interface shows it; slugs default to those of the names. */
export function readCategories(licence: LicenceRecord) {
  const read = (record: CategoryRecord) => ({
    id: record.id,
    name_nb: record.name_nb,
    name_en: record.name_en,
    name_nn: record.name_nn || null,
    slug_nb: record.slug_nb || slugOf(record.name_nb),
    slug_en: record.slug_en || slugOf(record.name_en),
    visible: record.visible ?? true,
  });
  return licence.categories.map((record) => ({
    ...read(record),
    subcategories: (record.subcategories ?? []).map(read),
  }));
}

/** F2, F8: every venue, in the source's order. */
export function readVenues(source: Source) {
  const slugs = uniqueSlugs();
  return source.venues.map((record) => ({
    id: record.id,
    name: record.name,
    slug: slugs(slugFor(record)),
    address: record.address ?? null,
    ...placeOf(record, source.postalCodes),
    location: locationOf(record),
    mapImageURL: olderText(record.mapImageURL),
    accessibility: accessibilityOf(record.accessibility),
  }));
}

/** F2: every organizer, in the source's order. */
export function readOrganizers(source: Source) {
  const slugs = uniqueSlugs();
  return source.organizers.map((record) => ({
    id: record.id,
    name: record.name,
    slug: slugs(slugFor(record)),
    website: record.website || null,
    email: olderText(record.email),
    telephoneNumber: olderText(record.telephoneNumber),
  }));
}

/** F6: makes slugs unique in source order: the first keeps its own, the next ones get `-2`, `-3` … */
export function uniqueSlugs(): (slug: string) => string {
  const taken = new Set<string>();
  return (slug) => {
    let unique = slug;
    for (let number = 2; taken.has(unique); number += 1) unique = `${slug}-${number}`;
    taken.add(unique);
    return unique;
  };
}

function slugFor({ slug, name, id }: VenueRecord | OrganizerRecord): string {
  return slug || slugOf(name) || slugOf(id);
}

/** E: null unless both numbers are known. */
function locationOf({ latitude, longitude }: VenueRecord) {
  return latitude == null || longitude == null ? null : { latitude, longitude };
}

/** F8: own fields first; then the code in the address and the register's municipality for the code. */
function placeOf(venue: VenueRecord, register: readonly PostalCode[]) {
  const postalCode = venue.postalCode ?? postalCodeIn(venue.address ?? '', register);
  const line = register.find(({ code }) => code === postalCode);
  const written = venue.municipality;
  if (written !== undefined && /^\d{4}$/.test(written)) {
    const named = register.find(({ number }) => number === written);
    // B6: the number is what `municipality: "5001"` is compared with; it is not shown.
    return { postalCode, municipality: asWritten(named?.municipality ?? null), municipalityNumber: written };
  }
  const municipality = written ?? asWritten(line?.municipality ?? null);
  return { postalCode, municipality, municipalityNumber: numberOf(municipality, line, register) };
}

/** F10: of the register, a name in capitals gets small letters, but where a word begins; three small words have none at all. */
function asWritten(name: string | null): string | null {
  if (name === null || !/\p{L}/u.test(name) || /\p{Ll}/u.test(name)) return name;
  return name
    .toLowerCase()
    .split(/(?<=[\s()/-])/)
    .map((word) =>
      ['og', 'i', 'på'].includes(word.trim()) ? word : word.charAt(0).toUpperCase() + word.slice(1),
    )
    .join('');
}

/** The number of the venue's own line, where that is its municipality; else the only one of that name. */
function numberOf(name: string | null, line: PostalCode | undefined, register: readonly PostalCode[]) {
  if (name === null) return null;
  const isNamed = ({ municipality }: PostalCode) =>
    [municipality, ...municipality.split(' - ')].some((one) => foldsEqual(one, name));
  if (line !== undefined && isNamed(line)) return line.number;
  const numbers = new Set(register.filter(isNamed).map(({ number }) => number));
  const [only = null] = numbers;
  return numbers.size === 1 ? only : null;
}

/** F8: the last four-digit group that its own place, or its municipality, follows; without a register, any place. The place may precede. */
function postalCodeIn(address: string, register: readonly PostalCode[]): string | null {
  const groups = [...address.matchAll(/(?<!\d)(\d{4})(?= +\p{L}| *(?:,|$))/gu)].filter(
    ({ 1: digits, index }) => {
      const [place = ''] = address.slice(index + 4).split(',');
      const parts = address.slice(0, index).split(',');
      const isAlone = place.trim() === '' && parts.pop()?.trim() === '' && parts.length > 0;
      if (place.trim() === '' && !isAlone) return false;
      if (register.length === 0) return isAlone ? parts.length > 1 : index > 0;
      const line = register.find(({ code }) => code === digits);
      const places = isAlone ? parts.slice(-2) : [place];
      return [line?.place, line?.municipality].some((name) =>
        places.some((one) => name !== undefined && foldsEqual(name, one.trim())),
      );
    },
  );
  return groups.at(-1)?.[1] ?? null;
}

/** A venue as the interface shows it. */
export function venueJson({ municipalityNumber: _notShown, ...shown }: Venue) {
  return shown;
}
