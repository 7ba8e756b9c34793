/** An endpoint's answers as native records. Unreadable parts are dropped, with a finding. */

import { parseSourceDatetime } from '../../../../src/calendar/input-datetime.ts';
import { isObject, type JsonObject } from '../../../../src/calendar/json.ts';
import { fold } from '../../../../src/calendar/text.ts';
import { formatDay, osloDay, startOfDay } from '../../../../src/calendar/time.ts';
import { excerpt } from '../../../records.ts';
import { fieldName, salvage } from '../../../validate/salvage.ts';
import { categorySchema } from '../../../validate/schemas.ts';
import type { Categories } from '../categories.ts';
import type { Feed } from '../config.ts';
import { assembleEvent } from '../event-assembly.ts';
import { withoutBlanks } from '../event-fields.ts';
import type { AddFinding, FeedRecord } from '../last-good.ts';
import { CATEGORY, IMAGE, LOCATION, OCCURRENCE, ORGANIZER, PLAIN, PRICE, VENUE } from './selections.ts';

interface EventContext {
  readonly directories: Directories;
  readonly categories: Categories;
  readonly feed: Feed;
  /** Instant of the build. */
  readonly now: number;
  /** An id of the endpoint as an id of this calendar. */
  readonly idOf: (id: string) => string;
  readonly inferred: Inferred;
}

/** Fields that an endpoint lacks, inferred from its filters and lists. */
export interface Inferred {
  /** Values of a later date, by the event's id and the date's start. */
  readonly dayOf: (id: string, start: string) => JsonObject | undefined;
  /** Fields that follow from the lists that the event is in. */
  readonly fieldsOf: (id: string) => JsonObject;
}

export function eventOfAnswer(answer: JsonObject, context: EventContext): FeedRecord {
  const { directories, categories, idOf, inferred } = context;
  const remoteId = String(answer.id);
  const container = answer.super_event ?? inferred.fieldsOf(remoteId).super_event;
  const fields = {
    ...inferred.fieldsOf(remoteId),
    ...fieldsIn(answer, PLAIN),
    mode: answer.mode === 'online' ? 'online' : 'offline',
    accessibility: ownAccessibility(answer),
    slug: answer.event_slug,
    categories: categories.translate(textsIn(answer.categories)),
    organizers: [
      ...new Set(listOf(answer.organizers).flatMap((organizer) => directories.organizer(organizer) ?? [])),
    ],
    images: listOf(answer.images).map((image) => fieldsIn(image, IMAGE)),
    prices: ticketsIn(answer.prices),
    super_event: typeof container === 'string' ? idOf(container) : undefined,
  };
  const later = listOf(answer.repetitions).map((repetition) => {
    const { startDate, prices } = isObject(repetition) ? repetition : {};
    const day = inferred.dayOf(remoteId, String(startDate));
    return { ...dateOf(repetition, day, directories), ...ownPrices(prices) };
  });
  const shown = { ...dateOf(answer, undefined, directories), ...ownPrices(answer.occurrencePrices) };
  return assembleEvent(
    { id: idOf(remoteId), line: null, fields, programme: { dates: [shown, ...later] } },
    context,
  );
}

/** All values are set on each date, because those that the event shows now are not meant for its other dates. */
function dateOf(answer: unknown, day: JsonObject | undefined, directories: Directories): JsonObject {
  const fields = { ...fieldsIn(day, OCCURRENCE), ...fieldsIn(answer, OCCURRENCE) };
  const { ticketsURL, eventCancelled = false, eventSoldOut = false, status, previousStartDate } = fields;
  const venues = [answer, day].map((source) => (isObject(source) ? directories.venue(source.venue) : null));
  const venue = venues.find((venue) => venue !== null);
  return withoutBlanks({
    ...(daysOf(fields) ?? timesIn(fields)),
    venue,
    ticketsURL,
    ...(status === undefined ? { eventCancelled } : { status, previousStart: previousStartDate }),
    eventSoldOut,
  });
}

function timesIn({ startDate, endDate, startTime, duration }: JsonObject): JsonObject {
  const hasEnd = typeof endDate === 'string' && endDate !== startDate;
  return {
    start: startDate,
    end: hasEnd ? endDate : undefined,
    duration: hasEnd ? undefined : duration,
    startTime,
  };
}

/** A15: whole days as dates alone; null unless it is from midnight to midnight. */
function daysOf({ allDay, startDate, endDate }: JsonObject): JsonObject | null {
  if (allDay !== true) return null;
  const [first, after] = [startDate, endDate].map((text) => {
    const instant = parseSourceDatetime(String(text))?.instant ?? 0;
    const day = osloDay(instant);
    return startOfDay(day) === instant ? day : null;
  });
  if (first == null || after == null || first >= after) return null;
  return { start: formatDay(first), end: formatDay(after - 1) };
}

/** F5: a date without prices of its own has the event's. */
function ownPrices(prices: unknown): JsonObject {
  return Array.isArray(prices) ? { prices: ticketsIn(prices) } : {};
}

/** A ticket type is required; the first of the interface's own replaces a missing one. */
function ticketsIn(prices: unknown): readonly JsonObject[] {
  return listOf(prices).map((price) => ({ type: 'REGULAR', ...fieldsIn(price, PRICE) }));
}

/** E6: features of the shown venue belong to the venue, for other dates may be elsewhere. Undefined if it has none. */
function ownAccessibility({ accessibility, venue }: JsonObject): readonly string[] | undefined {
  if (accessibility == null) return undefined;
  const ofVenue = isObject(venue) ? textsIn(venue.accessibility) : [];
  return textsIn(accessibility).filter((word) => !ofVenue.includes(word));
}

function textsIn(value: unknown): readonly string[] {
  return listOf(value).filter((item) => typeof item === 'string');
}

/**
 * A container that is over: endpoints no longer list it, but its programme still names it. With its only date in the past it is never
 * shown, here as there.
 */
export function endedContainer(id: string): FeedRecord {
  const value = { id, slug: id, title_nb: id, isSuperEvent: true, dates: [{ start: '1970-01-01 00:00' }] };
  return { list: 'events', line: null, value };
}

/** Null, after a finding, if it is invalid: it would be a fault of the whole licence. */
export function categoryOf(answer: unknown, addFinding: AddFinding): FeedRecord | null {
  const subcategories = isObject(answer) ? answer.subcategories : [];
  const value: JsonObject = {
    ...fieldsIn(answer, CATEGORY),
    subcategories: listOf(subcategories).map((child) => fieldsIn(child, CATEGORY)),
  };
  const { value: good, raw, wrong } = salvage(categorySchema, value);
  for (const { path, expected, found, isFurther } of wrong)
    if (!isFurther)
      addFinding({
        action: 'dropped reference',
        kind: 'categories',
        id: String(value.id),
        field: fieldName(path),
        expected,
        found: excerpt(found),
      });
  return raw !== null && isObject(good) ? { list: 'categories', line: null, value: good } : null;
}

interface Directories {
  /** The id of a venue; null for none, or for one with neither an id nor a known name. */
  readonly venue: (answer: unknown) => string | null;
  readonly organizer: (answer: unknown) => string | null;
  readonly records: () => readonly FeedRecord[];
}

/** Venues and organizers: the id of each, null for none, or for one with neither an id nor a known name. */
export function createDirectories({ idOf }: { readonly idOf: (id: string) => string }): Directories {
  const venues = createDirectory('venues', venueFields);
  const organizers = createDirectory('organizers', (answer) => fieldsIn(answer, ORGANIZER));

  function venueFields(answer: JsonObject): JsonObject {
    const point = fieldsIn(answer.location, LOCATION);
    return { ...fieldsIn(answer, VENUE), ...(isPoint(point) ? point : {}) };
  }

  function createDirectory(list: 'venues' | 'organizers', fieldsOf: (answer: JsonObject) => JsonObject) {
    const recordsById = new Map<string, FeedRecord>();
    /** Ids by folded name; null if several share it. */
    const byName = new Map<string, string | null>();

    function add(answer: unknown): string | null {
      if (!isObject(answer)) return null;
      const remoteId = idIn(answer);
      const id = idOf(remoteId);
      if (recordsById.has(remoteId)) return id;
      const name = fold(typeof answer.name === 'string' ? answer.name : '');
      if (remoteId === '') return byName.get(name) ?? null;
      recordsById.set(remoteId, { list, line: null, value: { ...fieldsOf(answer), id } });
      byName.set(name, byName.has(name) ? null : id);
      return id;
    }

    return { add, records: () => [...recordsById.values()] };
  }

  return {
    venue: venues.add,
    organizer: organizers.add,
    records: () => [...venues.records(), ...organizers.records()],
  };
}

/** Both numbers or none. */
function isPoint({ latitude, longitude }: JsonObject): boolean {
  return typeof latitude === 'number' && typeof longitude === 'number';
}

/** These fields of an answer, without null values. The build checks the values. */
function fieldsIn(answer: unknown, names: readonly string[]): JsonObject {
  if (!isObject(answer)) return {};
  const entries = names.flatMap((name) => (answer[name] == null ? [] : [[name, wholeSeconds(answer[name])]]));
  return Object.fromEntries(entries);
}

/** Some programs write datetimes with a fraction of a second. */
function wholeSeconds(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(FRACTION, '$1') : value;
}

const FRACTION = /^(\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2})\.\d+(?=(?:Z|[+-]\d{2}:?\d{2})?$)/;

/** Texts and numbers; empty for none. */
function idIn(answer: unknown): string {
  const id = isObject(answer) ? answer.id : null;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.filter((item: unknown) => item !== null) : [];
}
