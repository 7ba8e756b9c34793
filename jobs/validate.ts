/** From raw entries to valid records: the licence, the directories, and events one by one. */
import type * as z from 'zod';
import { ORGANIZER, VENUE } from '../src/calendar/fields.ts';
import { fold } from '../src/calendar/text.ts';
import { type MunicipalityNamed, type PostalCodes, readPostalCodes } from './postal-codes.ts';
import {
  type EventRecord,
  type EventReferences,
  type Finding,
  type MergedSource,
  type Origin,
  type PlacedPages,
  type RawEntry,
  type Records,
  type VenueRecord,
  withCause,
} from './records.ts';
import type { Report } from './report.ts';
import { withDefaultMunicipalities } from './validate/default-municipalities.ts';
import { directoryOf } from './validate/directory.ts';
import {
  type ReadEntry,
  type RecordList,
  readEntry,
  readList,
  readValue,
  reportIfTaken,
} from './validate/entry.ts';
import { eventRecordOf, type RawValues, type Surroundings, titlesOf, valuesOf } from './validate/event.ts';
import { plainReader } from './validate/fields.ts';
import { addFinding, type Subject } from './validate/findings.ts';
import { readLicence, type ValidLicence } from './validate/licence.ts';
import {
  capacitySchema,
  eventSchema,
  organizerSchema,
  type RawEvent,
  type RawVenue,
  venueSchema,
} from './validate/schemas.ts';
import { nonBlank, shortLine } from './validate/texts.ts';
import { datesMissingFrom, FIELDS } from './validate/unknown-fields.ts';

/** Records that more values can be read for. */
export interface ValidRecords extends Records {
  /** F13: templates of the addresses of pages for events on other sites. */
  readonly knownPages: readonly string[];
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
  const venueList = { kind: 'venues', schema: venueSchema, fields: FIELDS.venues, report } as const;
  const ownVenues = await readNamed(source.venues(), venueList, (raw, subject) =>
    venueOf(raw, postalCodes, subject),
  );
  const defaults = source.defaultMunicipalities();
  const venues = withDefaultMunicipalities(ownVenues, { defaults, postalCodes, reporter: report });
  const organizerList = {
    kind: 'organizers',
    schema: organizerSchema,
    fields: FIELDS.organizers,
    report,
  } as const;
  const organizers = await readNamed(source.organizers(), organizerList, organizerFields);
  const surroundings = {
    ...valid,
    venues: directoryOf(venues),
    organizers: directoryOf(organizers),
    report,
  };
  const reader = createEventReader(surroundings);

  async function* events(isHidden?: IsHidden): AsyncGenerator<EventRecord, void, undefined> {
    for await (const entry of source.events()) {
      const event = reader.read(entry, isHidden);
      if (event !== null) yield event;
    }
  }

  return {
    licence: valid.licence,
    categories: valid.taxonomy.categories,
    retired: valid.taxonomy.retired,
    mergesDuplicates: valid.mergesDuplicates,
    knownPages: valid.eventPages.known,
    eventPages: placedPages(valid, postalCodes),
    sources: source.sources,
    merged: source.merged,
    venues,
    organizers,
    namedByEvents: source.namedByEvents(),
    events,
    references: reader.references,
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

/** F13: whether the editor hides an event. Then nothing is reported about it. */
type IsHidden = (event: EventRecord) => boolean;

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

/** Reads events one by one; each id is taken once. */
function createEventReader(surroundings: Surroundings) {
  const { licence, report } = surroundings;
  const ids = new Map<string, Origin>();
  const references = createReferences(surroundings, ids);
  // Findings wait until it is known whether the event is accepted: for a dropped one, only the reason is reported.
  let pending: Finding[] = [];
  const addPending = (finding: Finding) => pending.push(finding);
  const list = { ...EVENTS, report, reporter: { ...report, addFinding: addPending } };

  /** The validated event; null, after a finding, if it is dropped (G2). */
  function read(entry: RawEntry, isHidden: IsHidden = () => false): EventRecord | null {
    pending = [];
    const valid = readEntry(entry, list);
    const event = valid && eventIn(entry, valid);
    if (valid === null || event === null || !isDated(event)) {
      if (event !== null) report.addFinding(undatedOf(event, datesMissingFrom(entry.value), pending));
      for (const finding of pending) if (finding.action === 'dropped record') report.addFinding(finding);
      return null;
    }
    ids.set(event.id, entry.origin);
    report.countKept('events');
    if (isHidden(event)) return event;
    for (const finding of pending) report.addFinding(finding);
    references.add(event, valid);
    return event;
  }

  /** Null, after a finding, for an event without a title, or with the id of another one. */
  function eventIn(
    { value, feed, series, rooms, statedPlaces }: RawEntry,
    { raw, subject }: ReadEntry<RawEvent>,
  ): EventRecord | null {
    const titles = titlesOf(raw, value, subject);
    if (titles === null || reportIfTaken(ids, raw.id, subject)) return null;
    // F9: without registration, these values of records are not read.
    const reading = { schema: capacitySchema, at: [], subject, lost: 'dropped value' } as const;
    const capacity = licence.registration ? readValue(value, reading) : null;
    const parts = { feed, rooms, titles, series, subject, surroundings };
    const record = eventRecordOf({ ...raw, ...capacity }, parts);
    return statedPlaces === undefined ? record : { ...record, statedPlaces };
  }

  return { read, references: references.resolve };
}

/** References to events, which may precede their targets: `ids` grows while events are read. */
function createReferences(
  { licence, subject: licenceSubject, report }: Surroundings,
  ids: ReadonlyMap<string, unknown>,
) {
  const unresolved: OpenReference[] = [];
  const superEvent: EventReferences['superEvent'] = ({ id, super_event }) =>
    super_event !== null && super_event !== id && ids.has(super_event) ? super_event : null;

  /** Only unresolved references are stored, so that a well-ordered list costs nothing. */
  function add(event: EventRecord, { raw, subject }: ReadEntry<RawEvent>): void {
    const { id, super_event } = event;
    if (super_event === null || superEvent(event) !== null) return;
    const field = typeof raw.superEvent === 'string' ? 'superEvent' : 'super_event';
    unresolved.push({ event: { id, super_event }, field, subject: { ...subject, reporter: report } });
  }

  /** G2: once all events are read, a reference to an unknown one is dropped. */
  function resolve(): EventReferences {
    for (const { event, field, subject } of unresolved) {
      if (superEvent(event) !== null) continue;
      const expected = 'the id of another event that is kept';
      addFinding(subject, 'dropped reference', { at: [field], expected, found: event.super_event });
    }
    const { specialEvent } = licence;
    if (specialEvent === null || ids.has(specialEvent)) return { superEvent, specialEvent };
    const expected = 'the id of an event that is kept';
    addFinding(licenceSubject, 'dropped reference', { at: ['specialEvent'], expected, found: specialEvent });
    return { superEvent, specialEvent: null };
  }

  return { add, resolve };
}

/** A reference to an event that is not read yet. */
interface OpenReference {
  readonly event: Pick<EventRecord, 'id' | 'super_event'>;
  readonly field: string;
  readonly subject: Subject;
}

const EVENTS = { kind: 'events', schema: eventSchema, fields: FIELDS.events } as const;

function isDated({ isSuperEvent, dates, series }: EventRecord): boolean {
  return isSuperEvent || dates.length > 0 || series.length > 0;
}

/** The finding about an event without a valid date, with the faults of those that it gave. */
function undatedOf({ origin, id }: EventRecord, found: string, findings: readonly Finding[]): Finding {
  const expected = 'at least one valid date or repeat';
  const undated: Finding = { action: 'dropped record', origin, id, field: 'dates', expected, found };
  const causes = findings.filter(({ action }) => action === 'dropped date' || action === 'dropped series');
  return withCause(undated, causes);
}
