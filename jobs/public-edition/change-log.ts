/**
 * The table `change` of the public edition: the events that appeared, disappeared or changed for callers in the last 90 days. It is made
 * from what a snapshot records for `changes` (I7), and leaves out events that were never public.
 */
import { groupBy } from '../../src/calendar/groups.ts';
import { compareCodePoints } from '../../src/calendar/text.ts';
import { DAY, isoSecond } from '../../src/calendar/time.ts';
import { type BuildRow, type FormerState, KNOWN_DAYS } from '../../src/snapshot/changes.ts';

interface ChangeRow {
  readonly id: string;
  readonly kind: 'added' | 'changed' | 'removed';
  /** ISO 8601 in UTC. */
  readonly at: string;
}

/** An event of the calendar. */
interface CurrentEvent {
  readonly id: string;
  /** Instant from which it is public; 0 for always. */
  readonly publicFrom: number;
  /** Number of the build that changed it last. */
  readonly changed: number;
}

export type DatedBuild = Pick<BuildRow, 'number' | 'builtAt'>;

interface Recorded {
  /** The oldest first. */
  readonly builds: readonly DatedBuild[];
  /** Ascending by id, then by build. */
  readonly history: readonly FormerState[];
  readonly events: readonly CurrentEvent[];
  /** Instant, whole seconds. */
  readonly now: number;
}

/** The rows of the table: by id, then by time. */
export function changeLog({ builds, history, events, now }: Recorded): readonly ChangeRow[] {
  const builtAt = new Map(builds.map(({ number, builtAt: instant }) => [number, instant]));
  const current = new Map(events.map((event) => [event.id, event]));
  const oldest = builds[0]?.builtAt ?? Number.POSITIVE_INFINITY;
  const rowsById = groupBy(history, ({ id }) => id);
  const ids = [...new Set([...rowsById.keys(), ...current.keys()])].sort(compareCodePoints);
  return ids.flatMap((id) => {
    const found = changesOf({ rows: rowsById.get(id) ?? [], event: current.get(id), builtAt, oldest, now });
    return found
      .filter(({ instant }) => instant <= now && now - instant <= KNOWN_DAYS * DAY)
      .map(({ kind, instant }) => ({ id, kind, at: isoSecond(instant) }));
  });
}

interface Change {
  readonly kind: ChangeRow['kind'];
  readonly instant: number;
}

interface OneEvent {
  /** Its states before the builds that changed them. */
  readonly rows: readonly FormerState[];
  readonly event: CurrentEvent | undefined;
  readonly builtAt: ReadonlyMap<number, number>;
  /** Instant of the oldest build that is known. */
  readonly oldest: number;
  readonly now: number;
}

/** The number of a folder's first build, with which later builds are compared. */
const FIRST_BUILD = 1;

/** The changes that callers saw, in the order of the builds. */
function changesOf(one: OneEvent): readonly Change[] {
  const { event, builtAt, oldest, now } = one;
  const visibility = visibilityChangesOf(one);
  if (event === undefined) return visibility;
  const appearedEarlier = visibility.length > 0 || event.publicFrom <= oldest;
  const appearance: Change = { kind: 'added', instant: event.publicFrom };
  const changes = appearedEarlier ? visibility : [appearance];
  const visibleSince = visibility.findLast(({ kind }) => kind === 'added')?.instant ?? event.publicFrom;
  const changedAt = builtAt.get(event.changed) ?? null;
  const isSeenChange =
    changedAt !== null &&
    event.changed !== FIRST_BUILD &&
    changedAt > visibleSince &&
    event.publicFrom <= now;
  return isSeenChange ? [...changes, { kind: 'changed', instant: changedAt }] : changes;
}

/** When an event appeared and disappeared, by its states before the builds that changed them. */
function visibilityChangesOf({ rows, event, builtAt, oldest }: OneEvent): readonly Change[] {
  const changes: Change[] = [];
  for (const [index, row] of rows.entries()) {
    const built = builtAt.get(row.build);
    if (built === undefined) continue;
    const next = rows[index + 1];
    const publicFrom = next === undefined ? (event?.publicFrom ?? null) : next.seen;
    const wasVisible = row.seen !== null && row.seen <= built;
    const isExpired = wasVisible && publicFrom === null && row.changed !== row.build;
    if (isExpired) {
      expire(changes, builtAt.get(row.changed) ?? oldest);
      continue;
    }
    const isHidden = publicFrom === null || publicFrom > built;
    if (wasVisible && isHidden) changes.push({ kind: 'removed', instant: built });
    if (publicFrom !== null && (!wasVisible || isHidden))
      changes.push({ kind: 'added', instant: Math.max(publicFrom, built) });
  }
  return changes;
}

/**
 * Handles an event whose last date has passed: removes or adds the last of these changes. Passing dates are not listed. But if a build had
 * changed the event, older copies do not know when it is over, so it is removed as of that build.
 */
function expire(changes: Change[], changedAt: number): void {
  const last = changes.at(-1);
  if (last?.kind === 'added' && last.instant >= changedAt) changes.pop();
  else changes.push({ kind: 'removed', instant: changedAt });
}
