import { ORGANIZER, VENUE } from '../../src/calendar/fields.ts';
import type { Location } from '../../src/calendar/model.ts';
import type { OrganizerRecord, RawEntry, VenueRecord } from '../records.ts';
import type { Report } from '../report.ts';
import { addFinding, FIELDS, oneLine, readList, type Subject, written } from './entry.ts';
import { plainReader } from './plain.ts';
import { organizerSchema, type RawVenue, venueSchema } from './schemas.ts';

export function readVenues(
  entries: AsyncIterable<RawEntry>,
  report: Report,
  municipalityOf: MunicipalityOf = asWritten,
): Promise<readonly VenueRecord[]> {
  return readList(
    entries,
    { kind: 'venues', schema: venueSchema, fields: FIELDS.venues, report },
    (raw, subject) => {
      const name = nameOf(raw, subject);
      return name === null
        ? null
        : { origin: subject.origin, name, ...venueOf(raw, municipalityOf, subject) };
    },
  );
}

export function readOrganizers(
  entries: AsyncIterable<RawEntry>,
  report: Report,
): Promise<readonly OrganizerRecord[]> {
  return readList(
    entries,
    { kind: 'organizers', schema: organizerSchema, fields: FIELDS.organizers, report },
    (raw, subject) => {
      const name = nameOf(raw, subject);
      if (name === null) return null;
      return {
        origin: subject.origin,
        id: raw.id,
        name,
        slug: written(raw.slug),
        ...organizerFields(raw, subject),
      };
    },
  );
}

/** Null, after a finding, if it is empty as plain text. */
function nameOf(raw: { readonly name: string }, subject: Subject): string | null {
  const name = written(oneLine(raw.name, ['name'], subject));
  const expected = 'a name in plain text';
  if (name === null) addFinding(subject, 'dropped record', { at: ['name'], expected, found: raw.name });
  return name;
}

function venueOf(
  raw: RawVenue,
  municipalityOf: MunicipalityOf,
  subject: Subject,
): Omit<VenueRecord, 'origin' | 'name'> {
  const fields = venueFields(raw, subject);
  const postalCode = written(fields.postalCode) ?? postalCodeIn(fields.address ?? '');
  return {
    ...fields,
    id: raw.id,
    slug: written(raw.slug),
    postalCode,
    ...municipalityOf(written(fields.municipality), postalCode),
    location: locationOf(raw),
  };
}

const venueFields = plainReader(VENUE);
const organizerFields = plainReader(ORGANIZER);

function locationOf({ latitude, longitude }: RawVenue): Location | null {
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return null;
  return { latitude, longitude };
}

/** F8, B6: by a venue's own municipality, a name or a number, and its postal code. */
export type MunicipalityOf = (own: string | null, postalCode: string | null) => Municipality;

type Municipality = Pick<VenueRecord, 'municipality' | 'municipalityNumber'>;

/** Without a register. */
const asWritten: MunicipalityOf = (own) =>
  own !== null && /^\d{4}$/.test(own)
    ? { municipality: null, municipalityNumber: own }
    : { municipality: own, municipalityNumber: null };

/** A four-digit group and the beginning of a place name. */
const CODE_AND_PLACE = /(?<!\d)(\d{4})(?=\s+\p{L}\p{L})/gu;

/** F8: the last postal code in an address, such as that of `Kongens gate 2, 7013 Trondheim`. */
function postalCodeIn(address: string): string | null {
  return [...address.matchAll(CODE_AND_PLACE)].at(-1)?.[1] ?? null;
}
