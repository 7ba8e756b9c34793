/** I7, E7: which events builds have changed after a snapshot that a client knows. */
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

/** `now`: instant, whole seconds. Null for an unknown snapshot. */
export type ChangesSince = (snapshotId: string, now: number) => Promise<ChangesJson | null>;

/**
 * The returned function reads the lists of builds when it is first called, and caches them. A file records the builds of the last 90 days:
 * for each event the build that changed it last (the column `changed`), and the former states of events that appeared, disappeared or got
 * another publishing date (the table `history`).
 *
 * A client that applies each answer to its copy is exact at every second. It must follow the clock itself: an event that is over is not
 * listed, unless a build has changed it. An event whose publishing date passes (A9) is added at that second, whichever snapshot contained
 * it before.
 */
export function createChangesSince(snapshot: Snapshot): ChangesSince {
  const { id, json } = snapshot;
  let builds: Promise<readonly BuildRow[]> | undefined;
  let states: Promise<readonly FormerState[]> | undefined;
  return async (snapshotId, now) => {
    builds ??= json('builds') as Promise<readonly BuildRow[]>;
    // A file does not contain its own id: its build is the one without an id.
    const from = (await builds).findLast((build) => (build.id ?? id) === snapshotId);
    if (from === undefined || now - from.builtAt > KNOWN_DAYS * DAY) return null;
    states ??= json('history') as Promise<readonly FormerState[]>;
    const lists = await changesAfter(from, await states, { snapshot, now });
    return { from: snapshotId, ...lists };
  };
}

async function changesAfter(
  from: BuildRow,
  states: readonly FormerState[],
  { snapshot, now }: { readonly snapshot: Snapshot; readonly now: number },
): Promise<Omit<ChangesJson, 'from'>> {
  const { id, meta, columns, eventNames, ordinalByOwnId } = snapshot;
  const stateAt = statesAt(from.number, states);
  const added: string[] = [];
  const changed: string[] = [];
  const removed: string[] = [];
  const wasChanged = (ordinal: number) => (columns.changed[ordinal] ?? 0) > from.number;
  const listed = Array.from(columns.changed.keys()).filter(
    (ordinal) => wasChanged(ordinal) || seenOf(columns, ordinal) > from.builtAt,
  );
  for (const [index, { id: event }] of (await eventNames(listed)).entries()) {
    const ordinal = listed[index] ?? -1;
    const former = stateAt.get(event);
    const wasSeen = former === undefined ? seenOf(columns, ordinal) : former.seen;
    const isVisible = seenOf(columns, ordinal) <= now && (columns.eventOver[ordinal] ?? 0) > now;
    if (isVisible) {
      if (wasSeen === null || wasSeen > from.builtAt) added.push(event);
      else if (wasChanged(ordinal)) changed.push(event);
    } else if (wasSeen !== null && wasSeen <= now && wasChanged(ordinal)) removed.push(event);
  }
  for (const [event, { seen, isChanged }] of stateAt) {
    const wasVisible = seen !== null && seen <= now;
    if (isChanged && wasVisible && ordinalByOwnId(event) === null) removed.push(event);
  }
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

interface StateThen {
  /** When the event became visible in that snapshot, null for never. */
  readonly seen: number | null;
  /** Whether a later build has changed it. */
  readonly isChanged: boolean;
}

/** The states, in the build of that number, of events that appeared, disappeared or got another publishing date in a later one. */
function statesAt(number: number, formerStates: readonly FormerState[]): ReadonlyMap<string, StateThen> {
  const states = new Map<string, StateThen>();
  // They ascend by id and build.
  for (const { id, build, seen, changed } of formerStates) {
    if (build <= number) continue;
    const first = states.get(id) ?? { seen, isChanged: false };
    states.set(id, { seen: first.seen, isChanged: first.isChanged || changed > number });
  }
  return states;
}

/** A published build. Numbers ascend from build to build. `id`: its snapshot's id; null in that snapshot's file, which cannot contain it. */
export interface BuildRow {
  readonly number: number;
  readonly id: string | null;
  readonly builtAt: number;
}

/** The state of an event before a build that changed it: a row of the table `history`. */
export interface FormerState {
  /** Id of the event. */
  readonly id: string;
  readonly build: number;
  /** The instant from which the event was public; null for never. */
  readonly seen: number | null;
  /** The number of the build that had changed it last. */
  readonly changed: number;
}
