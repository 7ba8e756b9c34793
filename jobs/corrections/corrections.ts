/**
 * F13: applies an editor's corrections to source records, as a stream between validation and the joining of duplicates. An event hidden by id
 * is only marked here; hidden.ts removes it with its duplicates once they are joined.
 */
import type { EventFeed } from '../annex.ts';
import { type VenueId, venuesOf } from '../event-dates.ts';
import type { Naming } from '../naming/naming.ts';
import type { EventRecord, EventsEnd, Records } from '../records.ts';
import { createAllowance } from '../recurrence/allowance.ts';
import { createDayFinder } from '../recurrence/day-finder.ts';
import type { Report } from '../report/report.ts';
import type { CorrectionEntry } from '../source/source.ts';
import { createStreamEnd } from '../source/stream-end.ts';
import type { ValidRecords } from '../validate/validate.ts';
import { type ApplyOptions, applyTo, type MatchCounts } from './apply.ts';
import { createLimits, isOfAllSources, type Limits, limitedHiding, partlyHiddenReporter } from './limits.ts';
import { createPlaceCorrections } from './places.ts';
import { type Correction, readCorrections } from './read.ts';
import { reportMatches } from './report-matches.ts';
import { createFinder, type FindMatchers, type Matcher } from './where.ts';

interface CorrectOptions
  extends Pick<Naming, 'readName' | 'findArea' | 'addresses' | 'isFormerId' | 'heldBack'> {
  readonly entries: AsyncIterable<CorrectionEntry>;
  /** The sources of records besides the folder itself. */
  readonly feeds: readonly EventFeed[];
  readonly now: number;
  readonly report: Report;
}

/** Returns the same records if there are no corrections. Throws INVALID_SOURCE for an invalid correction. */
export async function applyCorrections(records: ValidRecords, options: CorrectOptions): Promise<Records> {
  const { report, readName, findArea } = options;
  const { valuesOf, municipalityNamed } = records;
  const reading = { valuesOf, municipalityNamed, findArea, readName, report };
  const corrections = await readCorrections(options.entries, reading);
  if (corrections.length === 0) return records;
  const find = rememberingLast(createFinder(corrections, records.venues));
  const places = createPlaceCorrections(corrections);
  const named = createNamedEvents(corrections);
  const counts: MatchCounts = { events: [], dates: [] };
  const correct = createCorrect(createLimits(corrections), { places, counts });
  const end = createStreamEnd<EventsEnd>('events');

  async function* corrected(): AsyncGenerator<EventRecord, void, undefined> {
    const hidden = new Set<string>();
    for await (const record of records.events((event) => find(event).some(hides))) {
      named.note(record);
      places.addEvent(record);
      const event = correct(record, find(record));
      if (event !== null) yield event;
      else {
        hidden.add(record.id);
        report.countFate('hidden');
      }
    }
    places.end();
    reportMatches(corrections, { ...options, counts, events: named.events, venues: named.venues });
    end.reach({ ...records.finish(), hidden, municipalities: places.municipalities });
  }

  return {
    ...records,
    events: corrected,
    finish: end.value,
    reportPartlyHidden: partlyHiddenReporter(corrections),
  };
}

/** Returns the event as its corrections change it; null if they hide it, or all of its dates. */
type Correct = (record: EventRecord, matchers: readonly Matcher[]) => EventRecord | null;

function createCorrect(limits: Limits, { places, counts }: Pick<ApplyOptions, 'places' | 'counts'>): Correct {
  const findDays = createDayFinder(createAllowance());
  const applying = { counts, places, limitOf: limits.numberOf, findDays };
  return (record, matchers) => {
    // Even for a hidden event, so that the matches of all corrections are counted.
    const changed = matchers.length === 0 ? record : applyTo(record, matchers, applying);
    const withinLimits = limits.around(record);
    const ofLimits = withinLimits.length === 0 ? {} : { withinLimits };
    const hiding = matchers.filter(hides).map(({ correction }) => correction);
    if (hiding.some(isOfAllSources)) return { ...record, ...ofLimits, isHidden: true };
    const hiddenBy = limitedHiding(hiding, limits);
    if (hiddenBy.length > 0) return { ...record, ...ofLimits, hiddenBy };
    if (hiding.length > 0 || changed === null) return null;
    return { ...withSourceVenues(changed, record), ...ofLimits };
  };
}

/** What findings about corrections need to know of the events. */
interface NamedEvents {
  readonly note: (record: EventRecord) => void;
  /** The feed of each event by its id; empty if no correction names an id. */
  readonly events: ReadonlyMap<string, string | null>;
  /** The venues of the events that corrections with an area name. */
  readonly venues: ReadonlyMap<string, ReadonlySet<VenueId>>;
}

function createNamedEvents(corrections: readonly Correction[]): NamedEvents {
  const isNamed = corrections.some(({ where }) => where.id !== null);
  const namedInAreas = new Set(
    corrections.flatMap(({ area, event }) => (area === null ? [] : (event?.ids ?? []))),
  );
  const events = new Map<string, string | null>();
  const venues = new Map<string, ReadonlySet<VenueId>>();
  const note = (record: EventRecord) => {
    if (isNamed) events.set(record.id, record.feed);
    if (namedInAreas.has(record.id)) venues.set(record.id, venuesOf(record));
  };
  return { note, events, venues };
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
