import type { Location } from '../../src/calendar/model.ts';
import { fold } from '../../src/calendar/text.ts';
import type { OrganizerRecord, RawEntry, VenueRecord } from '../records.ts';
import type { Report } from '../report.ts';
import { isTaken, readEntry, written } from './entry.ts';
import { type PostalRegister, postalCodeIn } from './postal-codes.ts';
import { organizerSchema, type RawVenue, venueSchema } from './schemas.ts';

export async function readVenues(
  entries: AsyncIterable<RawEntry>,
  register: PostalRegister,
  report: Report,
): Promise<readonly VenueRecord[]> {
  const venues: VenueRecord[] = [];
  const ids = new Set<string>();
  for await (const entry of entries) {
    report.read('venues');
    const read = readEntry(entry, { kind: 'venues', schema: venueSchema, report });
    if (read === null || isTaken(ids, read.raw.id, read.subject)) continue;
    ids.add(read.raw.id);
    report.kept('venues');
    venues.push({ origin: entry.origin, ...venueOf(read.raw, register) });
  }
  return venues;
}

export async function readOrganizers(
  entries: AsyncIterable<RawEntry>,
  report: Report,
): Promise<readonly OrganizerRecord[]> {
  const organizers: OrganizerRecord[] = [];
  const ids = new Set<string>();
  for await (const entry of entries) {
    report.read('organizers');
    const read = readEntry(entry, { kind: 'organizers', schema: organizerSchema, report });
    if (read === null || isTaken(ids, read.raw.id, read.subject)) continue;
    ids.add(read.raw.id);
    report.kept('organizers');
    const { id, name, slug, website } = read.raw;
    organizers.push({ origin: entry.origin, id, name, slug: written(slug), website: website ?? null });
  }
  return organizers;
}

function venueOf(raw: RawVenue, register: PostalRegister): Omit<VenueRecord, 'origin'> {
  const postalCode = written(raw.postalCode) ?? postalCodeIn(raw.address ?? '');
  return {
    id: raw.id,
    name: raw.name,
    slug: written(raw.slug),
    address: raw.address ?? null,
    postalCode,
    ...municipalityOf(written(raw.municipality), postalCode, register),
    location: locationOf(raw),
  };
}

function locationOf({ latitude, longitude }: RawVenue): Location | null {
  if (typeof latitude !== 'number' || typeof longitude !== 'number') return null;
  return { latitude, longitude };
}

type Municipality = Pick<VenueRecord, 'municipality' | 'municipalityNumber'>;

/** F8, B6: the record's own municipality wins, be it a name or a number; the other of the two is looked up. */
function municipalityOf(
  own: string | null,
  postalCode: string | null,
  register: PostalRegister,
): Municipality {
  const there = postalCode === null ? undefined : register.byCode.get(postalCode);
  if (own === null) {
    return {
      municipality: there?.municipality ?? null,
      municipalityNumber: there?.municipalityNumber ?? null,
    };
  }
  if (/^\d{4}$/.test(own)) return { municipality: register.nameOf(own), municipalityNumber: own };
  if (there !== undefined && fold(there.municipality) === fold(own)) {
    return { municipality: own, municipalityNumber: there.municipalityNumber };
  }
  return { municipality: own, municipalityNumber: register.numberOf(own) };
}
