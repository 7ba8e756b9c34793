/** An endpoint's answers as native records. Unreadable parts are dropped, with a finding. */
import { isObject, type JsonObject } from '../../../../src/calendar/json.ts';
import { fold } from '../../../../src/calendar/text.ts';
import {
  formatDay,
  osloDay,
  parseMinute,
  parseSourceDatetime,
  startOfDay,
} from '../../../../src/calendar/time.ts';
import { excerpt } from '../../../records.ts';
import { fieldName, salvage } from '../../../validate/entry.ts';
import { categorySchema, isWithinTime } from '../../../validate/schemas.ts';
import type { Feed } from '../config.ts';
import { type Categories, withDefaults, withoutBlanks } from '../event-fields.ts';
import type { AddFinding, FeedRecord } from '../slice.ts';
import {
  CATEGORY,
  EVENT_ITSELF,
  IMAGE,
  type Kind,
  ORGANIZER,
  PLAIN,
  PRICE,
  REPETITION,
  VENUE,
  type Wanted,
} from './forms.ts';

interface EventContext {
  readonly directories: Directories;
  readonly categories: Categories;
  readonly defaults: Feed['defaults'];
  /** An id of the endpoint as an id of this calendar. */
  readonly idOf: (id: string) => string;
  readonly addFinding: AddFinding;
  readonly inferred: Inferred;
}

/** Fields that an endpoint lacks, inferred from its filters and lists. */
export interface Inferred {
  /** Values of a later date, by the event's id and the date's start. */
  readonly dayOf: (id: string, start: string) => JsonObject | undefined;
  /** Fields that follow from the lists that the event is in. */
  readonly fieldsOf: (id: string) => JsonObject;
}

export function eventOf(answer: JsonObject, context: EventContext): FeedRecord {
  const { directories, categories, defaults, idOf, inferred } = context;
  const remoteId = String(answer.id);
  const id = idOf(remoteId);
  const addFinding: AddFinding = (finding) => context.addFinding({ ...finding, id });
  const fields = readFields(answer, EVENT_ITSELF, addFinding);
  const { super_event: container } = { ...inferred.fieldsOf(remoteId), ...fields };
  const said = {
    ...inferred.fieldsOf(remoteId),
    ...pick(fields, PLAIN),
    mode: fields.mode === 'online' ? 'online' : 'offline',
    accessibility: ownAccessibility(fields, answer.venue),
    slug: fields.event_slug,
    categories: categories.translate(textsIn(fields.categories)),
    organizers: [
      ...new Set(listOf(answer.organizers).flatMap((organizer) => directories.organizer(organizer) ?? [])),
    ],
    images: listOf(answer.images).map((image) => readFields(image, IMAGE, addFinding)),
    prices: pricesOf(answer.prices, addFinding),
    super_event: typeof container === 'string' ? idOf(container) : undefined,
  };
  const later = listOf(answer.repetitions).map((repetition) => {
    const start = isObject(repetition) ? String(repetition.startDate) : '';
    const { prices } = isObject(repetition) ? repetition : { prices: null };
    const date = dateOf(repetition, inferred.dayOf(remoteId, start), { ...context, addFinding });
    return { ...date, ...ownPrices(prices, addFinding) };
  });
  const shown = dateOf(answer, undefined, { ...context, addFinding });
  const dates = [{ ...shown, ...ownPrices(answer.occurrencePrices, addFinding) }, ...later];
  return { list: 'events', line: null, value: { id, ...withoutBlanks(withDefaults(said, defaults)), dates } };
}

/** All values are set on each date, because those that the event shows now are not meant for its other dates. */
function dateOf(
  answer: unknown,
  day: JsonObject | undefined,
  { directories, addFinding }: EventContext,
): JsonObject {
  const fields = {
    ...readFields(day, REPETITION, addFinding),
    ...readFields(answer, REPETITION, addFinding),
  };
  const { ticketsURL } = fields;
  const venues = [answer, day].map((source) => (isObject(source) ? directories.venue(source.venue) : null));
  return withoutBlanks({
    ...(daysOf(fields) ?? timesOf(fields)),
    venue: venues.find((venue) => venue !== null),
    ticketsURL,
    eventCancelled: fields.eventCancelled ?? false,
    eventSoldOut: fields.eventSoldOut ?? false,
  });
}

function timesOf({ startDate, endDate, startTime, duration }: JsonObject): JsonObject {
  const hasEnd = typeof endDate === 'string' && endDate !== startDate;
  return {
    start: startDate,
    end: hasEnd ? endDate : undefined,
    duration: hasEnd ? undefined : duration,
    startTime,
  };
}

/** A15, all-day: whole days as dates alone; null unless it is from midnight to midnight. */
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

/** F5, what dates inherit: a date without prices of its own has the event's. */
function ownPrices(prices: unknown, addFinding: AddFinding): JsonObject {
  return Array.isArray(prices) ? { prices: pricesOf(prices, addFinding) } : {};
}

/** A ticket type is required; the first of the interface's own replaces a missing one. */
function pricesOf(prices: unknown, addFinding: AddFinding): readonly JsonObject[] {
  return listOf(prices).map((price) => ({ type: 'REGULAR', ...readFields(price, PRICE, addFinding) }));
}

function pick(fields: JsonObject, names: Readonly<Record<string, unknown>>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name in names));
}

/** E6, accessibility: features of the shown venue belong to the venue, for other dates may be elsewhere. Undefined if it has none. */
function ownAccessibility({ accessibility }: JsonObject, venue: unknown): readonly string[] | undefined {
  if (accessibility === undefined) return undefined;
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
    ...readFields(answer, CATEGORY, addFinding),
    subcategories: listOf(subcategories).map((child) => readFields(child, CATEGORY, addFinding)),
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
  /** The id of the venue's record; null for none, or for one with neither an id nor a known name. */
  readonly venue: (answer: unknown) => string | null;
  readonly organizer: (answer: unknown) => string | null;
  readonly records: () => readonly FeedRecord[];
}

export function createDirectories({
  idOf,
  addFinding,
}: Pick<EventContext, 'idOf' | 'addFinding'>): Directories {
  const venues = createDirectory('venues', venueFields);
  const organizers = createDirectory('organizers', (answer) => readFields(answer, ORGANIZER, addFinding));

  function venueFields(answer: unknown): JsonObject {
    const location = isObject(answer) ? answer.location : null;
    const point = readFields(location, VENUE.location, addFinding);
    return { ...readFields(answer, VENUE, addFinding), ...(isPoint(point) ? point : {}) };
  }

  function createDirectory(list: 'venues' | 'organizers', fieldsOf: (answer: unknown) => JsonObject) {
    const known = new Map<string, JsonObject>();
    /** Ids by folded name; null if several share it. */
    const byName = new Map<string, string | null>();

    function add(answer: unknown): string | null {
      if (!isObject(answer)) return null;
      const read = known.get(typeof answer.id === 'string' ? answer.id : '');
      if (read !== undefined) return idOf(String(read.id));
      const fields = fieldsOf(answer);
      const name = typeof fields.name === 'string' ? fields.name : '';
      if (typeof fields.id !== 'string') return byName.get(fold(name)) ?? null;
      known.set(fields.id, fields);
      const id = idOf(fields.id);
      byName.set(fold(name), byName.has(fold(name)) ? null : id);
      return id;
    }

    const recordOf = (fields: JsonObject) =>
      ({ list, line: null, value: { ...fields, id: idOf(String(fields.id)) } }) as const;
    return { add, records: () => [...known.values()].map(recordOf) };
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

/** Undefined if there is no value; the record then lacks the field. */
type Read = (value: unknown) => unknown;

const READERS = {
  text: (value) => textOf(value),
  texts: (value) => (Array.isArray(value) ? value.flatMap((item: unknown) => textOf(item) ?? []) : undefined),
  integer: (value) => {
    const number = typeof value === 'string' && /^-?\d{1,10}$/.test(value) ? Number(value) : value;
    if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
    const rounded = Math.round(number);
    return Math.abs(rounded) < 2 ** 31 ? rounded : undefined;
  },
  number: (value) => {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
  },
  flag: (value) => (typeof value === 'boolean' ? value : undefined),
  moment: (value) => {
    // With a fraction of a second, as some programs write it.
    const text = typeof value === 'string' ? value.trim().replace(/(:\d{2})\.\d+/, '$1') : '';
    const moment = parseSourceDatetime(text);
    return moment !== null && isWithinTime(moment.instant) ? text : undefined;
  },
  time: (value) => {
    const [, hour = '', minute = ''] =
      /^(\d{1,2}):(\d{2})(?::\d{2})?$/.exec(typeof value === 'string' ? value : '') ?? [];
    const text = `${hour.padStart(2, '0')}:${minute}`;
    return parseMinute(text) === null ? undefined : text;
  },
} as const satisfies Readonly<Record<Kind, Read>>;

const EXPECTED: Readonly<Record<Kind, string>> = {
  text: 'a string',
  texts: 'a list of strings',
  integer: 'a whole number of 32 bits',
  number: 'a number',
  flag: 'true or false',
  moment: 'a datetime such as "2026-05-17 19:30:00+02:00"',
  time: 'a time of day such as "19:30"',
};

/** A string, a number as one, or the id of an entity in place of an id. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return isObject(value) && 'id' in value ? textOf(value.id) : undefined;
}

/** The wanted fields of an object; fields with fields of their own are left to the caller. */
function readFields(answer: unknown, wanted: Wanted, addFinding: AddFinding): JsonObject {
  if (!isObject(answer)) return {};
  const fields: Record<string, unknown> = {};
  for (const [field, kind] of Object.entries(wanted)) {
    const value = answer[field];
    if (typeof kind !== 'string' || value === null || value === undefined) continue;
    const read: unknown = READERS[kind](value);
    if (read !== undefined) fields[field] = read;
    else addFinding({ action: 'changed value', field, expected: EXPECTED[kind], found: excerpt(value) });
  }
  return fields;
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.filter((item: unknown) => item !== null) : [];
}
