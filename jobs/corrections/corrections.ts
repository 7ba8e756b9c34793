/**
 * F13: applies an editor's corrections to source records, as a stream between validation and the joining of duplicates. An event hidden by id
 * is only marked here; it is removed with its duplicates once they are joined.
 */
import { osloDay } from '../../src/calendar/time.ts';
import type { EventFeed } from '../annex.ts';
import { momentOf } from '../duplicates/comparable.ts';
import type { CorrectionEntry, DateRecord, EventRecord, HeldBack, Records } from '../records.ts';
import { createAllowance } from '../recurrence/allowance.ts';
import { createDayFinder, type FindDays } from '../recurrence/dates.ts';
import type { Report } from '../report.ts';
import type { ValidRecords } from '../validate.ts';
import { applyTo, type MatchCounts } from './apply.ts';
import { type FindArea, type VenueId, venuesOf } from './areas.ts';
import type { ReadEventName } from './event-names.ts';
import { createLimits, partlyHiddenReporter } from './limits.ts';
import { createPlaceCorrections } from './places.ts';
import { isOfAllSources, readCorrections } from './read.ts';
import { reportMatches } from './report-matches.ts';
import { createFinder, type FindMatchers, type Matcher } from './where.ts';

interface CorrectOptions {
  readonly entries: AsyncIterable<CorrectionEntry>;
  readonly readName: ReadEventName;
  readonly findArea: FindArea;
  /** Those of the pages of events, for findings. */
  readonly addresses: string;
  /** F17: events that are not approved, and not among the records. */
  readonly heldBack: HeldBack['events'];
  /** The sources of records besides the folder itself. */
  readonly feeds: readonly EventFeed[];
  /** Whether an earlier snapshot had an event with this id: then it is over, or was removed. */
  readonly isFormerId: (id: string) => boolean;
  readonly now: number;
  readonly report: Report;
}

/** Returns the same records if there are no corrections. Throws INVALID_SOURCE for an invalid correction. */
export async function applyCorrections(records: ValidRecords, options: CorrectOptions): Promise<Records> {
  const { report, readName, findArea } = options;
  const { valuesOf, municipalityNamed } = records;
  const reading = { valuesOf, municipalityNamed, findArea, readName, report };
  const corrections = await readCorrections(options.entries, reading);
  const hidden = new Set(options.heldBack.keys());
  const present = withoutPresent(hidden, records);
  if (corrections.length === 0) return hidden.size === 0 ? records : { ...records, events: present, hidden };
  const find = rememberingLast(createFinder(corrections, records.venues));
  const findDays = createDayFinder(createAllowance());
  const counts: MatchCounts = { events: [], dates: [] };
  const places = createPlaceCorrections(corrections);
  const limits = createLimits(corrections);
  const applying = { counts, places, limitOf: limits.numberOf, findDays };
  const isNamed = corrections.some(({ where }) => where.id !== null);
  /** The feed of each event by its id. */
  const events = new Map<string, string | null>();
  /** The ids that corrections with an area name, and the venues of their events. */
  const namedInAreas = new Set(
    corrections.flatMap(({ area, event }) => (area === null ? [] : (event?.ids ?? []))),
  );
  const venues = new Map<string, ReadonlySet<VenueId>>();

  async function* corrected(): AsyncGenerator<EventRecord, void, undefined> {
    for await (const record of present((event) => find(event).some(hides))) {
      if (isNamed) events.set(record.id, record.feed);
      if (namedInAreas.has(record.id)) venues.set(record.id, venuesOf(record));
      places.addEvent(record);
      const matchers = find(record);
      const changed = matchers.length === 0 ? record : applyTo(record, matchers, applying);
      const hiding = matchers.filter(hides);
      const hiddenBy = hiding.flatMap(({ correction }) => {
        const limit = limits.numberOf(correction);
        return limit === null ? [] : { number: correction.number, limit };
      });
      const withinLimits = limits.around(record);
      const within = withinLimits.length === 0 ? {} : { withinLimits };
      if (hiding.some(({ correction }) => isOfAllSources(correction)))
        yield { ...record, ...within, isHidden: true };
      else if (hiddenBy.length > 0) yield { ...record, ...within, hiddenBy };
      else if (hiding.length === 0 && changed !== null)
        yield { ...withSourceVenues(changed, record), ...within };
      else {
        hidden.add(record.id);
        report.countFate('hidden');
      }
    }
    places.end();
    reportMatches(corrections, { ...options, counts, events, venues });
  }

  return {
    ...records,
    events: corrected,
    hidden,
    municipalities: places.municipalities,
    reportPartlyHidden: partlyHiddenReporter(corrections),
  };
}

/** F17: the events, each of which is taken out of `hidden`: another source, which keeps its ids, may have one with an id that is not approved. */
function withoutPresent(
  hidden: Set<string>,
  { events }: Pick<ValidRecords, 'events'>,
): ValidRecords['events'] {
  return async function* present(isHidden) {
    for await (const record of events(isHidden)) {
      hidden.delete(record.id);
      yield record;
    }
  };
}

/** Whether a correction hides the whole event, and not only some of its dates. */
function hides({ correction, matchesDate }: Matcher): boolean {
  return correction.isHiding && matchesDate === null;
}

/** Decisions on duplicates are limited to an area by the places in the source, too. */
function withSourceVenues(changed: EventRecord, source: EventRecord): EventRecord {
  return changed === source ? source : { ...changed, sourceVenues: [...venuesOf(source)] };
}

/** Remembers the last result: most events are looked up twice in a row. */
function rememberingLast(find: FindMatchers): FindMatchers {
  let last: EventRecord | undefined;
  let found: readonly Matcher[] = [];
  return (event) => {
    if (event !== last) found = find(event);
    last = event;
    return found;
  };
}

/** Removes the events and dates that are hidden by id, once duplicates are joined, and references to hidden events. */
export function withoutHidden(records: Records, report: Pick<Report, 'countFate'>): Records {
  const { hidden } = records;
  if (hidden === undefined) return records;
  const findDays = createDayFinder(createAllowance());

  async function* events(): AsyncGenerator<EventRecord, void, undefined> {
    for await (const record of records.events()) {
      const shown = isWhollyHidden(record) ? null : withoutHiddenDates(record, findDays);
      if (shown === null) {
        hidden?.add(record.id);
        report.countFate('hidden');
      } else yield shown;
    }
    for (const { kind, id, survivor } of records.merged())
      if (kind === 'event' && hidden?.has(survivor)) hidden.add(id);
  }

  // References are read after all events, when `hidden` is complete.
  const isShown = (id: string | null) => id !== null && !hidden.has(id);
  return {
    ...records,
    events,
    references: () => {
      const { superEvent, specialEvent } = records.references();
      return {
        superEvent: (event) => {
          const container = superEvent(event);
          return isShown(container) ? container : null;
        },
        specialEvent: isShown(specialEvent) ? specialEvent : null,
      };
    },
  };
}

/** Once records are joined, what a limited sheet hides is either the whole event, or a record that is none of it any more. */
export function isWhollyHidden({ isHidden, hiddenBy }: EventRecord): boolean {
  return isHidden === true || hiddenBy !== undefined;
}

/** The record without the dates that corrections hide for all sources of an event; null if it had no others. */
function withoutHiddenDates(record: EventRecord, findDays: FindDays): EventRecord | null {
  const { hiddenDates = [], origin, isSuperEvent } = record;
  if (hiddenDates.length === 0) return record;
  const moments = new Set(hiddenDates.map(({ start, allDay }) => momentOf(start, allDay)));
  const isHidden = ({ start, allDay }: Pick<DateRecord, 'start' | 'allDay'>) =>
    moments.has(momentOf(start, allDay));
  const days = [...new Set(hiddenDates.map(({ start }) => osloDay(start)))];
  const dates = record.dates.filter((date) => !isHidden(date));
  const series = record.series.map((rule) => {
    const found = days.flatMap((day) => findDays(rule, day, origin.file));
    const hidden = found.filter(({ date }) => isHidden(date)).map(({ wall }) => wall);
    return hidden.length === 0 ? rule : { ...rule, except: [...rule.except, ...hidden] };
  });
  const isLeft = dates.length + series.length > 0 || isSuperEvent;
  return isLeft ? { ...record, dates, series } : null;
}
