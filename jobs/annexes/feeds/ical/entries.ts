/** Reads each VEVENT alone, before it is compared with others that have its UID. */
import { excerpt } from '../../../findings.ts';
import type { Length } from '../../../recurrence/series.ts';
import type { Collector } from '../collector.ts';
import type { ParsedFeed } from '../config.ts';
import type { AddFinding } from '../last-good.ts';
import { shortHash } from '../record-ids.ts';
import { citeIn } from './citations.ts';
import { type EventComponent, first } from './content.ts';
import { lengthOf } from './entry-length.ts';
import { createMoments, type MomentsContext } from './entry-moments.ts';
import { instantOfMoment, type Moment, OSLO, plainTextOf, readMoment, textValueOf } from './values.ts';

export interface CalendarEntry {
  readonly component: EventComponent;
  readonly uid: string;
  /** Empty without SUMMARY. */
  readonly title: string;
  readonly start: Moment;
  /** Null without DTEND and DURATION. */
  readonly length: Length | null;
  /** Whether it replaces a date of the series without a start and an end of its own: these are the series' own. */
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
export interface CalendarContext
  extends MomentsContext,
    Pick<Collector, 'directory' | 'categories' | 'dates' | 'allowance'> {
  readonly feed: ParsedFeed;
  /** Instant of the build. */
  readonly now: number;
  /** The event's id in the calendar. */
  readonly idOf: (uid: string) => string;
}

/** Null, after a finding, without a readable start. */
export function readEntry(component: EventComponent, context: CalendarContext): CalendarEntry | null {
  const uid = uidOf(component, context);
  const id = context.idOf(uid);
  const addFinding: AddFinding = (finding) => context.addFinding({ ...finding, id });
  reportForm(component, { uid, id, addFinding });
  const moments = createMoments(component, { ...context, addFinding });
  const recurrenceProperty = first(component, 'RECURRENCE-ID');
  const recurrenceId = moments.momentOf('RECURRENCE-ID');
  if (recurrenceId === null && recurrenceProperty !== null) return null;
  const hasStart = first(component, 'DTSTART') !== null;
  const hasEnd = first(component, 'DTEND') !== null || first(component, 'DURATION') !== null;
  // 3.8.4.4: an override is of that date; a cancellation often has no other start.
  const start = hasStart || recurrenceId === null ? moments.momentOf('DTSTART') : recurrenceId;
  if (start === null) {
    if (!hasStart) reportWithoutStart(component, addFinding);
    return null;
  }
  const summary = first(component, 'SUMMARY');
  return {
    component,
    uid,
    title: summary === null ? '' : plainTextOf(summary),
    start,
    length: lengthOf(start, component, { moments, addFinding }),
    isStandIn: recurrenceId !== null && !hasStart && !hasEnd,
    recurrenceId,
    isThisAndFuture: /^THISANDFUTURE$/i.test(recurrenceProperty?.parameters.get('RANGE') ?? ''),
    sequence: sequenceOf(component),
    modified: modifiedOf(component),
  };
}

interface Identified {
  readonly uid: string;
  readonly id: string;
  readonly addFinding: AddFinding;
}

/** Reports an entry without an end, and one whose UID is no valid id. */
function reportForm(component: EventComponent, { uid, id, addFinding }: Identified): void {
  if (!component.isEnded) {
    const found = 'none; the entry is read anyway';
    addFinding({ ...citeIn(component, 'END'), expected: 'END:VEVENT', found });
  }
  if (!id.endsWith(uid)) {
    const expected = 'a UID without markup and control characters (its hash is the id)';
    addFinding({ ...citeIn(component, 'UID'), expected, found: excerpt(uid) });
  }
}

function reportWithoutStart(component: EventComponent, addFinding: AddFinding): void {
  const expected = 'a start such as 20260517T193000';
  addFinding({ ...citeIn(component, 'DTSTART'), action: 'dropped record', expected, found: 'nothing' });
}

/** By the calendar's METHOD, or by its own STATUS. */
export function isCancelled({ component }: CalendarEntry): boolean {
  return component.method === 'CANCEL' || statusOf(component) === 'CANCELLED';
}

/** Upper case; null without STATUS. */
export function statusOf(component: EventComponent): string | null {
  return first(component, 'STATUS')?.value.trim().toUpperCase().replace('CANCELED', 'CANCELLED') ?? null;
}

/** RFC 5545, 3.8.1.3: an entry that its owner marks private is not for a public calendar. An unknown word means private. */
export function isPrivate({ component }: CalendarEntry): boolean {
  const written = first(component, 'CLASS')?.value.trim().toUpperCase() ?? '';
  return written !== '' && written !== 'PUBLIC';
}

/** Entries without a UID are identified by their contents: the id is the same in every reading. */
function uidOf(component: EventComponent, { addFinding, idOf }: CalendarContext): string {
  const uid = first(component, 'UID');
  const written = uid === null ? '' : withoutProtection(textValueOf(uid));
  if (written !== '') return written;
  const identifying = ['DTSTART', 'RECURRENCE-ID', 'SUMMARY', 'LOCATION'].map(
    (name) => first(component, name)?.value ?? '',
  );
  const madeUid = `no-uid-${shortHash(JSON.stringify(identifying))}`;
  const expected = 'a UID (without one, the id comes from start, title and place)';
  addFinding({ ...citeIn(component, 'UID'), id: idOf(madeUid), expected, found: excerpt(uid?.value) });
  return madeUid;
}

/** Characters: longer UIDs are not searched for protected addresses. */
const LONGEST_PROTECTED = 2_000;

/** Cloudflare replaces texts that look like addresses by markup that differs at every reading; the hidden text stays the same. */
function withoutProtection(uid: string): string {
  if (uid.length > LONGEST_PROTECTED) return uid;
  return uid.replace(/<a [^>]*data-cfemail="([0-9a-f]{4,})"[^>]*>[^<]*<\/a>/g, (_, hex: string) => {
    const [key = 0, ...letters] = Buffer.from(hex, 'hex');
    return Buffer.from(letters.map((letter) => letter ^ key)).toString();
  });
}

/** 0 without SEQUENCE. */
function sequenceOf(component: EventComponent): number {
  const [digits = '0'] = /^\s*\d{1,9}/.exec(first(component, 'SEQUENCE')?.value ?? '') ?? [];
  return Number(digits);
}

/** Instant of LAST-MODIFIED; 0 without it. */
function modifiedOf(component: EventComponent): number {
  const moment = readMoment(first(component, 'LAST-MODIFIED')?.value ?? '', OSLO);
  return moment === null ? 0 : instantOfMoment(moment);
}
