/** F13: applies to a record the corrections that match it, one after the other. */
import { isEmpty } from '../../src/calendar/field.ts';
import { wallOf } from '../../src/calendar/time.ts';
import { momentOf } from '../event-dates.ts';
import type { DateRecord, Edit, EventRecord } from '../records.ts';
import type { FindDays } from '../recurrence/day-finder.ts';
import { retimed } from '../recurrence/retiming.ts';
import type { OwnValues, Phase, Series } from '../recurrence/series.ts';
import { addFinding } from '../validate/entry-findings.ts';
import { MOST_ITEMS } from '../validate/lengths.ts';
import type { Limits } from './limits.ts';
import type { PlaceCorrections } from './places.ts';
import { type Correction, type DateValues, isOfAllSources } from './read.ts';
import type { Matcher } from './where.ts';

/** How many events and dates each correction matched, by its number. */
export interface MatchCounts {
  readonly events: number[];
  readonly dates: number[];
}

interface ApplyOptions {
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
  const before = withNamedListed(record, matchers, findDays);
  const matched = matchers.map((matcher) => matchedWith(matcher, before.dates, record));
  for (const match of matched) {
    countMatch(match, counts);
    places.addMatch(record, match);
  }
  const dates = before.dates.flatMap((date) => correctedDate(date, matched) ?? []);
  const hidden = hiddenForAllSources(before.dates, matched, dates);
  const hiddenDates = hidden.map(({ start, allDay }) => ({ start, allDay }));
  const losesAllDates = hasDates(record) && !hasDates({ dates, series: before.series });
  if (losesAllDates && !record.isSuperEvent) {
    // Its duplicates may have the same dates: the event is hidden after they are joined.
    return hidden.length === 0 ? null : { ...record, dates: hidden, series: before.series, hiddenDates };
  }
  const isMoved = matchers.some(({ correction }) => correction.dateValues.start !== undefined);
  const series = isMoved ? before.series.map((rule) => withoutReplaced(rule, record.dates)) : before.series;
  const ofWholeEvent = matched.filter(({ matchesDate }) => matchesDate === null);
  return corrected({ ...record, dates, series, hiddenDates }, ofWholeEvent, limitOf);
}

/** The dates that a correction matches are counted before it is applied: a datetime applies only if one date of the event matches. */
function matchedWith(matcher: Matcher, listed: readonly DateRecord[], record: EventRecord): Matched {
  const dates = new Set(datesOf(matcher, listed));
  return { ...matcher, dates, values: valuesFor(matcher.correction, dates.size, record) };
}

function hasDates({ dates, series }: EventDates): boolean {
  return dates.length + series.length > 0;
}

/** The event with the values of all corrections, except those that apply only to certain dates. */
function corrected(
  record: EventRecord,
  matched: readonly Matched[],
  limitOf: Limits['numberOf'],
): EventRecord {
  const changed = matched.reduce<EventRecord>(
    (before, { correction, matchesVenue }) => withEventValues(before, correction, matchesVenue(record.venue)),
    { ...record, series: record.series.map((rule) => withSeriesValues(rule, matched)) },
  );
  const edits = editsBy(matched, changed, limitOf);
  return edits.length === 0 ? changed : { ...changed, edits };
}

/** The dates that corrections hide wherever they are listed. `left`: a date that was moved to such a time stays. */
function hiddenForAllSources(
  listed: readonly DateRecord[],
  matched: readonly Matched[],
  left: readonly DateRecord[],
): readonly DateRecord[] {
  // With a place, a correction is about the dates there.
  const hiding = matched.filter(
    ({ correction, matchesDate }) =>
      correction.isHiding &&
      matchesDate !== null &&
      isOfAllSources(correction) &&
      correction.where.place === null,
  );
  if (hiding.length === 0) return [];
  const moments = new Set(left.map(({ start, allDay }) => momentOf(start, allDay)));
  return listed.filter(
    (date) => !moments.has(momentOf(date.start, date.allDay)) && hiding.some(({ dates }) => dates.has(date)),
  );
}

/** The last correction of each field, within each limit. An emptied field is none if a later correction added something to it. */
function editsBy(
  matched: readonly Matched[],
  changed: EventRecord,
  limitOf: Limits['numberOf'],
): readonly Edit[] {
  const all = matched.flatMap(({ correction }) => editsOf(correction, limitOf(correction)));
  const edits = new Map(all.map((edit) => [`${edit.field} ${edit.limit}`, edit]));
  return [...edits.values()].map((edit) => ({
    ...edit,
    isEmptied: edit.isEmptied && saysNothing(Reflect.get(changed, edit.field)),
  }));
}

/** One with `id` empties a field for all sources of an event, as `hide` hides it. Others empty it in their records alone. */
function editsOf(
  { number, where, event, eventValues, dateValues }: Correction,
  limit: number | null,
): readonly Edit[] {
  const isForAll = event !== null;
  // With a place, it is about the dates there.
  const values = where.place === null ? { ...dateValues, ...eventValues } : eventValues;
  return Object.entries(values)
    .filter(([, value]) => value !== undefined && (isForAll || !saysNothing(value)))
    .map(([field, value]) => ({ field, number, isEmptied: saysNothing(value), limit }));
}

function saysNothing(value: unknown): boolean {
  return isEmpty(value) || value === 'noTicketsInfo';
}

/** A correction, with the dates of an event that it matches. */
interface Matched extends Matcher {
  readonly dates: ReadonlySet<DateRecord>;
  /** Its values for these dates. */
  readonly values: DateValues;
}

/** A correction of dates counts as one of the event if it matches any of them. */
function countMatch({ correction: { number }, matchesDate, dates }: Matched, counts: MatchCounts): void {
  if (matchesDate === null || dates.size > 0) counts.events[number] = (counts.events[number] ?? 0) + 1;
  if (matchesDate !== null) counts.dates[number] = (counts.dates[number] ?? 0) + dates.size;
}

/** Null for a hidden date. */
function correctedDate(date: DateRecord, matched: readonly Matched[]): DateRecord | null {
  const matching = matched.filter(({ dates }) => dates.has(date));
  const isHidden = matching.some(
    ({ correction, matchesDate }) => correction.isHiding && matchesDate !== null,
  );
  return isHidden ? null : matching.reduce((changed, { values }) => withValues(changed, values), date);
}

/** The dates that a correction applies to: those that it names, or all at its place. */
function datesOf(
  { matchesDate, matchesVenue }: Matcher,
  listed: readonly DateRecord[],
): readonly DateRecord[] {
  return listed.filter(matchesDate ?? (({ venue }) => matchesVenue(venue)));
}

/** F4: a listed date replaces the series' date that has the same start in the source, even if a correction moves either. */
function withoutReplaced(series: Series, dates: readonly DateRecord[]): Series {
  if (!series.isReplaceable) return series;
  const replaced = dates.map(({ start }) => wallOf(start));
  return { ...series, isReplaceable: false, except: [...series.except, ...replaced] };
}

type EventDates = Pick<EventRecord, 'dates' | 'series'>;

/** Turns the dates of series that corrections name into listed dates with the same values, which the series exclude from then on. */
function withNamedListed(
  { dates, series, origin }: EventRecord,
  matchers: readonly Matcher[],
  findDays: FindDays,
): EventDates {
  const dated = matchers.flatMap(({ day, matchesDate }) =>
    day === null || matchesDate === null ? [] : [{ day, matchesDate }],
  );
  const days = new Set(dated.map(({ day }) => day));
  if (days.size === 0 || series.length === 0) return { dates, series };
  const starts = new Set(dates.map(({ start }) => start));
  const listed = [...dates];
  const rest = series.map((rule) => {
    const found = [...days]
      .flatMap((day) => findDays(rule, day, origin.file))
      .filter(({ date }) => dated.some(({ matchesDate }) => matchesDate(date)));
    for (const { date } of found) {
      // A listed date still replaces the series' date, wherever it is moved.
      const isReplaced = rule.isReplaceable && starts.has(date.start);
      if (!isReplaced) listed.push(date);
    }
    if (found.length === 0) return rule;
    return { ...rule, except: [...rule.except, ...found.map(({ wall }) => wall)] };
  });
  return { dates: listed, series: rest };
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

function withValues(date: DateRecord, { start, end, ...own }: DateValues): DateRecord {
  return { ...date, ...retimed(date, { start, end }), ...ownValuesOf(own) };
}

type OwnPart = Omit<DateValues, 'start' | 'end'>;

/** E12: only a date that was moved has a start before. */
function ownValuesOf(own: OwnPart): Partial<OwnValues> {
  return own.status === undefined || own.status === 'RESCHEDULED' ? own : { ...own, previousStart: null };
}

/** `includesVenue`: whether the correction applies to the event's own venue, which may differ from that of its dates. */
function withEventValues(record: EventRecord, correction: Correction, includesVenue: boolean): EventRecord {
  const { eventValues, dateValues, added } = correction;
  const { start: _, end: __, ...ownValues } = dateValues;
  const changed = { ...record, ...eventValues };
  if (includesVenue) Object.assign(changed, ownValues);
  const isUntitled = changed.title_nb === null && changed.title_en === null;
  const { title_nb, title_en } = isUntitled ? record : changed;
  return {
    ...changed,
    title_nb,
    title_en,
    categories: withAdded(changed.categories, added.categories),
    tags: withAdded(changed.tags, added.tags).slice(0, MOST_ITEMS),
  };
}

function withSeriesValues(series: Series, matchers: readonly Matcher[]): Series {
  const phases = series.phases.map((phase) => {
    // As elsewhere, the venue in the source decides.
    const phaseMatchers = matchers.filter(({ matchesVenue }) => matchesVenue(phase.own.venue));
    return phaseMatchers.reduce(
      (changed, { correction }) => withPhaseValues(changed, correction.dateValues),
      phase,
    );
  });
  return { ...series, phases };
}

function withAdded(current: readonly string[], added: readonly string[]): readonly string[] {
  return added.length === 0 ? current : [...new Set([...current, ...added])];
}

function withPhaseValues(phase: Phase, { start, end, ...own }: DateValues): Phase {
  const changed = { ...phase, own: { ...phase.own, ...ownValuesOf(own) } };
  if (start === undefined && end === undefined) return changed;
  const earlier = phase.retimings ?? [];
  return { ...changed, retimings: [...earlier, { start, end }] };
}
