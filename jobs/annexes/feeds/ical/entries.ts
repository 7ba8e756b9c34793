/** Reads each VEVENT alone, before it is compared with others that have its UID. */
import { DAY, HOUR } from '../../../../src/calendar/time.ts';
import { excerpt } from '../../../records.ts';
import type { Length } from '../../../recurrence/series.ts';
import type { Collector } from '../collector.ts';
import type { ParsedFeed } from '../config.ts';
import type { AddFinding } from '../last-good.ts';
import { shortHash } from '../text-ids.ts';
import { cite, citeIn } from './citations.ts';
import { type EventComponent, first, type Property } from './content.ts';
import {
  instantOfMoment,
  type Moment,
  OSLO,
  plainTextOf,
  readDuration,
  readingIn,
  readMoment,
  textOf,
  UTC,
  type Zone,
} from './values.ts';
import type { Zones } from './zones.ts';

export interface Entry {
  readonly component: EventComponent;
  readonly uid: string;
  /** Empty without SUMMARY. */
  readonly title: string;
  readonly start: Moment;
  /** Null without DTEND and DURATION. */
  readonly length: Length | null;
  /** Whether it only replaces a date of the series, without a start of its own. */
  readonly isStandIn: boolean;
  /** The date of a series that this entry concerns; null for the series, or the event, itself. */
  readonly recurrenceId: Moment | null;
  /** Whether it also concerns the later dates of the series. */
  readonly isThisAndFuture: boolean;
  readonly sequence: number;
  /** Instant of LAST-MODIFIED; 0 without it. */
  readonly modified: number;
}

/** Settings, directories and limits, while a calendar is read. */
export interface CalendarContext extends Pick<Collector, 'directory' | 'categories' | 'dates' | 'allowance'> {
  readonly feed: ParsedFeed;
  readonly zones: Zones;
  /** The clock of times without a zone, in the calendar of that component. */
  readonly homeOf: (component: EventComponent) => Zone;
  readonly addFinding: AddFinding;
  /** Instant of the build. */
  readonly now: number;
  /** The event's id in the calendar. */
  readonly idOf: (uid: string) => string;
}

/** Null, after a finding, without a readable start. */
export function readEntry(component: EventComponent, context: CalendarContext): Entry | null {
  const uid = uidOf(component, context);
  const id = context.idOf(uid);
  const addFinding: AddFinding = (finding) => context.addFinding({ ...finding, id });
  if (!component.isEnded) {
    const found = 'none; the entry is read anyway';
    addFinding({ ...citeIn(component, 'END'), expected: 'END:VEVENT', found });
  }
  if (!id.endsWith(uid)) {
    const expected = 'a UID without markup and control characters (its hash is the id)';
    addFinding({ ...citeIn(component, 'UID'), expected, found: excerpt(uid) });
  }
  const moments = createMoments(component, { ...context, addFinding });
  const summary = first(component, 'SUMMARY');
  const written = first(component, 'DTSTART');
  const about = first(component, 'RECURRENCE-ID');
  const recurrenceId = moments.one('RECURRENCE-ID');
  if (recurrenceId === null && about !== null) return null;
  const isStandIn = written === null && recurrenceId !== null;
  // 3.8.4.4: an override is of that date; a cancellation often has no other start.
  const start = isStandIn ? recurrenceId : moments.one('DTSTART');
  if (start === null) {
    const missing = { ...citeIn(component, 'DTSTART'), action: 'dropped record', found: 'nothing' } as const;
    if (written === null) addFinding({ ...missing, expected: 'a start such as 20260517T193000' });
    return null;
  }
  return {
    component,
    uid,
    title: summary === null ? '' : plainTextOf(summary),
    start,
    length: lengthOf(start, component, { moments, addFinding }),
    isStandIn: isStandIn && first(component, 'DTEND') === null && first(component, 'DURATION') === null,
    recurrenceId,
    isThisAndFuture: /^THISANDFUTURE$/i.test(about?.parameters.get('RANGE') ?? ''),
    sequence: Number(/^\s*\d{1,9}/.exec(first(component, 'SEQUENCE')?.value ?? '')?.[0] ?? 0),
    modified: modifiedOf(component),
  };
}

export function isCancelled({ component }: Entry): boolean {
  return component.method === 'CANCEL' || statusOf(component) === 'CANCELLED';
}

/** Upper case; null without STATUS. */
export function statusOf(component: EventComponent): string | null {
  return first(component, 'STATUS')?.value.trim().toUpperCase().replace('CANCELED', 'CANCELLED') ?? null;
}

/** RFC 5545, 3.8.1.3: an entry that its owner marks private is not for a public calendar. */
export function isPrivate({ component }: Entry): boolean {
  return /^\s*(?:PRIVATE|CONFIDENTIAL)\s*$/i.test(first(component, 'CLASS')?.value ?? '');
}

/** Entries without a UID are identified by their contents: the id is the same in every reading. */
function uidOf(component: EventComponent, { addFinding, idOf }: CalendarContext): string {
  const uid = first(component, 'UID');
  const written = uid === null ? '' : unprotected(textOf(uid));
  if (written !== '') return written;
  const identifying = ['DTSTART', 'RECURRENCE-ID', 'SUMMARY', 'LOCATION'].map(
    (name) => first(component, name)?.value ?? '',
  );
  const made = `no-uid-${shortHash(JSON.stringify(identifying))}`;
  const expected = 'a UID (without one, the id comes from start, title and place)';
  addFinding({ ...citeIn(component, 'UID'), id: idOf(made), expected, found: excerpt(uid?.value) });
  return made;
}

/** Longer UIDs are not searched for protected addresses. */
const LONGEST_PROTECTED = 2_000;

/** Cloudflare replaces texts that look like addresses by markup that differs at every reading; the hidden text stays the same. */
function unprotected(uid: string): string {
  if (uid.length > LONGEST_PROTECTED) return uid;
  return uid.replace(/<a [^>]*data-cfemail="([0-9a-f]{4,})"[^>]*>[^<]*<\/a>/g, (_, hex: string) => {
    const [key = 0, ...letters] = Buffer.from(hex, 'hex');
    return Buffer.from(letters.map((letter) => letter ^ key)).toString();
  });
}

export interface Moments {
  /** The value of a required property; null, after a finding if it is invalid. */
  readonly one: (name: string) => Moment | null;
  /** One value of a property that may have several. */
  readonly value: (written: string, property: Property) => Moment | null;
}

export function createMoments(component: EventComponent, context: CalendarContext): Moments {
  const { zones, homeOf, addFinding } = context;
  const noted = new Set<string>();
  const startZone = first(component, 'DTSTART')?.parameters.get('TZID') ?? '';
  /** Real feeds have a start with a zone, and further times without one, which mean the same zone. */
  const floating = startZone === '' ? null : zones.find(startZone);

  function value(written: string, property: Property): Moment | null {
    const tzid = property.parameters.get('TZID') ?? '';
    const zone = tzid === '' ? floating : zones.find(tzid);
    const moment = readMoment(written, zone ?? OSLO);
    if (moment === null) return null;
    if (tzid === '' && zone === null && moment.zone === OSLO && !moment.isDate)
      return { ...moment, zone: homeOf(component) };
    const isUnknown = tzid !== '' && zone === null && moment.zone === OSLO && !moment.isDate;
    const expected = isUnknown ? UNKNOWN_ZONE : slipIn(moment, zone, property);
    const { name } = property;
    const [field, found] = isUnknown ? [`${name};TZID`, tzid] : [name, written];
    const key = `${expected} ${isUnknown ? tzid : name}`;
    if (expected !== null && !noted.has(key))
      addFinding({ ...cite(property), field, expected, found: excerpt(found) });
    noted.add(key);
    return moment.isDate ? { ...moment, zone: OSLO } : moment;
  }

  function one(name: string): Moment | null {
    const property = first(component, name);
    if (property === null) return null;
    const moment = value(property.value, property);
    if (moment === null) {
      addFinding({ ...cite(property), action: 'dropped record', expected: A_MOMENT });
    }
    return moment;
  }

  return { one, value };
}

const A_MOMENT = 'a date or time such as 20260517 or 20260517T193000';
const UNKNOWN_ZONE = 'a known time zone, or a VTIMEZONE that defines it (read as Norwegian time)';

/** 3.2.19, 3.2.20: how a date or time differs from the form that its parameters announce; null if it agrees. */
function slipIn(
  { isDate, zone: momentZone }: Moment,
  zone: Zone | null,
  { name, parameters }: Property,
): string | null {
  const type = parameters.get('VALUE')?.toUpperCase() ?? '';
  if (isDate)
    return /^(?:DATE-TIME|PERIOD)$/.test(type) ? `times, as VALUE=${type} says (read as dates)` : null;
  if (type === 'DATE') return 'dates alone, as VALUE=DATE says (read as times)';
  const hasZone = parameters.has('TZID');
  if (hasZone && momentZone === UTC && zone !== UTC)
    return 'times without an offset, as TZID says (read with it)';
  if (hasZone || name === 'DTSTART' || zone === null || momentZone !== zone) return null;
  return 'times with the TZID of DTSTART, or in UTC (read in the zone of DTSTART)';
}

const ONE_DAY: Length = { days: 1, seconds: 0, isElapsed: false };

function lengthOf(
  start: Moment,
  component: EventComponent,
  { moments, addFinding }: { readonly moments: Moments; readonly addFinding: AddFinding },
): Length | null {
  const [without, taken] = start.isDate ? [ONE_DAY, 'it is one day'] : [null, 'it has no end'];
  const duration = first(component, 'DURATION');
  const end = first(component, 'DTEND');
  const refuse = (property: Property, expected: string): Length | null => {
    const about = cite(property);
    addFinding({ ...about, expected, found: `${about.found}; ${taken}` });
    return without;
  };
  if (end === null) {
    if (duration === null) return without;
    const read = readDuration(duration.value);
    if (read === null) return refuse(duration, 'a duration such as PT1H30M');
    if (start.isDate && read.days + read.seconds === 0) return ONE_DAY;
    // For days, durations should be whole days; the meaning is certain.
    if (start.isDate && read.seconds % DAY === 0)
      return { days: read.days + read.seconds / DAY, seconds: 0, isElapsed: false };
    return { ...read, isElapsed: read.seconds > 0 };
  }
  const read = moments.value(end.value, end);
  if (read === null) return refuse(end, A_MOMENT);
  const seconds = (read.isDate ? read.wall : readingIn(start, read)) - start.wall;
  if (start.isDate && read.isDate && seconds === 0) return ONE_DAY;
  if (isPastMidnight(start, seconds)) {
    const about = cite(end);
    const found = `${about.found}; it is that time of the next day`;
    addFinding({ ...about, expected: 'an end after the start', found });
    return { days: 0, seconds: seconds + DAY, isElapsed: false };
  }
  if (seconds < 0 || (start.isDate && seconds === 0)) return refuse(end, 'an end after the start');
  return { days: Math.floor(seconds / DAY), seconds: seconds % DAY, isElapsed: false };
}

/** L4: `20:00–00:00` with one date. Hours that are too many for an evening are another mistake. */
const MOST_PAST_MIDNIGHT = 12 * HOUR;

/** Whether an end, given in seconds after the start, has the date of the start and means the next one. */
function isPastMidnight({ wall, isDate }: Moment, seconds: number): boolean {
  const isOfSameDate = Math.floor((wall + seconds) / DAY) === Math.floor(wall / DAY);
  return !isDate && seconds < 0 && isOfSameDate && seconds + DAY < MOST_PAST_MIDNIGHT;
}

function modifiedOf(component: EventComponent): number {
  const moment = readMoment(first(component, 'LAST-MODIFIED')?.value ?? '', OSLO);
  return moment === null ? 0 : instantOfMoment(moment);
}
