/**
 * F13: applies to a record the corrections that match it, one after the other. First each correction gets the dates that it matches in the
 * source; then the dates are corrected or hidden, and the event as a whole.
 */
import { momentOf } from '../event-dates.ts';
import type { DateRecord, EventRecord } from '../records.ts';
import type { FindDays } from '../recurrence/day-finder.ts';
import { addFinding } from '../validate/entry-findings.ts';
import { editsBy } from './edits.ts';
import { isOfAllSources, type Limits } from './limits.ts';
import { type EventDates, withNamedListed, withoutReplaced } from './named-dates.ts';
import type { PlaceCorrections } from './places.ts';
import type { Correction, DateValues } from './read.ts';
import { withDateValues, withEventValues, withSeriesValues } from './values.ts';
import type { Match, Matcher } from './where.ts';

/** How many events and dates each correction matched, by its number. */
export interface MatchCounts {
  readonly events: number[];
  readonly dates: number[];
}

export interface ApplyOptions {
  readonly counts: MatchCounts;
  readonly places: Pick<PlaceCorrections, 'addMatch'>;
  readonly limitOf: Limits['numberOf'];
  readonly findDays: FindDays;
}

/** The record with the values of all corrections, in their order; null if all of its dates are hidden. Adds to the counts and places. */
export function applyTo(
  record: EventRecord,
  matchers: readonly Matcher[],
  { counts, places, limitOf, findDays }: ApplyOptions,
): EventRecord | null {
  const listed = withNamedListed(record, matchers, findDays);
  const applied = matchers.map((matcher) => appliedTo(listed.dates, matcher, record));
  for (const correction of applied) {
    countMatch(correction, counts);
    places.addMatch(record, correction);
  }
  const dates = listed.dates.flatMap((date) => correctedDate(date, applied) ?? []);
  const hidden = hiddenForAllSources(listed.dates, applied, dates);
  const hiddenDates = hidden.map(({ start, allDay }) => ({ start, allDay }));
  const losesAllDates = hasDates(record) && !hasDates({ dates, series: listed.series });
  if (losesAllDates && !record.isSuperEvent) {
    // Its duplicates may have the same dates: the event is hidden after they are joined.
    return hidden.length === 0 ? null : { ...record, dates: hidden, series: listed.series, hiddenDates };
  }
  const isMoved = matchers.some(({ correction }) => correction.dateValues.start !== undefined);
  const series = isMoved ? listed.series.map((rule) => withoutReplaced(rule, record)) : listed.series;
  return correctedEvent({ ...record, dates, series, hiddenDates }, applied, limitOf);
}

/** A correction, with its values for the dates of an event that it matches. */
interface Applied extends Match {
  readonly values: DateValues;
}

/** The dates that a correction matches are counted before it is applied: a datetime applies only if one date of the event matches. */
function appliedTo(listed: readonly DateRecord[], matcher: Matcher, record: EventRecord): Applied {
  const dates = new Set(datesOf(matcher, listed));
  return { ...matcher, dates, values: valuesFor(matcher.correction, dates.size, record) };
}

/** The dates that a correction applies to: those that it names, or all at its place. */
function datesOf(
  { matchesDate, matchesVenue }: Matcher,
  listed: readonly DateRecord[],
): readonly DateRecord[] {
  return listed.filter(matchesDate ?? (({ venue }) => matchesVenue(venue)));
}

/** A datetime applies to a single date: it would give several dates the same time. `count`: how many dates of the event match. */
function valuesFor(correction: Correction, count: number, { id }: EventRecord): DateValues {
  const { start, end, ...values } = correction.dateValues;
  const field = Object.entries({ start, end }).find(([, time]) => time != null && 'instant' in time)?.[0];
  if (field === undefined || count < 2) return correction.dateValues;
  const expected = 'a time of day, or a "date" in "where" that only one date of the event has';
  const foundText = `a datetime for ${count} dates`;
  addFinding({ ...correction.subject, id }, 'dropped value', { at: ['set', field], expected, foundText });
  return values;
}

/** A correction of dates counts as one of the event if it matches any of them. */
function countMatch({ correction: { number }, matchesDate, dates }: Match, counts: MatchCounts): void {
  if (matchesDate === null || dates.size > 0) counts.events[number] = (counts.events[number] ?? 0) + 1;
  if (matchesDate !== null) counts.dates[number] = (counts.dates[number] ?? 0) + dates.size;
}

/** Null for a hidden date. */
function correctedDate(date: DateRecord, applied: readonly Applied[]): DateRecord | null {
  const matching = applied.filter(({ dates }) => dates.has(date));
  if (matching.some(hidesDates)) return null;
  return matching.reduce((changed, { values }) => withDateValues(changed, values), date);
}

/** Whether a correction hides certain dates, and not the whole event. */
function hidesDates({ correction, matchesDate }: Matcher): boolean {
  return correction.isHiding && matchesDate !== null;
}

/** The dates that corrections hide wherever they are listed. `left`: a date that was moved to such a time stays. */
function hiddenForAllSources(
  listed: readonly DateRecord[],
  applied: readonly Applied[],
  left: readonly DateRecord[],
): readonly DateRecord[] {
  const hiding = applied.filter(hidesForAllSources);
  if (hiding.length === 0) return [];
  const moments = new Set(left.map(({ start, allDay }) => momentOf(start, allDay)));
  return listed.filter(
    (date) => !moments.has(momentOf(date.start, date.allDay)) && hiding.some(({ dates }) => dates.has(date)),
  );
}

function hidesForAllSources(matcher: Matcher): boolean {
  // With a place, a correction is about the dates there.
  const hasPlace = matcher.correction.where.place !== null;
  return hidesDates(matcher) && isOfAllSources(matcher.correction) && !hasPlace;
}

function hasDates({ dates, series }: EventDates): boolean {
  return dates.length + series.length > 0;
}

/** The event with the values of all corrections, except those that apply only to certain dates. */
function correctedEvent(
  record: EventRecord,
  applied: readonly Applied[],
  limitOf: Limits['numberOf'],
): EventRecord {
  const ofWholeEvent = applied.filter(({ matchesDate }) => matchesDate === null);
  const changed = ofWholeEvent.reduce<EventRecord>(
    (before, { correction, matchesVenue }) => withEventValues(before, correction, matchesVenue(record.venue)),
    { ...record, series: record.series.map((rule) => withSeriesValues(rule, ofWholeEvent)) },
  );
  const edits = editsBy(ofWholeEvent, changed, limitOf);
  return edits.length === 0 ? changed : { ...changed, edits };
}
