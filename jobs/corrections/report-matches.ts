/** F13: what each correction matched, for the report, and a finding of each that matched nothing. */
import { withNearest } from '../../src/calendar/nearest.ts';
import { DAY } from '../../src/calendar/time.ts';
import { originText } from '../records.ts';
import type { Report } from '../report.ts';
import { addFinding } from '../validate/findings.ts';
import { createNearestId, type NearestId } from '../validate/unknown-fields.ts';
import type { Counts } from './apply.ts';
import type { Correction } from './read.ts';

interface Matches {
  readonly counts: Counts;
  /** The ids of all events; empty unless a correction names an id. */
  readonly ids: readonly string[];
  /** Ids of the sources besides the folder itself. */
  readonly feeds: readonly string[];
  readonly isFormerId: (id: string) => boolean;
  readonly now: number;
  readonly report: Report;
}

export function reportMatches(corrections: readonly Correction[], matches: Matches): void {
  const { counts, ids, feeds, report } = matches;
  const eventIds = new Set(ids);
  const nearestId = createNearestId(ids.map((id) => [id, id]));
  const nearestFeed = createNearestId(feeds.map((id) => [id, id]));
  report.setCorrections(
    corrections.map(({ number, subject, note, where, isHiding }) => ({
      at: originText(subject.origin),
      does: isHiding ? 'hide' : 'set',
      note,
      events: counts.events[number] ?? 0,
      dates: where.date === null ? null : (counts.dates[number] ?? 0),
    })),
  );
  for (const correction of corrections) {
    const hasMatched = counts.events[correction.number] !== undefined;
    if (hasMatched || isOver(correction, eventIds, matches)) continue;
    reportUnmatched(correction, { eventIds, nearestId, nearestFeed, feeds });
  }
}

/** An event that is over needs no correction any more, and its source may have taken it out. */
function isOver(
  { where: { id, date } }: Correction,
  eventIds: ReadonlySet<string>,
  { isFormerId, now }: Matches,
): boolean {
  const isPast = date !== null && date.instant + (date.isDay ? DAY : 0) <= now;
  return isPast || (id !== null && !eventIds.has(id) && isFormerId(id));
}

interface Candidates {
  readonly eventIds: ReadonlySet<string>;
  readonly feeds: readonly string[];
  readonly nearestId: NearestId;
  readonly nearestFeed: NearestId;
}

function reportUnmatched(
  { subject, where }: Correction,
  { eventIds, feeds, nearestId, nearestFeed }: Candidates,
): void {
  const { id, feed } = where;
  if (id !== null && !eventIds.has(id)) {
    const expected = withNearest('the id of an event of this build', nearestId(id));
    addFinding(subject, 'left out', { at: ['where', 'id'], expected, found: id });
  } else if (feed !== null && !feeds.includes(feed)) {
    const expected = withNearest('the id of a source in sources.json', nearestFeed(feed));
    addFinding(subject, 'left out', { at: ['where', 'feed'], expected, found: feed });
  } else {
    const expected = `an event of this build with ${conditionsIn(where)}`;
    addFinding(subject, 'left out', { at: ['where'], expected, foundText: 'none' });
  }
}

function conditionsIn(where: Correction['where']): string {
  const conditions = Object.entries(where).flatMap(([name, value]) => {
    if (value === null) return [];
    return name === 'date' ? ['that date'] : [`${name} ${JSON.stringify(value)}`];
  });
  return conditions.join(' and ');
}
