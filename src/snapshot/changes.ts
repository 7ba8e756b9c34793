/** I7: what builds changed after a snapshot. */
import { compareCodePoints } from '../calendar/text.ts';
import { DAY } from '../calendar/time.ts';
import type { Columns } from './columns.ts';
import type { Snapshot } from './open.ts';

/** Lists of event ids in code point order, as JSON. */
export interface ChangesJson {
  /** Snapshot ids. */
  readonly from: string;
  readonly to: string;
  /** Instant at which the snapshot `to` was built. */
  readonly builtAt: number;
  readonly added: string;
  readonly changed: string;
  readonly removed: string;
}

/** E7: days for which a build is known. */
export const KNOWN_DAYS = 90;

/** `since`: a snapshot id. `now`: instant, whole seconds. Null for an unknown snapshot. */
export type ChangesSince = (since: string, now: number) => Promise<ChangesJson | null>;

/**
 * E7: what builds changed after a snapshot. The returned function reads the lists of builds when it is first called, and keeps them. A file
 * records the builds of the last 90 days: for each event the build that changed it last (the column `changed`), and the earlier state of events
 * that appeared, disappeared or got another publishing date (`history`).
 *
 * A client that applies each answer to its copy is exact at every second. It must follow the clock itself: an event that is over is not
 * listed, unless a build changed it since. An event whose publishing date passes (A9) is added at that second, whichever snapshot contained
 * it before.
 */
export function createChangesSince(snapshot: Snapshot): ChangesSince {
  const { id, json } = snapshot;
  let builds: Promise<readonly BuildRow[]> | undefined;
  let history: Promise<readonly HistoryRow[]> | undefined;
  return async (since, now) => {
    builds ??= json('builds') as Promise<readonly BuildRow[]>;
    // A file does not contain its own id: its build is the one without an id.
    const from = (await builds).findLast((build) => (build.id ?? id) === since);
    if (from === undefined || now - from.builtAt > KNOWN_DAYS * DAY) return null;
    history ??= json('history') as Promise<readonly HistoryRow[]>;
    const lists = await changesAfter(from, await history, { snapshot, now });
    return { from: since, ...lists };
  };
}

async function changesAfter(
  from: BuildRow,
  history: readonly HistoryRow[],
  { snapshot, now }: { readonly snapshot: Snapshot; readonly now: number },
): Promise<Omit<ChangesJson, 'from'>> {
  const { id, meta, columns, eventNames, ordinalByOwnId } = snapshot;
  const before = statesBefore(history, from.number);
  const added: string[] = [];
  const changed: string[] = [];
  const removed: string[] = [];
  const wasChanged = (ordinal: number) => (columns.changed[ordinal] ?? 0) > from.number;
  const listed = Array.from(columns.changed.keys()).filter(
    (ordinal) => wasChanged(ordinal) || seenOf(columns, ordinal) > from.builtAt,
  );
  for (const [index, { id: event }] of (await eventNames(listed)).entries()) {
    const ordinal = listed[index] ?? -1;
    const seen = before.get(event)?.seen ?? null;
    const wasSeen = before.has(event) ? seen : seenOf(columns, ordinal);
    if (seenOf(columns, ordinal) <= now && (columns.eventOver[ordinal] ?? 0) > now) {
      if (wasSeen === null || wasSeen > from.builtAt) added.push(event);
      else if (wasChanged(ordinal)) changed.push(event);
    } else if (wasSeen !== null && wasSeen <= now && wasChanged(ordinal)) removed.push(event);
  }
  for (const [event, { seen, isChanged }] of before)
    if (isChanged && seen !== null && seen <= now && ordinalByOwnId(event) === null) removed.push(event);
  removed.sort(compareCodePoints);
  return {
    to: id,
    builtAt: Math.floor(Date.parse(meta.builtAt) / 1_000),
    added: JSON.stringify(added),
    changed: JSON.stringify(changed),
    removed: JSON.stringify(removed),
  };
}

/** Instant from which an event is public; 0 for always. */
export function seenOf({ publishing }: Pick<Columns, 'publishing'>, ordinal: number): number {
  return Math.max(0, publishing[ordinal] ?? 0);
}

interface StateBefore {
  /** When the event became visible in that snapshot, null for never. */
  readonly seen: number | null;
  /** Whether a build has changed it since. */
  readonly isChanged: boolean;
}

/** Of the events that came, went or got another publishing date after the build of that number: `history` ascends by id and build. */
function statesBefore(history: readonly HistoryRow[], after: number): ReadonlyMap<string, StateBefore> {
  const states = new Map<string, StateBefore>();
  for (const { id, build, seen, changed } of history) {
    if (build <= after) continue;
    const earliest = states.get(id) ?? { seen, isChanged: false };
    states.set(id, { seen: earliest.seen, isChanged: earliest.isChanged || changed > after });
  }
  return states;
}

/** A published build. Numbers ascend from build to build; `id` is its snapshot's: a file cannot contain its own, null. */
export interface BuildRow {
  readonly number: number;
  readonly id: string | null;
  readonly builtAt: number;
}

/**
 * The state of an event before a build that changed it: `seen` is when it was public, null for never; `changed` the number of the build
 * that had changed it last.
 */
export interface HistoryRow {
  readonly id: string;
  readonly build: number;
  readonly seen: number | null;
  readonly changed: number;
}
