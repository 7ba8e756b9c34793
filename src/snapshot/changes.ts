/** I7, E7: which events builds have changed after a snapshot that a client knows. */
import { compareCodePoints } from '../calendar/text.ts';
import { DAY } from '../calendar/time.ts';
import type { Snapshot } from './open.ts';
import { isVisibleAt, visibleFromOf } from './visibility.ts';

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
 * The returned function reads the lists of builds when it is first called, and caches them for the fields of one operation. They are not
 * cached as long as the snapshot is open: a history of 200,000 rows takes 19 MB. A file records the builds of the last 90 days: for each
 * event the build that changed it last (the column `changed`), and the former states of events that appeared, disappeared or got another
 * publishing date (the table `history`).
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
    const comparison = { snapshot, from, formerStates: statesAt(from.number, await states), now };
    const { added, changed, removed } = await changesInFile(comparison);
    const all = [...removed, ...missingSince(comparison)].sort(compareCodePoints);
    return {
      from: snapshotId,
      to: id,
      builtAt: snapshot.builtAt,
      added: JSON.stringify(added),
      changed: JSON.stringify(changed),
      removed: JSON.stringify(all),
    };
  };
}

interface Comparison {
  readonly snapshot: Snapshot;
  /** The build of the snapshot that the client knows. */
  readonly from: BuildRow;
  /** By event, see `statesAt`. */
  readonly formerStates: ReadonlyMap<string, StateThen>;
  /** Instant. */
  readonly now: number;
}

interface Changes {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** The changes of events that this snapshot still contains. */
async function changesInFile({ snapshot, from, formerStates, now }: Comparison): Promise<Changes> {
  const { columns, eventNames } = snapshot;
  const lists: Record<Change, string[]> = { added: [], changed: [], removed: [] };
  const wasChanged = (ordinal: number) => (columns.changed[ordinal] ?? 0) > from.number;
  const ordinals = Array.from(columns.changed.keys()).filter(
    (ordinal) => wasChanged(ordinal) || visibleFromOf(columns, ordinal) > from.builtAt,
  );
  const names = await eventNames(ordinals);
  for (const [index, ordinal] of ordinals.entries()) {
    const { id = '' } = names[index] ?? {};
    const visibleFrom = visibleFromOf(columns, ordinal);
    const former = formerStates.get(id);
    const change = changeOf({
      isVisible: isVisibleAt(columns, ordinal, now),
      wasChanged: wasChanged(ordinal),
      formerlyVisibleFrom: former === undefined ? visibleFrom : former.visibleFrom,
      knownAt: from.builtAt,
      now,
    });
    if (change !== null) lists[change].push(id);
  }
  return lists;
}

type Change = keyof Changes;

interface EventThenAndNow {
  /** Whether the event is visible now. */
  readonly isVisible: boolean;
  readonly wasChanged: boolean;
  /** In the snapshot that the client knows; null for never. */
  readonly formerlyVisibleFrom: number | null;
  /** The instant of that snapshot. */
  readonly knownAt: number;
  readonly now: number;
}

/** The change of one event; null for none. */
function changeOf({
  isVisible,
  wasChanged,
  formerlyVisibleFrom,
  knownAt,
  now,
}: EventThenAndNow): Change | null {
  const isNew = formerlyVisibleFrom === null || formerlyVisibleFrom > knownAt;
  if (isVisible && isNew) return 'added';
  if (isVisible) return wasChanged ? 'changed' : null;
  // The client may have shown it in the meantime, by its own clock.
  const mayBeShown = formerlyVisibleFrom !== null && formerlyVisibleFrom <= now;
  return wasChanged && mayBeShown ? 'removed' : null;
}

/** Events that the client may show and this snapshot no longer contains. */
function missingSince({ snapshot, formerStates, now }: Comparison): readonly string[] {
  const missing: string[] = [];
  for (const [id, { visibleFrom, isChanged }] of formerStates) {
    const mayBeShown = visibleFrom !== null && visibleFrom <= now;
    if (isChanged && mayBeShown && snapshot.ordinalByOwnId(id) === null) missing.push(id);
  }
  return missing;
}

interface StateThen {
  /** The instant from which the event was public; null for never. */
  readonly visibleFrom: number | null;
  /** Whether a later build has changed it. */
  readonly isChanged: boolean;
}

/** The states, in the build of that number, of events that appeared, disappeared or got another publishing date in a later one. */
function statesAt(number: number, formerStates: readonly FormerState[]): ReadonlyMap<string, StateThen> {
  const states = new Map<string, StateThen>();
  // They ascend by id and build.
  for (const { id, build, seen, changed } of formerStates) {
    if (build <= number) continue;
    const first = states.get(id) ?? { visibleFrom: seen, isChanged: false };
    states.set(id, { visibleFrom: first.visibleFrom, isChanged: first.isChanged || changed > number });
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
