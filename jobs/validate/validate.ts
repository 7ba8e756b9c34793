/** From raw entries to valid records: the licence, the directories, and events one by one. */
import type * as z from 'zod';
import { ORGANIZER, VENUE } from '../../src/calendar/fields.ts';
import { fold } from '../../src/calendar/text.ts';
import type { EventRecord, EventsEnd, PlacedPages, Records, VenueRecord } from '../records.ts';
import type { Report } from '../report/report.ts';
import type { MergedSource, RawEntry } from '../source/source.ts';
import { createStreamEnd } from '../source/stream-end.ts';
import { withDefaultMunicipalities } from './default-municipalities.ts';
import { directoryOf } from './directory.ts';
import { type RecordList, readList } from './entry.ts';
import { addFinding, type Subject } from './entry-findings.ts';
import { type RawValues, valuesOf } from './event.ts';
import { createEventReader, type IsHidden } from './event-reader.ts';
import { plainReader } from './fields.ts';
import { readLicence, type ValidLicence } from './licence.ts';
import { type MunicipalityNamed, type PostalCodes, readPostalCodes } from './postal-codes.ts';
import { organizerSchema, type RawVenue, venueSchema } from './schemas.ts';
import { nonBlank, shortLine } from './texts.ts';
import { FIELDS } from './unknown-fields.ts';

/** Records that more values can be read for. */
export interface ValidRecords extends Records {
  /** F13: templates of the addresses of pages for events on other sites. */
  readonly knownPages: readonly string[];
  /** As in `Records`. Events for which `isHidden` (F13) is true are not reported. */
  readonly events: (isHidden?: IsHidden) => AsyncIterable<EventRecord>;
  /** F13: some values of an event by themselves, checked like those of a record. */
  readonly valuesOf: (raw: RawValues, subject: Subject) => EventRecord;
  /** F13: the municipality that a correction names. */
  readonly municipalityNamed: MunicipalityNamed;
}

interface ValidateOptions {
  /** I11: address of the server's own pages, ending in a slash, for a licence without a site. */
  readonly ownUrl?: string | undefined;
}

/**
 * Reads a source up to its events, which are read on demand: only the licence, the directories and the ids of events are in memory. Invalid
 * parts are dropped and reported (G2); throws INVALID_SOURCE if that is impossible (G3).
 */
export async function validate(
  source: MergedSource,
  report: Report,
  { ownUrl }: ValidateOptions = {},
): Promise<ValidRecords> {
  const valid = readLicence(await source.licence(), report, ownUrl);
  const postalCodes = await readPostalCodes(source.postalCodes(), report);
  const venues = await venuesOf(source, postalCodes, report);
  const organizers = await readNamed(source.organizers, { ...ORGANIZERS, report }, organizerFields);
  const surroundings = {
    ...valid,
    venues: directoryOf(venues),
    organizers: directoryOf(organizers),
    report,
  };
  const reader = createEventReader(surroundings);
  const end = createStreamEnd<EventsEnd>('events');

  async function* events(isHidden?: IsHidden): AsyncGenerator<EventRecord, void, undefined> {
    for await (const entry of source.events) {
      const event = reader.read(entry, isHidden);
      if (event !== null) yield event;
    }
    end.reach({
      references: reader.references(),
      merged: source.merged(),
      municipalities: new Map(),
      hidden: new Set(),
      unapproved: new Set([...source.heldBack.events.keys()].filter((id) => !reader.has(id))),
    });
  }

  return {
    licence: valid.licence,
    categories: valid.taxonomy.categories,
    retired: valid.taxonomy.retired,
    mergesDuplicates: valid.mergesDuplicates,
    knownPages: valid.eventPages.known,
    eventPages: placedPages(valid, postalCodes),
    sources: source.sources,
    venues,
    organizers,
    namedByEvents: source.namedByEvents(),
    events,
    finish: end.value,
    valuesOf: (raw, subject) => valuesOf(raw, subject, surroundings),
    municipalityNamed: postalCodes.municipalityNamed,
  };
}

/** A municipality that the register does not list, or that has pages already, is reported, and its pages are not used. */
function placedPages({ eventPages, subject }: ValidLicence, { municipalityNamed }: PostalCodes): PlacedPages {
  const { fallback, towns } = eventPages;
  const placed = new Map<string, PlacedPages['towns'][number]>();
  for (const [written, template] of towns) {
    const at = ['eventPages', written];
    const municipality = municipalityNamed(written, subject, at);
    if (municipality === null) continue;
    const key = municipality.municipalityNumber ?? fold(municipality.municipality ?? '');
    if (placed.has(key)) addFinding(subject, 'dropped value', { at, expected: EACH_ONCE, found: template });
    else placed.set(key, { municipality, template });
  }
  return { fallback, towns: [...placed.values()] };
}

const EACH_ONCE = 'each municipality once, by its name or by its number';

async function venuesOf(
  source: MergedSource,
  postalCodes: PostalCodes,
  report: Report,
): Promise<readonly VenueRecord[]> {
  const venues = await readNamed(source.venues, { ...VENUES, report }, (raw, subject) =>
    venueOf(raw, postalCodes, subject),
  );
  const defaults = source.defaultMunicipalities();
  return withDefaultMunicipalities(venues, { defaults, postalCodes, reporter: report });
}

const VENUES = { kind: 'venues', schema: venueSchema, fields: FIELDS.venues } as const;
const ORGANIZERS = { kind: 'organizers', schema: organizerSchema, fields: FIELDS.organizers } as const;

/** The venues or organizers of a list. One whose name is empty as plain text is dropped and reported. */
function readNamed<Schema extends z.ZodType<RawNamed>, Fields>(
  entries: AsyncIterable<RawEntry>,
  list: RecordList<Schema>,
  fieldsOf: (raw: z.output<Schema>, subject: Subject) => Fields,
): Promise<readonly (Named & Fields)[]> {
  return readList(entries, list, (raw, subject) => {
    const { id, name: found, slug } = raw;
    const name = nonBlank(shortLine(found, ['name'], subject));
    if (name !== null)
      return { origin: subject.origin, id, name, slug: nonBlank(slug), ...fieldsOf(raw, subject) };
    addFinding(subject, 'dropped record', { at: ['name'], expected: 'a name in plain text', found });
    return null;
  });
}

type RawNamed = Pick<RawVenue, 'id' | 'name' | 'slug'>;
type Named = Pick<VenueRecord, 'origin' | 'id' | 'name' | 'slug'>;

function venueOf(raw: RawVenue, postalCodes: PostalCodes, subject: Subject): Omit<VenueRecord, keyof Named> {
  const fields = venueFields(raw, subject);
  const postalCode = nonBlank(fields.postalCode) ?? postalCodes.codeIn(fields.address ?? '');
  const { latitude, longitude } = raw;
  const hasPlace = typeof latitude === 'number' && typeof longitude === 'number';
  return {
    ...fields,
    postalCode,
    ...postalCodes.municipalityOf(nonBlank(fields.municipality)?.trim() ?? null, postalCode),
    location: hasPlace ? { latitude, longitude } : null,
  };
}

const venueFields = plainReader(VENUE);
const organizerFields = plainReader(ORGANIZER);
