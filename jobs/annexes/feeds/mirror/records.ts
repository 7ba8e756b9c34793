/** An endpoint's answers as native records. Unreadable parts are dropped, with a finding. */
import { parseSourceDatetime } from '../../../../src/calendar/input-datetime.ts';
import { isObject, type JsonObject } from '../../../../src/calendar/json.ts';
import { formatDay, osloDay, startOfDay } from '../../../../src/calendar/time.ts';
import { excerpt } from '../../../findings.ts';
import { fieldName, salvage } from '../../../validate/salvage.ts';
import { categorySchema } from '../../../validate/schemas.ts';
import type { Categories } from '../categories.ts';
import type { Feed } from '../config.ts';
import { assembleEvent } from '../event-assembly.ts';
import { withoutBlanks } from '../event-fields.ts';
import type { AddFinding, FeedRecord } from '../last-good.ts';
import { fieldsIn, listOf, textsIn } from './answer-values.ts';
import type { MirrorDirectories } from './directories.ts';
import { CATEGORY, IMAGE, OCCURRENCE, PLAIN, PRICE } from './selections.ts';

export interface EventContext {
  readonly directories: MirrorDirectories;
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

/** An event with its shown date and its later ones. Values are as the endpoint has them; the build checks them. */
export function eventOfAnswer(answer: JsonObject, context: EventContext): FeedRecord {
  const { directories, idOf, inferred } = context;
  const remoteId = String(answer.id);
  const later = listOf(answer.repetitions).map((repetition) => {
    const { startDate, prices } = isObject(repetition) ? repetition : {};
    const day = inferred.dayOf(remoteId, String(startDate));
    return { ...dateOf(repetition, day, directories), ...ownPrices(prices) };
  });
  const shown = { ...dateOf(answer, undefined, directories), ...ownPrices(answer.occurrencePrices) };
  return assembleEvent(
    {
      id: idOf(remoteId),
      line: null,
      fields: fieldsOfEvent(answer, inferred.fieldsOf(remoteId), context),
      programme: { dates: [shown, ...later] },
    },
    context,
  );
}

/** The fields that all dates of the event share. Those of the answer take precedence over inferred ones. */
function fieldsOfEvent(answer: JsonObject, inferredFields: JsonObject, context: EventContext): JsonObject {
  const { directories, categories, idOf } = context;
  const container = answer.super_event ?? inferredFields.super_event;
  const organizers = listOf(answer.organizers).flatMap((organizer) => directories.organizer(organizer) ?? []);
  return {
    ...inferredFields,
    ...fieldsIn(answer, PLAIN),
    mode: answer.mode === 'online' ? 'online' : 'offline',
    accessibility: ownAccessibility(answer),
    slug: answer.event_slug,
    categories: categories.translate(textsIn(answer.categories)),
    organizers: [...new Set(organizers)],
    images: listOf(answer.images).map((image) => fieldsIn(image, IMAGE)),
    prices: ticketsIn(answer.prices),
    super_event: typeof container === 'string' ? idOf(container) : undefined,
  };
}

/** Each date has all values of its own: those that the event shows now belong to its shown date only. `day`: inferred values. */
function dateOf(answer: unknown, day: JsonObject | undefined, directories: MirrorDirectories): JsonObject {
  const fields = { ...fieldsIn(day, OCCURRENCE), ...fieldsIn(answer, OCCURRENCE) };
  const { ticketsURL, eventCancelled = false, eventSoldOut = false, status, previousStartDate } = fields;
  const ownVenue = isObject(answer) ? directories.venue(answer.venue) : null;
  const venueOfDay = isObject(day) ? directories.venue(day.venue) : null;
  return withoutBlanks({
    ...(daysOf(fields) ?? timesIn(fields)),
    venue: ownVenue ?? venueOfDay,
    ticketsURL,
    eventCancelled: status === undefined ? eventCancelled : undefined,
    status,
    previousStart: status === undefined ? undefined : previousStartDate,
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
  const first = dayBegunAt(startDate);
  const dayAfter = dayBegunAt(endDate);
  if (first === null || dayAfter === null || first >= dayAfter) return null;
  return { start: formatDay(first), end: formatDay(dayAfter - 1) };
}

/** The number of the day that begins at this datetime in Norway; null if none does. */
function dayBegunAt(written: unknown): number | null {
  const instant = parseSourceDatetime(String(written))?.instant;
  if (instant === undefined) return null;
  const day = osloDay(instant);
  return startOfDay(day) === instant ? day : null;
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

/** Null, after a finding, if it is invalid: in the licence, one invalid category makes the whole licence invalid. */
export function categoryOf(answer: unknown, addFinding: AddFinding): FeedRecord | null {
  const subcategories = isObject(answer) ? answer.subcategories : [];
  const value: JsonObject = {
    ...fieldsIn(answer, CATEGORY),
    subcategories: listOf(subcategories).map((child) => fieldsIn(child, CATEGORY)),
  };
  const { value: good, raw, invalid } = salvage(categorySchema, value);
  for (const { path, expected, found } of invalid.filter(({ isFurther }) => !isFurther)) {
    addFinding({
      action: 'dropped reference',
      kind: 'categories',
      id: String(value.id),
      field: fieldName(path),
      expected,
      found: excerpt(found),
    });
  }
  return raw !== null && isObject(good) ? { list: 'categories', line: null, value: good } : null;
}
