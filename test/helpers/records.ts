/** Validated records as a build hands them on, each with only what a test is about. */
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Calendar } from '../../jobs/calendar.ts';
import type { Finding } from '../../jobs/findings.ts';
import { columnsOf } from '../../jobs/indexes/columns.ts';
import { materialise } from '../../jobs/materialise/materialise.ts';
import type { DateRecord, EventRecord, OrganizerRecord, Records, VenueRecord } from '../../jobs/records.ts';
import { createAllowance } from '../../jobs/recurrence/allowance.ts';
import { isFlaw, readRule } from '../../jobs/recurrence/rule.ts';
import type { OwnValues, Series } from '../../jobs/recurrence/series.ts';
import { NO_SLUGS, type PreviousSlugs } from '../../jobs/slugs/ledger.ts';
import { superEventAmong } from '../../jobs/validate/event-reader.ts';
import { blank } from '../../src/calendar/field.ts';
import { EVENT, ORGANIZER, VENUE } from '../../src/calendar/fields.ts';
import { parseSourceDatetime } from '../../src/calendar/input-datetime.ts';
import type { Category } from '../../src/calendar/model.ts';
import { addMonths, formatMinute, formatOslo, osloDay, osloMinute } from '../../src/calendar/time.ts';

/** 2026-11-20 12:00 in Norway. */
export const BUILD = Date.UTC(2026, 10, 20, 11) / 1000;

const origin = { file: 'events.json' };

/** The instant of a datetime as in a source, on Norway's wall clock unless it says otherwise. */
export function instant(text: string): number {
  return datetime(text).instant;
}

function datetime(text: string) {
  const read = parseSourceDatetime(text);
  if (read === null) throw new Error(`expected a datetime, found ${text}`);
  return read;
}

/** An event without dates, whose title is its id, but for what is its own. */
export function eventRecord(own: Partial<EventRecord> & { readonly id: string }): EventRecord {
  return {
    origin,
    feed: null,
    slug: null,
    eventLink: null,
    title_nb: own.id,
    title_en: null,
    desc_nb: null,
    desc_en: null,
    categories: [],
    tags: [],
    mode: 'offline',
    organizers: [],
    images: [],
    ticketsInformation: 'noTicketsInfo',
    prices: [],
    ...blank(EVENT),
    super_event: null,
    isFeaturedInSpecialEvent: false,
    venue: null,
    ticketsURL: null,
    status: 'SCHEDULED',
    eventSoldOut: false,
    dates: [],
    series: [],
    ...own,
  };
}

/** The values of a date that has none of its own. */
export const LIFTED = {
  venue: null,
  ticketsURL: null,
  status: 'SCHEDULED',
  previousStart: null,
  eventSoldOut: false,
  prices: null,
} as const;

/** A date from one moment to another, or without an end. */
export function date(start: string, end: string | null = null, own: Partial<DateRecord> = {}): DateRecord {
  const from = instant(start);
  const until = end === null ? from : instant(end);
  const duration = end === null ? null : Math.round((until - from) / 60);
  return {
    start: from,
    end: until,
    duration,
    startTime: formatMinute(osloMinute(from)),
    allDay: false,
    ...LIFTED,
    ...own,
  };
}

interface RepeatTimes extends Partial<OwnValues> {
  /** Length in seconds on the wall clock. */
  readonly wallSpan?: number;
  /** In place of `wallSpan`: length in minutes that elapse. */
  readonly duration?: number;
  readonly startTime?: string;
  readonly allDay?: boolean;
  readonly except?: readonly number[];
}

/** The series of an RRULE from a start such as `2026-11-21 20:00`. Its dates have no end unless `times` gives a length. */
export function repeat(rule: string, start: string, times: RepeatTimes = {}): Series {
  const { wallSpan, duration, startTime = null, allDay = false, except = [], ...own } = times;
  const from = datetime(start).wall;
  const read = readRule(rule);
  if (isFlaw(read)) throw new Error(`expected a rule, found ${rule}`);
  const isElapsed = wallSpan === undefined;
  const seconds = wallSpan ?? (duration === undefined ? undefined : duration * 60);
  const length = seconds === undefined ? null : { days: 0, seconds, isElapsed };
  return {
    zone: 'Europe/Oslo',
    start: from,
    rules: [read],
    exceptRules: [],
    starts: [],
    except,
    phases: [{ from, shift: 0, length, allDay, startTime, own: { ...LIFTED, ...own } }],
    rule,
    fields: { rule: 'repeats[0].rule', end: 'repeats[0].end' },
    isReplaceable: true,
  };
}

export function venueRecord(id: string, name = id, slug: string | null = null): VenueRecord {
  const place = { ...blank(VENUE), municipalityNumber: null, location: null };
  return { origin, id, name, slug, ...place };
}

export function organizerRecord(id: string, name = id): OrganizerRecord {
  return { origin, id, name, slug: null, ...blank(ORGANIZER) };
}

export function category(id: string, parent = -1): Category {
  return { id, name_nb: id, name_en: id, name_nn: null, slug_nb: id, slug_en: id, visible: true, parent };
}

/** What the calendar has besides events. */
interface Source {
  /** The calendar's. */
  readonly name?: string;
  readonly venues?: readonly VenueRecord[];
  readonly organizers?: readonly OrganizerRecord[];
  readonly categories?: readonly Category[];
  readonly specialEvent?: string | null;
  readonly siteUrl?: string;
}

/** The result of validating these events: a reference to an event that is not among them counts as none. */
export function recordsOf(events: readonly EventRecord[], source: Source = {}): Records {
  const { name = 'Test', venues = [], organizers = [], categories = [], specialEvent = null } = source;
  const siteUrl = source.siteUrl ?? 'https://kalender.example';
  const ids = new Set(events.map(({ id }) => id));
  return {
    licence: {
      id: 'test',
      name,
      siteUrl,
      portalUrl: null,
      privacyUrl: null,
      specialEvent,
      registration: false,
      language: 'nb',
      dataLicence: null,
      attribution: null,
      contact: null,
    },
    categories,
    retired: [],
    sources: [],
    venues,
    organizers,
    namedByEvents: { venues: new Set(), organizers: new Set() },
    events: async function* () {
      yield* events;
    },
    finish: () => ({
      references: {
        superEvent: superEventAmong(ids),
        specialEvent: specialEvent !== null && ids.has(specialEvent) ? specialEvent : null,
      },
      merged: [],
      municipalities: new Map(),
      hidden: new Set(),
      unapproved: new Set(),
    }),
  };
}

/** When, and after which builds. */
interface BuildMoment {
  readonly slugs?: PreviousSlugs;
  readonly now?: number;
  readonly horizonMonths?: number;
}

/** The calendar that a build makes of these events, and its findings. */
export async function materialised(
  events: readonly EventRecord[],
  { now = BUILD, horizonMonths = 18, slugs = NO_SLUGS, ...source }: Source & BuildMoment = {},
) {
  const findings: Finding[] = [];
  const addFinding = (finding: Finding) => findings.push(finding);
  const report = { addFinding, countIgnored: () => undefined, countFate: () => undefined };
  // It is unlinked at once.
  const scratch = join(tmpdir(), `almanakk-${randomUUID()}`);
  const horizonDay = addMonths(osloDay(now), horizonMonths);
  const options = { now, horizonDay, allowance: createAllowance(), report, slugs, scratch };
  return { calendar: await materialise(recordsOf(events, source), options), findings };
}

export const TOMORROW = date('2026-11-21 20:00', '2026-11-21 22:00');

/** An event tomorrow, unless it is said otherwise. */
export const event = (id: string, own: Partial<EventRecord> = {}): EventRecord =>
  eventRecord({ id, dates: [TOMORROW], ...own });

/** The columns of a calendar of these events, at the build. */
export async function columnSetOf(events: readonly EventRecord[], source: Source = {}) {
  const { calendar } = await materialised(events, source);
  return { calendar, set: columnsOf(calendar, BUILD) };
}

/** Start and end of an event's rows, in order. */
export function times({ events, occurrences }: Calendar, id: string): readonly string[] {
  const ordinal = events.findIndex((one) => one.id === id);
  return [...occurrences.event.keys()]
    .filter((row) => occurrences.event[row] === ordinal)
    .map((row) => {
      const [start, end] = [occurrences.start[row] ?? 0, occurrences.end[row] ?? 0];
      return start === end ? formatOslo(start) : `${formatOslo(start)} – ${formatOslo(end)}`;
    });
}
