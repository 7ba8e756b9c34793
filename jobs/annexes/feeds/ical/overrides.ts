/** Overrides: entries that replace one date of a series, or change it from a date on (RFC 5545, 3.8.4.4). */
import type { JsonObject } from '../../../../src/calendar/json.ts';
import type { FeedSeries } from '../../../recurrence/series.ts';
import type { AddFinding } from '../last-good.ts';
import type { CalendarEntry } from './entries.ts';
import { reportOlder } from './newest.ts';
import { instantOfMoment, readingIn, seriesReading } from './values.ts';
import type { Version } from './versions.ts';
import { type DateFields, isAllDay, writtenDate, writtenStart } from './written-dates.ts';

/** The event that overrides belong to. */
export interface OverriddenEvent extends Pick<Version, 'kind' | 'main'> {
  /** Whether a reading of the series' clock is a date of the series. */
  readonly isDateOfSeries: (wall: number) => boolean;
  /** Values of an entry's own dates that differ from the event's. */
  readonly dateFieldsOf: (entry: CalendarEntry) => DateFields;
}

/** RANGE=THISANDFUTURE: the series continues like this entry. In the order of the dates from which it does. */
export function changesOf(
  overrides: readonly CalendarEntry[],
  { main, dateFieldsOf }: Pick<OverriddenEvent, 'main' | 'dateFieldsOf'>,
): FeedSeries['changes'] {
  const changes = overrides.flatMap((entry) => {
    if (!entry.isThisAndFuture || entry.recurrenceId === null) return [];
    const timing = entry.isStandIn ? main : entry;
    const from = seriesReading(main.start, entry.recurrenceId);
    return {
      from,
      shift: entry.isStandIn ? 0 : readingIn(main.start, entry.start) - from,
      length: timing.length,
      allDay: isAllDay(timing.start, timing.length),
      own: dateFieldsOf(entry),
    };
  });
  return changes.sort((left, right) => left.from - right.from);
}

/** The overrides without those of an earlier version of the series, whose dates it no longer has. These are reported. */
export function withoutOlder(
  overrides: readonly CalendarEntry[],
  { main, isDateOfSeries }: OverriddenEvent,
  addFinding: AddFinding,
): readonly CalendarEntry[] {
  return overrides.filter((entry) => {
    const { recurrenceId, sequence } = entry;
    if (recurrenceId === null || sequence >= main.sequence) return true;
    const isCurrent = isDateOfSeries(seriesReading(main.start, recurrenceId));
    if (!isCurrent) reportOlder(entry, addFinding);
    return isCurrent;
  });
}

/** The native date of an override. Without a start of its own it has the series' time. */
export function overridingDate(entry: CalendarEntry, event: OverriddenEvent): JsonObject {
  const { kind, main, dateFieldsOf } = event;
  const { start, length } = main;
  const dateFields = dateFieldsOf(entry);
  if (kind === 'dates' || !entry.isStandIn || entry.recurrenceId === null)
    return withPreviousStart(writtenDate(entry.start, entry.length, dateFields), entry, event);
  const wall = seriesReading(start, entry.recurrenceId);
  return writtenDate({ ...start, wall }, length, dateFields);
}

/** E12: a date that an override moves to another time; one whose RECURRENCE-ID the series lacks was never at another. */
function withPreviousStart(
  date: JsonObject,
  entry: CalendarEntry,
  { kind, main, isDateOfSeries }: OverriddenEvent,
): JsonObject {
  const { recurrenceId, isStandIn } = entry;
  const isOff = date.eventCancelled === true || date.status === 'POSTPONED';
  if (recurrenceId === null || isStandIn || isOff) return date;
  const wall = seriesReading(main.start, recurrenceId);
  if (kind === 'event' && !isDateOfSeries(wall)) return date;
  const previous = kind === 'event' ? { ...main.start, wall } : recurrenceId;
  if (instantOfMoment(previous) === instantOfMoment(entry.start)) return date;
  const allDay = isAllDay(entry.start, entry.length);
  return { ...date, status: 'RESCHEDULED', previousStart: writtenStart(previous, allDay) };
}
