import * as z from 'zod';
import type { Location } from '../../src/calendar/model.ts';
import { fold } from '../../src/calendar/text.ts';
import type { OrganizerRecord, RawEntry, VenueRecord } from '../records.ts';
import type { Report } from '../report.ts';
import {
  addFinding,
  isTaken,
  olderText,
  oneLine,
  readEntry,
  reportCharset,
  type Subject,
  severalLines,
  subjectOf,
  webUrl,
  written,
} from './entry.ts';
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
    const email = olderText(read.raw.email, ['email'], read.subject);
    const telephoneNumber = olderText(read.raw.telephoneNumber, ['telephoneNumber'], read.subject);
    const { origin } = entry;
    organizers.push({ origin, id, name, slug: written(slug), website, email, telephoneNumber });
  }
  return organizers;
}

/** Null, after a finding, when nothing is left of it once it is plain text. */
function nameOf(raw: { readonly name: string }, subject: Subject): string | null {
  const name = written(oneLine(raw.name, ['name'], subject));
  if (name === null) {
    addFinding(subject, 'dropped record', {
      at: ['name'],
      expected: 'a name in plain text',
      found: raw.name,
    });
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
    mapImageURL: olderText(raw.mapImageURL, ['mapImageURL'], subject),
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

/** A line of the national register of postal codes (F8). */
interface PostalCode {
  readonly code: string;
  readonly municipalityNumber: string;
  readonly municipality: string;
}

/** The national register of postal codes, as far as the licence's folder has it (F8). */
interface PostalRegister {
  readonly byCode: ReadonlyMap<string, PostalCode>;
  /** Municipality by its number. */
  readonly nameOf: (municipalityNumber: string) => string | null;
  /** The only municipality number with that name, however it is spelled; null when there is none or more than one. */
  readonly numberOf: (municipality: string) => string | null;
}

const digits = z.string().regex(/^\d{4}$/);
const LINE = z.tuple([digits, z.string(), digits, z.string().regex(/\S/)]).rest(z.string());
const EXPECTED =
  'four-digit code, place, four-digit municipality number, municipality name, category between tabs';

export async function readPostalRegister(
  entries: AsyncIterable<RawEntry>,
  report: Report,
): Promise<PostalRegister> {
  const byCode = new Map<string, PostalCode>();
  const names = new Map<string, string>();
  const numbers = new Map<string, Set<string>>();
  for await (const entry of entries) {
    report.read('postalCodes');
    const line = readLine(entry, byCode, report);
    if (line === null) continue;
    report.kept('postalCodes');
    byCode.set(line.code, line);
    if (!names.has(line.municipalityNumber)) names.set(line.municipalityNumber, line.municipality);
    const folded = fold(line.municipality);
    numbers.set(folded, (numbers.get(folded) ?? new Set()).add(line.municipalityNumber));
  }
  return {
    byCode,
    nameOf: (number) => names.get(number) ?? null,
    numberOf: (municipality) => {
      const [number, another] = numbers.get(fold(municipality)) ?? [];
      return number === undefined || another !== undefined ? null : number;
    },
  };
}

function readLine(
  entry: RawEntry,
  taken: ReadonlyMap<string, PostalCode>,
  report: Report,
): PostalCode | null {
  const subject = subjectOf(entry, report);
  reportCharset(entry, subject);
  if (entry.problem !== undefined) {
    report.addFinding({
      action: 'dropped record',
      origin: entry.origin,
      id: null,
      field: null,
      ...entry.problem,
    });
    return null;
  }
  const parsed = LINE.safeParse(entry.value);
  if (!parsed.success) {
    addFinding(subject, 'dropped record', { at: [], expected: EXPECTED, found: entry.value });
    return null;
  }
  const [code, , municipalityNumber, written] = parsed.data;
  const municipality = oneLine(written, [], subject) ?? '';
  if (taken.has(code)) {
    addFinding(subject, 'dropped record', { at: [], expected: 'each postal code once', found: code });
    return null;
  }
  return { code, municipalityNumber, municipality };
}

/** A four-digit group and the beginning of a place name. */
const CODE_AND_PLACE = /(?<!\d)(\d{4})(?=\s+\p{L}\p{L})/gu;

/** F8: the last postal code in an address, such as that of `Kongens gate 2, 7013 Trondheim`. */
function postalCodeIn(address: string): string | null {
  return [...address.matchAll(CODE_AND_PLACE)].at(-1)?.[1] ?? null;
}
