/** F13: what each correction matched, for the report, and a finding of each that matched nothing. */
import { withNearest } from '../../src/calendar/nearest.ts';
import { DAY } from '../../src/calendar/time.ts';
import type { EventFeed } from '../annex.ts';
import type { VenueId } from '../event-dates.ts';
import { originText } from '../findings.ts';
import type { NamedEvent } from '../naming/event-names.ts';
import type { Naming } from '../naming/naming.ts';
import { expectedEvent, type KnownNames } from '../naming/unusable-names.ts';
import type { Report } from '../report/report.ts';
import type { CountedCorrection } from '../report/summary.ts';
import { addFinding, type FindingDetail } from '../validate/entry-findings.ts';
import { createNearestId, type NearestId } from '../validate/unknown-fields.ts';
import type { MatchCounts } from './apply.ts';
import { allowsFeed, allowsVenues, outsideFeeds } from './limits.ts';
import type { Correction } from './read.ts';

interface Matches extends Pick<Naming, 'addresses' | 'isFormerId' | 'heldBack'> {
  readonly counts: MatchCounts;
  /** The feed of each event by its id; empty unless a correction names an event. */
  readonly events: ReadonlyMap<string, string | null>;
  /** The venues of each event that a correction with an area names, by its id. */
  readonly venues: ReadonlyMap<string, ReadonlySet<VenueId>>;
  /** The sources of records besides the folder itself. */
  readonly feeds: readonly EventFeed[];
  readonly now: number;
  readonly report: Report;
}

export function reportMatches(corrections: readonly Correction[], matches: Matches): void {
  const { counts, events, feeds, report } = matches;
  const nearestId = createNearestId([...events.keys()].map((id) => [id, id]));
  const nearestFeed = createNearestId(feeds.map(({ id }) => [id, id]));
  report.setCorrections(
    corrections.map(({ number, subject, note, where, ...correction }) => ({
      at: originText(subject.origin),
      does: effectOf(correction),
      note,
      events: counts.events[number] ?? 0,
      dates: where.date === null ? null : (counts.dates[number] ?? 0),
    })),
  );
  const withApproval = feeds.filter(({ needsApproval }) => needsApproval).map(({ id }) => id);
  const feedsWithApproval = new Set<string | null>(withApproval);
  for (const correction of corrections) {
    const hasMatched = counts.events[correction.number] !== undefined;
    if (hasMatched) {
      reportNeedless(correction, feedsWithApproval, events);
      continue;
    }
    const needsNoMatch = refusesHeldBack(correction, matches) || isOver(correction, matches);
    if (needsNoMatch || isOutsideLimits(correction, matches)) continue;
    reportUnmatched(correction, { ...matches, nearestId, nearestFeed });
  }
}

/** F17: reports a decision on an event whose feed needs no approval: it stays published. */
function reportNeedless(
  { subject, isApproving, event }: Correction,
  feedsWithApproval: ReadonlySet<string | null>,
  events: Matches['events'],
): void {
  const known = event?.ids.filter((id) => events.has(id)) ?? [];
  const isPublishedAnyway = known.some((id) => !feedsWithApproval.has(events.get(id) ?? null));
  if (isApproving === null || !isPublishedAnyway) return;
  const expected = 'a decision on an event of a feed with "needsApproval"';
  addFinding(subject, 'dropped value', { at: ['approve'], expected, found: isApproving });
}

/** A refused event is not in the calendar. */
function refusesHeldBack(
  { isApproving, isHiding, where, event, onlyFeeds }: Correction,
  { heldBack }: Pick<Matches, 'heldBack'>,
): boolean {
  const refuses = isApproving === false || (isHiding && where.date === null);
  if (!refuses) return false;
  const feeds = event?.ids.flatMap((id) => heldBack.get(id)?.feed ?? []) ?? [];
  return feeds.some((feed) => allowsFeed(onlyFeeds, feed));
}

/** Whether a finding already says that the event awaiting approval is outside of the sheet's limits. */
function isOutsideLimits({ subject, event }: Correction, { heldBack }: Pick<Matches, 'heldBack'>): boolean {
  const origin = originText(subject.origin);
  return event?.ids.some((id) => heldBack.get(id)?.outside.has(origin)) === true;
}

function effectOf({
  isHiding,
  isApproving,
}: Pick<Correction, 'isHiding' | 'isApproving'>): CountedCorrection['does'] {
  if (isHiding) return 'hide';
  return isApproving === true ? 'approve' : 'set';
}

/** An event that is over needs no correction any more, and its source may have taken it out. */
function isOver({ where: { date }, event }: Correction, { events, isFormerId, now }: Matches): boolean {
  const isPast = date !== null && date.instant + (date.isDay ? DAY : 0) <= now;
  if (isPast) return true;
  const isGone = event?.ids.every((id) => !events.has(id)) === true;
  return isGone && event.ids.some(isFormerId);
}

interface Candidates extends Pick<Matches, 'events' | 'venues' | 'feeds'>, KnownNames {
  readonly nearestFeed: NearestId;
}

function reportUnmatched(correction: Correction, candidates: Candidates): void {
  addFinding(correction.subject, 'left out', whyUnmatched(correction, candidates));
}

/** The first reason that applies: a condition that nothing can meet, or else all conditions together. */
function whyUnmatched(correction: Correction, candidates: Candidates): FindingDetail {
  const { where, event, onlyFeeds, area } = correction;
  const { events, venues, feeds, heldBack, nearestFeed } = candidates;
  const known = event?.ids.find((id) => events.has(id));

  const [feedOfHeld] = event?.ids.flatMap((id) => heldBack.get(id)?.feed ?? []) ?? [];
  const feedOfEvent = known === undefined ? feedOfHeld : events.get(known);
  const otherFeed = feedOfEvent === undefined ? null : outsideFeeds(onlyFeeds, feedOfEvent);
  if (otherFeed !== null) return { at: ['where', 'id'], ...otherFeed };

  if (event !== null && known === undefined)
    return { at: ['where', 'id'], expected: expectedName(event, correction, candidates), found: where.id };

  const venuesOfEvent = venues.get(known ?? '') ?? [];
  const isAllowed = allowsVenues(area, venuesOfEvent, where.date !== null);
  const elsewhere = isAllowed ? null : (area?.findingFor(venuesOfEvent) ?? null);
  if (elsewhere !== null) return { at: ['where', 'id'], ...elsewhere };

  const { feed } = where;
  if (feed !== null && feeds.every((one) => one.id !== feed)) {
    const expected = withNearest('the id of a source in sources.json', nearestFeed(feed));
    return { at: ['where', 'feed'], expected, found: feed };
  }

  const place = area === null ? '' : ` in ${area.name}`;
  const expected = `an event of this build with ${conditionsIn(where)}${place}`;
  return { at: ['where'], expected, foundText: 'none' };
}

/** For a name that no event of the build has. */
function expectedName(
  event: NamedEvent,
  { isApproving }: Pick<Correction, 'isApproving'>,
  candidates: Candidates,
): string {
  const isOutdated = event.ids.some((id) => candidates.heldBack.get(id)?.isOutdated === true);
  return isApproving && isOutdated ? PRESENT_ROW : expectedEvent(event, candidates);
}

/** F17: what an approval of an outdated version of an event should name instead. */
const PRESENT_ROW = 'the row for the event as it is now, which the report and /status list';

function conditionsIn(where: Correction['where']): string {
  const conditions = Object.entries(where).flatMap(([name, value]) => {
    if (value === null) return [];
    return name === 'date' ? ['that date'] : [`${name} ${JSON.stringify(value)}`];
  });
  return conditions.join(' and ');
}
