import type { Location } from '../../src/calendar/model.ts';
import { fold } from '../../src/calendar/text.ts';
import type { OrganizerRecord, RawEntry, VenueRecord } from '../records.ts';
import type { Report } from '../report.ts';
import { complain, type Subject } from './complaints.ts';
import { isTaken, oneLine, readEntry, severalLines, webUrl, written } from './entry.ts';
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
    const name = nameOf(read.raw, read.subject);
    if (name === null) continue;
    ids.add(read.raw.id);
    report.kept('venues');
    venues.push({ origin: entry.origin, name, ...venueOf(read.raw, register, read.subject) });
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
    const name = nameOf(read.raw, read.subject);
    if (name === null) continue;
    ids.add(read.raw.id);
    report.kept('organizers');
    const { id, slug } = read.raw;
    const website = webUrl(read.raw.website, ['website'], read.subject);
    organizers.push({ origin: entry.origin, id, name, slug: written(slug), website });
  }
  return organizers;
}

/** Null, after a complaint, when nothing is left of it once it is plain text. */
function nameOf(raw: { readonly name: string }, subject: Subject): string | null {
  const name = written(oneLine(raw.name, ['name'], subject));
  if (name === null) {
    complain(subject, 'dropped record', { at: ['name'], expected: 'a name in plain text', found: raw.name });
  }
  return name;
}

function venueOf(
  raw: RawVenue,
  register: PostalRegister,
  subject: Subject,
): Omit<VenueRecord, 'origin' | 'name'> {
  const address = severalLines(raw.address, ['address'], subject);
  const postalCode = written(oneLine(raw.postalCode, ['postalCode'], subject)) ?? postalCodeIn(address ?? '');
  const municipality = written(oneLine(raw.municipality, ['municipality'], subject));
  return {
    id: raw.id,
    slug: written(raw.slug),
    address,
    postalCode,
    ...municipalityOf(municipality, postalCode, register),
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
