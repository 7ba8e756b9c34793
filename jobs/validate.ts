import type * as z from 'zod';
import { EVENT, ORGANIZER, VENUE } from '../src/calendar/fields.ts';
import { type Image, type Licence, OLDER_IMAGE_FIELDS } from '../src/calendar/model.ts';
import { withNearest } from '../src/calendar/text.ts';
import { type PostalCodes, readPostalCodes } from './postal-codes.ts';
import {
  type EventRecord,
  type EventReferences,
  excerpt,
  type Finding,
  type Origin,
  type RawEntry,
  type Records,
  type Source,
  type VenueRecord,
  withCause,
} from './records.ts';
import type { Report } from './report.ts';
import { type DatedEvent, datesOf, feedSeriesOf, pricesOf, repeatsOf, statusIn } from './validate/dates.ts';
import {
  addFinding,
  description,
  firstItems,
  isTaken,
  oneLine,
  type Path,
  type ReadEntry,
  type RecordList,
  readEntry,
  readList,
  readValue,
  type Subject,
  severalLines,
  shortLine,
  valueAt,
  webUrl,
  written,
} from './validate/entry.ts';
import { olderEventFields, olderFields, plainReader } from './validate/fields.ts';
import { readLicence, type ValidLicence } from './validate/licence.ts';
import {
  capacitySchema,
  eventSchema,
  organizerSchema,
  type RawEvent,
  type RawImage,
  type RawVenue,
  venueSchema,
} from './validate/schemas.ts';
import {
  createNearestId,
  datesMissingFrom,
  FIELDS,
  missingFrom,
  type NearestId,
} from './validate/unknown-fields.ts';

/** Records that more values can be read for. */
export interface ValidRecords extends Records {
  /** F13: some values of an event by themselves, checked like those of a record. */
  readonly valuesOf: (raw: RawValues, subject: Subject) => EventRecord;
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
  source: Source,
  report: Report,
  { ownUrl }: ValidateOptions = {},
): Promise<ValidRecords> {
  const valid = readLicence(await source.licence(), report, ownUrl);
  const postalCodes = await readPostalCodes(source.postalCodes(), report);
  const ofVenues = { kind: 'venues', schema: venueSchema, fields: FIELDS.venues, report } as const;
  const venues = await readNamed(source.venues(), ofVenues, (raw, subject) =>
    venueOf(raw, postalCodes, subject),
  );
  const ofOrganizers = {
    kind: 'organizers',
    schema: organizerSchema,
    fields: FIELDS.organizers,
    report,
  } as const;
  const organizers = await readNamed(source.organizers(), ofOrganizers, organizerFields);
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
    ...(source.sources !== undefined && { sources: source.sources }),
    ...(source.merged !== undefined && { merged: source.merged }),
    venues,
    organizers,
    events,
    references: reader.references,
    valuesOf: (raw, subject) => valuesOf(raw, subject, surroundings),
  };
}

/** F13: nothing is reported of these. */
type IsHidden = (event: EventRecord) => boolean;

/** The entities of a list, and the id of the one that an unknown id probably means. */
interface Directory {
  readonly has: (id: string) => boolean;
  readonly nearest: NearestId;
}

function directoryOf(records: readonly { readonly id: string; readonly name: string }[]): Directory {
  const ids = new Map(records.map(({ id }) => [id, id]));
  const nearest = createNearestId([...ids, ...records.map(({ name, id }) => [name, id] as const)]);
  return { has: (id) => ids.has(id), nearest };
}

/** Without those, after a finding, whose name is empty as plain text. */
function readNamed<Schema extends z.ZodType<RawNamed>, Fields>(
  entries: AsyncIterable<RawEntry>,
  list: RecordList<Schema>,
  fieldsOf: (raw: z.output<Schema>, subject: Subject) => Fields,
): Promise<readonly (Named & Fields)[]> {
  return readList(entries, list, (raw, subject) => {
    const { id, name: found, slug } = raw;
    const name = written(shortLine(found, ['name'], subject));
    if (name !== null)
      return { origin: subject.origin, id, name, slug: written(slug), ...fieldsOf(raw, subject) };
    addFinding(subject, 'dropped record', { at: ['name'], expected: 'a name in plain text', found });
    return null;
  });
}

type RawNamed = Pick<RawVenue, 'id' | 'name' | 'slug'>;
type Named = Pick<VenueRecord, 'origin' | 'id' | 'name' | 'slug'>;

function venueOf(raw: RawVenue, postalCodes: PostalCodes, subject: Subject): Omit<VenueRecord, keyof Named> {
  const fields = venueFields(raw, subject);
  const postalCode = written(fields.postalCode) ?? postalCodes.codeIn(fields.address ?? '');
  const { latitude, longitude } = raw;
  const hasPlace = typeof latitude === 'number' && typeof longitude === 'number';
  return {
    ...fields,
    postalCode,
    ...postalCodes.municipalityOf(written(fields.municipality), postalCode),
    location: hasPlace ? { latitude, longitude } : null,
  };
}

const venueFields = plainReader(VENUE);
const organizerFields = plainReader(ORGANIZER);

/** The entities that events refer to. */
interface Surroundings extends ValidLicence {
  readonly venues: Directory;
  readonly organizers: Directory;
  readonly report: Report;
}

function createEventReader(surroundings: Surroundings) {
  const { licence, report } = surroundings;
  const ids = new Map<string, Origin>();
  const open: OpenReference[] = [];
  /** `ids` grows while events are read: a reference may precede its target. */
  const superEvent: EventReferences['superEvent'] = ({ id, super_event }) =>
    super_event !== null && super_event !== id && ids.has(super_event) ? super_event : null;
  // Findings wait until it is known whether the event is accepted: for a dropped one, only the reason is reported.
  let held: Finding[] = [];
  const list = { ...EVENTS, report, reporter: { ...report, addFinding: (one: Finding) => held.push(one) } };

  /** The validated event; null, after a finding, if it is dropped (G2). */
  function read(entry: RawEntry, isHidden: IsHidden = () => false): EventRecord | null {
    held = [];
    const valid = readEntry(entry, list);
    const event = valid && eventIn(entry, valid);
    const isKept = event !== null && isDated(event);
    if (event !== null && !isKept) report.addFinding(undatedOf(event, datesMissingFrom(entry.value), held));
    const isSilent = isKept && isHidden(event);
    for (const finding of isSilent ? [] : held)
      if (isKept || finding.action === 'dropped record') report.addFinding(finding);
    if (valid === null || !isKept) return null;
    const { raw, subject } = valid;
    ids.set(raw.id, entry.origin);
    report.kept('events');
    if (isSilent) return event;
    const field = typeof raw.superEvent === 'string' ? 'superEvent' : 'super_event';
    // Only unresolved references are stored, so that a well-ordered list costs nothing.
    if (event.super_event !== null && superEvent(event) === null) {
      const { id, super_event } = event;
      open.push({ event: { id, super_event }, field, subject: { ...subject, reporter: report } });
    }
    return event;
  }

  /** Null, after a finding, for an event without a title, or with the id of another one. */
  function eventIn(
    { value, feed, series, rooms }: RawEntry,
    { raw, subject }: ReadEntry<RawEvent>,
  ): EventRecord | null {
    const titles = titlesOf(raw, value, subject);
    if (titles === null || isTaken(ids, raw.id, subject)) return null;
    // F9: without registration, these values of records are not read.
    const reading = { schema: capacitySchema, at: [], subject, lost: 'dropped value' } as const;
    const capacity = licence.registration ? readValue(value, reading) : null;
    return eventOf({ ...raw, ...capacity }, { feed, rooms, titles, series, subject, surroundings });
  }

  /** G2: what is not among the events that were read when the build ends is dropped. */
  function references(): EventReferences {
    for (const { event, field, subject } of open) {
      if (superEvent(event) !== null) continue;
      const expected = 'the id of another event that is kept';
      addFinding(subject, 'dropped reference', { at: [field], expected, found: event.super_event });
    }
    const { specialEvent } = licence;
    if (specialEvent === null || ids.has(specialEvent)) return { superEvent, specialEvent };
    const detail = { expected: 'the id of an event that is kept', found: specialEvent };
    addFinding(surroundings.subject, 'dropped reference', { at: ['specialEvent'], ...detail });
    return { superEvent, specialEvent: null };
  }

  return { read, references };
}

type RawValues = Omit<RawEvent, 'id'>;

function valuesOf(raw: RawValues, subject: Subject, surroundings: Surroundings): EventRecord {
  const titles = readTitles(raw, subject);
  return eventOf(
    { ...raw, id: '' },
    { feed: undefined, rooms: undefined, titles, series: undefined, subject, surroundings },
  );
}

/** A reference to an event that is not read yet. */
interface OpenReference {
  readonly event: Pick<EventRecord, 'id' | 'super_event'>;
  readonly field: string;
  readonly subject: Subject;
}

const EVENTS = { kind: 'events', schema: eventSchema, fields: FIELDS.events } as const;

const FIELD_NAMES = [...FIELDS.events.names];

type Titles = Pick<EventRecord, 'title_nb' | 'title_en'>;

/** Null, after a finding, if there is neither. */
function titlesOf(raw: RawEvent, value: unknown, subject: Subject): Titles | null {
  const titles = readTitles(raw, subject);
  if (titles.title_nb !== null || titles.title_en !== null) return titles;
  const given = valueAt(value, ['title_nb']) ?? valueAt(value, ['title_en']);
  const foundText = given == null ? missingFrom(value, 'title_nb', FIELD_NAMES) : excerpt(given);
  const expected = 'a title in Norwegian or English';
  addFinding(subject, 'dropped record', { at: ['title_nb'], expected, foundText });
  return null;
}

function readTitles({ title_nb, title_en }: RawValues, subject: Subject): Titles {
  return {
    title_nb: written(shortLine(title_nb, ['title_nb'], subject)),
    title_en: written(shortLine(title_en, ['title_en'], subject)),
  };
}

function isDated({ isSuperEvent, dates, series }: EventRecord): boolean {
  return isSuperEvent || dates.length > 0 || series.length > 0;
}

function undatedOf({ origin, id }: EventRecord, found: string, findings: readonly Finding[]): Finding {
  const expected = 'at least one good date or repeat';
  const said: Finding = { action: 'dropped record', origin, id, field: 'dates', expected, found };
  const causes = findings.filter(({ action }) => action === 'dropped date' || action === 'dropped series');
  return withCause(said, causes);
}

interface EventParts {
  readonly feed: RawEntry['feed'];
  readonly rooms: RawEntry['rooms'];
  readonly titles: Titles;
  /** The feed's series. */
  readonly series: unknown;
  readonly subject: Subject;
  readonly surroundings: Surroundings;
}

function eventOf(raw: RawEvent, parts: EventParts): EventRecord {
  const { feed, rooms, titles, series, subject, surroundings } = parts;
  const venueOf = venueReader(surroundings.venues);
  const event = {
    venue: venueOf(raw.venue, ['venue'], subject),
    ticketsURL: webUrl(raw.ticketsURL, ['ticketsURL'], subject),
    status: statusIn(raw, [], subject) ?? 'SCHEDULED',
    eventSoldOut: raw.eventSoldOut ?? false,
  };
  const dated: DatedEvent = { subject, event, venueOf };
  return {
    origin: subject.origin,
    feed: feed ?? null,
    rooms,
    id: raw.id,
    slug: written(raw.slug),
    eventLink: webUrl(raw.eventLink, ['eventLink'], subject),
    ...titles,
    desc_nb: description(raw.desc_nb, ['desc_nb'], subject),
    desc_en: description(raw.desc_en, ['desc_en'], subject),
    categories: raw.categories ? surroundings.taxonomy.migrate(raw.categories, subject) : [],
    tags: tagsOf(raw.tags ?? [], subject),
    mode: raw.mode ?? 'offline',
    organizers: organizersOf(raw.organizers ?? [], surroundings.organizers, subject),
    images: firstItems(raw.images ?? [], ['images'], subject).map((image, place) =>
      imageOf(ofSite(image, surroundings.licence), ['images', place], subject),
    ),
    ticketsInformation: raw.ticketsInformation ?? 'noTicketsInfo',
    prices: raw.prices ? pricesOf(raw.prices, ['prices'], subject) : [],
    ...plainOf(raw, subject),
    super_event: raw.superEvent ?? raw.super_event ?? null,
    isFeaturedInSpecialEvent: raw.isFeaturedInSpecialEvent ?? false,
    ...olderEventFields(raw, subject),
    ...event,
    dates: datesOf(raw.dates ?? [], dated),
    series: [
      ...repeatsOf(raw.repeats ?? [], dated),
      ...seriesIn(series).flatMap((one) => feedSeriesOf(one, dated)),
    ],
  };
}

/** One of an entry, or several of entries that are one event. */
function seriesIn(series: unknown): readonly unknown[] {
  return series === undefined ? [] : [series].flat();
}

function venueReader({ has, nearest }: Directory): DatedEvent['venueOf'] {
  return (id, at, subject) => {
    if (id == null) return null;
    if (has(id)) return id;
    const expected = withNearest('the id of a venue', nearest(id));
    addFinding(subject, 'dropped reference', { at, expected, found: id });
    return null;
  };
}

function organizersOf(
  raw: readonly string[],
  { has, nearest }: Directory,
  subject: Subject,
): readonly string[] {
  const seen = new Set<string>();
  return firstItems(raw, ['organizers'], subject).filter((id, place) => {
    const at: Path = ['organizers', place];
    const isNew = !seen.has(id);
    seen.add(id);
    if (has(id) && isNew) return true;
    const expected = isNew ? withNearest('the id of an organizer', nearest(id)) : 'each organizer once';
    addFinding(subject, 'dropped reference', { at, expected, found: id });
    return false;
  });
}

/** Tags that are not blank; a tag of only markup becomes blank. */
function tagsOf(raw: readonly string[], subject: Subject): readonly string[] {
  return firstItems(raw, ['tags'], subject)
    .map((tag, place) => oneLine(tag, ['tags', place], subject) ?? '')
    .filter((tag, place) => tag !== '' || raw[place] === '');
}

/** F3: `pictures/choir.svg` is a picture of the calendar's site. */
function ofSite(raw: RawImage, { siteUrl }: Licence): RawImage {
  const addressOf = (text: RawImage['urlSmall']) => {
    const [, name] = typeof text === 'string' ? (OWN_PICTURE.exec(text) ?? []) : [];
    return name === undefined ? text : new URL(`pictures/${encodeURIComponent(decoded(name))}`, siteUrl).href;
  };
  return { ...raw, urlSmall: addressOf(raw.urlSmall), urlLarge: addressOf(raw.urlLarge) };
}

/** The name of a file that is not hidden. */
const OWN_PICTURE = /^pictures\/([^./\\\p{Cc}\p{Cs}][^/\\\p{Cc}\p{Cs}]{0,80})$/u;

/** Records may have the file's name as it is, or as addresses have it. */
function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

function imageOf(raw: RawImage, at: Path, subject: Subject): Image {
  return {
    urlSmall: webUrl(raw.urlSmall, [...at, 'urlSmall'], subject),
    urlLarge: webUrl(raw.urlLarge, [...at, 'urlLarge'], subject),
    alt: oneLine(raw.alt, [...at, 'alt'], subject),
    caption: severalLines(raw.caption, [...at, 'caption'], subject),
    credits: severalLines(raw.credits, [...at, 'credits'], subject),
    focusX: raw.focusX ?? null,
    focusY: raw.focusY ?? null,
    width: raw.width ?? null,
    height: raw.height ?? null,
    ...olderFields(raw, OLDER_IMAGE_FIELDS, { at, subject }),
  };
}

const plainOf = plainReader(EVENT);
